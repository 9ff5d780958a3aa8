package bus

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkStepJournal is what the bus and the journal add to one step: intent,
// attempt, receipt and verdict, each on disk, and four calls that do nothing.
// The target is a p50 of at most 15 ms.
func BenchmarkStepJournal(b *testing.B) {
	bus := testBus(b, ConnectOptions{Server: testServer(b, "")})
	for agent, verbs := range map[string][]Verb{"observer": {VerbObserve}, "actor": {VerbPrepare, VerbAct}, "verifier": {VerbJudge}} {
		s := NewService(bus, agent)
		for _, v := range verbs {
			Handle(s, v, func(ctx context.Context, r Raw) (Raw, error) { return r, nil })
		}
		startService(b, s)
	}
	ctx, j, run := b.Context(), bus.Journal(), "bench"
	var seq uint64
	add := func(kind EventKind, data any) {
		n, err := j.Append(ctx, run, seq, kind, data)
		if err != nil {
			b.Fatal(err)
		}
		seq = n
	}
	call := func(v Verb, req any) {
		if _, err := Call[any, Raw](ctx, bus, v, nil, req); err != nil {
			b.Fatal(err)
		}
	}
	add(EventSubmitted, Submission{Run: run})
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		in := Intent{ID: fmt.Sprintf("i%d", i), Text: "Click the Save button", Action: ActionClick, Risk: RiskReversible}
		at := Attempt{ID: in.ID + ".1", Intent: in.ID, Target: &Element{Ref: "e12", Role: "button", Name: "Save"}}
		rc := Receipt{Attempt: at.ID, Sent: true, Hit: &Hit{Ref: "e12", Inside: true, Seen: true}}
		start := time.Now()
		call(VerbObserve, ObserveRequest{})
		add(EventIntent, in)
		call(VerbPrepare, PrepareRequest{Run: run, Intent: in})
		add(EventAttempt, at)
		if _, err := j.State(ctx, run); err != nil { // as the actor does
			b.Fatal(err)
		}
		call(VerbAct, ActRequest{Run: run, Intent: in, Attempt: at})
		add(EventReceipt, rc)
		call(VerbJudge, JudgeRequest{Run: run, Intent: in, Attempt: at, Receipt: rc})
		add(EventVerdict, Verdict{Attempt: at.ID, Outcome: Right, Reasons: []string{"the button was hit"}})
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	ms := func(p float64) float64 {
		return float64(times[int(p*float64(len(times)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.50), "p50-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
}
