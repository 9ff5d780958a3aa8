package bus

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"
)

// BenchmarkStepJournal is what the bus and the journal add to one step: intent,
// attempt, receipt and verdict, each on disk, and four calls that do nothing.
// The target is a p50 of at most 15 ms.
func BenchmarkStepJournal(b *testing.B) {
	b.Run("embedded", func(b *testing.B) { benchStep(b, testBus(b, ConnectOptions{Server: testServer(b, "")})) })
	b.Run("tcp", func(b *testing.B) {
		benchStep(b, testBus(b, ConnectOptions{URL: testServer(b, "127.0.0.1:-1").ClientURL()}))
	})
}

func benchStep(b *testing.B, bus *Bus) {
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
	report(b, times)
}

func report(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	ms := func(p float64) float64 {
		return float64(times[int(p*float64(len(times)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.50), "p50-ms")
	b.ReportMetric(ms(0.99), "p99-ms")
}

// BenchmarkStores is what one write costs; session state and blobs are on disk.
func BenchmarkStores(b *testing.B) {
	bus := testBus(b, ConnectOptions{Server: testServer(b, "")})
	data := make([]byte, 60<<10)
	for name, f := range map[string]func(i int) error{
		"session_state": func(i int) error {
			return bus.UpdateSessionState(b.Context(), "s", "refs", func([]byte) ([]byte, error) { return fmt.Append(nil, i), nil })
		},
		"scene_60KiB": func(i int) error {
			binary.BigEndian.PutUint64(data, uint64(i))
			_, err := bus.Scenes().Put(b.Context(), data)
			return err
		},
		"blob_60KiB": func(i int) error {
			binary.BigEndian.PutUint64(data, uint64(i))
			_, err := bus.Blobs().Put(b.Context(), data)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				if err := f(i); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			report(b, times)
		})
	}
}
