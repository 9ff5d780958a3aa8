package planner_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/planner"
)

func TestWholeRun(t *testing.T) {
	g := newRig(t)
	s := g.begin(t, flow(`Type "Ada" into the field "Name" and click "Save"`, `Click "Pay"`), script{}, planner.Options{})
	r := s.end()
	r.want(bus.Succeeded, "", "Save", "Pay")
	four := " intent attempt receipt verdict"
	if want := "submitted owned session" + strings.Repeat(four, 4) + " finished"; r.kinds() != want {
		t.Errorf("the journal is\n%s, want\n%s", r.kinds(), want)
	}
	if got := r.intents(); !slices.Equal(got, []string{"i0 right", "i1 right", "i2 right", "i3 right"}) {
		t.Errorf("intents %q", got)
	}
	if s.closed != 1 || len(s.opened) != 1 {
		t.Errorf("%d sessions opened, %d closed", len(s.opened), s.closed)
	}
	if len(s.checks) != 1 || !about(s.checks[0][0], "Done") {
		t.Errorf("final checks: %+v", s.checks)
	}
	f := r.state.Finished
	if f.Final == nil || len(f.Final.Checks) != 1 || f.Screenshot != "picture" {
		t.Errorf("finished: %+v", f)
	}
	// The verifier hears facts only: the intent, the attempt and the receipt.
	if q := s.judged[3]; q.Intent.ID != "i3" || q.Attempt.ID != "i3.1" || !q.Receipt.Sent || q.Intent.Risk != bus.RiskIrreversible {
		t.Errorf("judged: %+v", q)
	}
}

// How an attempt ends decides whether there is another one, and how the run ends.
func TestOutcomes(t *testing.T) {
	g := newRig(t)
	const fill, click, pay = `Type "Ada" into "Name"`, `Click "Next"`, `Click "Pay"`
	for name, c := range map[string]struct {
		step     string
		plans    []plan
		attempts string
		status   bus.Status
		reason   string
		ledger   []string
	}{
		"not found":                       {click, []plan{{refuse: bus.RefusedNotFound}}, "no_effect", bus.Failed, `step 1 "Click \"Next\""`, nil},
		"stale, then there":               {click, []plan{{refuse: bus.RefusedStale}, {refuse: bus.RefusedCovered}, {}}, "no_effect no_effect right", bus.Succeeded, "", []string{"Next"}},
		"never still":                     {click, []plan{{refuse: bus.RefusedUnstable}}, "no_effect no_effect no_effect", bus.Failed, "no_effect", nil},
		"irreversible, refused unsent":    {pay, []plan{{refuse: bus.RefusedStale}, {}}, "no_effect right", bus.Succeeded, "", []string{"Pay"}},
		"click without effect":            {click, []plan{{nothing: true}, {}}, "no_effect", bus.Failed, "no_effect", nil},
		"fill without effect":             {fill, []plan{{nothing: true}, {}}, "no_effect right", bus.Succeeded, "", nil},
		"fill never has an effect":        {fill, []plan{{nothing: true}}, "no_effect no_effect no_effect", bus.Failed, "no_effect", nil},
		"wrong target":                    {click, []plan{{verdict: bus.WrongTarget}}, "wrong_target", bus.Failed, "wrong_target", []string{"Next"}},
		"wrong target, irreversible":      {pay, []plan{{verdict: bus.WrongTarget}}, "wrong_target", bus.NeedsPerson, "wrong_target", []string{"Pay"}},
		"wrong effect, irreversible":      {pay, []plan{{verdict: bus.WrongEffect}}, "wrong_effect", bus.NeedsPerson, "all the same", []string{"Pay"}},
		"a server's error, irreversible":  {pay, []plan{{verdict: bus.WrongEffect, status: 502}}, "wrong_effect", bus.NeedsPerson, "all the same", []string{"Pay"}},
		"a server refuses, irreversible":  {pay, []plan{{verdict: bus.WrongEffect, status: 422}}, "wrong_effect", bus.Failed, "wrong_effect", []string{"Pay"}},
		"nothing asked, irreversible":     {pay, []plan{{verdict: bus.WrongEffect, asks: true}}, "wrong_effect", bus.Failed, "wrong_effect", []string{"Pay"}},
		"unsure":                          {click, []plan{{verdict: bus.Unsure}}, "unsure", bus.NeedsPerson, "unsure", []string{"Next"}},
		"lost before":                     {click, []plan{{loses: "before"}, {}}, "no_effect right", bus.Succeeded, "", []string{"Next"}},
		"lost after":                      {click, []plan{{loses: "after"}}, "right", bus.Succeeded, "", []string{"Next"}},
		"lost, the receipt is there":      {pay, []plan{{loses: "answer"}}, "right", bus.Succeeded, "", []string{"Pay"}},
		"lost, nobody knows":              {click, []plan{{loses: "after", verdict: bus.Unsure}}, "unsure", bus.NeedsPerson, "unsure", []string{"Next"}},
		"lost, irreversible, seen":        {pay, []plan{{loses: "after"}}, "right", bus.Succeeded, "", []string{"Pay"}},
		"lost, irreversible, not seen":    {pay, []plan{{loses: "before"}}, "no_effect", bus.NeedsPerson, "no_effect", nil},
		"lost, irreversible, not settled": {pay, []plan{{loses: "after", verdict: bus.WrongEffect}}, "wrong_effect", bus.NeedsPerson, "", []string{"Pay"}},
		"lost, fill":                      {fill, []plan{{loses: "before"}, {loses: "after", verdict: bus.Unsure}, {}}, "no_effect unsure right", bus.Succeeded, "", nil},
		"lost three times":                {fill, []plan{{loses: "before"}}, "no_effect no_effect no_effect", bus.Failed, "no_effect", nil},
	} {
		t.Run(name, func(t *testing.T) {
			label := c.step[strings.LastIndex(c.step[:len(c.step)-1], `"`)+1 : len(c.step)-1]
			s := g.begin(t, flow(c.step), script{plans: map[string][]plan{label: c.plans}}, planner.Options{})
			r := s.end()
			r.want(c.status, c.reason, c.ledger...)
			if got := strings.Join(r.intents()[1:], "|"); got != "i1 "+c.attempts {
				t.Errorf("attempts %q, want %q", got, c.attempts)
			}
			for _, i := range r.state.Intents {
				for n, a := range i.Attempts {
					if a.Receipt == nil || a.Attempt.ID != fmt.Sprintf("%s.%d", i.Intent.ID, n+1) {
						t.Errorf("attempt %+v has no receipt or a wrong number", a.Attempt)
					}
				}
			}
			if lost := strings.HasPrefix(name, "lost"); lost && !strings.Contains(name, "receipt") != r.state.Intents[1].Attempts[0].Receipt.Lost {
				t.Errorf("receipt: %+v", r.state.Intents[1].Attempts[0].Receipt)
			}
		})
	}
}

func TestDoneWhenDecides(t *testing.T) {
	g := newRig(t)
	s := g.begin(t, flow(`Click "Save"`), script{holds: func(*site, bus.Expect) bool { return false }}, planner.Options{})
	r := s.end()
	r.want(bus.Failed, `not done: "Done" held: false`, "Save")
	if len(r.state.Notes) != 1 || r.state.Finished.Final != nil {
		t.Errorf("the refuted claim is not told: %+v", r.state)
	}
}

func TestStartThatDoesNotOpen(t *testing.T) {
	g := newRig(t)
	s := g.begin(t, flow(`Click "Save"`), script{plans: map[string][]plan{"open": {{refuse: bus.RefusedUnreachable}}}}, planner.Options{})
	s.end().want(bus.Failed, "http://shop.test/ could not be opened")
}

func TestConditions(t *testing.T) {
	g := newRig(t)
	steps := flow(
		`If "Offer" is visible, click "Take" and click "Thanks", otherwise click "Other"`,
		`Unless "Banner" is visible, click "Quiet"`,
		`If "Offer" is visible, remember the value of the field "Price" as PRICE`,
		`If "Offer" is visible, type "${PRICE}" into "Bid"`)
	for _, c := range []struct {
		offer, banner bool
		ledger        []string
		intents       string
	}{
		// The offer is gone once it was taken; "otherwise" must not see that.
		{true, false, []string{"Take", "Thanks", "Quiet"}, "i0 right|i1 right|i2 right|i3 skipped|i4 right|i5 skipped|i6 skipped"},
		{false, true, []string{"Other"}, "i0 right|i1 skipped|i2 skipped|i3 right|i4 skipped|i5 skipped|i6 skipped"},
	} {
		s := g.begin(t, steps, script{holds: func(s *site, e bus.Expect) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			switch {
			case about(e, "Offer"):
				return c.offer && len(s.ledger) == 0
			case about(e, "Banner"):
				return c.banner
			}
			return true
		}}, planner.Options{})
		r := s.end()
		r.want(bus.Succeeded, "", c.ledger...)
		if got := strings.Join(r.intents(), "|"); got != c.intents {
			t.Errorf("intents %s, want %s", got, c.intents)
		}
		if len(s.checks) != 5 { // one a condition, and the final ones
			t.Errorf("%d looks: %+v", len(s.checks), s.checks)
		}
		for _, i := range r.state.Intents {
			if k := i.Skipped; k != nil && (k.Step != i.Intent.Step || k.Reason == "" || k.Text == "") {
				t.Errorf("skipped: %+v", k)
			}
		}
	}
}

func TestVariables(t *testing.T) {
	g := newRig(t)
	yaml := "vars:\n  who: Ada\n" + flow(
		`Remember the value of the field "Total" as TOTAL`,
		`Type "${who} owes ${TOTAL}" into "Note"`,
		`Type the secret "PIN" into "Code"`,
		`Set the "Due date" to in 3 days`)
	yaml = "secrets: [PIN]\n" + strings.Replace(yaml, `shows "Done"`, `shows "${TOTAL}"`, 1)
	before := time.Now()
	s := g.begin(t, yaml, script{read: "42 EUR"}, planner.Options{})
	r := s.end()
	r.want(bus.Succeeded, "")
	if got := r.state.Vars["TOTAL"]; got != "42 EUR" {
		t.Errorf("remembered %q", got)
	}
	days := []string{before.AddDate(0, 0, 3).Format(time.DateOnly), time.Now().AddDate(0, 0, 3).Format(time.DateOnly)}
	want := []string{"Note=Ada owes 42 EUR", "Code=${secret:PIN}", "Due date=" + days[0]}
	if other := append(want[:2:2], "Due date="+days[1]); !slices.Equal(s.fields, want) && !slices.Equal(s.fields, other) {
		t.Errorf("the fields hold %q, want %q", s.fields, want)
	}
	if !about(s.checks[0][0], "42 EUR") || !slices.Equal(s.opened[0].Secrets, []string{"PIN"}) {
		t.Errorf("checks %+v, opened %+v", s.checks, s.opened)
	}
}

// Each agent's errors end the run in the way that their decision asks for.
func TestErrorsOfAgents(t *testing.T) {
	g := newRig(t)
	for _, v := range []bus.Verb{bus.VerbOpen, bus.VerbPrepare, bus.VerbAct, bus.VerbJudge, bus.VerbCheck} {
		for d, status := range map[bus.Decision]bus.Status{bus.GiveUp: bus.Failed, bus.Ask: bus.NeedsPerson} {
			t.Run(fmt.Sprint(v, d), func(t *testing.T) {
				fail := func(_ *site, at bus.Verb) error {
					if at == v {
						return bus.Errorf(d, "broken", "the agent is broken")
					}
					return nil
				}
				s := g.begin(t, flow(`Expect "A" to be visible`), script{fail: fail}, planner.Options{})
				s.end().want(status, "the agent is broken")
			})
		}
	}
	t.Run("an open irreversible attempt", func(t *testing.T) {
		fail := func(s *site, at bus.Verb) error {
			if at == bus.VerbJudge && s.calls[at] > 1 {
				return bus.Errorf(bus.GiveUp, "broken", "the agent is broken")
			}
			return nil
		}
		s := g.begin(t, flow(`Click "Pay"`), script{fail: fail}, planner.Options{})
		s.end().want(bus.NeedsPerson, "whether i1.1 took effect is not known", "Pay")
	})
	t.Run("a passing one", func(t *testing.T) {
		fail := func(s *site, at bus.Verb) error {
			if at != bus.VerbAct && s.calls[at] == 1 {
				return bus.Errorf(bus.Retry, bus.CodeNoAgent, "nobody is up")
			}
			return nil
		}
		s := g.begin(t, flow(`Click "Pay"`), script{fail: fail}, planner.Options{})
		s.end().want(bus.Succeeded, "", "Pay")
	})
	t.Run("the actor is lost while it opens", func(t *testing.T) {
		fail := func(s *site, at bus.Verb) error {
			if at == bus.VerbOpen && s.calls[at] < 3 {
				return bus.Errorf(bus.Retry, bus.CodeReplicaLost, "silent")
			}
			return nil
		}
		s := g.begin(t, flow(`Click "Pay"`), script{fail: fail}, planner.Options{})
		s.end().want(bus.Succeeded, "", "Pay")
	})
}

// A run that cannot be begun still gets its terminal event, or its submitter
// waits for ever.
func TestUnreadableSubmission(t *testing.T) {
	g := newRig(t)
	s := g.prepareSite(t, script{}, planner.Options{Limits: someLimits()})
	if err := g.bus.Submit(t.Context(), bus.Submission{Run: s.run, Workflow: json.RawMessage(`{"steps":7}`)}); err != nil {
		t.Fatal(err)
	}
	s.startPlanner()
	s.end().want(bus.Failed, "the workflow does not decode")
}
