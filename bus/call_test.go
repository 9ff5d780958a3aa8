package bus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/quartet-agents/quartet/bus/middleware"
)

func TestCallAnswers(t *testing.T) {
	m := &middleware.Metrics{}
	var spans []middleware.Span
	var mu sync.Mutex
	b := testBus(t, ConnectOptions{Server: testServer(t, ""), Metrics: m, Spans: func(s middleware.Span) {
		mu.Lock()
		defer mu.Unlock()
		spans = append(spans, s)
	}})
	s := NewService(b, "actor")
	Handle(s, VerbPrepare, func(ctx context.Context, r PrepareRequest) (Prepared, error) {
		at, ok := ctx.Deadline()
		if !ok || time.Until(at) > callWithin {
			t.Errorf("the handler's deadline is %v, %v", at, ok)
		}
		return Prepared{Target: &Element{Ref: "e12", Name: r.Intent.Text}}, nil
	})
	startService(t, s)
	got, err := Call[PrepareRequest, Prepared](t.Context(), b, VerbPrepare, nil, PrepareRequest{Intent: Intent{Text: "Größe “x”"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Target == nil || got.Target.Ref != "e12" || got.Target.Name != "Größe “x”" {
		t.Errorf("reply is %+v", got.Target)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(spans) != 2 || !spans[0].Serving || spans[0].Parent != spans[1].SpanID || spans[0].TraceID != spans[1].TraceID {
		t.Errorf("the spans are not one trace: %+v", spans)
	}
	if x := m.Snapshot(); len(x) != 2 || x[0].Calls != 1 || x[1].Calls != 1 || x[0].Serving == x[1].Serving {
		t.Errorf("metrics are %+v", x)
	}
}

func TestErrorsCrossTheWire(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	s := NewService(b, "actor")
	Handle(s, VerbAct, func(ctx context.Context, r Raw) (Raw, error) {
		switch string(r) {
		case `"typed"`:
			return nil, fmt.Errorf("wrapped: %w", Errorf(Ask, "own_code", "two\nlines"))
		case `"sentinel"`:
			return nil, Errorf(GiveUp, ErrNoVerdict.Code, "attempt i1.1 has no verdict")
		case `"plain"`:
			return nil, errors.New("plain words")
		case `"panic"`:
			panic("oh no")
		case `"large"`:
			return Raw(`"` + strings.Repeat("x", MaxMessage) + `"`), nil
		}
		return r, nil
	})
	startService(t, s)
	for _, c := range []struct {
		req  any
		code string
		d    Decision
		text string
	}{
		{"typed", "own_code", Ask, "two\nlines"},
		{"sentinel", "no_verdict", GiveUp, "i1.1"},
		{"plain", CodeInternal, GiveUp, "plain words"},
		{"panic", CodePanic, GiveUp, "oh no"},
		{"large", CodeTooLarge, GiveUp, "262144"},
		{strings.Repeat("x", MaxMessage), CodeTooLarge, GiveUp, "store"},
	} {
		_, err := Call[any, Raw](t.Context(), b, VerbAct, nil, c.req)
		wantCode(t, err, c.code, c.d)
		if !strings.Contains(err.Error(), c.text) {
			t.Errorf("error %q lacks %q", err, c.text)
		}
		if c.code == "no_verdict" && !errors.Is(err, ErrNoVerdict) {
			t.Error("errors.Is does not find ErrNoVerdict")
		}
	}
	if _, err := Call[any, Raw](t.Context(), b, VerbAct, nil, "fine"); err != nil {
		t.Errorf("after a panic the service does not serve: %v", err)
	}
	_, err := Call[any, int](t.Context(), b, VerbAct, nil, "a string")
	wantCode(t, err, CodeBadMessage, GiveUp)
}

func TestNoAgent(t *testing.T) {
	srv := testServer(t, "")
	b := testBus(t, ConnectOptions{Server: srv})
	start := time.Now()
	_, err := Call[any, Raw](t.Context(), b, VerbLook, nil, nil)
	wantCode(t, err, CodeNoAgent, Retry)
	if !strings.Contains(err.Error(), "no vision agent is up") {
		t.Errorf("error is %q", err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("it took %s to find out", d)
	}
	_, err = Call[any, Raw](t.Context(), b, VerbObserve, &Session{Node: "far away"}, nil)
	wantCode(t, err, CodeNodeGone, GiveUp)

	patient := testBus(t, ConnectOptions{Server: srv, Patience: 5 * time.Second})
	got := make(chan error, 1)
	go func() {
		_, err := Call[any, Raw](t.Context(), patient, VerbLook, nil, nil)
		got <- err
	}()
	s := NewService(b, "vision")
	Handle(s, VerbLook, func(ctx context.Context, r Raw) (Raw, error) { return r, nil })
	startService(t, s)
	if err := receive(t, got, "the patient call"); err != nil {
		t.Error(err)
	}
}

func TestNodeAffinity(t *testing.T) {
	srv := testServer(t, "127.0.0.1:-1")
	var buses []*Bus
	for _, node := range []string{"node-a", "node b.c"} {
		b := testBus(t, ConnectOptions{URL: srv.ClientURL(), Node: node})
		s := NewService(b, "observer")
		Handle(s, VerbObserve, func(ctx context.Context, r Raw) (string, error) { return node, nil })
		startService(t, s)
		buses = append(buses, b)
	}
	seen := map[string]int{}
	for range 60 {
		for _, node := range []string{"node-a", "node b.c"} {
			got, err := Call[any, string](t.Context(), buses[0], VerbObserve, &Session{Node: node}, nil)
			if err != nil || got != node {
				t.Fatalf("a session of %q was served by %q, %v", node, got, err)
			}
		}
		got, err := Call[any, string](t.Context(), buses[0], VerbObserve, &Session{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		seen[got]++
	}
	if len(seen) != 2 {
		t.Errorf("calls without a node went to %v only", seen)
	}
}

func TestBeatsKeepSlowCallsAlive(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	s := NewService(b, "verifier")
	Handle(s, VerbJudge, func(ctx context.Context, r Raw) (Raw, error) {
		select {
		case <-time.After(3 * b.lost):
		case <-ctx.Done():
		}
		return r, ctx.Err()
	})
	startService(t, s)
	if _, err := Call[any, Raw](t.Context(), b, VerbJudge, nil, "x"); err != nil {
		t.Fatal(err)
	}
}

func TestCallerGivesUp(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	began, ended := make(chan struct{}), make(chan error, 2)
	s := NewService(b, "actor")
	Handle(s, VerbAct, func(ctx context.Context, r Raw) (Raw, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	})
	startService(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error, 1)
	go func() { _, err := Call[any, Raw](ctx, b, VerbAct, nil, nil); got <- err }()
	receive(t, began, "the request")
	cancel()
	err := receive(t, got, "the caller's error")
	wantCode(t, err, CodeCanceled, GiveUp)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v is not context.Canceled", err)
	}
	if err := receive(t, ended, "the handler's end"); !errors.Is(err, context.Canceled) {
		t.Errorf("the handler ended with %v", err)
	}

	ctx, cancel = context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	go func() { <-began }()
	_, err = Call[any, Raw](ctx, b, VerbAct, nil, nil)
	wantCode(t, err, CodeDeadline, Retry)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v is not context.DeadlineExceeded", err)
	}
	receive(t, ended, "the handler's end at its deadline")
}

// TestReplicaGoesSilent: the first replica takes the request and never answers.
func TestReplicaGoesSilent(t *testing.T) {
	for _, v := range []Verb{VerbPrepare, VerbAct} {
		t.Run(string(v), func(t *testing.T) {
			srv := testServer(t, "127.0.0.1:-1")
			b := testBus(t, ConnectOptions{Server: srv})
			nc, err := nats.Connect(srv.ClientURL())
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			took := make(chan struct{}, 1)
			sub, err := nc.QueueSubscribe(v.subject(""), "q", func(m *nats.Msg) { took <- struct{}{} })
			if err != nil {
				t.Fatal(err)
			}
			if err := nc.Flush(); err != nil {
				t.Fatal(err)
			}
			got := make(chan error, 1)
			go func() { _, err := Call[any, Raw](t.Context(), b, v, nil, "x"); got <- err }()
			receive(t, took, "the request at the silent replica")
			if err := sub.Unsubscribe(); err != nil {
				t.Fatal(err)
			}
			var served atomic.Int32
			s := NewService(b, "actor")
			Handle(s, v, func(ctx context.Context, r Raw) (Raw, error) { served.Add(1); return r, nil })
			startService(t, s)
			err = receive(t, got, "the call's end")
			if v == VerbAct {
				wantCode(t, err, CodeReplicaLost, Retry)
				if served.Load() != 0 {
					t.Error("actor.act was sent a second time")
				}
				return
			}
			if err != nil || served.Load() != 1 {
				t.Errorf("the other replica served %d times, %v", served.Load(), err)
			}
		})
	}
}

// child starts this test binary as a replica and returns its output's lines.
func child(t *testing.T, url, role string) (*exec.Cmd, <-chan string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "QUARTET_TEST_REPLICA="+url, "QUARTET_TEST_ROLE="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 16)
	done := make(chan struct{})
	go func() {
		defer close(done)
		sc := bufio.NewScanner(out)
		for sc.Scan() {
			lines <- sc.Text()
		}
		_, _ = io.Copy(io.Discard, out)
		close(lines)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be dead already
		<-done
		_ = cmd.Wait() // killed, so an error
	})
	return cmd, lines
}

// TestReplicaKilled: a replica in a process of its own dies by SIGKILL while it
// serves; the call goes to the other one.
func TestReplicaKilled(t *testing.T) {
	srv := testServer(t, "127.0.0.1:-1")
	b := testBus(t, ConnectOptions{Server: srv})
	b.lost = 2 * time.Second // the child beats every 500 ms
	cmd, lines := child(t, srv.ClientURL(), "actor")
	if l := receive(t, lines, "the child"); l != "ready" {
		t.Fatalf("the child says %q", l)
	}
	got := make(chan error, 2)
	go func() { _, err := Call[any, Raw](t.Context(), b, VerbPrepare, nil, "x"); got <- err }()
	go func() { _, err := Call[any, Raw](t.Context(), b, VerbAct, nil, "x"); got <- err }()
	receive(t, lines, "the first request at the child")
	receive(t, lines, "the second request at the child")
	s := NewService(b, "actor")
	Handle(s, VerbPrepare, func(ctx context.Context, r Raw) (Raw, error) { return r, nil })
	Handle(s, VerbAct, func(ctx context.Context, r Raw) (Raw, error) { t.Error("act came twice"); return r, nil })
	startService(t, s)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var lost int
	for range 2 {
		if err := receive(t, got, "a call's end"); err != nil {
			wantCode(t, err, CodeReplicaLost, Retry)
			lost++
		}
	}
	if lost != 1 {
		t.Errorf("%d calls were lost, want actor.act alone", lost)
	}
}

func TestSlotsAndStop(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	var now, peak, done atomic.Int32
	release := make(chan struct{})
	s := NewService(b, "observer", WithSlots(3))
	Handle(s, VerbObserve, func(ctx context.Context, r Raw) (Raw, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for p := peak.Load(); n > p && !peak.CompareAndSwap(p, n); p = peak.Load() {
		}
		<-release
		done.Add(1)
		return r, nil
	})
	startService(t, s)
	const calls = 12
	got := make(chan error, calls)
	for range calls {
		go func() { _, err := Call[any, Raw](t.Context(), b, VerbObserve, nil, "x"); got <- err }()
	}
	for {
		s.mu.Lock()
		n := len(s.calls)
		s.mu.Unlock()
		if n == calls {
			break
		}
		time.Sleep(time.Millisecond)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- s.Stop(t.Context()) }()
	select {
	case <-stopped:
		t.Fatal("Stop did not wait for what runs")
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	for range calls {
		if err := receive(t, got, "a reply during Stop"); err != nil {
			t.Error(err)
		}
	}
	if err := receive(t, stopped, "Stop"); err != nil {
		t.Error(err)
	}
	if peak.Load() != 3 || done.Load() != calls {
		t.Errorf("%d ran at once, want 3; %d were served, want %d", peak.Load(), done.Load(), calls)
	}
	_, err := Call[any, Raw](t.Context(), b, VerbObserve, nil, "x")
	wantCode(t, err, CodeNoAgent, Retry)
}

func TestStopRunsOutOfPatience(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	began := make(chan struct{})
	s := NewService(b, "observer")
	Handle(s, VerbAct, func(ctx context.Context, r Raw) (Raw, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() { _, err := Call[any, Raw](t.Context(), b, VerbAct, nil, "x"); got <- err }()
	receive(t, began, "the request")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Stop returned %v", err)
	}
	wantCode(t, receive(t, got, "the reply"), CodeReplicaLost, Retry)
}

func TestSecretsStayOut(t *testing.T) {
	srv := testServer(t, "127.0.0.1:-1")
	r := middleware.NewRedactor()
	r.Add("PW", `p"ss<word>1`)
	b := testBus(t, ConnectOptions{Server: srv, Redactor: r})
	nc, err := nats.Connect(srv.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	var mu sync.Mutex
	var wire strings.Builder
	if _, err := nc.Subscribe(">", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&wire, "%s %v %s\n", m.Subject, m.Header, m.Data)
	}); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	s := NewService(b, "actor")
	Handle(s, VerbAct, func(ctx context.Context, req Receipt) (Receipt, error) {
		if req.ValueBefore == "fail" {
			return Receipt{}, Errorf(GiveUp, "x", `typed p"ss<word>1 wrongly`)
		}
		return Receipt{ValueAfter: `my p"ss<word>1!`}, nil
	})
	startService(t, s)
	ctx := t.Context()
	got, err := Call[Receipt, Receipt](ctx, b, VerbAct, nil, Receipt{Notes: []string{`p"ss<word>1`}})
	if err != nil || got.ValueAfter != "my [secret:PW]!" {
		t.Errorf("reply is %q, %v", got.ValueAfter, err)
	}
	if _, err := Call[Receipt, Receipt](ctx, b, VerbAct, nil, Receipt{ValueBefore: "fail"}); err == nil || strings.Contains(err.Error(), `p"ss`) {
		t.Errorf("error is %v", err)
	}
	if _, err := b.Journal().Append(ctx, "r1", 0, EventSubmitted, Submission{Run: "r1", Name: `p"ss<word>1`}); err != nil {
		t.Fatal(err)
	}
	if err := b.UpdateSessionState(ctx, "r1", "tabs", func([]byte) ([]byte, error) { return []byte(`"p\"ss<word>1"`), nil }); err != nil {
		t.Fatal(err)
	}
	if err := b.Submit(ctx, Submission{Run: "r1", Options: Raw(`{"a":"p\"ss\u003cword>1"}`)}); err != nil {
		t.Fatal(err)
	}
	key, err := PutJSON(ctx, b.Scenes(), map[string]string{"text": `p"ss<word>1`})
	if err != nil {
		t.Fatal(err)
	}
	var scene map[string]string
	if err := GetJSON(ctx, b.Scenes(), key, &scene); err != nil || scene["text"] != "[secret:PW]" {
		t.Errorf("scene is %v, %v", scene, err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, form := range []string{`p"ss<word>1`, `p\"ss<word>1`, `p\"ss\u003cword\u003e1`, `ss\u003cword`} {
		if strings.Contains(wire.String(), form) {
			t.Errorf("the secret was on the wire as %s", form)
		}
	}
	if n := strings.Count(wire.String(), "[secret:PW]"); n < 6 {
		t.Errorf("only %d marks were on the wire:\n%s", n, wire.String())
	}
}

func TestNATSGoesAway(t *testing.T) {
	t.Parallel() // it waits for what is away
	srv := testServer(t, "127.0.0.1:-1")
	b := testBus(t, ConnectOptions{URL: srv.ClientURL()})
	began := make(chan struct{})
	s := NewService(b, "actor")
	Handle(s, VerbAct, func(ctx context.Context, r Raw) (Raw, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() { _, err := Call[any, Raw](t.Context(), b, VerbAct, nil, "x"); got <- err }()
	receive(t, began, "the request")
	srv.Close()
	wantCode(t, receive(t, got, "the call's end"), CodeReplicaLost, Retry)
	start := time.Now()
	_, err := Call[any, Raw](t.Context(), b, VerbAct, nil, "x")
	wantCode(t, err, CodeUnreachable, Retry)
	if d := time.Since(start); d > time.Second {
		t.Errorf("it took %s to say that NATS is away", d)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := s.Stop(ctx); err == nil {
		t.Error("Stop without NATS says nothing")
	}
	b.nc.Close() // nothing can be drained any more
	<-b.closed
}
