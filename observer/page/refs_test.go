package page_test

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestRefsStay(t *testing.T) {
	const list = `<ul id=u><li data-id=1><b>Mail 1</b> <button data-k=o1>Open</button><li data-id=2><b>Mail 2</b> <button data-k=o2>Open</button></ul>
		<button id=like data-k=like>Like (1)</button><div id=z><button data-k=a>A</button><button data-k=b>B</button></div><div id=y></div>`
	cases := []struct {
		name, do   string
		role, node string // the node whose ref is watched
		nth        int
		want       string // data-k that the old ref means afterwards, "none" when refused
		status     string
	}{
		{"rename", "like.textContent = 'Like (2)'", "button", "Like (1)", 0, "like", "ok"},
		{"rename wholly", "like.textContent = 'Unlike'", "button", "Like (1)", 0, "like", "ok"},
		{"move", "y.append(z.lastChild)", "button", "B", 0, "b", "ok"},
		{"swap rows", "u.append(u.firstChild)", "button", "Open", 0, "o1", "ok"},
		{"prepend", "u.insertAdjacentHTML('afterbegin', '<li data-id=0><b>Mail 0</b> <button data-k=o0>Open</button>')", "button", "Open", 0, "o1", "ok"},
		{"same again", "z.innerHTML = z.innerHTML", "button", "B", 0, "b", "ok"},
		{"rows again", "u.innerHTML = u.innerHTML", "button", "Open", 1, "o2", "ok"},
		{"rows again, first one gone", "u.innerHTML = u.lastChild.outerHTML", "button", "Open", 0, "none", "removed"},
		{"rows again, second stays", "u.innerHTML = u.lastChild.outerHTML", "button", "Open", 1, "o2", "ok"},
		{"removed", "like.remove()", "button", "Like (1)", 0, "none", "removed"},
		{"taken out and back", "const l = like, p = l.parentNode; l.remove(); p.append(l)", "button", "Like (1)", 0, "like", "ok"},
		{"recycled", "document.querySelectorAll('li').forEach((l, i) => { l.dataset.id = 90 + i; l.firstChild.textContent = 'Mail ' + (90 + i); l.lastElementChild.dataset.k = 'o' + (90 + i) })", "button", "Open", 0, "none", "recycled"},
		{"replaced", "z.lastChild.outerHTML = '<button data-k=c>C</button>'", "button", "B", 0, "none", "replaced"},
		{"another id holder", "like.outerHTML = '<a href=# id=like data-k=other>Like (1)</a>'", "button", "Like (1)", 0, "none", ""},
	}
	b := newBench(t, map[string]string{"/": "<!doctype html><title>L</title>" + list})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			b.open("/")
			ref := findAll(b.look().Root, c.role, c.node)[c.nth].Ref
			b.js(nil, "(src) => { const s = document.createElement('script'); s.textContent = '{' + src + '}'; document.head.append(s) }", c.do)
			// Asked before anybody looked again …
			if got := b.k("", ref); got != c.want {
				t.Errorf("before a walk %s means %q, want %q", ref, got, c.want)
			}
			// … and after.
			b.look()
			if got := b.k("", ref); got != c.want {
				t.Errorf("after a walk %s means %q, want %q", ref, got, c.want)
			}
			if got := b.status(ref); c.status != "" && got != c.status {
				t.Errorf("status %q, want %q", got, c.status)
			}
		})
	}
}

func TestReboundIsReported(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><div id=z><button>A</button><button>B</button></div>`})
	b.open("/")
	before := b.look()
	b.js(nil, "() => { const z = document.getElementById('z'); z.innerHTML = z.innerHTML }")
	got := b.capture()
	if len(got.Rebound) != 2 {
		t.Errorf("rebound %v", got.Rebound)
	}
	if find(t, before, "button", "A").Ref != find(t, got.Tree, "button", "A").Ref {
		t.Error("the ref did not move")
	}
}

func TestRefsNeverReused(t *testing.T) {
	b := newBench(t, map[string]string{
		"/a":  `<!doctype html><title>A</title><button data-k=cancel>Cancel</button><a href=/b>On</a>`,
		"/b":  `<!doctype html><title>B</title><button data-k=delete>Delete</button>`,
		"/p":  `<!doctype html><title>P</title><iframe id=f src=/a></iframe>`,
		"/p2": `<!doctype html><title>P</title><iframe id=f src={{other}}/a></iframe>`,
	})
	b.open("/a")
	cancel := find(t, b.look(), "button", "Cancel").Ref
	b.open("/b")
	del := find(t, b.look(), "button", "Delete").Ref
	if cancel == del || b.k("", cancel) != "none" || b.status(cancel) != "unknown" {
		t.Errorf("%s and %s: the old one means %q", cancel, del, b.k("", cancel))
	}
	// Back, with or without the back-forward cache: the old ref means its own
	// element or nothing.
	b.js(nil, "() => { history.back() }")
	deadline := time.Now().Add(5 * time.Second)
	for time.Now().Before(deadline) && !strings.HasSuffix(b.tab.URL(), "/a") {
		time.Sleep(20 * time.Millisecond)
	}
	again := find(t, b.look(), "button", "Cancel").Ref
	if got := b.k("", cancel); got != "cancel" && got != "none" {
		t.Errorf("after back %s means %q", cancel, got)
	}
	if again == del {
		t.Errorf("%s is used again", again)
	}
	for _, path := range []string{"/p", "/p2"} {
		b.open(path)
		old := find(t, b.look(), "button", "Cancel").Ref
		if !strings.HasPrefix(old, "f") {
			t.Fatalf("%s: ref %q of a framed button", path, old)
		}
		b.js(nil, "(src) => { document.getElementById('f').src = src }", b.site.URL+"/b")
		var now string
		for time.Now().Before(deadline.Add(5 * time.Second)) {
			if all := findAll(b.look().Root, "button", "Delete"); len(all) == 1 {
				now = all[0].Ref
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if now == "" || now == old || b.k("/b", old) != "none" {
			t.Errorf("%s: iframe reloaded: old %s means %q, new is %s", path, old, b.k("/b", old), now)
		}
	}
}

func TestFrames(t *testing.T) {
	b := newBench(t, map[string]string{
		"/":      `<!doctype html><title>Top</title><h1>Top</h1><div style="height:60px"></div><iframe id=same src=/mid style="margin-left:50px;border:5px solid;padding:3px" width=400 height=300 title=Mid></iframe><iframe src={{other}}/in?b title=Other></iframe><iframe src=/hang title=Hangs></iframe><iframe src=/in?hidden style=display:none></iframe>`,
		"/mid":   `<!doctype html><body style="margin:0"><button style="position:absolute;left:60px;top:20px" data-k=mid>Middle</button><iframe src={{other}}/in?a style="position:absolute;top:80px;left:30px;border:0" title=Nested></iframe>`,
		"/in":    `<!doctype html><body style="margin:0"><button style="position:absolute;left:10px;top:5px" data-k=in>Inner</button><input aria-label=Name>`,
		"/empty": "",
	})
	if err := b.tab.Navigate(b.ctx, b.site.URL+"/"); err != nil {
		t.Fatal(err)
	}
	_ = b.tab.Settle(b.ctx, 100*time.Millisecond, 1500*time.Millisecond)
	tree := b.look()
	for end := time.Now().Add(10 * time.Second); len(findAll(tree.Root, "button", "Inner")) < 2 && time.Now().Before(end); tree = b.look() {
		time.Sleep(50 * time.Millisecond) // the frames' processes come up
	}
	if got := findAll(tree.Root, "button", "Inner"); len(got) != 2 {
		t.Fatalf("%d inner buttons, want 2: %s", len(got), dump(tree.Root))
	}
	mid, nested := find(t, tree, "button", "Middle"), find(t, tree, "iframe", "Nested")
	if len(nested.Children) == 0 || nested.Children[0].Name != "Inner" {
		t.Fatalf("nested frame: %s", dump(nested))
	}
	var left, top float64
	b.js(&left, "() => document.getElementById('same').getBoundingClientRect().left")
	b.js(&top, "() => document.getElementById('same').getBoundingClientRect().top")
	near := func(a, b float64) bool { return math.Abs(a-b) < 1 }
	if !near(mid.Box.X, left+8+60) || !near(mid.Box.Y, top+8+20) {
		t.Errorf("Middle at %v, the frame is at %v,%v", *mid.Box, left, top)
	}
	in := nested.Children[0]
	if !near(in.Box.X, left+8+30+10) || !near(in.Box.Y, top+8+80+5) {
		t.Errorf("Inner at %v, the frame is at %v,%v", *in.Box, left, top)
	}
	if got := b.k("/mid", mid.Ref); got != "mid" {
		t.Errorf("%s means %q", mid.Ref, got)
	}
	if got := b.k("/in?a", in.Ref); got != "in" {
		t.Errorf("%s means %q", in.Ref, got)
	}
	if h := find(t, tree, "iframe", "Hangs"); h.FrameNote == "" {
		t.Errorf("a frame that hangs: %s", dump(h))
	}
	if err := b.frame("/in?a").Call(b.ctx, nil, "() => document.querySelector('input').focus()"); err != nil {
		t.Fatal(err)
	}
	active := 0
	for _, n := range findAllNodes(b.look().Root) {
		if n.Active {
			active++
			if n.Name != "Name" || !strings.HasPrefix(n.Ref, "f") {
				t.Errorf("active: %s", dump(n))
			}
		}
	}
	if active != 1 {
		t.Errorf("%d active nodes, want 1", active)
	}
}
