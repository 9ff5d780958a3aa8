package page_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
)

// One page with every kind of node; each case says what must hold for a node,
// and, where the element has a mark of its own (data-k), that the ref means it.
func TestKinds(t *testing.T) {
	b := newBench(t, nil)
	b.open("/kinds.html")
	tree := b.look()
	value := func(n *aria.Node) string {
		if n.Value == nil {
			return "(nil)"
		}
		return *n.Value
	}
	cases := []struct {
		role, name, k string
		holds         func(n *aria.Node) bool
	}{
		{"link", "Sign in", "nav-in", func(n *aria.Node) bool { return n.URL == "/in" && n.Box.W > 10 }},
		{"navigation", "Main", "", nil},
		{"heading", "Welcome home", "", func(n *aria.Node) bool { return n.Level == 1 && len(n.Children) == 2 }},
		{"text", "Hello big world!", "", nil},
		{"generic", "Buy", "buy", func(n *aria.Node) bool { return n.Clickable }},
		{"form", "Account", "", nil},
		{"textbox", "Email", "mail", func(n *aria.Node) bool {
			return n.Required && n.Placeholder == "you@x" && value(n) == "" && n.Invalid == ""
		}},
		{"textbox", "Password", "pw", func(n *aria.Node) bool { return n.Masked && value(n) == "••••••••" }},
		{"textbox", "Card number", "", func(n *aria.Node) bool { return n.Masked && value(n) == "••••••••" }},
		{"radio", "Basic plan", "basic", func(n *aria.Node) bool { return n.Checked == "true" && n.Box.W > 10 && !n.Transparent }},
		{"radio", "Pro plan", "pro", func(n *aria.Node) bool { return n.Checked == "false" && n.Box.W > 10 && n.CoveredBy == "" }},
		{"combobox", "Country", "country", func(n *aria.Node) bool { return value(n) == "Two" && n.Options == 3 && len(n.Children) == 3 }},
		{"option", "Three", "", func(n *aria.Node) bool { return n.Selected == "false" }},
		{"slider", "Volume", "", func(n *aria.Node) bool { return value(n) == "4" && n.ValueMin == "1" && n.ValueMax == "9" }},
		{"textbox", "Note", "", func(n *aria.Node) bool { return value(n) == "line 1 line 2" }},
		{"textbox", "Iban", "", func(n *aria.Node) bool { return n.Invalid == "true" && n.InvalidMessage == "IBAN too short" }},
		{"textbox", "Pristine", "", func(n *aria.Node) bool { return n.Invalid == "" && n.Required }},
		{"button", "★ new Save", "", nil},
		{"button", "Close", "", func(n *aria.Node) bool { return n.Label == "×" }},
		{"button", "Off", "", func(n *aria.Node) bool { return n.Disabled }},
		{"button", "Inside frozen", "", func(n *aria.Node) bool { return n.Disabled }},
		{"generic", "Open", "open", func(n *aria.Node) bool { return n.Clickable }},
		{"generic", "Listens", "listens", func(n *aria.Node) bool { return n.Clickable }},
		{"text", "Reading text", "", nil},
		{"button", "More facts", "sum", func(n *aria.Node) bool { return n.Expanded == "false" }},
		{"table", "Invoices", "", nil},
		{"row", "Invoice 1043 €6 Send", "r2", nil},
		{"cell", "€6", "", func(n *aria.Node) bool { return n.Ref == "" }},
		{"columnheader", "Amount", "", func(n *aria.Node) bool { return n.Sort == "ascending" }},
		{"textbox", "Editor", "", func(n *aria.Node) bool { return value(n) == "Some rich" }},
		{"canvas", "", "chart", func(n *aria.Node) bool { return n.Box.W == 200 && n.Box.H == 100 }},
		{"img", "Plan", "", func(n *aria.Node) bool { return n.Ref != "" }},
		{"link", "North", "", func(n *aria.Node) bool { return n.Ref != "" && n.Box.W == 30 && n.Box.H == 40 }},
		{"button", "Shadow", "shad", nil},
		{"text", "Light", "", nil},
		{"button", "In closed", "closed", nil},
		{"generic", "Deep one", "deep", func(n *aria.Node) bool { return n.Clickable }},
		{"button", "Declared", "decl", nil},
		{"text", "Label", "", nil},
		{"text", "Bob", "", nil},
		{"button", "Press", "", func(n *aria.Node) bool { return n.Pressed == "false" }},
		{"button", "Menu", "", func(n *aria.Node) bool {
			return n.Expanded == "false" && n.HasPopup == "menu" && n.Controls == find(t, tree, "menu", "").Ref
		}},
		{"button", "Alpha Beta", "", func(n *aria.Node) bool { return n.Label == "x" }},
		{"button", "Drawer", "", func(n *aria.Node) bool { return n.Unreachable }},
		{"button", "Clipped", "", func(n *aria.Node) bool { return n.Clipped }},
		{"button", "Ghost", "", func(n *aria.Node) bool { return n.Transparent }},
		{"button", "Inert", "", func(n *aria.Node) bool { return n.Inert }},
		{"button", "Unspoken", "", func(n *aria.Node) bool { return n.AriaHidden }},
		{"button", "Back again", "", nil},
		{"button", "Covered", "", func(n *aria.Node) bool { return n.CoveredBy == find(t, tree, "dialog", "Veil").Ref }},
		{"button", "Numb", "", func(n *aria.Node) bool { return n.PointerNone }},
		{"text", "Owned", "", nil},
		{"text", "Cycled", "", nil},
		{"button", "Far below", "", func(n *aria.Node) bool { return n.Offscreen && !n.Unreachable }},
	}
	for _, c := range cases {
		t.Run(c.role+" "+c.name, func(t *testing.T) {
			n := find(t, tree, c.role, c.name)
			if c.holds != nil && !c.holds(n) {
				t.Errorf("does not hold: %s", dump(n))
			}
			if c.k != "" {
				if n.Ref == "" {
					t.Fatal("no ref")
				}
				if got := b.k("", n.Ref); got != c.k {
					t.Errorf("ref %s means %q, want %q", n.Ref, got, c.k)
				}
			}
		})
	}
	all := dump(tree.Root)
	for _, s := range []string{"secret99", "4111", "Inside fact", "Nowhere", "Skipped", "Hid "} {
		if strings.Contains(all, s) {
			t.Errorf("the tree holds %q", s)
		}
	}
	var active int
	for _, n := range findAllNodes(tree.Root) {
		if n.Active {
			active++
		}
		if n.Clickable && strings.Contains(n.Name, "Reading") {
			t.Errorf("%s is no click target", dump(n))
		}
	}
	if active != 0 {
		t.Errorf("%d nodes active, nothing has the focus", active)
	}
	b.js(nil, "() => document.getElementById('openhost').shadowRoot.querySelector('button').focus()")
	if n := find(t, b.look(), "button", "Shadow"); !n.Active {
		t.Errorf("focus inside a shadow root: %s", dump(n))
	}
	var acts string
	b.js(&acts, "(ref) => __quartet.actEl(ref).getAttribute('data-k')", find(t, tree, "radio", "Pro plan").Ref)
	if acts != "l-pro" {
		t.Errorf("acting on the hidden radio goes to %q", acts)
	}
}

func TestModalMakesTheRestInert(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><button>Behind</button><dialog id=d aria-label=Ask><button autofocus>Yes</button></dialog><script>d.showModal()</script>`})
	b.open("/")
	tree := b.look()
	if !find(t, tree, "button", "Behind").Inert || find(t, tree, "button", "Yes").Inert || !find(t, tree, "dialog", "Ask").Modal {
		t.Error(dump(tree.Root))
	}
	if !find(t, tree, "button", "Yes").Active {
		t.Error("the focused button is not active")
	}
}

func dump(n any) string {
	d, err := json.Marshal(n)
	if err != nil {
		return err.Error()
	}
	return string(d)
}

func findAllNodes(n *aria.Node) []*aria.Node {
	out := []*aria.Node{n}
	for _, c := range n.Children {
		out = append(out, findAllNodes(c)...)
	}
	return out
}
