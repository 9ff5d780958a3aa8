package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
)

// Secrets are known by their type, their autocomplete, what the page calls
// them, or by what they are; what only sounds alike stays readable.
func TestSecretsAreMasked(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html>
 <label>Kartennummer <input value="4242 4242 4242 4242"></label><label>Card number: <input value="77-1"></label>
 <input name="cardNumber" aria-label="A" value="77-2"><input id="cvv" aria-label="B" value="77-3">
 <label for=o>One-time code</label><input id=o value="77-4"><input autocomplete="one-time-code" aria-label="C" value="77-5">
 <input placeholder="Enter PIN" value="77-6"><input maxlength=1 inputmode=numeric aria-label="Digit 1" value="7">
 <input aria-label=D autocomplete="cc-exp" value="77-7"><textarea aria-label=E style="-webkit-text-security:disc">77-8</textarea>
 <input type=password aria-label=F value="77-9"><input aria-label="New password" value="77-10"><textarea aria-label="Recovery code">77-11</textarea><textarea aria-label="Password policy">12 letters</textarea><input aria-label="Card holder" value="Ann Lee"><input aria-label="Order number" value="4242424242424241">
 <input aria-label="Pin code area" value="560001"><input aria-label="Discount code" value="WELCOME"><input aria-label="Phone" value="+49 30 1234567"><input aria-label="Size" maxlength=1 value="M">`})
	b.open("/")
	tree := b.look()
	all := dump(tree.Root)
	for _, s := range []string{"4242 4242", "77-"} {
		if i := strings.Index(all, s); i >= 0 {
			t.Errorf("%q is in the tree: …%s…", s, all[max(0, i-120):min(len(all), i+20)])
		}
	}
	for name, want := range map[string]string{"Card holder": "Ann Lee", "Order number": "4242424242424241", "Pin code area": "560001", "Discount code": "WELCOME", "Phone": "+49 30 1234567", "Size": "M", "Password policy": "12 letters"} {
		if n := find(t, tree, "textbox", name); n.Value == nil || *n.Value != want || n.Masked {
			t.Errorf("%s: %s", name, dump(n))
		}
	}
	if n := find(t, tree, "textbox", "Digit 1"); !n.Masked {
		t.Error(dump(n))
	}
}

// Names are what the specification makes of what is pointed at and passed
// through: a field that labels something says its value, a label is read once,
// what is a widget of its own, a slot or presentation says nothing, nor does what
// is hidden, but for a label of a field that nothing else names.
func TestNamesThatPointAndPass(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html>
 <input id=amount aria-label=Amount value="40"><button id=pay aria-label=Pay aria-labelledby="pay amount"></button>
 <button aria-describedby=amount>Send</button>
 <label for=c>Remind me <span role=menu><span role=menuitem>daily</span></span> by mail</label><input type=checkbox id=c>
 <div role=link tabindex=0>Ann <img role=presentation alt="" title="portrait" src="x.png"> Lee</div>
 <button>New<span><span><b> </b></span></span>order</button>
 <h2><a href="#a" aria-labelledby=badge>x</a> <a href="#b">Inbox <img id=badge alt="Unread" src="x.png"> mail</a></h2>
 <table><tr><td><input type=checkbox id=pick><label for=pick>Pick</label></td><td>Bolts</td></tr></table>
 <fieldset><legend hidden>Old words</legend><input aria-label=Street></fieldset>
 <label for=mail hidden>Label of old</label><input id=mail placeholder="E-mail"><label for=fax hidden>Fax</label><input id=fax>
 <a href="#c" aria-owns=more>Terms</a><div hidden><i id=more>(new window)</i></div>
 <span id=host>slotted</span><button id=from aria-labelledby=host></button>
 <script>host.attachShadow({ mode: 'open' }).innerHTML = 'a <slot aria-label="other"></slot> word'</script>`})
	b.open("/")
	tree := b.look()
	for _, want := range [][2]string{{"button", "Pay 40"}, {"checkbox", "Remind me by mail"}, {"link", "Ann Lee"}, {"button", "New order"}, {"heading", "Unread Inbox mail"}, {"link", "Inbox Unread mail"}, {"row", "Pick Bolts"}, {"button", "a slotted word"},
		{"textbox", "E-mail"}, {"textbox", "Fax"}, {"link", "Terms"}} {
		find(t, tree, want[0], want[1])
	}
	if n := find(t, tree, "button", "Send"); n.Description != "40" {
		t.Error(dump(n))
	}
	if strings.Contains(dump(tree.Root), "Old words") {
		t.Error("the words of a hidden legend")
	}
	b.js(nil, "() => { document.getElementById('amount').value = '55' }")
	tree = b.look()
	find(t, tree, "button", "Pay 55") // a value that is a name is looked at as one
	if n := find(t, tree, "button", "Send"); n.Description != "55" {
		t.Error(dump(n))
	}
}

// A long name is shortened, says by how much, and keeps its ref.
func TestLongNamesAreCounted(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><button aria-label="` + strings.Repeat("x", 2500) + `"></button><p>` + strings.Repeat("Wörter 🙂 ", 4000) + `</p>`})
	b.open("/")
	tree := b.look()
	var long *aria.Node
	for _, n := range findAllNodes(tree.Root) {
		if n.Role == "button" {
			long = n
		}
	}
	if long == nil || long.Ref == "" || !strings.HasSuffix(long.Name, "… +500 characters") {
		t.Fatal(dump(long))
	}
	text := aria.Render(tree, aria.Playwright, aria.RenderOptions{}).Text
	if !strings.Contains(text, "… +1600 characters") { // 900 of 2,500 are shown
		t.Error(text[:1500])
	}
}

// The nodes of a drawing that can be picked are listed with their kind, their
// words and which one is picked; what a chart says in titles is there.
func TestDrawings(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html>
 <svg width=400 height=200 id=flow><g class="flow">
 <g class="node" id=n1 transform="translate(10,10)"><rect width=90 height=30 fill="#ddd"/><image href="icons/inject.svg" width=20 height=20 /><text x=25 y=20>timestamp</text></g>
 <g class="node node-selected" id=n2 transform="translate(150,10)"><rect width=90 height=30 fill="#ddd"/><image href="icons/debug.svg" width=20 height=20 /><text x=25 y=20>msg.payload</text></g>
 </g></svg>
 <svg width=100 height=60 role=img aria-label="Sales"><rect width=20 height=50><title>Q1: 40</title></rect><rect x=30 width=20 height=40><title>Q2: 32</title></rect></svg>
 <script>for (const n of flow.querySelectorAll('.node')) n.addEventListener('mousedown', () => {})</script>
 <button><i class="fa fa-trash"></i></button><button data-tooltip="Reload all"><svg width=16 height=16><use href="#icon-reload"/></svg></button><button title="Settings">` + "\ue8b8" + `</button>`})
	b.open("/")
	tree := b.look()
	if n := find(t, tree, "generic", "timestamp"); n.Ref == "" || !n.Clickable || n.Description != "inject" || n.Looks != "" || n.Box.W < 80 {
		t.Error(dump(n))
	}
	if n := find(t, tree, "generic", "msg.payload"); n.Description != "debug" || n.Looks != "selected" {
		t.Error(dump(n))
	}
	for _, name := range []string{"Q1: 40", "Q2: 32", "Sales"} {
		find(t, tree, "img", name)
	}
	if n := find(t, tree, "button", ""); n.Looks != "trash icon" || n.Ref == "" {
		t.Error(dump(n))
	}
	find(t, tree, "button", "Reload all")
	if n := find(t, tree, "button", "Settings"); n.Label != "" {
		t.Error(dump(n))
	}
}

// Popups belong to what opens them; the count of what can be chosen is known.
func TestPopupsAndCounts(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><label>City <input list=l value=Oslo></label><datalist id=l><option>Oslo<option>Turku<option>Riga</datalist>
 <input role=combobox aria-label=Fruit aria-expanded=true aria-controls=lb aria-activedescendant=o2 id=f><ul role=listbox id=lb><li role=option id=o1>Apple<li role=option id=o2>Pear</ul>
 <input role=combobox aria-label=Old aria-expanded=true aria-owns=lb2><ul role=listbox id=lb2><li role=option>One</ul>
 <textarea aria-label=Live>default words</textarea><div aria-hidden=true style="position:absolute;left:-5000px">measured words</div>
 <div role=slider aria-label=Heat aria-valuenow=3 aria-valuemin=1 aria-valuemax=5 aria-valuetext="warm" tabindex=0></div>
 <label>Mail <input id=m aria-describedby=h value=x aria-errormessage=em aria-invalid=true></label><span id=h>We never share it</span><span id=em>No @ in it</span>
 <script>document.querySelector('textarea').value = 'typed words'; f.focus()</script>`})
	b.open("/")
	tree := b.look()
	if n := find(t, tree, "combobox", "City"); n.Options != 3 || *n.Value != "Oslo" {
		t.Error(dump(n))
	}
	if n := find(t, tree, "combobox", "Fruit"); n.Options != 2 || n.Controls == "" || !n.Active {
		t.Error(dump(n))
	}
	if n := find(t, tree, "combobox", "Old"); n.Controls == "" {
		t.Error(dump(n))
	}
	if n := find(t, tree, "option", "Pear"); n.Looks != "highlighted" || n.Active {
		t.Error(dump(n))
	}
	if n := find(t, tree, "slider", "Heat"); *n.Value != "warm" || n.ValueNow != "3" || n.ValueMax != "5" {
		t.Error(dump(n))
	}
	if n := find(t, tree, "textbox", "Mail"); n.Description != "We never share it" || n.InvalidMessage != "No @ in it" {
		t.Error(dump(n))
	}
	if n := find(t, tree, "textbox", "Live"); *n.Value != "typed words" {
		t.Error(dump(n))
	}
	for _, s := range []string{"default words", "measured words"} {
		if strings.Contains(dump(tree.Root), s) {
			t.Errorf("%q is in the tree", s)
		}
	}
}

// A form that replaces another is another form; the same one rendered again
// keeps its refs.
func TestFormsThatReplaceForms(t *testing.T) {
	form := func(action, heading, value string) string {
		return fmt.Sprintf(`<form action="%s"><h2>%s</h2><label>Name <input name=n value="%s"></label><button>Save</button></form>`, action, heading, value)
	}
	for _, c := range []struct {
		name, before, after string
		same                bool
	}{
		{"again", form("/a", "New user", "Ann"), form("/a", "New user", "Ann"), true},
		{"still empty", form("/a", "New user", ""), form("/a", "New user", ""), true},
		{"filled meanwhile", form("/a", "New user", ""), form("/a", "New user", "Bob"), true},
		{"emptied", form("/a", "New user", "Ann"), form("/a", "New user", ""), false},
		{"other action", form("/a", "User", "Ann"), form("/b", "User", "Ann"), false},
		{"other heading", form("/a", "New user", "Ann"), form("/a", "Delete user", "Ann"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, map[string]string{"/": `<!doctype html><main id=m>` + c.before + `</main>`})
			b.open("/")
			before := b.look()
			b.js(nil, "(html) => { document.getElementById('m').innerHTML = html }", c.after)
			after := b.look()
			for _, of := range [][2]string{{"textbox", "Name"}, {"button", "Save"}} {
				x, y := find(t, before, of[0], of[1]), find(t, after, of[0], of[1])
				if (x.Ref == y.Ref) != c.same {
					t.Errorf("%s %s: %s, then %s", of[0], of[1], x.Ref, y.Ref)
				}
			}
		})
	}
}

// Blocks keep their words apart, also directly below the body.
func TestBlocksKeepWordsApart(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><small>small print</small><div aria-live="polite">Loading</div><b>bo</b>ld<div>One</div><div>Two</div>`})
	b.open("/")
	tree := b.look()
	for _, text := range []string{"small print", "Loading", "One", "Two"} {
		find(t, tree, "text", text)
	}
	if text := aria.Render(tree, aria.Playwright, aria.RenderOptions{}).Text; !strings.Contains(text, "small print Loading") {
		t.Error(text)
	}
}

// TestPicturesThatListen has pictures with a click of their own: in what is no
// button or link they are things to operate, however small.
func TestPicturesThatListen(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html>
 <h2>Sales <img alt="Collapse" width=10 height=10></h2>
 <div role=tablist><div role=tab tabindex=0>Orders <img alt="Close orders" width=10 height=10></div></div>
 <ul role=tree><li role=treeitem tabindex=0><svg role=img aria-label="Expand" width=8 height=8></svg> Europe</li></ul>
 <button>Save <img alt="disk" width=10 height=10></button>
 <script>for (const e of document.querySelectorAll('img,svg')) e.addEventListener('click', () => {})</script>`})
	b.open("/")
	tree := b.look()
	for _, name := range []string{"Collapse", "Close orders", "Expand"} {
		if n := find(t, tree, "img", name); !n.Clickable || n.Ref == "" {
			t.Error(dump(n))
		}
	}
	if n := find(t, tree, "button", "Save disk"); len(n.Children) > 0 {
		t.Error(dump(n))
	}
}

// TestSlotsChange takes what is slotted away, and moves the slot: the tree says
// what is shown then.
func TestSlotsChange(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><p>One</p><div id=host><b slot=s>slotted</b></div>
 <script>host.attachShadow({ mode: 'open' }).innerHTML = '<p id=a><slot name=s>fallback</slot></p><p id=c>last</p>'</script>`})
	b.open("/")
	b.look()
	for _, step := range []struct{ js, want, gone string }{
		{"() => { host.firstChild.replaceWith('bare') }", "fallback", "slotted"},
		{"() => { host.innerHTML = '<b slot=s>again</b>' }", "again", "fallback"},
		{"() => { host.shadowRoot.getElementById('a').insertAdjacentHTML('beforebegin', '<h2><slot name=s></slot></h2>') }", "fallback", ""},
	} {
		b.js(nil, step.js)
		text := dump(b.look().Root)
		if !strings.Contains(text, step.want) || step.gone != "" && strings.Contains(text, step.gone) {
			t.Errorf("%s: want %q and not %q:\n%s", step.js, step.want, step.gone, text)
		}
	}
}

// What the keyboard reaches has a ref and a word, whatever it is made of.
func TestFocusable(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><title>Focus</title><x-a tabindex=0>Custom</x-a> <span tabindex=0>Inline</span><div tabindex=-1>Not by key</div>`})
	b.open("/")
	tree := b.look()
	for _, name := range []string{"Custom", "Inline"} {
		if n := find(t, tree, "generic", name); n.Ref == "" || !n.Focusable || !n.Operable() {
			t.Errorf("%s: %+v", name, n)
		}
	}
	if text := aria.Render(tree, aria.Compact, aria.RenderOptions{}).Text; !strings.Contains(text, `focusable e1 "Custom"`) || strings.Contains(text, `"Not by key"`) {
		t.Error(text)
	}
}
