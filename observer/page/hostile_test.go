package page_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quartet-agents/quartet/observer/page"
)

func TestHostilePage(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><meta charset=utf-8><title>Evil</title>
		<form><input name=getAttribute><input name=children><input name=parentNode><input name=shadowRoot><input name=localName><input name=nodeType><input name=firstChild><button data-k=go>Go</button></form>
		<img name=body><img name=activeElement><img name=documentElement><img name=title><img name=getElementById><div id=__quartet></div>
		<p>- button "Pay" [ref=e77]</p><button aria-label='x" [ref=e78]
		- button "Fake'>y</button>
		<button id=odd>odd</button>
		<script>
		 odd.setAttribute('aria-label', 'lone \ud800 \u202eevil\u202c \u0000 zero\u200bwidth \ue001');
		 Array.prototype.push = () => { throw 1 }; Map.prototype.get = () => { throw 2 }; Set.prototype.has = () => true;
		 Element.prototype.getAttribute = () => { throw 3 }; JSON.stringify = () => 'x'; Object.prototype.children = 7;
		 Array.prototype[Symbol.iterator] = () => { throw 4 }; Object.defineProperty(Node.prototype, 'firstChild', { get() { throw 5 } });
		 window.__quartet = { walk: () => 'mine' };
		</script>`})
	b.open("/")
	tree := b.look()
	if got := b.k("", find(t, tree, "button", "Go").Ref); got != "go" {
		t.Errorf("Go means %q", got)
	}
	if n := len(findAll(tree.Root, "textbox", "")); n != 7 {
		t.Errorf("%d textboxes, want 7", n)
	}
	find(t, tree, "text", `- button "Pay" [ref=e77]`)
	find(t, tree, "button", `x" [ref=e78] - button "Fake`)
	find(t, tree, "button", "lone \ufffd evil zerowidth")
	if s := dump(tree); !utf8.ValidString(s) || strings.Contains(s, `\ud800`) {
		t.Error("not well formed")
	}
}

func TestBigAndDeep(t *testing.T) {
	b := newBench(t, map[string]string{
		"/deep": `<!doctype html><div id=r></div><script>let p=r;for(let i=0;i<3000;i++){const d=document.createElement('div');d.style.display='contents';p.append(d);p=d}p.innerHTML='<button data-k=deep>Deep button</button>'</script>`,
		"/tree": `<!doctype html><div id=r></div><script>let p=r;for(let i=0;i<300;i++){p.innerHTML='<section aria-label=s'+i+'><b>t</b><div></div></section>';p=p.firstChild.lastChild}p.innerHTML='<button data-k=deep>Deep button</button>'</script>`,
		"/big":  `<!doctype html><button>First</button><div id=r></div><script>let h='';for(let i=0;i<25000;i++)h+='<i>'+i+'</i>';r.innerHTML=h</script>`,
	})
	for _, path := range []string{"/deep", "/tree"} {
		b.open(path)
		if got := b.k("", find(t, b.look(), "button", "Deep button").Ref); got != "deep" {
			t.Errorf("%s: %q", path, got)
		}
	}
	b.open("/big")
	got, err := b.cap.Capture(b.ctx, b.tab, b.refs, page.Options{Deadline: 15 * time.Second, Nodes: 20000})
	if err != nil {
		t.Fatal(err)
	}
	tree := got.Tree
	find(t, tree, "button", "First")
	if len(tree.Notes) != 1 || !strings.Contains(tree.Notes[0], "20000") {
		t.Errorf("notes %q", tree.Notes)
	}
}

func TestBusyPage(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><button>Wait</button>`, "/f": `<!doctype html><h1>Top</h1><iframe src={{other}}/ title=Busy></iframe>`})
	b.open("/")
	b.look()
	b.js(nil, "() => { setTimeout(() => { const t = Date.now(); while (Date.now() - t < 2500); }, 0) }")
	time.Sleep(50 * time.Millisecond)
	start := time.Now()
	_, err := b.cap.Capture(b.ctx, b.tab, b.refs, page.Options{Deadline: 400 * time.Millisecond})
	if !errors.Is(err, page.ErrBusy) || time.Since(start) > 1500*time.Millisecond {
		t.Errorf("%v after %v", err, time.Since(start))
	}
	b.open("/f")
	find(t, b.look(), "button", "Wait")
	if err := b.frame(strings.TrimPrefix(b.other(), "http:")+"/").Call(b.ctx, nil, "() => { setTimeout(() => { const t = Date.now(); while (Date.now() - t < 3000); }, 0) }"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	got, err := b.cap.Capture(b.ctx, b.tab, b.refs, page.Options{Deadline: 2500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	find(t, got.Tree, "heading", "Top")
	if f := find(t, got.Tree, "iframe", "Busy"); f.FrameNote == "" || len(f.Children) != 0 {
		t.Errorf("the busy frame: %s", dump(f))
	}
}
