package planner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/planner"
)

// errand has one of everything that a run keeps: entries on a page, an act on
// the server, another tab, a remembered value, conditions, a new page.
var errand = flow(
	`Click "Next"`,
	`Type "Berlin" into "City"`,
	`Click "Toggle more"`,
	`If "Offer" is visible, click "Take", otherwise click "Leave"`,
	`Remember the value of the field "Total" as TOTAL`,
	`Type "${TOTAL}" into "Amount"`,
	`Click "Pay"`,
	`Click "New tab"`,
	`Check "Paid"`)

func errandScript() script {
	return script{read: "42",
		plans: map[string][]plan{"Next": {{goes: "http://shop.test/two"}}, "New tab": {{tab: "t2"}}},
		holds: func(s *site, e bus.Expect) bool { return !about(e, "Offer") },
	}
}

var (
	errandLedger = []string{"Next", "Leave", "Pay", "New tab"}
	errandFields = []string{"City=Berlin", "Toggle more", "Amount=42", "Paid="}
)

func TestErrand(t *testing.T) {
	g := newRig(t)
	s := g.begin(t, errand, errandScript(), planner.Options{})
	s.end().want(bus.Succeeded, "", errandLedger...)
	if !slices.Equal(s.fields, errandFields) {
		t.Errorf("the page holds %q", s.fields)
	}
}

// A planner is killed at a point of an attempt, whose intent is a fill, a click
// and an irreversible click; the next one ends the run with the same ledger.
func TestKilledPlanner(t *testing.T) {
	g := newRig(t)
	for _, point := range []string{"after intent", "after attempt", "during act", "after receipt", "before verdict"} {
		for _, words := range []string{"open", "City", "Next", "Pay"} {
			t.Run(point+" of "+words, func(t *testing.T) {
				var once sync.Once
				sc := errandScript()
				sc.at = func(s *site, at string, i bus.Intent) {
					if at == point && label(i) == words {
						once.Do(func() { s.kill(); s.owned(2) })
					}
				}
				s := g.begin(t, errand, sc, planner.Options{})
				r := s.end()
				if r.state.Epoch != 2 {
					t.Errorf("epoch %d: the planner was not killed", r.state.Epoch)
				}
				if point == "after attempt" && words == "Pay" { // it may have been sent, and is not on the page
					r.want(bus.NeedsPerson, "", errandLedger[:2]...)
					return
				}
				r.want(bus.Succeeded, "", errandLedger...)
				if len(s.opened) != 1 || !slices.Equal(s.fields, errandFields) {
					t.Errorf("%d browsers; the page holds %q", len(s.opened), s.fields)
				}
			})
		}
	}
}

// owned waits until the run has its nth owner.
func (s *site) owned(epoch int) {
	for _, err := range s.rig.bus.Journal().Watch(context.Background(), s.run) {
		if err != nil {
			s.brokenRule("%v", err)
			return
		}
		state, err := s.rig.bus.Journal().State(context.Background(), s.run)
		if err != nil || state.Epoch >= epoch {
			return
		}
	}
}

// A planner that only seems dead is fenced: what it brings home is not heard.
func TestStaleOwner(t *testing.T) {
	g := newRig(t)
	var once sync.Once
	sc := errandScript()
	sc.at = func(s *site, at string, i bus.Intent) {
		if at != "during act" || label(i) != "Pay" {
			return
		}
		once.Do(func() {
			state, err := g.bus.Journal().State(context.Background(), s.run)
			if err != nil {
				s.brokenRule("%v", err)
				return
			}
			sub := state.Submission
			sub.Resume = true
			if err := g.bus.Submit(context.Background(), sub); err != nil {
				s.brokenRule("%v", err)
			}
			s.startPlanner()
			s.wait("the other planner goes on", func() bool { return s.calls[bus.VerbClose] > 0 || s.closed > 0 })
		})
	}
	s := g.begin(t, errand, sc, planner.Options{})
	r := s.end()
	r.want(bus.Succeeded, "", errandLedger...)
	if r.state.Epoch != 2 || s.closed != 1 {
		t.Errorf("epoch %d, closed %d times", r.state.Epoch, s.closed)
	}
}

// What an actor left, a cut run says.
type left int

const (
	untouched left = iota // nothing was sent
	acted                 // the effect is there, the receipt is not
	answered              // both
)

// cut makes a run whose journal is a prefix of another's, with a page to match,
// and queues it for a planner to take up.
func (g *rig) cut(t tester, yaml string, sc script, events []bus.Event, l left, dead bool) *site {
	t.Helper()
	ctx := context.Background()
	s := g.prepareSite(t, sc, planner.Options{Limits: someLimits()})
	var seq uint64
	intents := map[string]bus.Intent{}
	var open *bus.Attempt
	lost := false // a browser that was found lost does not come back
	for _, e := range events {
		data := []byte(strings.ReplaceAll(string(e.Data), fmt.Sprintf("%q", e.Run), fmt.Sprintf("%q", s.run)))
		var err error
		if seq, err = g.bus.Journal().Append(ctx, s.run, seq, e.Kind, json.RawMessage(data)); err != nil {
			t.Fatalf("%v", err)
		}
		switch e.Kind {
		case bus.EventSession:
			var x bus.Session
			decode(t, data, &x)
			if x.Context != fmt.Sprintf("b%d", s.browser) {
				s.opened = append(s.opened, bus.OpenRequest{})
				s.browser, s.fields, s.tab, lost = len(s.opened), nil, "t1", false
			}
		case bus.EventResumed:
			var r bus.Resumed
			decode(t, data, &r)
			lost = lost || r.Lost
		case bus.EventIntent:
			var i bus.Intent
			decode(t, data, &i)
			intents[i.ID] = i
		case bus.EventAttempt:
			open = &bus.Attempt{}
			decode(t, data, open)
		case bus.EventReceipt:
			s.tries[label(intents[open.Intent])]++
			var r bus.Receipt
			decode(t, data, &r)
			if i := intents[open.Intent]; r.Refusal == nil && !r.Lost {
				s.effect(i, open.ID, s.planFor(i, 1), &r)
			}
			open = nil
		}
	}
	if open != nil && l != untouched {
		i := intents[open.Intent]
		r := bus.Receipt{Attempt: open.ID, Sent: true, URLBefore: s.url}
		s.effect(i, open.ID, s.planFor(i, 1), &r)
		r.URLAfter = s.url
		if l == answered {
			s.receipts[open.ID] = r
		} else if s.planFor(i, 1).tab != "" {
			s.tab = "t1" // nobody has heard of another one
		}
	}
	if dead || lost {
		s.crash()
	}
	if sc.begin != nil {
		sc.begin(s)
	}
	w := g.submission(t, yaml)
	if err := g.bus.Submit(ctx, bus.Submission{Run: s.run, Workflow: w}); err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

func decode(t tester, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v", err)
	}
}

// checkCuts takes a run up at every entry of its journal, from the nth on, with
// each thing that an actor may have left, in the same browser or without it.
func checkCuts(t *testing.T, g *rig, events []bus.Event, from int, dead bool) (taken []*record) {
	t.Helper()
	type made struct {
		*site
		name         string
		paid, person bool
	}
	var all []made
	for n := from; n < len(events); n++ {
		last := events[n-1]
		for l := untouched; l <= answered; l++ {
			if l != untouched && last.Kind != bus.EventAttempt {
				continue
			}
			m := made{name: fmt.Sprintf("%d %s %s left %d, dead %v", n, last.Kind, last.Data[:min(len(last.Data), 60)], l, dead)}
			sc := errandScript()
			sc.begin = func(s *site) { m.paid = slices.Contains(s.ledger, "Pay") }
			m.site = g.cut(t, errand, sc, events[:n], l, dead)
			if a := (bus.Attempt{}); last.Kind == bus.EventAttempt {
				decode(t, last.Data, &a)
				// Nobody can tell whether it was sent, or what it did.
				m.person = l == untouched && a.Risk == bus.RiskIrreversible || l == acted && a.Intent == "i1" && dead
			}
			all = append(all, m)
		}
	}
	for _, m := range all {
		r := m.end()
		taken = append(taken, r)
		status, ledger, fields := bus.Succeeded, errandLedger, errandFields
		if dead && m.paid {
			fields = errandFields[3:] // what was entered before it went with it
		}
		if m.person {
			status, ledger, fields = bus.NeedsPerson, errandLedger[:min(2, len(m.ledger))], m.fields
		}
		if r.state.Finished.Status != status || !slices.Equal(m.ledger, ledger) || !m.person && !slices.Equal(m.entered(), fields) {
			t.Errorf("%s: ended %s: %s, ledger %q; the page holds %q", m.name, r.state.Finished.Status, r.state.Finished.Reason, m.ledger, m.fields)
			t.Logf("%s\n%s", r.kinds(), strings.Join(r.intents(), "\n"))
		}
	}
	return taken
}

// entered is what the page holds. An entry made twice into the same field is
// one; a toggle is not.
func (s *site) entered() []string {
	var out []string
	for _, f := range s.fields {
		if strings.HasPrefix(f, "Toggle") || !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

func TestTakenUpAnywhere(t *testing.T) {
	g := newRig(t)
	whole := g.begin(t, errand, errandScript(), planner.Options{}).end()
	g.planner(t)
	for _, r := range checkCuts(t, g, whole.events, 1, false) {
		if len(r.site.opened) != 1 {
			t.Errorf("%d browsers were opened", len(r.site.opened))
		}
		// Nothing but the time has changed.
		if got, want := r.intents(), whole.intents(); r.state.Finished.Status == bus.Succeeded && len(got) != len(want) {
			t.Errorf("intents %q, want %q", got, want)
		}
	}
}

// The browser is lost, at any entry of the journal: the run goes on at the last
// address, what had been entered there is entered again, and nothing reaches
// the server twice.
func TestBrowserLostAnywhere(t *testing.T) {
	g := newRig(t)
	whole := g.begin(t, errand, errandScript(), planner.Options{}).end()
	g.planner(t)
	for _, r := range checkCuts(t, g, whole.events, 1, true) {
		q := r.site.opened[len(r.site.opened)-1]
		if q.RestoreAt != "" && q.RestoreAt != "http://shop.test/" && q.RestoreAt != "http://shop.test/two" {
			t.Errorf("restored at %q", q.RestoreAt)
		}
	}
}

// The planner is lost once more while the page is being brought back, alone or
// with the new browser.
func TestLostAgain(t *testing.T) {
	g := newRig(t)
	whole := g.begin(t, errand, errandScript(), planner.Options{}).end().events
	g.planner(t)
	at := 0
	for n, e := range whole { // in the middle of the second page
		if e.Kind == bus.EventAttempt && strings.Contains(string(e.Data), `"i7.1"`) {
			at = n
		}
	}
	s := g.cut(t, errand, errandScript(), whole[:at+1], untouched, true)
	r := s.end()
	r.want(bus.Succeeded, "", errandLedger...)
	want := "i6 right|i7 no_effect|i2r1 right|i3r1 right|i7r1 right|i8 right"
	if got := strings.Join(r.intents(), "|"); !strings.Contains(got, want) {
		t.Errorf("intents %s, want …%s…", got, want)
	}
	for _, dead := range []bool{false, true} {
		checkCuts(t, g, r.events, at+2, dead)
	}
}

// A browser is lost right after an irreversible act. An address that carried it
// out is not opened again, and what fails because the page is gone has not failed.
func TestLostAfterPaying(t *testing.T) {
	g := newRig(t)
	for name, test := range map[string]struct {
		then   string
		plans  map[string][]plan
		alive  bool
		status bus.Status
		reason string
	}{
		"posted, then led on":        {`Check "Paid"`, map[string][]plan{"Pay": {{goes: "http://shop.test/done"}}}, false, bus.Succeeded, ""},
		"the address pays":           {`Check "Paid"`, map[string][]plan{"Pay": {{goes: "http://shop.test/done?pay", asks: true}}}, false, bus.NeedsPerson, "open that address again"},
		"what follows is gone":       {`Click "Print"`, map[string][]plan{"Print": {{refuse: bus.RefusedNotFound}}}, false, bus.NeedsPerson, `"Click \"Pay\"" was carried out`},
		"what follows was not there": {`Click "Print"`, map[string][]plan{"Print": {{refuse: bus.RefusedNotFound}}}, true, bus.Failed, "Print"},
	} {
		t.Run(name, func(t *testing.T) {
			f := flow(`Click "Pay"`, test.then)
			sc := script{plans: test.plans}
			whole := g.begin(t, f, sc, planner.Options{}).end().events
			g.planner(t)
			at := 0
			for n, e := range whole {
				if e.Kind == bus.EventVerdict && strings.Contains(string(e.Data), `"i1.1"`) {
					at = n
				}
			}
			s := g.cut(t, f, sc, whole[:at+1], untouched, !test.alive)
			s.end().want(test.status, test.reason, "Pay")
			if test.status == bus.NeedsPerson && test.reason == "open that address again" && len(s.opened) != 1 {
				t.Errorf("opened %+v", s.opened)
			}
		})
	}
}
