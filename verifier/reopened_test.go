package verifier

import (
	"testing"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"

	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

// A page that was opened anew after its browser was lost shows other things than
// before for that reason alone; what is expected, and where the act had led,
// still tells.
func TestJudgeReopened(t *testing.T) {
	toast := N("status", "", "e9", T("Saved"))
	shows := bus.Expect{Kind: bus.ExpectVisible, Want: "Saved"}
	filled := func() *aria.Tree { return page(1, saveButton(), N("textbox", "Seats", "e2", Value("3"))) }
	anew := func(more ...*aria.Node) *aria.Tree {
		p := page(2, append([]*aria.Node{N("button", "Save", "e21"), N("textbox", "Seats", "e22", Value(""))}, more...)...)
		p.Document = "another"
		return p
	}
	lost := func(r bus.Receipt) bus.Receipt { r.Lost = true; return r }
	led := sent("e1", "button", "Save")
	led.URLBefore, led.URLAfter = "https://shop.test/before", anew().URL
	run(t, []trial{
		{name: "an empty form is no effect", intent: click(), target: save, receipt: sent("e1", "button", "Save"), risk: bus.RiskReversible,
			before: filled(), after: anew(), reopened: true, want: bus.NoEffect, says: "nothing that could be its effect"},
		{name: "the same, without a receipt", intent: click(), target: save, receipt: lost(sent("e1", "button", "Save")), risk: bus.RiskReversible,
			before: filled(), after: anew(), reopened: true, want: bus.NoEffect},
		{name: "it was posted, and nothing tells", intent: click(), target: save, receipt: posting(lost(sent("e1", "button", "Save")), 0), risk: bus.RiskReversible,
			before: filled(), after: anew(), reopened: true, want: bus.Unsure, says: "opened anew"},
		{name: "it was posted, and what was expected is not there", intent: click(shows), target: save, receipt: posting(sent("e1", "button", "Save"), 200), risk: bus.RiskReversible,
			before: filled(), after: anew(), reopened: true, want: bus.Unsure, says: "opened anew"},
		{name: "what was expected is there", intent: click(shows), target: save, receipt: lost(sent("e1", "button", "Save")), risk: bus.RiskIrreversible,
			before: filled(), after: anew(toast), reopened: true, want: bus.Right, says: "came about"},
		{name: "what was expected is not there, and can't be taken back", intent: click(shows), target: save, receipt: sent("e1", "button", "Save"), risk: bus.RiskIrreversible,
			before: filled(), after: anew(), reopened: true, want: bus.Unsure, says: "opened anew"},
		{name: "it can't be taken back, and was posted", intent: click(shows), target: save, receipt: posting(sent("e1", "button", "Save"), 200), risk: bus.RiskIrreversible,
			before: filled(), after: anew(), reopened: true, want: bus.Unsure, says: "opened anew"},
		{name: "that a thing is gone holds on any fresh page", intent: click(bus.Expect{Kind: bus.ExpectGone, Want: "Sure?"}), target: save, receipt: posting(sent("e1", "button", "Save"), 0), risk: bus.RiskIrreversible,
			before: page(1, saveButton(), N("dialog", "Sure?", "e5", T("Sure?"))), after: anew(), reopened: true, want: bus.Unsure, says: "any page that was opened anew"},
		{name: "so does an empty field", intent: click(bus.Expect{Kind: bus.ExpectEmpty, Target: &bus.Target{Name: "Seats"}}), target: save, receipt: sent("e1", "button", "Save"), risk: bus.RiskIrreversible,
			before: filled(), after: anew(), reopened: true, want: bus.Unsure, says: "any page that was opened anew"},
		{name: "the server had refused it", intent: click(shows), target: save, receipt: posting(sent("e1", "button", "Save"), 402), risk: bus.RiskIrreversible,
			before: filled(), after: anew(), reopened: true, want: bus.WrongEffect, says: "402"},
		{name: "it had led on to this page", intent: click(), target: save, receipt: led, risk: bus.RiskReversible,
			before: filled(), after: anew(), reopened: true, want: bus.Right, says: "is now at"},
		{name: "a field that is empty again", intent: bus.Intent{Action: bus.ActionFill, Target: &bus.Target{Name: "Seats"}, Value: "3"}, target: field, receipt: sent("e2", "textbox", "Seats"), risk: bus.RiskIdempotent,
			before: filled(), after: anew(), reopened: true, want: bus.WrongEffect, says: `holds ""`},
	})
}
