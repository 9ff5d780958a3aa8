package page_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/observer/aria"
	"github.com/quartet-agents/quartet/observer/page"
)

// TestIncrementalEqualsFresh makes random changes to a page and compares what a
// reader knows that followed them, step by step, with a walk that starts anew.
// QUARTET_SEQUENCES sets how many sequences of changes there are.
func TestIncrementalEqualsFresh(t *testing.T) {
	mutate, err := testdata.ReadFile("testdata/mutate.js")
	if err != nil {
		t.Fatal(err)
	}
	sequences := 120
	if s := os.Getenv("QUARTET_SEQUENCES"); s != "" {
		if sequences, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	app, err := testdata.ReadFile("testdata/app.html")
	if err != nil {
		t.Fatal(err)
	}
	// Rules that reach far leave little to reuse: each page has fewer of them.
	far := string(app)
	near := strings.Replace(far, "form:has(input:invalid) .warn", ".bad .warn", 1)
	plain := strings.NewReplacer("li.off~li.after", ".off .after", "ul.zebra li:nth-child(3n)", "ul.zebra li", "input:checked+label+.pane", "input:checked .pane").Replace(near)
	b := newBench(t, map[string]string{"/0": far, "/1": near, "/2": plain})
	b.limit(time.Duration(sequences) * time.Second)
	seed := uint32(cmp.Or(envInt(t, "QUARTET_SEED"), 1))
	compared, walked, elements := 0, 0, 0
	for at := 0; at < sequences; {
		b.open("/" + strconv.Itoa(at%3)) // now and then from the start: changes pile up
		for range 40 {
			if at++; at > sequences {
				break
			}
			seed = seed*1664525 + 1013904223
			var ops string
			b.js(&ops, string(mutate), seed, 1+int(seed>>28)%5)
			got := b.capture()
			inc := got.Tree
			walked, elements = walked+got.Walked, elements+got.Elements
			if seed>>20%3 == 0 {
				continue // several steps until the next comparison
			}
			fresh := b.fresh()
			if err := same(inc.Root, fresh.Root, ""); err != nil {
				t.Fatalf("sequence %d (seed %d, changes %s): %v\n--- followed\n%s\n--- fresh\n%s", at, seed, ops, err,
					aria.Render(inc, aria.Playwright, aria.RenderOptions{}).Text, aria.Render(fresh, aria.Playwright, aria.RenderOptions{}).Text)
			}
			compared++
		}
	}
	t.Logf("%d comparisons; %d of %d elements were walked again", compared, walked, elements)
	if compared == 0 || walked*10 > elements*8 {
		t.Error("too little was compared, or reused")
	}
}

// fresh is a look that starts anew.
func (b *bench) fresh() *aria.Tree {
	b.t.Helper()
	got, err := page.NewCapturer(slog.New(slog.DiscardHandler)).Capture(b.ctx, b.tab, b.refs, page.Options{Deadline: 15 * time.Second, Fresh: true})
	if err != nil {
		b.t.Fatal(err)
	}
	return got.Tree
}

// What a clip leaves to be seen depends on where it lies in those around it.
func TestClipsMove(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><title>Clips</title>
 <div id=outer style="height:100px;overflow:auto"><div style="height:60px;overflow:auto"><p>inner words</p><button>Inner</button></div><div style="height:900px"></div></div>`})
	b.open("/")
	b.look()
	for _, y := range []int{500, 0} {
		b.js(nil, `(y) => { document.getElementById('outer').scrollTop = y; }`, y)
		got, want := b.look(), b.fresh()
		if err := same(got.Root, want.Root, ""); err != nil {
			t.Errorf("scrolled to %d: %v", y, err)
		}
		if n := findAll(want.Root, "text", "inner words"); len(n) > 0 && n[0].Clipped != (y > 0) {
			t.Errorf("scrolled to %d the words are clipped: %v", y, n[0].Clipped)
		}
	}
}

func envInt(t *testing.T, name string) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), "0"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// same compares two trees, boxes to half a pixel.
func same(a, b *aria.Node, at string) error {
	at += "/" + a.Role + " " + a.Ref + " " + strconv.Quote(a.Name+a.Text)
	x, y := *a, *b
	if (a.Box == nil) != (b.Box == nil) {
		return fmt.Errorf("%s: box %v, fresh %v", at, a.Box, b.Box)
	}
	if a.Box != nil && math.Abs(a.Box.X-b.Box.X)+math.Abs(a.Box.Y-b.Box.Y)+math.Abs(a.Box.W-b.Box.W)+math.Abs(a.Box.H-b.Box.H) > 0.5 {
		return fmt.Errorf("%s: box %v, fresh %v", at, *a.Box, *b.Box)
	}
	x.Box, y.Box, x.Children, y.Children = nil, nil, nil, nil
	if l, r := fmt.Sprintf("%+v", shown(x)), fmt.Sprintf("%+v", shown(y)); l != r {
		return fmt.Errorf("%s:\n  followed %s\n  fresh    %s", at, l, r)
	}
	if len(a.Children) != len(b.Children) {
		return fmt.Errorf("%s: %d children, fresh %d", at, len(a.Children), len(b.Children))
	}
	for i := range a.Children {
		if err := same(a.Children[i], b.Children[i], at); err != nil {
			return err
		}
	}
	return nil
}

// shown replaces the pointer in a node by what it points to.
func shown(n aria.Node) any {
	v := "-"
	if n.Value != nil {
		v = *n.Value
	}
	n.Value = nil
	return struct {
		aria.Node
		V string
	}{n, v}
}

// What lies over others may be moved by something else, which did not change it.
func TestCoversMove(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><title>Covers</title><style>body{margin:0;position:relative} button{position:absolute;height:20px}</style>
 <button style="top:0;left:0">First</button><button style="top:60px;left:0">Second</button>
 <div id=above></div><section><div><div style="float:left;width:200px;height:30px;position:relative">over it</div></div></section>`})
	b.open("/")
	b.look()
	for _, c := range []struct {
		margin  int
		covered string
	}{{55, "Second"}, {0, "First"}} {
		b.js(nil, `(px) => { document.getElementById('above').style.height = px + 'px'; }`, c.margin)
		got, want := b.look(), b.fresh()
		if err := same(got.Root, want.Root, ""); err != nil {
			t.Errorf("%d px down: %v", c.margin, err)
		}
		if find(t, want, "button", c.covered).CoveredBy == "" {
			t.Errorf("%d px down nothing covers %s", c.margin, c.covered)
		}
	}
}

// Each change is made between two looks, and shows in the second as in one that
// starts anew: what was away for a while, what came to another place, and what
// rules select without the element itself changing.
func TestChangesThatReachFar(t *testing.T) {
	for name, c := range map[string]struct{ page, change, shows string }{
		"changed while away": {`<div id=a><div><div><p id=p>Total 10</p><button id=b>Pay 10</button></div></div></div>`,
			`async () => { const n = a.firstChild, p = document.getElementById('p'), b = document.getElementById('b'); n.remove(); await new Promise((r) => setTimeout(r, 20)); p.textContent = 'Total 8'; b.disabled = true; a.append(n); }`, "Total 8"},
		"into other rules": {`<style>.off .act{display:none}</style><div class=off id=l1><div><div>Fix</div><div><button class=act>Approve</button></div></div></div><div id=l2></div>`,
			`() => { l2.append(l1.firstChild); }`, "Approve"},
		"into another role": {`<div id=l1><footer>Imprint <a href=x>Terms</a></footer></div><section id=l2 aria-label=Box><p>in it</p></section>`,
			`() => { l2.append(l1.firstChild); }`, "Imprint"},
		"beside the empty": {`<style>.m{display:none}.list:empty+.m{display:block}</style><div class=list id=l><b>one</b></div><div class=m><button>Add first</button></div>`,
			`() => { l.replaceChildren(); }`, "Add first"},
		"defined at last": {`<style>:not(:defined){visibility:hidden}</style><x-late><button>Ready</button></x-late><script>addEventListener('go',()=>customElements.define('x-late',class extends HTMLElement{}))</script>`,
			`() => { dispatchEvent(new Event('go')); }`, "Ready"},
		"a state of its own": {`<style>x-sw button{display:none}x-sw:state(on) button{display:inline}</style><x-sw><button>On now</button></x-sw><script>customElements.define('x-sw',class extends HTMLElement{constructor(){super();this.in=this.attachInternals()}});addEventListener('go',()=>document.querySelector('x-sw').in.states.add('on'))</script>`,
			`() => { dispatchEvent(new Event('go')); }`, "On now"},
		"slotted by hand": {`<div id=h><b>One</b><b>Two</b></div><script>const r=h.attachShadow({mode:'open',slotAssignment:'manual'});r.innerHTML='<slot></slot>';r.querySelector('slot').assign(h.children[0])</script>`,
			`async () => { h.shadowRoot.querySelector('slot').assign(h.children[1]); await new Promise((r) => setTimeout(r, 20)); }`, "Two"},
		"cells of a row": {`<table><tr id=r><th>A<th>B<th>C<th>D<th>E<th>F<th>G</tr><tr><td>1</tr></table>`,
			`() => { r.insertCell().textContent = 'and more'; }`, "and more"},
		"one less is active": {`<ul><li><a href=a class="item selected">First</a></li><li><a href=b class="item selected">Second</a></li></ul>`,
			`() => { document.querySelectorAll('a')[1].className = 'item'; }`, "Second"},
		"counted among some": {`<style>.x{display:none}.x:nth-child(2 of .on){display:block}</style><div id=d><p class="x on">a</p><p>.</p><p>.</p><p>.</p><p>.</p><p>.</p><p class="x on">far away</p><p>.</p><p class=x>b</p></div>`,
			`() => { d.firstChild.classList.remove('on'); d.lastChild.classList.add('on'); }`, "b"},
		"opened by height": {`<style>.p{max-height:0;overflow:hidden}#c:checked~.p{max-height:200px}</style><input type=checkbox id=c aria-label=Open><div class=p><p>the panel</p></div>`,
			`() => { c.checked = true; }`, "the panel"},
		"moved inside a shadow": {`<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<style>p{transition:opacity 60ms}.out{opacity:0}</style><p>fades away</p>'</script>`,
			`() => { const p = h.shadowRoot.querySelector('p'); getComputedStyle(p).opacity; p.className = 'out'; }`, "fades away"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"/": "<!doctype html><title>Far</title>" + c.page})
			b.open("/")
			b.look()
			// What the page calls by its ids is not there in the world that js runs in.
			b.js(nil, `async (src) => { for (const e of document.querySelectorAll('[id]')) globalThis[e.id] = e; await (0, eval)('(' + src + ')')(); }`, c.change)
			b.look() // transitions may be under way
			time.Sleep(150 * time.Millisecond)
			got, want := b.look(), b.fresh()
			if err := same(got.Root, want.Root, ""); err != nil {
				t.Error(err)
			}
			if text := aria.Render(want, aria.Compact, aria.RenderOptions{}).Text; !strings.Contains(text, c.shows) {
				t.Errorf("%q is not shown:\n%s", c.shows, text)
			}
		})
	}
}
