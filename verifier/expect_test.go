package verifier

import (
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

func shop() *aria.Tree {
	hidden := N("status", "", "e90", T("Saved long ago"))
	hidden.Transparent = true
	return page(3,
		N("heading", "Seats and billing", "e1", prop(func(n *aria.Node) { n.Level = 1 })),
		N("textbox", "Seats", "e2", Value("1,200")),
		N("textbox", "Note", "e3", Value("")),
		N("textbox", "Password", "e4", masked("••••")),
		N("textbox", "Start", "e5", Value("15 March 2026")),
		N("checkbox", "Terms", "e6", checked("true")),
		N("checkbox", "News", "e7", checked("false")),
		N("button", "Save", "e8"),
		N("button", "Delete", "e9", prop(func(n *aria.Node) { n.Disabled = true })),
		N("textbox", "Search", "e10", active()),
		N("tab", "Overview", "e11", prop(func(n *aria.Node) { n.Selected = "true" })),
		N("table", "Invoices", "e20",
			Row("e21", "Invoice 1042", "paid", N("button", "Send", "e22")),
			Row("e23", "Invoice 1043", "open", N("button", "Send", "e24")),
			Row("e25", "Invoice 10420", "open", N("button", "Send", "e26"))),
		N("list", "Plans", "e30", N("listitem", "", "e31", T("Free")), N("listitem", "", "e32", T("Team")), N("listitem", "", "e33", T("Company"))),
		hidden,
		N("paragraph", "", T("Your payment was"), N("strong", "", T("received")), T("on Monday.")),
	)
}

func TestExpect(t *testing.T) {
	name := func(s string) *bus.Target { return &bus.Target{Name: s} }
	typed := func(role, s string) *bus.Target { return &bus.Target{Name: s, Role: role} }
	in := func(s, row string) *bus.Target {
		return &bus.Target{Name: s, Within: []bus.Scope{{Kind: "row", Name: row}}}
	}
	all := []bus.Download{{Name: "invoice-1042.pdf", State: "completed", Size: 3, SHA256: "ab"}, {Name: "cut.zip", State: "canceled"}}
	v := view{tree: shop(), downloads: all, dialogs: []bus.Dialog{{Type: "confirm", Message: "Delete it?"}},
		tabs: []bus.Tab{{ID: "t1", Title: "Shop", URL: "https://shop.test/seats"}, {ID: "t2", Title: "Terms", URL: "https://shop.test/terms"}}}
	for _, c := range []struct {
		e    bus.Expect
		held bool
		not  bool // whether it holds negated
	}{
		{bus.Expect{Kind: bus.ExpectVisible, Target: name("Save")}, true, false},
		{bus.Expect{Kind: bus.ExpectVisible, Target: typed("button", "Save")}, true, false},
		{bus.Expect{Kind: bus.ExpectVisible, Target: name("Submit")}, false, true},
		{bus.Expect{Kind: bus.ExpectVisible, Target: typed("button", "Send")}, true, false}, // several are visible too
		{bus.Expect{Kind: bus.ExpectVisible, Target: in("Send", "Invoice 1042")}, true, false},
		{bus.Expect{Kind: bus.ExpectVisible, Target: name("Invoice 1042")}, true, false},
		{bus.Expect{Kind: bus.ExpectVisible, Want: "payment was received"}, true, false},
		{bus.Expect{Kind: bus.ExpectVisible, Want: "PAYMENT  was"}, true, false},
		{bus.Expect{Kind: bus.ExpectVisible, Want: "payment was declined"}, false, true},
		{bus.Expect{Kind: bus.ExpectVisible, Want: "Saved long ago"}, false, true}, // transparent
		{bus.Expect{Kind: bus.ExpectVisible, Target: name("Saved long ago")}, false, true},
		{bus.Expect{Kind: bus.ExpectVisible}, false, false},
		{bus.Expect{Kind: bus.ExpectGone, Target: name("Submit")}, true, false},
		{bus.Expect{Kind: bus.ExpectGone, Target: name("Save")}, false, true},
		{bus.Expect{Kind: bus.ExpectGone, Target: typed("button", "Seats")}, true, false}, // a heading's words are no button
		{bus.Expect{Kind: bus.ExpectGone, Want: "payment was received"}, false, true},
		{bus.Expect{Kind: bus.ExpectValue, Target: name("Seats"), Want: "1200"}, true, false},
		{bus.Expect{Kind: bus.ExpectValue, Target: name("Seats"), Want: "1201"}, false, true},
		{bus.Expect{Kind: bus.ExpectValue, Target: name("Seats"), Want: "1,2", Op: "contains"}, true, false},
		{bus.Expect{Kind: bus.ExpectValue, Target: name("Seats"), Want: `^1,\d{3}$`, Op: "matches"}, true, false},
		{bus.Expect{Kind: bus.ExpectValue, Target: name("Seats"), Want: "(", Op: "matches"}, false, false},
		{bus.Expect{Kind: bus.ExpectValue, Target: name("Seats"), Want: "1", Op: "resembles"}, false, false},
		{bus.Expect{Kind: bus.ExpectValue, Target: name("Start"), Want: "2026-03-15"}, true, false},
		{bus.Expect{Kind: bus.ExpectValue, Target: name("Start"), Want: "2026-03-16"}, false, true},
		{bus.Expect{Kind: bus.ExpectValue, Target: name("Password"), Want: "••••"}, false, false},
		{bus.Expect{Kind: bus.ExpectValue, Target: name("No such field"), Want: "x"}, false, false},
		{bus.Expect{Kind: bus.ExpectEmpty, Target: name("Note")}, true, false},
		{bus.Expect{Kind: bus.ExpectEmpty, Target: name("Seats")}, false, true},
		{bus.Expect{Kind: bus.ExpectEmpty, Target: name("Password")}, false, true},
		{bus.Expect{Kind: bus.ExpectChecked, Target: name("Terms")}, true, false},
		{bus.Expect{Kind: bus.ExpectChecked, Target: name("News")}, false, true},
		{bus.Expect{Kind: bus.ExpectChecked, Target: typed("tab", "Overview")}, true, false},
		{bus.Expect{Kind: bus.ExpectChecked, Target: typed("button", "Save")}, false, false},
		{bus.Expect{Kind: bus.ExpectEnabled, Target: name("Save")}, true, false},
		{bus.Expect{Kind: bus.ExpectEnabled, Target: name("Delete")}, false, true},
		{bus.Expect{Kind: bus.ExpectEnabled, Target: typed("button", "Send")}, false, false}, // several
		{bus.Expect{Kind: bus.ExpectFocused, Target: name("Search")}, true, false},
		{bus.Expect{Kind: bus.ExpectFocused, Target: name("Note")}, false, true},
		{bus.Expect{Kind: bus.ExpectURL, Want: "/seats"}, true, false},
		{bus.Expect{Kind: bus.ExpectURL, Want: "/Seats"}, false, true},
		{bus.Expect{Kind: bus.ExpectURL, Want: "HTTPS://shop.test:443/seats", Op: "equals"}, true, false},
		{bus.Expect{Kind: bus.ExpectURL, Want: `seats$`, Op: "matches"}, true, false},
		{bus.Expect{Kind: bus.ExpectTitle, Want: "shop"}, true, false},
		{bus.Expect{Kind: bus.ExpectText, Want: "Invoice 1043"}, true, false},
		{bus.Expect{Kind: bus.ExpectText, Target: &bus.Target{Ref: "e21"}, Want: "paid"}, true, false},
		{bus.Expect{Kind: bus.ExpectText, Target: &bus.Target{Ref: "e21"}, Want: "open"}, false, true},
		{bus.Expect{Kind: bus.ExpectCount, Target: &bus.Target{Kind: "row", Within: []bus.Scope{{Kind: "table", Name: "Invoices"}}}, Count: 3}, true, false},
		{bus.Expect{Kind: bus.ExpectCount, Target: typed("button", "Send"), Count: 3}, true, false},
		{bus.Expect{Kind: bus.ExpectCount, Target: typed("button", "Send"), Count: 2}, false, true},
		{bus.Expect{Kind: bus.ExpectCount, Target: typed("button", "Send"), Count: 2, CountOp: "at_least"}, true, false},
		{bus.Expect{Kind: bus.ExpectCount, Target: typed("button", "Send"), Count: 2, CountOp: "at_most"}, false, true},
		{bus.Expect{Kind: bus.ExpectCount, Target: typed("button", "Submit"), Count: 0}, true, false},
		{bus.Expect{Kind: bus.ExpectCount, Target: typed("button", "Save"), Count: 1}, true, false},
		{bus.Expect{Kind: bus.ExpectDownload, Want: "invoice-1042.pdf"}, true, false},
		{bus.Expect{Kind: bus.ExpectDownload, Want: "*.pdf"}, true, false},
		{bus.Expect{Kind: bus.ExpectDownload, Want: "invoice"}, true, false},
		{bus.Expect{Kind: bus.ExpectDownload, Want: "cut.zip"}, false, true},
		{bus.Expect{Kind: bus.ExpectDownload, Want: "invoice", Op: "equals"}, false, true},
		{bus.Expect{Kind: bus.ExpectDialog, Want: "delete"}, true, false},
		{bus.Expect{Kind: bus.ExpectDialog, Want: "pay"}, false, true},
		{bus.Expect{Kind: bus.ExpectTab, Want: "terms"}, true, false},
		{bus.Expect{Kind: bus.ExpectTab, Want: "billing"}, false, true},
		{bus.Expect{Kind: bus.ExpectAria, Want: "- heading \"Seats and billing\" [level=1]\n- textbox \"Seats\": 1,200\n- checkbox \"Terms\" [checked]"}, true, false},
		{bus.Expect{Kind: bus.ExpectAria, Want: "- list \"Plans\":\n  - listitem: Free\n  - listitem: /Comp.*/"}, true, false},
		{bus.Expect{Kind: bus.ExpectAria, Want: "- list \"Plans\":\n  - listitem: Company\n  - listitem: Free"}, false, true}, // other order
		{bus.Expect{Kind: bus.ExpectAria, Want: "- checkbox \"News\" [checked]"}, false, true},
		{bus.Expect{Kind: bus.ExpectAria, Want: "- checkbox News"}, false, false}, // no template
		{bus.Expect{Kind: "colour", Want: "red"}, false, false},
	} {
		got := evaluate(c.e, v)
		if got.Held != c.held || got.Fact == "" {
			t.Errorf("%+v target %+v: held %v, want %v (%s)", c.e, c.e.Target, got.Held, c.held, got.Fact)
		}
		c.e.Not = true
		if neg := evaluate(c.e, v); neg.Held != c.not {
			t.Errorf("not %+v target %+v: held %v, want %v (%s)", c.e, c.e.Target, neg.Held, c.not, neg.Fact)
		}
		// On a page that does not answer nothing about it holds, either way.
		stale := v
		s := *v.tree
		s.Stale = true
		stale.tree = &s
		switch c.e.Kind {
		case bus.ExpectDownload, bus.ExpectDialog, bus.ExpectTab:
		default:
			if got := evaluate(c.e, stale); got.Held {
				t.Errorf("%+v holds on a page that does not answer: %s", c.e, got.Fact)
			}
		}
	}
}

// TestNoSecretInFacts puts a canary into masked fields: no fact repeats it.
func TestNoSecretInFacts(t *testing.T) {
	tree := page(2, N("textbox", "Password", "e4", masked("canary")))
	for _, k := range []bus.ExpectKind{bus.ExpectValue, bus.ExpectText, bus.ExpectVisible, bus.ExpectEmpty, bus.ExpectFocused} {
		c := evaluate(bus.Expect{Kind: k, Target: &bus.Target{Name: "Password"}, Want: "x"}, view{tree: tree})
		if strings.Contains(c.Fact, "canary") {
			t.Errorf("%s: %s", k, c.Fact)
		}
		if k == bus.ExpectVisible {
			if c := evaluate(bus.Expect{Kind: k, Want: "canary"}, view{tree: tree}); c.Held {
				t.Errorf("a secret was found as text: %s", c.Fact)
			}
		}
	}
	j := Judge(Case{Intent: bus.Intent{Action: bus.ActionFill, Value: "${secret:PW}"}, Attempt: bus.Attempt{Target: &bus.Element{Ref: "e4", Role: "textbox", Name: "Password"}},
		Receipt: bus.Receipt{Sent: true, Masked: true, Matches: ptr(true)}, Before: page(1, N("textbox", "Password", "e4", masked(""))), After: tree})
	if j.Outcome != bus.Right {
		t.Errorf("%s %q", j.Outcome, j.Reasons)
	}
	for _, e := range j.Evidence {
		if strings.Contains(e.Fact, "canary") {
			t.Errorf("evidence %+v", e)
		}
	}
}
