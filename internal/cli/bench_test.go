package cli

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/internal/demo"
)

// BenchmarkFirstObservation is the time from the start of the command to the
// first observation of a local page, printed, and the end of everything.
func BenchmarkFirstObservation(b *testing.B) {
	d, _ := serveDemo(b, demo.Options{})
	p := newPlace(b)
	first := &firstWrite{}
	var sum float64
	for b.Loop() {
		first.begin()
		if code := Run(context.Background(), []string{"snapshot", d.URL() + "/login"}, first, io.Discard, p.environ); code != exitOK {
			b.Fatalf("exit %d", code)
		}
		sum += first.after.Seconds()
	}
	b.ReportMetric(sum/float64(b.N), "s/first-observation")
}

// BenchmarkExampleRun is the whole of the example, from the command's start to
// its end.
func BenchmarkExampleRun(b *testing.B) {
	for b.Loop() {
		p := newPlace(b)
		got := p.run(b, "run", "--demo", example(b, "add-seat.yaml"))
		if got.code != exitOK {
			b.Fatal(got)
		}
		state := p.state(b)
		b.ReportMetric(state.Updated.Sub(state.Started).Seconds(), "s/run")
		b.ReportMetric(float64(len(state.Intents)), "steps")
	}
}

// A firstWrite notes when the first byte was written to it.
type firstWrite struct {
	began time.Time
	after time.Duration
}

func (w *firstWrite) begin() { w.began, w.after = time.Now(), 0 }

func (w *firstWrite) Write(p []byte) (int, error) {
	if w.after == 0 {
		w.after = time.Since(w.began)
	}
	return len(p), nil
}
