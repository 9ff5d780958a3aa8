package page_test

import (
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
)

// What only the paint says is said where it sets something apart, and only
// there.
func TestLooks(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><title>Looks</title><style>
 .late td { color: #c00 } .mark { background: #fff3a0 } .gone { text-decoration: line-through }
 .err { color: red } .amount { color: green } .unread { font-weight: bold } .dim { opacity: .4 }
 .stripe { background: #f7f7f7 } .nav { color: #06c }
 </style>
 <table><tr><th>Invoice<th>Amount</tr>
 <tr class="stripe"><td>A1<td class="amount">10</tr><tr class="late"><td>A2<td class="amount">20</tr>
 <tr class="stripe"><td>A3<td class="amount">30</tr><tr><td>A4<td class="amount">40</tr><tr class="mark"><td>A5<td class="amount">50</tr></table>
 <form aria-label="F"><label>City <input></label><div class="err">City is missing</div><p>Plain words <span style="color:#d00">urgent words</span> and more</p></form>
 <ul><li><span class="gone">Milk</span></li><li><span>Eggs</span></li><li><span>Bread</span></li></ul>
 <ul><li class="unread">Mail one</li><li>Mail two</li><li>Mail three</li><li>Mail four</li></ul>
 <nav><ul><li class="item"><a href="/a">First</a></li><li class="item active"><a href="/b">Second</a></li><li class="item"><a href="/c">Third</a></li></ul></nav>
 <div><button class="tab">One</button><button class="tab is-active">Two</button><button class="tab dim">Three</button></div>
 <p class="nav">Blue prose</p><button class="btn interactive">Four</button><button class="btn">Five</button>
 <ul class="tree"><li class="node"><span>a</span><a href="#1" class="line">Folder A</a></li><li class="node"><span>b</span><a href="#2" class="line line-selected">Folder B</a></li></ul>
 <div><a href="?1" class="page">1</a><span class="page current">two</span><a href="?3" class="page">3</a></div>
 <p>n<sup style="color:#090">2</sup></p>
 <style>.due:nth-child(3) { background: #fff3a0 } .due:has(b) td { color: #c00 }</style>
 <table><tr class="due"><td>B1<td>1</tr><tr class="due"><td>B2<td>2</tr><tr class="due"><td>B3<td>3</tr>
 <tr class="due"><td class="mark">B4<td>4</tr><tr class="due"><td>B5<td><b>5</b></tr></table>
 <style>#hot td { background: oklch(0.93 0.1 95) } [data-bad] td { color: lab(50 70 50) } .z:nth-child(even) { background: #def } .crossed { text-decoration: line-through }</style>
 <table><tr><td>C1<td>1</tr><tr id="hot"><td>C2<td>2</tr><tr data-bad><td>C3<td>3</tr><tr><td class="mark">C4<td class="mark">4</tr><tr class="crossed"><td>C5<td>5</tr></table>
 <table><tr class="z"><td>D1</tr><tr class="z"><td>D2</tr><tr class="z"><td>D3</tr><tr class="z"><td>D4</tr><tr class="z"><td>D5</tr><tr class="z"><td>D6</tr><tr class="z"><td>D7</tr></table>
 <ol><li class="gone">Tax</li><li class="gone">Bank</li><li class="gone">Post</li><li>Doctor</li></ol>
 <form aria-label="G"><label>Zip <b class="err">*</b><input></label><p class="err">Zip is wrong</p><label>Town <b class="err">*</b><input></label><p class="err">Town is wrong</p></form>
 <div><a class="chip not-selected" href="#n">Off</a><a class="chip" href="#o">Plain</a></div>`})
	b.open("/")
	tree := b.look()
	looks := map[string]string{}
	for _, n := range findAllNodes(tree.Root) {
		if n.Looks != "" {
			s := n.Name
			if n.Role == "text" {
				s = n.Text
			} else if s == "" {
				s = aria.TextOf(n)
			}
			looks[n.Role+" "+s] = n.Looks
		}
	}
	want := map[string]string{
		"row A2 20": "red text", "row A5 50": "yellow background",
		"text City is missing": "red text", "text urgent words": "red text",
		"link Folder B": "selected", "text two": "current",
		"text Milk": "struck through", "listitem Mail one": "unread, bold",
		"link Second": "active", "button Two": "active", "button Three": "greyed",
		"superscript 2": "green text",
		// Rows of one class are not painted the same, nor is a row like its first cell.
		"row C2 2": "yellow background", "row C3 3": "red text", "row C4 4": "yellow background", "row C5 5": "struck through",
		"listitem Tax": "struck through", "listitem Bank": "struck through", "listitem Post": "struck through",
		"paragraph Zip is wrong": "red text", "paragraph Town is wrong": "red text",
		"row B3 3": "yellow background", "cell B4": "yellow background", "row B5 5": "red text",
	}
	for k, v := range want {
		if looks[k] != v {
			t.Errorf("%s looks %q, want %q", k, looks[k], v)
		}
		delete(looks, k)
	}
	for k, v := range looks {
		t.Errorf("%s looks %q, but stands out from nothing", k, v)
	}
	if t.Failed() {
		t.Log(aria.Render(tree, aria.Playwright, aria.RenderOptions{}).Text)
	}
}

// Text that nobody can see says so.
func TestUnseenText(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><style>.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0 0 0 0) }</style>
 <p style="opacity:0">Ghost words</p><p>Seen words <span style="opacity:0">half ghost</span></p><p class="sr">For readers only</p>
 <p style="color:transparent">No ink</p><p style="font-size:0">No size</p>
 <div style="height:0;overflow:hidden"><p>Folded away</p><button>Folded button</button></div>
 <p style="position:absolute;left:-9999px">Far left</p><p>Ordinary</p>
 <table><tr><td style="opacity:0">Ghost cell<td>Real cell</table>`})
	b.open("/")
	tree := b.look()
	for text, is := range map[string]func(n *aria.Node) bool{
		"Ghost words":      func(n *aria.Node) bool { return n.Transparent },
		"half ghost":       func(n *aria.Node) bool { return n.Transparent },
		"For readers only": func(n *aria.Node) bool { return n.Clipped },
		"No ink":           func(n *aria.Node) bool { return n.Transparent },
		"No size":          func(n *aria.Node) bool { return n.Transparent },
		"Folded away":      func(n *aria.Node) bool { return n.Clipped },
		"Folded button":    func(n *aria.Node) bool { return n.Clipped },
		"Far left":         func(n *aria.Node) bool { return n.Unreachable },
		"Ghost cell":       func(n *aria.Node) bool { return n.Transparent },
		"Seen words":       func(n *aria.Node) bool { return !n.Transparent && !n.Clipped && !n.Unreachable },
		"Ordinary":         func(n *aria.Node) bool { return !n.Transparent && !n.Clipped && !n.Unreachable },
		"Real cell":        func(n *aria.Node) bool { return !n.Transparent && !n.Clipped && !n.Unreachable },
	} {
		if n := find(t, tree, "*", text); !is(n) {
			t.Errorf("%q: %s", text, dump(n))
		}
	}
}

// What a rule shows under the pointer only is listed, and said to be so; a
// whole menu is not.
func TestOnHover(t *testing.T) {
	items := ""
	for range 12 {
		items += `<a href="/x">Deep item</a>`
	}
	b := newBench(t, map[string]string{"/": `<!doctype html><style>
 .row .acts { display: none } .row:hover .acts { display: inline }
 .card .del { opacity: 0 } .card:hover > .del, .card:focus-within .del { opacity: 1 }
 .vis button { visibility: hidden } .vis:hover button { visibility: visible }
 .menu { display: none } .top:hover .menu { display: block } a:hover { color: red }
 </style><ul><li class="row">Mail one <span class="acts"><button>Archive</button> quickly</span></li></ul>
 <div class="card">Card <button class="del">Remove</button></div><div class="vis">V <button>Pin</button></div>
 <div class="top">Top<div class="menu">` + items + `</div></div><div style="display:none"><button>Never</button></div><a href="/y">Plain link</a>`})
	b.open("/")
	tree := b.look()
	for _, name := range []string{"Archive", "Remove", "Pin"} {
		if n := find(t, tree, "button", name); !n.OnHover || n.Ref == "" || n.Unreachable {
			t.Errorf("%s: %s", name, dump(n))
		}
	}
	if n := find(t, tree, "link", "Plain link"); n.OnHover {
		t.Error(dump(n))
	}
	for _, name := range []string{"Deep item", "Never"} {
		if len(findAll(tree.Root, "*", name)) > 0 {
			t.Errorf("%s is listed", name)
		}
	}
}
