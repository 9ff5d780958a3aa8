package bus

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/bus/middleware"
)

// working runs Work until the test or the returned stop ends it.
func working(t *testing.T, b *Bus, h func(context.Context, Submission) error, o ...WorkOption) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Work(ctx, h, o...) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := receive(t, done, "the end of Work"); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func queued(t *testing.T, b *Bus) uint64 {
	t.Helper()
	i, err := b.runs.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return i.State.Msgs
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not so after 10 s", what)
		}
	}
}

func TestSubmitAndWork(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, ""), AckWait: 600 * time.Millisecond})
	ctx := t.Context()
	if err := b.Submit(ctx, Submission{Run: "r1", Workflow: json.RawMessage(`{"name":"demo"}`)}); err != nil {
		t.Fatal(err)
	}
	if err := b.Submit(ctx, Submission{Run: "r1"}); !errors.Is(err, ErrQueued) {
		t.Errorf("a second submission gives %v", err)
	}
	wantCode(t, b.Submit(ctx, Submission{Run: "r.1"}), CodeBadArgument, GiveUp)
	var n atomic.Int32
	got := make(chan Submission, 8)
	working(t, b, func(ctx context.Context, s Submission) error {
		if n.Add(1) == 1 {
			select { // three times AckWait: only the beats keep it
			case <-time.After(3 * b.ackWait):
			case <-ctx.Done():
			}
		}
		got <- s
		return nil
	})
	s := receive(t, got, "the run")
	if s.Run != "r1" || string(s.Workflow) != `{"name":"demo"}` || s.Submitted.IsZero() {
		t.Errorf("the run is %+v", s)
	}
	waitFor(t, "the queue is empty", func() bool { return queued(t, b) == 0 })
	if n.Load() != 1 {
		t.Errorf("it was handed out %d times", n.Load())
	}
	if err := b.Submit(ctx, Submission{Run: "r1"}); err != nil {
		t.Errorf("after its end a run cannot be submitted again: %v", err)
	}
	receive(t, got, "the run again")
}

func TestWorkRetriesThenGivesUp(t *testing.T) {
	for name, c := range map[string]struct {
		err   error // nil: panic
		tries int32
	}{
		"retry":   {Errorf(Retry, "x", "try again"), 3},
		"panic":   {nil, 3},
		"give up": {Errorf(GiveUp, "x", "hopeless"), 1},
		"plain":   {errors.New("plain"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := testBus(t, ConnectOptions{Server: testServer(t, ""), AckWait: 150 * time.Millisecond, MaxDeliver: 3})
			var n atomic.Int32
			dead := make(chan middleware.Letter, 4)
			working(t, b, func(ctx context.Context, s Submission) error {
				n.Add(1)
				if c.err == nil {
					panic("boom")
				}
				return c.err
			}, WithDead(func(ctx context.Context, s Submission, l middleware.Letter) {
				if s.Run != "r1" {
					t.Errorf("the hook got run %q", s.Run)
				}
				dead <- l
			}))
			if err := b.Submit(t.Context(), Submission{Run: "r1"}); err != nil {
				t.Fatal(err)
			}
			l := receive(t, dead, "the dead letter")
			if n.Load() != c.tries || l.Reason == "" {
				t.Errorf("tried %d times, want %d; letter %+v", n.Load(), c.tries, l)
			}
			waitFor(t, "the queue is empty", func() bool { return queued(t, b) == 0 })
			s, err := b.js.Stream(t.Context(), StreamDead)
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.GetLastMsgForSubject(t.Context(), "quartet.dead.r1")
			if err != nil {
				t.Fatal(err)
			}
			var stored middleware.Letter
			if err := json.Unmarshal(m.Data, &stored); err != nil || stored.Reason != l.Reason {
				t.Errorf("stored is %+v, %v", stored, err)
			}
		})
	}
}

// TestPlannerKilled: a planner in a process of its own dies by SIGKILL; another
// one gets the run, and one that kills every planner becomes a dead letter.
func TestPlannerKilled(t *testing.T) {
	srv := testServer(t, "127.0.0.1:-1")
	b := testBus(t, ConnectOptions{Server: srv, AckWait: time.Second, MaxDeliver: 2})
	if err := b.Submit(t.Context(), Submission{Run: "r1"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		cmd, lines := child(t, srv.ClientURL(), "planner")
		receive(t, lines, "the run at the planner")
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	dead := make(chan middleware.Letter, 1)
	working(t, b, func(ctx context.Context, s Submission) error {
		t.Error("a run that was delivered too often was run again")
		return nil
	}, WithDead(func(_ context.Context, _ Submission, l middleware.Letter) { dead <- l }))
	if l := receive(t, dead, "the dead letter"); l.Deliveries != 3 {
		t.Errorf("the letter is %+v", l)
	}
}

func TestStoppedPlannerGivesRunBack(t *testing.T) {
	srv := testServer(t, "")
	one := testBus(t, ConnectOptions{Server: srv, AckWait: time.Minute})
	two := testBus(t, ConnectOptions{Server: srv, AckWait: time.Minute})
	if err := one.Submit(t.Context(), Submission{Run: "r1"}); err != nil {
		t.Fatal(err)
	}
	began := make(chan struct{})
	stop := working(t, one, func(ctx context.Context, s Submission) error {
		close(began)
		<-ctx.Done()
		return ctx.Err()
	})
	receive(t, began, "the run")
	stop()
	got := make(chan Submission, 1)
	working(t, two, func(ctx context.Context, s Submission) error { got <- s; return nil })
	receive(t, got, "the run at the other planner") // long before AckWait
}

func TestResumeTakesRunFromItsPlanner(t *testing.T) {
	srv := testServer(t, "")
	b := testBus(t, ConnectOptions{Server: srv, AckWait: time.Minute})
	got := make(chan Submission, 2)
	release := make(chan struct{})
	working(t, b, func(ctx context.Context, s Submission) error {
		got <- s
		if !s.Resume {
			<-release
		}
		return nil
	}, WithRuns(2))
	if err := b.Submit(t.Context(), Submission{Run: "r1"}); err != nil {
		t.Fatal(err)
	}
	receive(t, got, "the run")
	if err := b.Submit(t.Context(), Submission{Run: "r1", Resume: true}); err != nil {
		t.Fatal(err)
	}
	if s := receive(t, got, "the resumed run"); !s.Resume {
		t.Errorf("got %+v", s)
	}
	close(release)
	waitFor(t, "the queue is empty", func() bool { return queued(t, b) == 0 })
	if err := b.Submit(t.Context(), Submission{Run: "r2", Resume: true}); err != nil {
		t.Errorf("resuming a run that is not queued: %v", err)
	}
	receive(t, got, "r2")
}
