package verifier

import (
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

// page makes an observation of the shop at a version.
func page(version int, children ...*aria.Node) *aria.Tree {
	t := Tree(children...)
	t.Version, t.Tab, t.URL = version, "t1", "https://shop.test/seats"
	return t
}

func with(t *aria.Tree, f func(*aria.Tree)) *aria.Tree { f(t); return t }

func prop(f func(*aria.Node)) Option { return Set(f) }

func checked(v string) Option { return prop(func(n *aria.Node) { n.Checked = v }) }
func masked(v string) Option {
	return prop(func(n *aria.Node) { n.Value, n.Masked, n.InputType = &v, true, "password" })
}
func active() Option { return prop(func(n *aria.Node) { n.Active = true }) }

// sent is the receipt of an act whose event reached its target.
func sent(ref, role, name string) bus.Receipt {
	return bus.Receipt{Sent: true, Hit: &bus.Hit{Ref: ref, Role: role, Name: name, Inside: true, Seen: true, Events: []string{"pointerdown", "click"}}}
}

func posting(r bus.Receipt, status int) bus.Receipt {
	r.Requests = []bus.Request{{Method: "POST", URL: "http://x/save", Status: status}}
	return r
}

func ptr[T any](v T) *T { return &v }

// A row of the table: what was meant, seen and found, and the verdict.
type trial struct {
	name    string
	intent  bus.Intent
	target  *bus.Element
	receipt bus.Receipt
	before  *aria.Tree
	after   *aria.Tree
	dialog  *bus.Dialog
	files   map[string]string
	risk    bus.Risk
	// reopened: after is of a new browser.
	reopened bool
	want     bus.Outcome
	says     string // words that a reason holds
}

func (c trial) judge() Judgement {
	return Judge(Case{Intent: c.intent, Attempt: bus.Attempt{ID: "i1.1", Target: c.target, Risk: c.risk}, Receipt: c.receipt,
		Before: c.before, Reopened: c.reopened, After: c.after, Dialog: c.dialog, Files: c.files})
}

func run(t *testing.T, trials []trial) {
	t.Helper()
	names := map[string]bool{}
	for _, c := range trials {
		if names[c.name] {
			t.Errorf("%s: there are two of this name", c.name)
		}
		names[c.name] = true
		j := c.judge()
		if j.Outcome != c.want || !strings.Contains(strings.Join(j.Reasons, " "), c.says) {
			t.Errorf("%s: %s %q, want %s saying %q; evidence %v", c.name, j.Outcome, j.Reasons, c.want, c.says, j.Evidence)
		}
		if len(j.Reasons) == 0 {
			t.Errorf("%s: no reason", c.name)
		}
		for i, e := range j.Evidence {
			if e.Fact == "" || e.Kind == "" || e.ID == "" || i > 0 && e.ID == j.Evidence[i-1].ID {
				t.Errorf("%s: evidence %+v", c.name, e)
			}
		}
	}
}

var (
	save   = &bus.Element{Ref: "e1", Role: "button", Name: "Save"}
	field  = &bus.Element{Ref: "e2", Role: "textbox", Name: "Seats"}
	saveBy = &bus.Target{Words: `the button "Save"`, Name: "Save", Role: "button"}
)

func saveButton() *aria.Node { return N("button", "Save", "e1") }

func click(expect ...bus.Expect) bus.Intent {
	return bus.Intent{ID: "i1", Action: bus.ActionClick, Target: saveBy, Expect: expect}
}

func TestJudgeClick(t *testing.T) {
	toast := N("status", "", "e9", T("Saved"))
	shows := bus.Expect{Kind: bus.ExpectVisible, Want: "Saved"}
	run(t, []trial{
		{name: "refused", intent: click(), target: save, receipt: bus.Receipt{Refusal: &bus.Refusal{Code: bus.RefusedCovered, Message: "A cookie banner covers it"}},
			before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "A cookie banner covers it."},
		{name: "claims to be done, sent nothing", intent: click(), target: save, receipt: bus.Receipt{},
			before: page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.NoEffect, says: "Nothing was sent"},
		{name: "hit another", intent: click(shows), target: save,
			receipt: bus.Receipt{Sent: true, Hit: &bus.Hit{Ref: "e5", Role: "link", Name: "Delete", Seen: true}},
			before:  page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.WrongTarget, says: `link "Delete" (e5)`},
		{name: "refused after hitting another", intent: click(), target: save,
			receipt: bus.Receipt{Refusal: &bus.Refusal{Code: bus.RefusedCovered, Message: "x"}, Hit: &bus.Hit{Role: "div", Seen: true}},
			before:  page(1, saveButton()), after: page(2, saveButton()), want: bus.WrongTarget, says: "Another element was hit"},
		{name: "acted on another ref", intent: click(), target: save,
			receipt: bus.Receipt{Sent: true, Target: &bus.Element{Ref: "e7", Role: "button", Name: "Save"}},
			before:  page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.WrongTarget, says: "(e7)"},
		{name: "another thing under the ref", intent: click(), target: save,
			receipt: bus.Receipt{Sent: true, Target: &bus.Element{Ref: "e1", Role: "link", Name: "Delete"}},
			before:  page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.WrongTarget, says: "Under the ref e1"},
		{name: "something came", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.Right, says: "Saved"},
		{name: "the browser held the form back", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton(), N("textbox", "Seats", "e2")),
			after:  page(2, saveButton(), N("textbox", "Seats", "e2", active(), Set(func(n *aria.Node) { n.Invalid, n.InvalidMessage = "true", "Please fill out this field." }))), want: bus.WrongEffect, says: "the form was not sent: textbox \"Seats\" (e2) is invalid: Please fill out"},
		{name: "a field left behind became invalid", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton(), N("textbox", "Seats", "e2")),
			after:  page(2, saveButton(), N("textbox", "Seats", "e2", Set(func(n *aria.Node) { n.Invalid, n.InvalidMessage = "true", "Pick one." })), N("button", "Row 2", "e7")), want: bus.Right, says: "Row 2"},
		{name: "nothing happened", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "nothing that could be its effect"},
		{name: "only the focus ring moved", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: page(2, N("button", "Save", "e1", active())), want: bus.NoEffect, says: "nothing"},
		{name: "only a clock ticked", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton(), N("timer", "10:00", "e8")), after: page(2, saveButton(), N("timer", "10:01", "e8")), want: bus.NoEffect, says: "nothing"},
		{name: "only boxes moved", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, N("button", "Save", "e1", At(1, 1, 9, 9))), after: page(2, N("button", "Save", "e1", At(1, 2, 9, 9))), want: bus.NoEffect, says: "nothing"},
		{name: "a field took the focus", intent: bus.Intent{Action: bus.ActionClick}, target: field, receipt: sent("e2", "textbox", "Seats"),
			before: page(1, N("textbox", "Seats", "e2", Value("1"))), after: page(2, N("textbox", "Seats", "e2", Value("1"), active())), want: bus.Right, says: "has the focus"},
		{name: "a request alone", intent: click(), target: save,
			receipt: bus.Receipt{Sent: true, Hit: sent("e1", "button", "Save").Hit, Requests: []bus.Request{{Method: "POST", URL: "/save", Status: 204}}},
			before:  page(1, saveButton()), after: page(2, saveButton()), want: bus.Right, says: "POST /save answered 204"},
		{name: "a GET alone is nothing", intent: click(), target: save,
			receipt: bus.Receipt{Sent: true, Hit: sent("e1", "button", "Save").Hit, Requests: []bus.Request{{Method: "GET", URL: "/poll", Status: 200}}},
			before:  page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "nothing"},
		{name: "a new tab", intent: click(), target: save,
			receipt: bus.Receipt{Sent: true, Hit: sent("e1", "button", "Save").Hit, NewTabs: []bus.Tab{{ID: "t2", URL: "https://shop.test/terms"}}},
			before:  page(1, saveButton()), after: page(2, saveButton()), want: bus.Right, says: "tab t2 opened"},
		{name: "a dialog that is still open", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: with(page(1, saveButton()), func(t *aria.Tree) { t.Stale = true }),
			dialog: &bus.Dialog{Type: "confirm", Message: "Sure?"}, want: bus.Right, says: "Sure?"},
		{name: "a stale page", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: with(page(2, saveButton(), toast), func(t *aria.Tree) { t.Stale = true }), want: bus.Unsure, says: "could not be observed"},
		{name: "navigated, probe saw nothing", intent: click(), target: save, receipt: bus.Receipt{Sent: true, Hit: &bus.Hit{}},
			before: page(1, saveButton()), after: with(page(2, N("heading", "Done", "e30")), func(t *aria.Tree) { t.Document, t.URL = "D2", "https://shop.test/done" }),
			want: bus.Right, says: "https://shop.test/done"},
		{name: "no event, but a change", intent: click(), target: save, receipt: bus.Receipt{Sent: true, Hit: &bus.Hit{}},
			before: page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.Unsure, says: "No event was seen"},
		{name: "no event, no change", intent: click(), target: save, receipt: bus.Receipt{Sent: true, Hit: &bus.Hit{}},
			before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "nothing happened"},
		{name: "crashed", intent: click(), target: save, receipt: bus.Receipt{Sent: true, Crashed: true}, before: page(1, saveButton()), want: bus.WrongEffect, says: "crashed"},
		{name: "no observation", intent: click(), target: save, receipt: sent("e1", "button", "Save"), before: page(1, saveButton()), want: bus.Unsure, says: "could not be observed"},
		{name: "before is lost", intent: click(), target: save, receipt: bus.Receipt{Sent: true, Hit: sent("e1", "", "").Hit, Requests: []bus.Request{{Method: "POST", URL: "/x"}}},
			after: page(2, saveButton(), toast), want: bus.Unsure, says: "observation of before is lost"},
		{name: "half-way", intent: click(), target: save,
			receipt: bus.Receipt{Sent: true, Hit: sent("e1", "", "").Hit, Refusal: &bus.Refusal{Code: bus.RefusedTimeout, Message: "time was up"}},
			before:  page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.Unsure, says: "broke off half-way"},
		{name: "lost, something changed", intent: click(), target: save, receipt: bus.Receipt{Lost: true},
			before: page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.Unsure, says: ""},
		{name: "lost, but what was hit is known", intent: click(), target: save, receipt: bus.Receipt{Lost: true, Sent: true, Hit: sent("e1", "", "").Hit},
			before: page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.Right, says: ""},
		{name: "lost, and another was hit", intent: click(), target: save, receipt: bus.Receipt{Lost: true, Sent: true, Hit: &bus.Hit{Seen: true, Ref: "e7", Role: "link", Name: "Terms"}},
			before: page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.WrongTarget, says: "Terms"},
		{name: "lost and irreversible, nothing changed", intent: click(), target: save, receipt: bus.Receipt{Lost: true}, risk: bus.RiskIrreversible,
			before: page(1, saveButton()), after: page(2, saveButton()), want: bus.Unsure, says: "need not show"},
		{name: "lost and irreversible, expectation unmet", intent: click(shows), target: save, receipt: bus.Receipt{Lost: true}, risk: bus.RiskIrreversible,
			before: page(1, saveButton()), after: page(2, saveButton()), want: bus.Unsure, says: "need not show"},
		{name: "lost and reversible, nothing changed", intent: click(), target: save, receipt: bus.Receipt{Lost: true}, risk: bus.RiskReversible,
			before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: ""},

		{name: "expected and came", intent: click(shows), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.Right, says: "came about"},
		{name: "expected, lost receipt, came", intent: click(shows), target: save, receipt: bus.Receipt{Lost: true},
			before: page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.Right, says: "came about"},
		{name: "expected, something else came", intent: click(shows), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: page(2, saveButton(), N("alert", "", "e9", T("Card was declined"))), want: bus.WrongEffect, says: "Card was declined"},
		{name: "expected, nothing came", intent: click(shows), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "did not come about"},
		{name: "held before, and nothing else", intent: click(shows), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton(), toast), after: page(2, saveButton(), toast), want: bus.NoEffect, says: "proves nothing"},
		{name: "held before, but another effect", intent: click(shows), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton(), toast), after: page(2, saveButton(), toast, N("heading", "Next", "e11")), want: bus.Right, says: "proves nothing"},
		{name: "twins told apart by the ref that was given", intent: bus.Intent{Action: bus.ActionClick, Target: &bus.Target{Ref: "e1", Words: "Save", Name: "Save"}}, target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton(), N("button", "Save", "e4")), after: page(2, saveButton(), N("button", "Save", "e4"), toast), want: bus.Right, says: "Saved"},
		{name: "twins", intent: bus.Intent{Action: bus.ActionClick, Target: &bus.Target{Words: "Save", Name: "Save"}}, target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton(), N("button", "Save", "e4")), after: page(2, saveButton(), N("button", "Save", "e4"), toast), want: bus.Unsure, says: "(e4)"},
		{name: "twins told apart by an ordinal", intent: bus.Intent{Action: bus.ActionClick, Target: &bus.Target{Name: "Save", Ordinal: 1}}, target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton(), N("button", "Save", "e4")), after: page(2, saveButton(), N("button", "Save", "e4"), toast), want: bus.Right, says: "Saved"},
		{name: "twins told apart by what came", intent: bus.Intent{Action: bus.ActionClick, Target: &bus.Target{Ref: "e1", Name: "Save"}, Expect: []bus.Expect{shows}}, target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton(), N("button", "Save", "e4")), after: page(2, saveButton(), N("button", "Save", "e4"), toast), want: bus.Right, says: "came about"},
		{name: "it led to an address that does not answer", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: func() *aria.Tree { p := page(2); p.URL, p.Document = "chrome-error://chromewebdata/", "d2"; return p }(), want: bus.WrongEffect, says: "could not be loaded"},
		{name: "a box that is checked already", intent: bus.Intent{Action: bus.ActionCheck, Target: &bus.Target{Name: "News"}}, target: &bus.Element{Ref: "e3", Role: "checkbox", Name: "News"}, receipt: bus.Receipt{},
			before: page(1, N("checkbox", "News", "e3", checked("true"))), after: page(1, N("checkbox", "News", "e3", checked("true"))), want: bus.Right, says: "as it was before"},
		{name: "a box that came to be checked without anything sent", intent: bus.Intent{Action: bus.ActionCheck, Target: &bus.Target{Name: "News"}}, target: &bus.Element{Ref: "e3", Role: "checkbox", Name: "News"}, receipt: bus.Receipt{},
			before: page(1, N("checkbox", "News", "e3", checked("false"))), after: page(2, N("checkbox", "News", "e3", checked("true"))), want: bus.NoEffect, says: "Nothing was sent"},
		{name: "an error came with it", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: page(2, saveButton(), N("alert", "", "e9", T("Card was declined"))), want: bus.WrongEffect, says: `but the page says: "Card was declined"`},
		{name: "a message that is no error", intent: click(), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: page(2, saveButton(), N("alert", "", "e9", T("Seats were saved"))), want: bus.Right, says: "it had an effect"},
		{name: "the server refused it", intent: click(), target: save, receipt: posting(sent("e1", "button", "Save"), 500), before: page(1, saveButton()), after: page(2, saveButton(), N("text", "", "", T("Hm"))), want: bus.WrongEffect, says: "answered 500"},
		{name: "renamed under the pointer", intent: click(), target: save, receipt: sent("e1", "button", "Remove all"),
			before: page(1, saveButton()), after: page(2, saveButton(), toast), want: bus.WrongTarget, says: `it said "Remove all"`},
		{name: "expected behind an open dialog", intent: click(shows), target: save, receipt: sent("e1", "button", "Save"),
			before: page(1, saveButton()), after: with(page(1, saveButton()), func(t *aria.Tree) { t.Stale = true }),
			dialog: &bus.Dialog{Type: "alert", Message: "Wait"}, want: bus.Unsure, says: "behind it"},
	})
}

func TestJudgeFields(t *testing.T) {
	fill := func(v string) bus.Intent { return bus.Intent{Action: bus.ActionFill, Value: v} }
	seats := func(v string, o ...any) *aria.Node {
		return N("textbox", append([]any{"Seats", "e2", Value(v)}, o...)...)
	}
	lie := sent("e2", "textbox", "Seats")
	lie.ValueAfter, lie.Matches = "5", ptr(true)
	run(t, []trial{
		{name: "filled", intent: fill("5"), target: field, receipt: lie, before: page(1, seats("1")), after: page(2, seats("5")), want: bus.Right, says: "Read afresh"},
		{name: "the receipt says so, the page does not", intent: fill("5"), target: field, receipt: lie, before: page(1, seats("1")), after: page(2, seats("1")), want: bus.NoEffect, says: "still holds"},
		{name: "cut short", intent: fill("500"), target: field, receipt: lie, before: page(1, seats("")), after: page(2, seats("50")), want: bus.WrongEffect, says: `"500" was meant`},
		{name: "formatted", intent: fill("1200"), target: field, receipt: lie, before: page(1, seats("")), after: page(2, seats("1,200.00")), want: bus.Right, says: "the same number"},
		{name: "other letters' case", intent: fill("ada"), target: field, receipt: lie, before: page(1, seats("")), after: page(2, seats("Ada")), want: bus.WrongEffect, says: "upper and lower case"},
		{name: "held it already", intent: fill("5"), target: field, receipt: lie, before: page(1, seats("5")), after: page(2, seats("5")), want: bus.Right, says: "before already"},
		{name: "filled and invalid", intent: fill("5"), target: field, receipt: lie, before: page(1, seats("1")),
			after: page(2, seats("5", prop(func(n *aria.Node) { n.Invalid, n.InvalidMessage = "true", "At most 3" }))), want: bus.Right, says: "At most 3"},
		{name: "replaced by a re-render", intent: bus.Intent{Action: bus.ActionFill, Value: "5", Target: &bus.Target{Name: "Seats"}}, target: field, receipt: lie,
			before: page(1, seats("1")), after: page(2, N("textbox", "Seats", "e40", Value("5"))), want: bus.Right, says: "(e40)"},
		{name: "gone, its text stands there", intent: fill("Acme GmbH"), target: field, receipt: lie, before: page(1, seats("1")), after: page(2, T("Acme GmbH")), want: bus.Right, says: "is gone"},
		{name: "gone", intent: fill("Acme GmbH"), target: field, receipt: lie, before: page(1, seats("1")), after: page(2, T("Hello")), want: bus.Unsure, says: "read back"},
		{name: "secret", intent: fill("${secret:PW}"), target: field, receipt: lie, before: page(1, N("textbox", "Seats", "e2", masked(""))), after: page(2, N("textbox", "Seats", "e2", masked("••••"))), want: bus.Right, says: "is filled"},
		{name: "secret, nothing there", intent: fill("${secret:PW}"), target: field, receipt: lie, before: page(1, N("textbox", "Seats", "e2", masked(""))), after: page(2, N("textbox", "Seats", "e2", masked(""))), want: bus.NoEffect, says: "is empty"},
		{name: "secret, not compared", intent: fill("${secret:PW}"), target: field, receipt: sent("e2", "", ""), before: page(1, N("textbox", "Seats", "e2", masked(""))), after: page(2, N("textbox", "Seats", "e2", masked("••••"))), want: bus.Unsure, says: "nothing compared"},
		{name: "secret, another", intent: fill("${secret:PW}"), target: field, receipt: bus.Receipt{Sent: true, Matches: ptr(false)}, before: page(1, N("textbox", "Seats", "e2", masked(""))), after: page(2, N("textbox", "Seats", "e2", masked("••"))), want: bus.WrongEffect, says: "not what was typed"},
		{name: "typed", intent: bus.Intent{Action: bus.ActionType, Value: " GmbH"}, target: field, receipt: lie, before: page(1, seats("Acme")), after: page(2, seats("Acme GmbH")), want: bus.Right, says: "Acme GmbH"},
		{name: "typed in front", intent: bus.Intent{Action: bus.ActionType, Value: "The "}, target: field, receipt: lie, before: page(1, seats("Acme")), after: page(2, seats("The Acme")), want: bus.Right, says: "what was typed"},
		{name: "typed nothing", intent: bus.Intent{Action: bus.ActionType, Value: "A"}, target: field, receipt: lie, before: page(1, seats("Acme")), after: page(2, seats("Acme")), want: bus.NoEffect, says: "still holds"},
		{name: "cleared", intent: bus.Intent{Action: bus.ActionClear}, target: field, receipt: lie, before: page(1, seats("Acme")), after: page(2, seats("")), want: bus.Right, says: "Read afresh"},
		{name: "not cleared", intent: bus.Intent{Action: bus.ActionClear}, target: field, receipt: lie, before: page(1, seats("Acme")), after: page(2, seats("Acme")), want: bus.NoEffect, says: "still holds"},
		{name: "words replaced", intent: bus.Intent{Action: bus.ActionReplace, Find: "draft", Value: "final"}, target: field, receipt: lie, before: page(1, seats("the draft v2")), after: page(2, seats("the final v2")), want: bus.Right, says: "final"},
		{name: "all replaced", intent: bus.Intent{Action: bus.ActionReplace, Find: "draft", Value: "final"}, target: field, receipt: lie, before: page(1, seats("the draft v2")), after: page(2, seats("final")), want: bus.WrongEffect, says: "was meant"},
		{name: "date", intent: bus.Intent{Action: bus.ActionPickDate, Value: "2026-03-15"}, target: field, receipt: lie, before: page(1, seats("")), after: page(2, seats("15 March 2026")), want: bus.Right, says: "the same day"},
		{name: "date off by one", intent: bus.Intent{Action: bus.ActionPickDate, Value: "2026-03-15"}, target: field, receipt: lie, before: page(1, seats("")), after: page(2, seats("14 March 2026")), want: bus.WrongEffect, says: "was meant"},
		{name: "date that can be read two ways", intent: bus.Intent{Action: bus.ActionPickDate, Value: "2026-03-04"}, target: field, receipt: lie, before: page(1, seats("")), after: page(2, seats("04/03/2026")), want: bus.Unsure, says: "order of day and month"},
		{name: "date with a placeholder", intent: bus.Intent{Action: bus.ActionPickDate, Value: "2026-03-04"}, target: field, receipt: lie, before: page(1, seats("")),
			after: page(2, seats("04/03/2026", prop(func(n *aria.Node) { n.Placeholder = "DD/MM/YYYY" }))), want: bus.Right, says: "the same day"},
		{name: "behind a dialog", intent: fill("5"), target: field, receipt: lie, before: page(1, seats("1")), after: with(page(1, seats("5")), func(t *aria.Tree) { t.Stale = true }),
			dialog: &bus.Dialog{Type: "alert", Message: "x"}, want: bus.Unsure, says: "can't be read"},
	})
}

func TestJudgeControls(t *testing.T) {
	list := &bus.Element{Ref: "e3", Role: "combobox", Name: "Priority"}
	combo := func(v string) *aria.Node { return N("combobox", "Priority", "e3", Value(v)) }
	option := func(name, sel string) *aria.Node {
		return N("option", name, prop(func(n *aria.Node) { n.Selected = sel }))
	}
	box := &bus.Element{Ref: "e6", Role: "checkbox", Name: "Terms"}
	tick := func(v string) *aria.Node { return N("checkbox", "Terms", "e6", checked(v)) }
	ok := bus.Receipt{Sent: true}
	file := func(v string) *aria.Node { return N("button", "Invoice", "e7", Value(v)) }
	upload := bus.Intent{Action: bus.ActionUpload, Values: []string{"data/new customers.csv"}}
	dl := bus.Download{Name: "invoice.pdf", Size: 10, SHA256: "ab", Blob: "k", State: "completed"}
	run(t, []trial{
		{name: "chosen", intent: bus.Intent{Action: bus.ActionSelect, Values: []string{"High"}}, target: list, receipt: ok, before: page(1, combo("Low")), after: page(2, combo("High")), want: bus.Right, says: "High"},
		{name: "not chosen", intent: bus.Intent{Action: bus.ActionSelect, Values: []string{"High"}}, target: list, receipt: ok, before: page(1, combo("Low")), after: page(2, combo("Low")), want: bus.NoEffect, says: "still shows"},
		{name: "another chosen", intent: bus.Intent{Action: bus.ActionSelect, Values: []string{"High"}}, target: list, receipt: ok, before: page(1, combo("Low")), after: page(2, combo("Highest")), want: bus.WrongEffect, says: `"High" was meant`},
		{name: "several chosen", intent: bus.Intent{Action: bus.ActionSelect, Values: []string{"B", "A"}}, target: list, receipt: ok,
			before: page(1, N("listbox", "", "e3", option("A", "false"), option("B", "false"))), after: page(2, N("listbox", "", "e3", option("A", "true"), option("B", "true"))), want: bus.Right, says: "A, B"},
		{name: "one too many chosen", intent: bus.Intent{Action: bus.ActionSelect, Values: []string{"B"}}, target: list, receipt: ok,
			before: page(1, N("listbox", "", "e3", option("A", "true"), option("B", "false"))), after: page(2, N("listbox", "", "e3", option("A", "true"), option("B", "true"))), want: bus.WrongEffect, says: "A, B"},
		{name: "custom list", intent: bus.Intent{Action: bus.ActionSelect, Values: []string{"Berlin"}}, target: &bus.Element{Ref: "e3", Role: "button", Name: "City"}, receipt: ok,
			before: page(1, N("button", "Choose a city", "e3")), after: page(2, N("button", "Berlin", "e3")), want: bus.Right, says: "Berlin"},
		{name: "checked", intent: bus.Intent{Action: bus.ActionCheck}, target: box, receipt: ok, before: page(1, tick("false")), after: page(2, tick("true")), want: bus.Right, says: "is on"},
		{name: "check refused by the page", intent: bus.Intent{Action: bus.ActionCheck}, target: box, receipt: ok, before: page(1, tick("false")), after: page(2, tick("false")), want: bus.NoEffect, says: "still off"},
		{name: "check went off", intent: bus.Intent{Action: bus.ActionCheck}, target: box, receipt: ok, before: page(1, tick("true")), after: page(2, tick("false")), want: bus.WrongEffect, says: "is off now"},
		{name: "mixed is not on", intent: bus.Intent{Action: bus.ActionCheck}, target: box, receipt: ok, before: page(1, tick("false")), after: page(2, tick("mixed")), want: bus.NoEffect, says: ""},
		{name: "unchecked", intent: bus.Intent{Action: bus.ActionUncheck}, target: box, receipt: ok, before: page(1, tick("true")), after: page(2, tick("false")), want: bus.Right, says: "is off"},
		{name: "checked already", intent: bus.Intent{Action: bus.ActionCheck}, target: box, receipt: ok, before: page(1, tick("true")), after: page(2, tick("true")), want: bus.Right, says: "as it was before"},
		{name: "toggled", intent: bus.Intent{Action: bus.ActionToggle}, target: box, receipt: ok, before: page(1, tick("true")), after: page(2, tick("false")), want: bus.Right, says: "is off"},
		{name: "toggled twice by mistake", intent: bus.Intent{Action: bus.ActionToggle}, target: box, receipt: ok, before: page(1, tick("true")), after: page(2, tick("true")), want: bus.NoEffect, says: "still on"},
		{name: "no state", intent: bus.Intent{Action: bus.ActionCheck}, target: box, receipt: ok, before: page(1, N("generic", "Terms", "e6")), after: page(2, N("generic", "Terms", "e6")), want: bus.NoEffect, says: "no state"},
		{name: "uploaded", intent: upload, target: &bus.Element{Ref: "e7"}, receipt: ok, before: page(1, file("")), after: page(2, file(`C:\fakepath\new customers.csv`)), want: bus.Right, says: "customers"},
		{name: "not uploaded", intent: upload, target: &bus.Element{Ref: "e7"}, receipt: ok, before: page(1, file("")), after: page(2, file("")), want: bus.NoEffect, says: "does not show"},
		{name: "downloaded", intent: bus.Intent{Action: bus.ActionDownload}, target: save, receipt: bus.Receipt{Sent: true, Downloads: []bus.Download{dl}}, files: map[string]string{"k": ""},
			before: page(1, saveButton()), after: page(2, saveButton()), want: bus.Right, says: "invoice.pdf"},
		{name: "download claimed only", intent: bus.Intent{Action: bus.ActionDownload}, target: save, receipt: bus.Receipt{Sent: true, Downloads: []bus.Download{{Name: "invoice.pdf", State: "completed", Size: 10}}},
			before: page(1, saveButton()), after: page(2, saveButton()), want: bus.WrongEffect, says: "no file was kept"},
		{name: "download damaged", intent: bus.Intent{Action: bus.ActionDownload}, target: save, receipt: bus.Receipt{Sent: true, Downloads: []bus.Download{dl}}, files: map[string]string{"k": "the file kept has another hash"},
			before: page(1, saveButton()), after: page(2, saveButton()), want: bus.WrongEffect, says: "another hash"},
		{name: "no download", intent: bus.Intent{Action: bus.ActionDownload}, target: save, receipt: ok, before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "No file"},
		{name: "hovered", intent: bus.Intent{Action: bus.ActionHover}, target: save, receipt: sent("e1", "button", "Save"), before: page(1, saveButton()), after: page(2, saveButton()), want: bus.Right, says: "pointer is on it"},
		{name: "hover unseen", intent: bus.Intent{Action: bus.ActionHover}, target: save, receipt: ok, before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "No event"},
		{name: "pressed, focus moved", intent: bus.Intent{Action: bus.ActionPress, Value: "Tab"}, receipt: ok, before: page(1, N("textbox", "A", "e2", active()), N("textbox", "B", "e3")),
			after: page(2, N("textbox", "A", "e2"), N("textbox", "B", "e3", active())), want: bus.Right, says: "focus moved"},
		{name: "pressed in vain", intent: bus.Intent{Action: bus.ActionPress, Value: "Escape"}, receipt: ok, before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "nothing"},
		{name: "dragged", intent: bus.Intent{Action: bus.ActionDrag}, target: save, receipt: sent("e1", "", ""), before: page(1, N("list", "", "e8", N("listitem", "A", "e1"), N("listitem", "B", "e4"))),
			after: page(2, N("list", "", "e8", N("listitem", "B", "e4"), N("listitem", "A", "e1"))), want: bus.Right, says: "moved"},
		{name: "dragged in vain", intent: bus.Intent{Action: bus.ActionDrag}, target: save, receipt: sent("e1", "", ""), before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "nothing"},
		{name: "remembered", intent: bus.Intent{Action: bus.ActionRemember, As: "x"}, target: save, receipt: bus.Receipt{Read: ptr("INV-7")}, before: page(1, N("cell", "", "e1", T("INV-7"))), after: page(2, N("cell", "", "e1", T("INV-7"))), want: bus.Right, says: "INV-7"},
		{name: "remembered, changed", intent: bus.Intent{Action: bus.ActionRemember, As: "x"}, target: save, receipt: bus.Receipt{Read: ptr("INV-7")}, before: page(1, N("cell", "", "e1", T("INV-7"))), after: page(2, N("cell", "", "e1", T("INV-8"))), want: bus.WrongEffect, says: "INV-8"},
		{name: "remembered nothing", intent: bus.Intent{Action: bus.ActionRemember, As: "x"}, target: save, receipt: bus.Receipt{}, before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "Nothing was read"},
		{name: "remembered a secret", intent: bus.Intent{Action: bus.ActionRemember, As: "x"}, target: field, receipt: bus.Receipt{Read: ptr("••")}, before: page(1), after: page(2, N("textbox", "P", "e2", masked("••"))), want: bus.WrongEffect, says: "secret"},
		{name: "remembered the URL", intent: bus.Intent{Action: bus.ActionRemember, As: "x", Of: "url"}, receipt: bus.Receipt{Read: ptr("https://shop.test/seats")}, before: page(1), after: page(2, saveButton()), want: bus.Right, says: "seats"},
		{name: "unknown action", intent: bus.Intent{Action: "dance"}, receipt: ok, before: page(1), after: page(2, saveButton()), want: bus.Unsure, says: "no rule"},
	})
}

func TestJudgeTravel(t *testing.T) {
	ok := bus.Receipt{Sent: true, URLBefore: "https://shop.test/seats"}
	other := func(url string) *aria.Tree {
		return with(page(2, N("heading", "Hi", "e30")), func(t *aria.Tree) { t.Document, t.URL = "D2", url })
	}
	tab := func(id string) *aria.Tree {
		return with(page(2, saveButton()), func(t *aria.Tree) { t.Tab, t.Title = id, "Terms" })
	}
	tabs := []bus.Tab{{ID: "t1"}, {ID: "t2", Title: "Terms"}}
	scrolled := func(y float64) *aria.Tree {
		return with(page(2, N("button", "Save", "e1", At(10, 100, 10, 10))), func(t *aria.Tree) { t.Viewport.ScrollY, t.Viewport.PageH = y, 3000 })
	}
	open := bus.Intent{Action: bus.ActionOpen, Value: "/billing"}
	run(t, []trial{
		{name: "opened", intent: open, receipt: ok, before: page(1), after: other("https://shop.test/billing"), want: bus.Right, says: "is loaded"},
		{name: "opened, redirected", intent: open, receipt: ok, before: page(1), after: other("https://shop.test/login?next=billing"), want: bus.Right, says: "led on to"},
		{name: "not opened", intent: open, receipt: ok, before: page(1), after: page(2, saveButton()), want: bus.NoEffect, says: "still at"},
		{name: "opened elsewhere", intent: open, receipt: ok, before: page(1), after: other("https://evil.test/billing"), want: bus.WrongEffect, says: "evil.test"},
		{name: "opened, allowed redirect to another origin", intent: open, before: page(1), after: other("https://id.test/login"), want: bus.Right, says: "led on to",
			receipt: bus.Receipt{Sent: true, URLBefore: "https://shop.test/", Requests: []bus.Request{{Method: "GET", URL: "https://shop.test/billing", Type: "Document", Status: 302}}}},
		{name: "opened, blocked", intent: open, receipt: bus.Receipt{Sent: true, URLBefore: "https://shop.test/", Blocked: []string{"https://evil.test/x"}}, before: page(1), after: page(2, saveButton()), want: bus.WrongEffect, says: "not allowed"},
		{name: "opened a 404", intent: open, receipt: bus.Receipt{Sent: true, URLBefore: "https://shop.test/", Requests: []bus.Request{{Method: "GET", URL: "https://shop.test/billing", Type: "Document", Status: 404}}},
			before: page(1), after: other("https://shop.test/billing"), want: bus.WrongEffect, says: "404"},
		{name: "opened an error page", intent: open, receipt: ok, before: page(1), after: other("chrome-error://chromewebdata/"), want: bus.NoEffect, says: "did not load"},
		{name: "opened, empty", intent: open, receipt: ok, before: page(1), after: with(page(2), func(t *aria.Tree) { t.Document, t.URL, t.Title = "D2", "https://shop.test/billing", "" }), want: bus.NoEffect, says: "is empty"},
		{name: "back", intent: bus.Intent{Action: bus.ActionBack}, receipt: ok, before: page(1), after: other("https://shop.test/"), want: bus.Right, says: "history"},
		{name: "nothing to go back to", intent: bus.Intent{Action: bus.ActionBack}, receipt: ok, before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "still at"},
		{name: "scrolled into view", intent: bus.Intent{Action: bus.ActionScroll}, target: save, receipt: ok, before: page(1, saveButton()), after: scrolled(500), want: bus.Right, says: "in view"},
		{name: "not in view", intent: bus.Intent{Action: bus.ActionScroll}, target: save, receipt: ok, before: page(1, saveButton()), after: page(2, N("button", "Save", "e1", At(10, 2000, 10, 10), prop(func(n *aria.Node) { n.Offscreen = true }))), want: bus.NoEffect, says: "not in view"},
		{name: "scrolled down", intent: bus.Intent{Action: bus.ActionScroll, Value: "down"}, receipt: ok, before: scrolled(0), after: scrolled(400), want: bus.Right, says: "400"},
		{name: "scrolled up instead", intent: bus.Intent{Action: bus.ActionScroll, Value: "down"}, receipt: ok, before: scrolled(400), after: scrolled(0), want: bus.WrongEffect, says: "down"},
		{name: "not scrolled", intent: bus.Intent{Action: bus.ActionScroll, Value: "down"}, receipt: ok, before: scrolled(400), after: scrolled(400), want: bus.NoEffect, says: "still at"},
		{name: "at the end", intent: bus.Intent{Action: bus.ActionScroll, Value: "down"}, receipt: ok, before: scrolled(2200), after: scrolled(2200), want: bus.Right, says: "end already"},
		{name: "dialog accepted", intent: bus.Intent{Action: bus.ActionAccept}, receipt: bus.Receipt{Sent: true, Dialogs: []bus.Dialog{{Type: "confirm", Message: "Sure?", Answer: "accepted"}}}, before: page(1), after: page(2, saveButton()), want: bus.Right, says: "accepted"},
		{name: "dialog answered otherwise", intent: bus.Intent{Action: bus.ActionAccept}, receipt: bus.Receipt{Sent: true, Dialogs: []bus.Dialog{{Type: "confirm", Message: "Sure?", Answer: "dismissed"}}}, before: page(1), after: page(2, saveButton()), want: bus.WrongEffect, says: "to be accepted"},
		{name: "dialog still open", intent: bus.Intent{Action: bus.ActionDismiss}, receipt: bus.Receipt{Sent: true, Dialogs: []bus.Dialog{{Type: "confirm", Message: "Sure?", Answer: "dismissed"}}}, before: page(1), after: with(page(2), func(t *aria.Tree) { t.Stale = true }),
			dialog: &bus.Dialog{Type: "confirm", Message: "Sure?"}, want: bus.NoEffect, says: "still open"},
		{name: "no dialog", intent: bus.Intent{Action: bus.ActionAccept}, receipt: ok, before: page(1), after: page(2, saveButton()), want: bus.NoEffect, says: "No dialog"},
		{name: "tab switched", intent: bus.Intent{Action: bus.ActionSwitchTab, Value: "Terms"}, receipt: bus.Receipt{Sent: true, Tabs: tabs, Tab: "t2"}, before: page(1), after: tab("t2"), want: bus.Right, says: "t2"},
		{name: "tab switched by id", intent: bus.Intent{Action: bus.ActionSwitchTab, Value: "t2"}, receipt: bus.Receipt{Sent: true, Tabs: tabs}, before: page(1), after: tab("t2"), want: bus.Right, says: "t2"},
		{name: "tab switch claimed only", intent: bus.Intent{Action: bus.ActionSwitchTab, Value: "t2"}, receipt: bus.Receipt{Sent: true, Tabs: tabs, Tab: "t2"}, before: page(1), after: page(2, saveButton()), want: bus.NoEffect, says: "Still in front"},
		{name: "wrong tab", intent: bus.Intent{Action: bus.ActionSwitchTab, Value: "Billing"}, receipt: bus.Receipt{Sent: true, Tabs: tabs}, before: page(1), after: tab("t2"), want: bus.WrongEffect, says: "is not"},
		{name: "previous tab, but the same", intent: bus.Intent{Action: bus.ActionSwitchTab, Value: "previous"}, receipt: bus.Receipt{Sent: true, Tabs: tabs}, before: page(1), after: page(2, saveButton()), want: bus.NoEffect, says: "Still in front"},
		{name: "tab closed", intent: bus.Intent{Action: bus.ActionCloseTab}, receipt: bus.Receipt{Sent: true, Tabs: tabs[1:]}, before: page(1), after: tab("t2"), want: bus.Right, says: "is closed"},
		{name: "tab not closed", intent: bus.Intent{Action: bus.ActionCloseTab}, receipt: bus.Receipt{Sent: true, Tabs: tabs}, before: page(1), after: page(2, saveButton()), want: bus.NoEffect, says: "is still in front"},
		{name: "tab behind, not closed", intent: bus.Intent{Action: bus.ActionCloseTab}, receipt: bus.Receipt{Sent: true, Tabs: tabs}, before: page(1), after: tab("t2"), want: bus.WrongEffect, says: "still open"},
		{name: "another tab closed", intent: bus.Intent{Action: bus.ActionCloseTab, Value: "t2"}, receipt: bus.Receipt{Sent: true, Tabs: tabs[:1]}, before: page(1), after: page(2, saveButton()), want: bus.Right, says: "Tab t2 is closed"},
		{name: "another tab not closed", intent: bus.Intent{Action: bus.ActionCloseTab, Value: "t2"}, receipt: bus.Receipt{Sent: true, Tabs: tabs}, before: page(1), after: page(2, saveButton()), want: bus.NoEffect, says: "Tab t2 is still open"},
		{name: "tab opened", intent: bus.Intent{Action: bus.ActionNewTab}, receipt: bus.Receipt{Sent: true, Tabs: tabs, NewTabs: tabs[1:]}, before: page(1), after: tab("t2"), want: bus.Right, says: "which is new"},
		{name: "tab opening claimed only", intent: bus.Intent{Action: bus.ActionNewTab}, receipt: bus.Receipt{Sent: true, Tabs: tabs, NewTabs: tabs}, before: page(1), after: page(2, saveButton()), want: bus.NoEffect, says: "No tab was opened"},
		{name: "waited", intent: bus.Intent{Action: bus.ActionWait, Value: "100"}, receipt: bus.Receipt{}, before: page(1), after: page(2, saveButton()), want: bus.Right, says: "over"},
		{name: "waited for", intent: bus.Intent{Action: bus.ActionWait, Expect: []bus.Expect{{Kind: bus.ExpectVisible, Want: "Hi"}}}, before: page(1), after: other("https://shop.test/"), want: bus.Right, says: "It holds"},
		{name: "waited in vain", intent: bus.Intent{Action: bus.ActionWait, Expect: []bus.Expect{{Kind: bus.ExpectVisible, Want: "Bye"}}}, before: page(1), after: other("https://shop.test/"), want: bus.NoEffect, says: "did not come about"},
		{name: "holds, as before", intent: bus.Intent{Action: bus.ActionExpectation, Expect: []bus.Expect{{Kind: bus.ExpectVisible, Target: saveBy}}}, before: page(1, saveButton()), after: page(2, saveButton()), want: bus.Right, says: "It holds"},
		{name: "does not hold", intent: bus.Intent{Action: bus.ActionExpectation, Expect: []bus.Expect{{Kind: bus.ExpectGone, Target: saveBy}}}, before: page(1, saveButton()), after: page(2, saveButton()), want: bus.NoEffect, says: "did not come about"},
		{name: "nothing to expect", intent: bus.Intent{Action: bus.ActionExpectation}, before: page(1), after: page(2, saveButton()), want: bus.Unsure, says: "nothing to check"},
	})
}
