package verifier

import (
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

// TestEffectsWithoutATree judges acts after which the tree says the same.
func TestEffectsWithoutATree(t *testing.T) {
	field := func(o ...any) *aria.Node {
		return N("textbox", append(o, "Query", "e2", prop(func(n *aria.Node) { n.Value = ptr("") }))...)
	}
	trace := func(k bus.TraceKind, fact string) bus.Receipt {
		r := sent("e1", "button", "Save")
		r.Traces = []bus.Trace{{Kind: k, Fact: fact}}
		return r
	}
	plain := page(1, saveButton(), field())
	key := bus.Intent{Action: bus.ActionPress, Value: "Control+c"}
	for _, c := range []trial{
		{name: "the page moved the focus", intent: click(), target: save, receipt: sent("e1", "button", "Save"), before: plain,
			after: page(2, saveButton(), field(active())), want: bus.Right, says: "the focus went to textbox \"Query\""},
		{name: "the focus went to what was clicked", intent: click(), target: save, receipt: sent("e1", "button", "Save"), before: plain,
			after: page(2, N("button", "Save", "e1", active()), field()), want: bus.NoEffect},
		{name: "the focus stayed where it was", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton(), field(active())), after: page(2, saveButton(), field(active())), want: bus.NoEffect},
		{name: "the focus went to what is around", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, N("group", "Seat", "e3", saveButton())), after: page(2, N("group", "Seat", "e3", active(), saveButton())), want: bus.NoEffect},
		{name: "it scrolled", intent: click(), target: save, receipt: trace(bus.TraceScroll, "the page scrolled"), before: plain, after: plain, want: bus.Right, says: "the page scrolled"},
		{name: "a canvas changed", intent: click(), target: save, receipt: trace(bus.TraceCanvas, "a canvas shows something else"), before: plain, after: plain, want: bus.Right, says: "canvas"},
		{name: "copied", intent: key, receipt: trace(bus.TraceCopy, "it went to the clipboard"), before: plain, after: plain, want: bus.Right, says: "clipboard"},
		{name: "nothing", intent: key, receipt: bus.Receipt{Sent: true, Hit: &bus.Hit{Seen: true, Inside: true}}, before: plain, after: plain, want: bus.NoEffect},
	} {
		if j := c.judge(); j.Outcome != c.want || !strings.Contains(strings.Join(j.Reasons, " "), c.says) {
			t.Errorf("%s: %s %q, want %s with %q", c.name, j.Outcome, j.Reasons, c.want, c.says)
		}
	}
}

// TestTakenBack judges acts that cost what was filled in before.
func TestTakenBack(t *testing.T) {
	price := func(v string, o ...any) *aria.Node {
		return N("textbox", append(o, "Price", "e2", prop(func(n *aria.Node) { n.Value = &v }))...)
	}
	tab, enter := bus.Intent{Action: bus.ActionPress, Value: "Tab"}, bus.Intent{Action: bus.ActionPress, Value: "Enter"}
	named := func(name string) *bus.Element { return &bus.Element{Ref: "e1", Role: "button", Name: name} }
	other := N("button", "Other", "e1")
	filled := func(before, after string) []bus.Filled {
		return []bus.Filled{{Ref: "e2", Before: before, After: after}}
	}
	for _, c := range []struct {
		name          string
		intent        bus.Intent
		target        *bus.Element
		before, after []*aria.Node
		filled        []bus.Filled
		want          bus.Outcome
	}{
		{"left with Tab", tab, nil, []*aria.Node{price("99", active()), other}, []*aria.Node{price("5"), N("button", "Other", "e1", active())}, filled("5", "99"), bus.WrongEffect},
		{"nobody filled it in", tab, nil, []*aria.Node{price("150", active()), other}, []*aria.Node{price("100"), N("button", "Other", "e1", active())}, nil, bus.WrongEffect},
		{"written otherwise", tab, nil, []*aria.Node{price("1500", active()), other}, []*aria.Node{price("1,500.00"), N("button", "Other", "e1", active())}, filled("", "1500"), bus.Right},
		{"completed", tab, nil, []*aria.Node{price("Ber", active()), other}, []*aria.Node{price("Berlin"), N("button", "Other", "e1", active())}, filled("", "Ber"), bus.Right},
		{"a click elsewhere", click(), named("Other"), []*aria.Node{price("99", active()), other}, []*aria.Node{price("5"), other}, filled("5", "99"), bus.WrongEffect},
		{"a click elsewhere that empties it", click(), named("Other"), []*aria.Node{price("99", active()), other}, []*aria.Node{price(""), other}, filled("", "99"), bus.WrongEffect},
		{"sent, and emptied for the next", click(), named("Add"), []*aria.Node{price("99", active()), other}, []*aria.Node{price(""), other, N("listitem", "", "e3", T("99"))}, filled("", "99"), bus.Right},
		{"sent, and back at the default", click(), named("Add"), []*aria.Node{price("99", active()), other}, []*aria.Node{price("5"), other, N("listitem", "", "e3", T("99"))}, filled("5", "99"), bus.Right},
		{"Enter sends it", enter, nil, []*aria.Node{price("99", active()), other}, []*aria.Node{price("", active()), other, N("listitem", "", "e3", T("99"))}, filled("", "99"), bus.Right},
		{"Cancel", click(), named("Cancel"), []*aria.Node{price("99", active()), other}, []*aria.Node{price("5"), other}, filled("5", "99"), bus.Right},
	} {
		r := sent("e1", "button", "Other")
		if c.target == nil {
			r = bus.Receipt{Sent: true, Hit: &bus.Hit{Seen: true, Inside: true}}
		} else {
			r.Hit.Name = c.target.Name
		}
		j := Judge(Case{Intent: c.intent, Attempt: bus.Attempt{ID: "i1.1", Target: c.target, Risk: bus.RiskReversible}, Receipt: r,
			Before: page(1, c.before...), After: page(2, c.after...), Filled: c.filled})
		if j.Outcome != c.want {
			t.Errorf("%s: %s %q, want %s", c.name, j.Outcome, j.Reasons, c.want)
		}
	}
	// Of several choices one always gives way to another.
	radio := func(ref, name, on string) *aria.Node { return N("radio", name, ref, checked(on)) }
	j := Judge(Case{Intent: bus.Intent{Action: bus.ActionCheck}, Attempt: bus.Attempt{ID: "i1.1", Target: &bus.Element{Ref: "e5", Role: "radio", Name: "Large"}}, Receipt: sent("e5", "radio", "Large"),
		Before: page(1, radio("e4", "Small", "true"), radio("e5", "Large", "false")), After: page(2, radio("e4", "Small", "false"), radio("e5", "Large", "true")),
		Filled: []bus.Filled{{Ref: "e4", Before: "false", After: "true"}}})
	if j.Outcome != bus.Right {
		t.Errorf("another radio button: %s %q", j.Outcome, j.Reasons)
	}
}
