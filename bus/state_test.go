package bus

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var (
	heldChecks = &CheckReply{Held: true, Checks: []Checked{{Held: true, Fact: "the seat is there"}}}
	submitted  = ev(EventSubmitted, Submission{Run: "r", Name: "demo"})
	intent1    = ev(EventIntent, Intent{ID: "i1", Action: ActionClick})
	attempt11  = ev(EventAttempt, Attempt{ID: "i1.1", Intent: "i1"})
	receipt11  = ev(EventReceipt, Receipt{Attempt: "i1.1", Sent: true})
)

func verdict(attempt string, o Outcome) Event {
	return ev(EventVerdict, Verdict{Attempt: attempt, Outcome: o})
}

func ev(kind EventKind, data any) Event {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return Event{Run: "r", Kind: kind, Data: raw}
}

// replay folds events from nothing, numbering them 10, 20, …
func replay(events []Event) (*RunState, error) {
	s := NewRunState("r")
	for i, e := range events {
		e.Seq, e.Time = uint64(10*(i+1)), time.Unix(int64(i), 0).UTC()
		if err := s.Apply(e); err != nil {
			return s, err
		}
	}
	return s, nil
}

func TestStateMachine(t *testing.T) {
	step := []Event{submitted, intent1, attempt11, receipt11, verdict("i1.1", Right)}
	after := func(n int, more ...Event) []Event { return append(append([]Event{}, step[:n]...), more...) }
	done := func(s Status, f *CheckReply) Event { return ev(EventFinished, Finished{Status: s, Final: f}) }
	intent2 := ev(EventIntent, Intent{ID: "i2"})
	for name, c := range map[string]struct {
		events []Event
		want   error // nil: allowed; the last event is the one refused
	}{
		"a step":                           {step, nil},
		"a refused step":                   {after(3, ev(EventReceipt, Receipt{Attempt: "i1.1", Refusal: &Refusal{Code: RefusedAmbiguous}}), verdict("i1.1", NoEffect), intent2), nil},
		"nothing before submitted":         {[]Event{intent1}, ErrNotSubmitted},
		"owned before submitted":           {[]Event{ev(EventOwned, Owned{"a", 1})}, ErrNotSubmitted},
		"submitted twice":                  {after(1, submitted), ErrNotAllowed},
		"another run submitted":            {[]Event{ev(EventSubmitted, Submission{Run: "q"})}, ErrNotAllowed},
		"intent while an intent is open":   {after(2, intent2), ErrNotAllowed},
		"intent while an attempt is open":  {after(3, intent2), ErrNoVerdict},
		"intent after the receipt alone":   {after(4, intent2), ErrNoVerdict},
		"intent after the verdict":         {after(5, intent2), nil},
		"the same intent again":            {after(5, intent1), ErrNotAllowed},
		"attempt without intent":           {after(1, attempt11), ErrNotAllowed},
		"attempt for another intent":       {after(2, ev(EventAttempt, Attempt{ID: "i2.1", Intent: "i2"})), ErrNotAllowed},
		"attempt without id":               {after(2, ev(EventAttempt, Attempt{Intent: "i1"})), ErrNotAllowed},
		"second attempt, first open":       {after(4, ev(EventAttempt, Attempt{ID: "i1.2", Intent: "i1"})), ErrNoVerdict},
		"second attempt after right":       {after(5, ev(EventAttempt, Attempt{ID: "i1.2", Intent: "i1"})), ErrNotAllowed},
		"second attempt after no effect":   {after(4, verdict("i1.1", NoEffect), ev(EventAttempt, Attempt{ID: "i1.2", Intent: "i1"})), nil},
		"the same attempt again":           {after(4, verdict("i1.1", NoEffect), attempt11), ErrNotAllowed},
		"attempt of an intent left behind": {after(4, verdict("i1.1", NoEffect), intent2, ev(EventAttempt, Attempt{ID: "i1.2", Intent: "i1"})), ErrNotAllowed},
		"receipt without attempt":          {after(2, receipt11), ErrNotAllowed},
		"receipt of another attempt":       {after(3, ev(EventReceipt, Receipt{Attempt: "i1.2"})), ErrNotAllowed},
		"receipt twice":                    {after(4, receipt11), ErrNotAllowed},
		"receipt after the verdict":        {after(5, receipt11), ErrNotAllowed},
		"verdict without receipt":          {after(3, verdict("i1.1", Right)), ErrNotAllowed},
		"verdict of another attempt":       {after(4, verdict("i1.2", Right)), ErrNotAllowed},
		"verdict twice":                    {after(5, verdict("i1.1", Right)), ErrNotAllowed},
		"verdict without outcome":          {after(4, verdict("i1.1", "good")), ErrNotAllowed},
		"skipped":                          {after(2, ev(EventSkipped, Skipped{Intent: "i1"}), intent2), nil},
		"attempt after skipped":            {after(2, ev(EventSkipped, Skipped{Intent: "i1"}), attempt11), ErrNotAllowed},
		"skipped with an open attempt":     {after(3, ev(EventSkipped, Skipped{Intent: "i1"})), ErrNoVerdict},
		"skipped twice":                    {after(2, ev(EventSkipped, Skipped{Intent: "i1"}), ev(EventSkipped, Skipped{Intent: "i1"})), ErrNotAllowed},
		"step skipped without intent":      {after(1, ev(EventSkipped, Skipped{Step: 3})), nil},
		"step skipped while intent open":   {after(2, ev(EventSkipped, Skipped{Step: 3})), ErrNotAllowed},
		"owner":                            {after(1, ev(EventOwned, Owned{"a", 1}), ev(EventOwned, Owned{"b", 2})), nil},
		"owner with an old epoch":          {after(1, ev(EventOwned, Owned{"a", 1}), ev(EventOwned, Owned{"b", 1})), ErrNotAllowed},
		"owner with an open attempt":       {after(3, ev(EventOwned, Owned{"b", 1}), ev(EventResumed, Resumed{Reason: "crash"})), nil},
		"succeeded":                        {after(5, done(Succeeded, heldChecks)), nil},
		"succeeded without checks":         {after(5, done(Succeeded, nil)), ErrNotAllowed},
		"succeeded with no check":          {after(5, done(Succeeded, &CheckReply{Held: true})), ErrNotAllowed},
		"succeeded, not held":              {after(5, done(Succeeded, &CheckReply{Held: false, Checks: heldChecks.Checks})), ErrNotAllowed},
		"succeeded, one not held":          {after(5, done(Succeeded, &CheckReply{Held: true, Checks: []Checked{{Held: true}, {}}})), ErrNotAllowed},
		"succeeded with an open intent":    {after(2, done(Succeeded, heldChecks)), ErrNotAllowed},
		"succeeded with an open attempt":   {after(4, done(Succeeded, heldChecks)), ErrNoVerdict},
		"failed with an open attempt":      {after(3, done(Failed, nil)), nil},
		"needs a person":                   {after(3, done(NeedsPerson, nil)), nil},
		"no such status":                   {after(5, done("fine", heldChecks)), ErrNotAllowed},
		"finished twice":                   {after(5, done(Failed, nil), done(Failed, nil)), ErrFinished},
		"a note after finished":            {after(5, done(Failed, nil), ev(EventNote, Note{Text: "x"})), ErrFinished},
		"a verdict after finished":         {after(4, done(Failed, nil), verdict("i1.1", Right)), ErrFinished},
		"unknown kind":                     {after(1, ev("teleported", Note{})), ErrUnknownEvent},
		"data of another form":             {after(1, Event{Run: "r", Kind: EventIntent, Data: []byte(`{"id":7}`)}), ErrDamaged},
		"null data":                        {after(1, Event{Run: "r", Kind: EventIntent, Data: []byte(`null`)}), ErrDamaged},
		"another run's event":              {after(1, Event{Run: "q", Kind: EventNote, Data: []byte(`{}`)}), ErrDamaged},
		"a variable without name":          {after(1, ev(EventRemembered, Remembered{Value: "x"})), ErrNotAllowed},
		"usage without role":               {after(1, ev(EventUsage, Usage{})), ErrNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := replay(c.events)
			if !errors.Is(err, c.want) || (c.want == nil) != (err == nil) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if c.want == nil {
				return
			}
			if seq := fmt.Sprint(10 * len(c.events)); !strings.Contains(err.Error(), seq) {
				t.Errorf("error %q does not say the sequence %s", err, seq)
			}
			if _, err := replay(c.events[:len(c.events)-1]); err != nil {
				t.Errorf("an event before the refused one was refused: %v", err)
			}
		})
	}
}

func TestStateHoldsWhatResumeNeeds(t *testing.T) {
	s, err := replay([]Event{
		submitted, ev(EventOwned, Owned{"a", 1}), ev(EventSession, Session{ID: "r", Tab: "t1"}),
		intent1, attempt11, ev(EventReceipt, Receipt{Attempt: "i1.1", Downloads: []Download{{Name: "a.csv", State: "completed"}, {Name: "b.csv", State: "canceled"}},
			Escalations: []Escalation{{Kind: EscalateCanvas}}}),
		verdict("i1.1", Right), ev(EventRemembered, Remembered{Name: "no", Value: "42"}),
		ev(EventEscalation, Escalation{Kind: EscalateSpatial}),
		ev(EventUsage, Usage{Role: "planner", Model: "m", InputTokens: 10, Calls: 1}), ev(EventUsage, Usage{Role: "planner", InputTokens: 5, OutputTokens: 2, Calls: 1}),
		ev(EventSession, Session{ID: "r", Tab: "t2"}),
		ev(EventIntent, Intent{ID: "i2"}), ev(EventAttempt, Attempt{ID: "i2.1", Intent: "i2"}),
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.Submission.Name != "demo" || s.Owner != "a" || s.Epoch != 1 || s.Session.Tab != "t2" || s.Vars["no"] != "42" || s.LastSeq != 140 || s.LastKind != EventAttempt {
		t.Errorf("state is %+v", s)
	}
	if len(s.Downloads) != 1 || s.Downloads[0].Name != "a.csv" || len(s.Escalations) != 2 {
		t.Errorf("downloads %v, escalations %v", s.Downloads, s.Escalations)
	}
	if want := (Usage{Role: "planner", Model: "m", Calls: 2, InputTokens: 15, OutputTokens: 2}); s.Usage["planner"] != want {
		t.Errorf("usage is %+v", s.Usage["planner"])
	}
	if a := s.OpenAttempt(); a == nil || a.Attempt.ID != "i2.1" || a.Seq != 140 || a.Receipt != nil {
		t.Errorf("open attempt is %+v", a)
	}
	if a := s.AttemptByID("i1.1"); a == nil || a.Verdict.Outcome != Right || a.ReceiptSeq != 60 || a.VerdictSeq != 70 {
		t.Errorf("i1.1 is %+v", a)
	}
}

// drawEvent draws any event; ids come from a small pool, so that many fit.
func drawEvent(t *rapid.T) Event {
	in := rapid.SampledFrom([]string{"i1", "i2", "i3"}).Draw(t, "intent")
	at := in + rapid.SampledFrom([]string{".1", ".2"}).Draw(t, "attempt")
	switch rapid.IntRange(0, 15).Draw(t, "kind") {
	case 0:
		return submitted
	case 1, 2, 3:
		return ev(EventIntent, Intent{ID: in})
	case 4, 5, 6:
		return ev(EventAttempt, Attempt{ID: at, Intent: in})
	case 7, 8:
		return ev(EventReceipt, Receipt{Attempt: at, Downloads: []Download{{Name: at, State: "completed"}}})
	case 9, 10:
		return verdict(at, rapid.SampledFrom([]Outcome{Right, NoEffect, Unsure}).Draw(t, "outcome"))
	case 11:
		return ev(EventSkipped, Skipped{Intent: in})
	case 12:
		return ev(EventOwned, Owned{"a", rapid.IntRange(1, 3).Draw(t, "epoch")})
	case 13:
		return ev(EventRemembered, Remembered{Name: in, Value: at})
	case 14:
		return ev(EventUsage, Usage{Role: in, Calls: 1})
	default:
		return ev(EventFinished, Finished{Status: rapid.SampledFrom([]Status{Succeeded, Failed}).Draw(t, "status"),
			Final: rapid.SampledFrom([]*CheckReply{nil, heldChecks}).Draw(t, "final")})
	}
}

// fitting draws an event that leads a run on, so that sequences grow long.
func fitting(t *rapid.T, s *RunState, n int) Event {
	if a := s.OpenAttempt(); a != nil {
		if a.Receipt == nil {
			return ev(EventReceipt, Receipt{Attempt: a.Attempt.ID})
		}
		return verdict(a.Attempt.ID, rapid.SampledFrom([]Outcome{Right, NoEffect}).Draw(t, "fitting outcome"))
	}
	if r := s.LastIntent(); r != nil && r.Skipped == nil && (r.Last() == nil || r.Last().Verdict.Outcome != Right) {
		return ev(EventAttempt, Attempt{ID: fmt.Sprintf("%s.f%d", r.Intent.ID, n), Intent: r.Intent.ID})
	}
	return ev(EventIntent, Intent{ID: fmt.Sprintf("f%d", n)})
}

// TestFoldProperties feeds random events, keeps the accepted ones, and holds
// that folding one by one equals a replay, that copies never change, and, by an
// oracle that looks at the accepted sequence alone, the promises of the journal.
func TestFoldProperties(t *testing.T) {
	var longest int
	rapid.Check(t, func(t *rapid.T) {
		s := NewRunState("r")
		if err := s.Apply(Event{Seq: 10, Time: time.Unix(0, 0).UTC(), Run: "r", Kind: EventSubmitted, Data: submitted.Data}); err != nil {
			t.Fatal(err)
		}
		accepted := []Event{submitted}
		type snap struct {
			state *RunState
			json  string
		}
		asJSON := func(s *RunState) string {
			d, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			return string(d)
		}
		var snaps []snap
		for range rapid.IntRange(0, 60).Draw(t, "length") {
			e := drawEvent(t)
			if rapid.Bool().Draw(t, "fitting") {
				e = fitting(t, s, len(accepted))
			}
			e.Seq, e.Time = uint64(10*(len(accepted)+1)), time.Unix(int64(len(accepted)), 0).UTC()
			before := asJSON(s)
			if err := s.Apply(e); err != nil {
				if after := asJSON(s); after != before {
					t.Fatalf("a refused event changed the state: %v", cmp.Diff(before, after))
				}
				continue
			}
			accepted = append(accepted, e)
			snaps = append(snaps, snap{s.copyState(), asJSON(s)})
		}
		full, err := replay(accepted)
		if err != nil {
			t.Fatalf("a replay of accepted events is refused: %v", err)
		}
		if d := cmp.Diff(full, s); d != "" {
			t.Fatalf("folding one by one differs from a replay: %s", d)
		}
		for _, x := range snaps {
			if now := asJSON(x.state); now != x.json {
				t.Fatalf("a copy changed later: %s", cmp.Diff(x.json, now))
			}
		}
		oracle(t, accepted)
		longest = max(longest, len(accepted))
	})
	if longest < 20 {
		t.Errorf("the longest accepted sequence has %d events; the generator is too weak", longest)
	}
}

// oracle knows nothing of RunState.
func oracle(t *rapid.T, events []Event) {
	var open, receipted string // attempt without verdict; attempt with receipt
	finished := 0
	for i, e := range events {
		var x struct{ ID, Attempt, Status string }
		if err := json.Unmarshal(e.Data, &x); err != nil {
			t.Fatal(err)
		}
		if finished > 0 {
			t.Fatalf("event %d follows the end", i)
		}
		switch e.Kind {
		case EventIntent, EventAttempt:
			if open != "" {
				t.Fatalf("%s %s at %d while %s has no verdict", e.Kind, x.ID, i, open)
			}
			if e.Kind == EventAttempt {
				open = x.ID
			}
		case EventReceipt:
			if x.Attempt != open || receipted == open {
				t.Fatalf("receipt of %s at %d while %s is open", x.Attempt, i, open)
			}
			receipted = open
		case EventVerdict:
			if x.Attempt != open || receipted != open {
				t.Fatalf("verdict of %s at %d while %s is open and %s has a receipt", x.Attempt, i, open, receipted)
			}
			open = ""
		case EventFinished:
			finished++
			if x.Status == string(Succeeded) && (open != "" || !strings.Contains(string(e.Data), `"held":true`)) {
				t.Fatalf("succeeded at %d without grounds", i)
			}
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	f.Add([]byte(`{"v":1,"id":"x","run":"r","kind":"note","time":"2026-01-02T03:04:05Z","data":{"text":"x"}}`))
	f.Add([]byte(`{"v":2}`))
	f.Add([]byte(`{"v":1,"id":"x","run":"r","kind":"intent","time":"2026-01-02T03:04:05Z","data":null}`))
	f.Add([]byte("\x00"))
	f.Fuzz(func(t *testing.T, message []byte) {
		e, err := DecodeEvent(7, message)
		if err != nil {
			if !strings.Contains(err.Error(), "7") {
				t.Errorf("error %q does not say the sequence", err)
			}
			return
		}
		if !isToken(e.Run) || e.Kind == "" || !json.Valid(e.Data) {
			t.Errorf("decoded %+v", e)
		}
		s := NewRunState(e.Run)
		s.Submission, s.Events = Submission{Run: e.Run}, 1
		before := s.Events
		if err := s.Apply(e); err != nil && s.Events != before {
			t.Error("a refused event was counted")
		}
	})
}
