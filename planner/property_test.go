package planner_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/planner"
)

// Whatever the page does, whoever dies when: the journal keeps its rules, and
// nothing irreversible happens twice.
func TestAnyRun(t *testing.T) {
	g := newRig(t)
	points := []string{"after intent", "after attempt", "during act", "after receipt", "before verdict"}
	words := []string{"Pay", "Send", "Delete", "Next", "Back", "Toggle", "Name", "City"}
	rapid.Check(t, func(t *rapid.T) {
		var steps []string
		sc := script{plans: map[string][]plan{}}
		for _, w := range rapid.SliceOfNDistinct(rapid.SampledFrom(words), 1, 4, rapid.ID).Draw(t, "words") {
			if w == "Name" || w == "City" {
				steps = append(steps, `Type "x" into "`+w+`"`)
			} else {
				steps = append(steps, `Click "`+w+`"`)
			}
			sc.plans[w] = append(rapid.SliceOfN(rapid.Custom(drawPlan), 0, 2).Draw(t, w), plan{})
		}
		// Each trouble strikes once, at a point of the attempt at an intent.
		type trouble struct {
			point, words string
			crash        bool
		}
		troubles := map[trouble]bool{}
		for range rapid.IntRange(0, 3).Draw(t, "troubles") {
			troubles[trouble{rapid.SampledFrom(points).Draw(t, "point"), rapid.SampledFrom(append(words, "open")).Draw(t, "at"), rapid.Bool().Draw(t, "crash")}] = true
		}
		sc.at = func(s *site, point string, i bus.Intent) {
			for _, crash := range []bool{true, false} {
				at := trouble{point, label(i), crash}
				s.mu.Lock()
				now := troubles[at]
				troubles[at] = false
				s.mu.Unlock()
				switch {
				case now && crash:
					s.crash()
				case now:
					s.kill()
				}
			}
		}
		held := rapid.IntRange(0, 5).Draw(t, "done") > 0
		sc.holds = func(*site, bus.Expect) bool { return held }
		s := g.begin(t, flow(steps...), sc, planner.Options{})
		r := s.end() // and the state machine has allowed each entry
		checkJournal(t, r)
		for _, w := range []string{"Pay", "Send", "Delete"} {
			n := 0
			for _, e := range s.ledger {
				if e == w {
					n++
				}
			}
			if n > 1 {
				t.Errorf("%s happened %d times", w, n)
			}
		}
		f := r.state.Finished
		if f.Status == bus.Succeeded {
			if !held || f.Final == nil || !f.Final.Held {
				t.Errorf("succeeded without its final checks: %+v", f)
			}
			for _, step := range steps {
				w := step[strings.LastIndex(step[:len(step)-1], `"`)+1 : len(step)-1]
				if done := slices.ContainsFunc(r.state.Intents, func(i *bus.IntentRecord) bool {
					return label(i.Intent) == w && i.Last() != nil && i.Last().Verdict.Outcome == bus.Right
				}); !done {
					t.Errorf("succeeded without %s: %q", w, r.intents())
				}
			}
		}
		if t.Failed() {
			t.Logf("steps %q, plans %+v\n%s\n%s\nledger %q, %+v", steps, sc.plans, r.kinds(), strings.Join(r.intents(), "\n"), s.ledger, f)
		}
	})
}

func drawPlan(t *rapid.T) plan {
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return plan{refuse: rapid.SampledFrom([]bus.RefusalCode{bus.RefusedStale, bus.RefusedCovered, bus.RefusedNotFound}).Draw(t, "refusal")}
	case 1:
		return plan{loses: rapid.SampledFrom([]string{"before", "after", "answer"}).Draw(t, "loses")}
	case 2:
		return plan{nothing: true}
	case 3:
		return plan{verdict: rapid.SampledFrom([]bus.Outcome{bus.WrongTarget, bus.WrongEffect, bus.Unsure}).Draw(t, "verdict")}
	case 4:
		return plan{goes: "http://shop.test/two"}
	case 5:
		return plan{loses: "after", verdict: bus.Unsure}
	}
	return plan{}
}

// checkJournal holds the invariants over the entries themselves, without the
// state machine that let them in.
func checkJournal(t tester, r *record) {
	t.Helper()
	var ends int
	var open string // attempt without a verdict
	received := map[string]bool{}
	sent := map[string]int{} // irreversible inputs that were sent and judged, by intent
	risk := map[string]bus.Risk{}
	for n, e := range r.events {
		switch e.Kind {
		case bus.EventFinished:
			if ends++; n != len(r.events)-1 {
				t.Errorf("an entry follows the terminal one")
			}
			if f := (bus.Finished{}); open != "" {
				decode(t, e.Data, &f)
				if f.Status == bus.Succeeded {
					t.Errorf("succeeded while %s has no verdict", open)
				}
			}
		case bus.EventIntent:
			var i bus.Intent
			decode(t, e.Data, &i)
			if risk[i.ID] = i.Risk; open != "" {
				t.Errorf("intent %s while %s has no verdict", i.ID, open)
			}
		case bus.EventAttempt:
			var a bus.Attempt
			decode(t, e.Data, &a)
			if open != "" {
				t.Errorf("attempt %s while %s has no verdict", a.ID, open)
			}
			open = a.ID
		case bus.EventReceipt:
			var q bus.Receipt
			decode(t, e.Data, &q)
			if received[q.Attempt] || q.Attempt != open {
				t.Errorf("receipt of %s while %s is open", q.Attempt, open)
			}
			received[q.Attempt] = true
			base := strings.SplitN(strings.SplitN(q.Attempt, ".", 2)[0], "r", 2)[0]
			if risk[strings.SplitN(q.Attempt, ".", 2)[0]] == bus.RiskIrreversible && (q.Sent || q.Lost) {
				if sent[base]++; sent[base] > 1 {
					t.Errorf("the irreversible %s was sent %d times", base, sent[base])
				}
			}
		case bus.EventVerdict:
			var v bus.Verdict
			decode(t, e.Data, &v)
			if v.Attempt != open || !received[v.Attempt] {
				t.Errorf("verdict on %s while %s is open", v.Attempt, open)
			}
			open = ""
		}
	}
	if ends != 1 {
		t.Errorf("%d terminal events", ends)
	}
}
