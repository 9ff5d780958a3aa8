package verifier

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

var actions = []bus.Action{bus.ActionOpen, bus.ActionBack, bus.ActionForward, bus.ActionClick, bus.ActionHover, bus.ActionFill, bus.ActionType,
	bus.ActionClear, bus.ActionReplace, bus.ActionSelect, bus.ActionPickDate, bus.ActionCheck, bus.ActionUncheck, bus.ActionToggle,
	bus.ActionUpload, bus.ActionDownload, bus.ActionDrag, bus.ActionScroll, bus.ActionPress, bus.ActionAccept, bus.ActionDismiss,
	bus.ActionSwitchTab, bus.ActionCloseTab, bus.ActionNewTab, bus.ActionWait, bus.ActionExpectation, bus.ActionRemember}

// boast draws a receipt that claims everything went well.
func boast(t *rapid.T, value string) bus.Receipt {
	yes := true
	r := bus.Receipt{Sent: true, ValueAfter: value, Matches: &yes, Read: &value, URLBefore: "https://shop.test/", URLAfter: "https://shop.test/done",
		Hit: &bus.Hit{Ref: "e2", Inside: true, Seen: true, Events: []string{"click"}}, Target: &bus.Element{Ref: "e2", Role: "textbox", Name: "Seats"},
		Tab: "t2", Notes: []string{"it worked"}}
	if rapid.Bool().Draw(t, "download") {
		r.Downloads = []bus.Download{{Name: value, State: "completed", Size: 3, SHA256: "x", Blob: "k"}}
	}
	if rapid.Bool().Draw(t, "dialog") {
		r.Dialogs = []bus.Dialog{{Type: "confirm", Message: value, Answer: rapid.SampledFrom([]string{"accepted", "dismissed"}).Draw(t, "answer")}}
	}
	if rapid.Bool().Draw(t, "request") {
		r.Requests = []bus.Request{{Method: "POST", URL: "/save", Status: 200, Type: "Document"}}
	}
	if rapid.Bool().Draw(t, "tab") {
		r.NewTabs = []bus.Tab{{ID: "t2", URL: "https://shop.test/done"}}
	}
	return r
}

func boastful(t *rapid.T, value string) Case {
	i := bus.Intent{Action: rapid.SampledFrom(actions).Draw(t, "action"), Value: value, Values: []string{value}, Find: "a"}
	if rapid.Bool().Draw(t, "expect") {
		i.Expect = []bus.Expect{{Kind: rapid.SampledFrom([]bus.ExpectKind{bus.ExpectVisible, bus.ExpectGone, bus.ExpectURL, bus.ExpectText, bus.ExpectEmpty, bus.ExpectValue}).Draw(t, "kind"),
			Target: &bus.Target{Name: "Seats"}, Want: value, Not: rapid.Bool().Draw(t, "not")}}
	}
	return Case{Intent: i, Attempt: bus.Attempt{ID: "i1.1", Target: &bus.Element{Ref: "e2", Role: "textbox", Name: "Seats"}}, Receipt: boast(t, value),
		Before: page(1, N("textbox", "Seats", "e2", Value("before")))}
}

// TestNoVerdictWithoutLooking holds invariant 2: whatever a receipt claims,
// without a fresh observation nothing is right.
func TestNoVerdictWithoutLooking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := boastful(t, "5")
		if rapid.Bool().Draw(t, "stale") {
			c.After = with(page(2, N("textbox", "Seats", "e2", Value("5"))), func(t *aria.Tree) { t.Stale = true })
		}
		if j := Judge(c); j.Outcome == bus.Right {
			t.Fatalf("%s is right on the receipt's word: %q", c.Intent.Action, j.Reasons)
		}
	})
}

// TestClaimAgainstPage gives a page that shows the opposite of the claim.
func TestClaimAgainstPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := boastful(t, "5")
		c.Intent.Expect = nil
		c.Files = map[string]string{"k": "the file kept has another hash"}
		c.After = page(2, N("textbox", "Seats", "e2", Value("before")))
		c.After.Viewport.W, c.After.Viewport.H = 0, 0 // nothing is in view
		switch c.Intent.Action {
		case bus.ActionClick, bus.ActionPress, bus.ActionDrag, bus.ActionHover, bus.ActionWait, bus.ActionAccept, bus.ActionDismiss:
			return // a request, a dialog or the probe's record are evidence for these
		case bus.ActionClear, bus.ActionReplace:
			c.Intent.Find = "nothing of the sort"
		}
		if j := Judge(c); j.Outcome == bus.Right {
			t.Fatalf("%s is right against what the page shows: %q", c.Intent.Action, j.Reasons)
		}
	})
}

// TestNothingSentNothingRight holds for every act: what was not sent did
// nothing, whatever the page shows.
func TestNothingSentNothingRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := boastful(t, "5")
		if looksOnly(c.Intent.Action) {
			return
		}
		c.Receipt.Sent, c.Receipt.Target = false, nil
		c.After = page(2, N("textbox", "Seats", "e2", Value("5")), N("status", "", "e9", T("5")))
		if j := Judge(c); j.Outcome != bus.NoEffect || !j.Settled {
			t.Fatalf("%s: %s %q", c.Intent.Action, j.Outcome, j.Reasons)
		}
	})
}

// TestJudgeIsPure judges twice and compares.
func TestJudgeIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := boastful(t, "5")
		c.After = page(2, N("textbox", "Seats", "e2", Value(rapid.SampledFrom([]string{"5", "before", "50"}).Draw(t, "value"))))
		a, b := Judge(c), Judge(c)
		if a.Outcome != b.Outcome || len(a.Evidence) != len(b.Evidence) || len(a.Reasons) != len(b.Reasons) {
			t.Fatalf("%v and %v", a, b)
		}
		if a.Outcome == "" || len(a.Reasons) == 0 {
			t.Fatalf("%s: no outcome or no reason: %+v", c.Intent.Action, a)
		}
	})
}
