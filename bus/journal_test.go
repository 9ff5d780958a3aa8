package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

type appender struct {
	t   testing.TB
	j   *Journal
	run string
	seq uint64
}

func (a *appender) add(kind EventKind, data any) uint64 {
	a.t.Helper()
	seq, err := a.j.Append(a.t.Context(), a.run, a.seq, kind, data)
	if err != nil {
		a.t.Fatalf("%s: %v", kind, err)
	}
	a.seq = seq
	return seq
}

func (a *appender) step(id string) {
	a.t.Helper()
	a.add(EventIntent, Intent{ID: id})
	a.add(EventAttempt, Attempt{ID: id + ".1", Intent: id})
	a.add(EventReceipt, Receipt{Attempt: id + ".1", Sent: true})
	a.add(EventVerdict, Verdict{Attempt: id + ".1", Outcome: Right})
}

func TestJournalOverTwoProcesses(t *testing.T) {
	srv := testServer(t, "127.0.0.1:-1")
	one := testBus(t, ConnectOptions{Server: srv})
	two := testBus(t, ConnectOptions{URL: srv.ClientURL()})
	ctx := t.Context()
	a := &appender{t: t, j: one.Journal(), run: "run-1"}
	a.add(EventSubmitted, Submission{Run: "run-1", Name: "demo"})
	a.add(EventOwned, Owned{"one", 1})
	a.step("i1")
	b := &appender{t: t, j: one.Journal(), run: "run-2"}
	b.add(EventSubmitted, Submission{Run: "run-2"})
	a.add(EventIntent, Intent{ID: "i2"})
	at := a.add(EventAttempt, Attempt{ID: "i2.1", Intent: "i2"})

	// What the actor asks before each act.
	s, err := two.Journal().State(ctx, "run-1")
	if err != nil {
		t.Fatal(err)
	}
	if s.LastSeq != at || s.OpenAttempt() == nil || s.OpenAttempt().Seq != at {
		t.Errorf("the other process sees the last entry %d and open attempt %+v, want %d", s.LastSeq, s.OpenAttempt(), at)
	}
	mine, err := one.Journal().State(ctx, "run-1")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(mine, s); d != "" {
		t.Errorf("two processes see different states: %s", d)
	}
	if _, err := two.Journal().Append(ctx, "run-1", s.LastSeq, EventIntent, Intent{ID: "i3"}); !errors.Is(err, ErrNoVerdict) {
		t.Errorf("an intent without verdict gives %v", err)
	}

	// The other one takes the run over; the first is fenced, with or without
	// having looked.
	taken, err := two.Journal().Append(ctx, "run-1", s.LastSeq, EventOwned, Owned{"two", 2})
	if err != nil {
		t.Fatal(err)
	}
	_, err = one.Journal().Append(ctx, "run-1", a.seq, EventReceipt, Receipt{Attempt: "i2.1"})
	if !errors.Is(err, ErrFenced) {
		t.Fatalf("the old owner's append gives %v", err)
	}
	if _, err = one.Journal().State(ctx, "run-1"); err != nil {
		t.Fatal(err)
	}
	if _, err = one.Journal().Append(ctx, "run-1", a.seq, EventReceipt, Receipt{Attempt: "i2.1"}); !errors.Is(err, ErrFenced) {
		t.Errorf("the old owner's second append gives %v", err)
	}
	if seq, err := two.Journal().Append(ctx, "run-1", taken, EventReceipt, Receipt{Attempt: "i2.1", Lost: true}); err != nil || seq <= taken {
		t.Errorf("the new owner's append gives %d, %v", seq, err)
	}

	b.add(EventFinished, Finished{Status: Failed, Reason: "no card"})
	runs, err := two.Journal().Runs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 || runs[0].Run != "run-2" || runs[0].Status != Failed || runs[0].Reason != "no card" || runs[1].Status != "" || runs[1].Name != "demo" || runs[1].Events != 10 {
		t.Errorf("runs are %+v", runs)
	}
	if s, err := one.Journal().State(ctx, "nothing"); err != nil || s.Events != 0 || s.LastSeq != 0 {
		t.Errorf("a run without entries is %+v, %v", s, err)
	}
	if _, err := one.Journal().State(ctx, "a.b"); err == nil {
		t.Error("a run id with a dot is taken")
	}
}

func TestOneOfManyAppends(t *testing.T) {
	srv := testServer(t, "")
	a := &appender{t: t, j: testBus(t, ConnectOptions{Server: srv}).Journal(), run: "r"}
	a.add(EventSubmitted, Submission{Run: "r"})
	var wg sync.WaitGroup
	var mu sync.Mutex
	won, fenced := 0, 0
	for i := range 8 {
		j := testBus(t, ConnectOptions{Server: srv}).Journal()
		wg.Go(func() {
			_, err := j.Append(t.Context(), "r", a.seq, EventOwned, Owned{fmt.Sprint(i), 1})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won++
			case errors.Is(err, ErrFenced):
				fenced++
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won != 1 || fenced != 7 {
		t.Errorf("%d became owner and %d were fenced, want 1 and 7", won, fenced)
	}
}

func TestJournalSurvivesRestart(t *testing.T) {
	dir := t.TempDir()
	srv, err := StartServer(ServerOptions{StoreDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Connect(t.Context(), ConnectOptions{Server: srv})
	if err != nil {
		t.Fatal(err)
	}
	a := &appender{t: t, j: b.Journal(), run: "r"}
	a.add(EventSubmitted, Submission{Run: "r"})
	a.step("i1")
	before, err := b.Journal().State(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := StartServer(ServerOptions{StoreDir: dir}); !errors.Is(err, &Error{Code: CodeStoreBusy}) {
		t.Errorf("a second server in the same folder: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	srv.Close()
	srv, err = StartServer(ServerOptions{StoreDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	b = testBus(t, ConnectOptions{Server: srv})
	after, err := b.Journal().State(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("after a restart the state differs: %s", d)
	}
	a.j = b.Journal()
	a.step("i2")
}

func TestJournalCannotBeChanged(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	a := &appender{t: t, j: b.Journal(), run: "r"}
	seq := a.add(EventSubmitted, Submission{Run: "r"})
	if err := b.journal.stream.DeleteMsg(t.Context(), seq); err == nil {
		t.Error("an entry can be deleted")
	}
	if err := b.journal.stream.Purge(t.Context()); err == nil {
		t.Error("the journal can be purged")
	}
	c := b.journal.stream.CachedInfo().Config
	if c.Storage != jetstream.FileStorage || c.Discard != jetstream.DiscardNew || c.MaxAge != 0 || c.AllowDirect {
		t.Errorf("the journal's stream is %+v", c)
	}
}

// TestDamagedJournalHalts writes past Append, as a damaged disk or a newer
// version would.
func TestDamagedJournalHalts(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	good := func(prev, kind, data string) []byte {
		return fmt.Appendf(nil, `{"v":1,"id":"x","run":"%%s","kind":%q,"time":"2026-01-02T03:04:05Z","prev":%q,"data":%s}`, kind, prev, data)
	}
	for name, c := range map[string]struct {
		message func(prev string) []byte
		want    error
	}{
		"not JSON":       {func(string) []byte { return []byte("{") }, ErrDamaged},
		"unknown kind":   {func(p string) []byte { return good(p, "teleported", "{}") }, ErrUnknownEvent},
		"newer version":  {func(string) []byte { return []byte(`{"v":2,"id":"x","run":"r","kind":"note","data":{}}`) }, ErrUnknownEvent},
		"an entry lost":  {func(p string) []byte { return good("0123456789abcdef0123456789abcdef", "note", "{}") }, ErrDamaged},
		"not allowed":    {func(p string) []byte { return good(p, "verdict", `{"attempt":"i1.1","outcome":"right"}`) }, ErrNotAllowed},
		"two documents":  {func(p string) []byte { return append(good(p, "note", "{}"), "{}"...) }, ErrDamaged},
		"data is a list": {func(p string) []byte { return good(p, "note", "[]") }, ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			run := strings.ReplaceAll(name, " ", "-")
			a := &appender{t: t, j: b.Journal(), run: run}
			seq := a.add(EventSubmitted, Submission{Run: run})
			raw, err := b.journal.stream.GetMsg(t.Context(), seq)
			if err != nil {
				t.Fatal(err)
			}
			m := strings.ReplaceAll(string(c.message(chainHash(raw.Data))), "%s", run)
			ack, err := b.js.Publish(t.Context(), journalSubject(run), []byte(m))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // it does not heal by itself
				_, err = b.Journal().State(t.Context(), run)
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), fmt.Sprint(ack.Sequence)) {
					t.Fatalf("got %v, want %v with the sequence %d", err, c.want, ack.Sequence)
				}
			}
			if _, err := b.Journal().Append(t.Context(), run, ack.Sequence, EventNote, Note{}); !errors.Is(err, c.want) {
				t.Errorf("an append behind it gives %v", err)
			}
		})
	}
	runs, err := b.Journal().Runs(t.Context())
	if err != nil || len(runs) != 7 {
		t.Errorf("damaged runs hide the others: %v, %v", runs, err)
	}
}

// lossyJS stores a message and then says that there was no answer.
type lossyJS struct {
	jetstream.JetStream
	before, after func()
}

func (l *lossyJS) Publish(ctx context.Context, subject string, data []byte, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if l.before != nil {
		l.before()
		return nil, nats.ErrTimeout
	}
	if _, err := l.JetStream.Publish(ctx, subject, data, o...); err != nil {
		return nil, err
	}
	l.after()
	return nil, nats.ErrTimeout
}

func TestUnansweredAppend(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	a := &appender{t: t, j: b.Journal(), run: "r"}
	a.add(EventSubmitted, Submission{Run: "r"})
	real := b.js
	ctx, cancel := context.WithCancel(t.Context())
	b.js = &lossyJS{JetStream: real, after: cancel}
	seq, err := a.j.Append(ctx, "r", a.seq, EventIntent, Intent{ID: "i1"})
	if err != nil || seq <= a.seq {
		t.Fatalf("a stored append without answer gives %d, %v", seq, err)
	}
	a.seq = seq
	b.js = &lossyJS{JetStream: real, before: func() {}}
	_, err = a.j.Append(t.Context(), "r", a.seq, EventAttempt, Attempt{ID: "i1.1", Intent: "i1"})
	wantCode(t, err, CodeStore, Retry)
	b.js = real
	a.add(EventAttempt, Attempt{ID: "i1.1", Intent: "i1"})
}

func TestWatch(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	got := make(chan []EventKind, 1)
	seen := make(chan EventKind, 64)
	go func() {
		var kinds []EventKind
		for e, err := range b.Journal().Watch(t.Context(), "r") {
			if err != nil {
				t.Error(err)
			}
			kinds = append(kinds, e.Kind)
			seen <- e.Kind
		}
		got <- kinds
	}()
	a := &appender{t: t, j: b.Journal(), run: "r"}
	a.add(EventSubmitted, Submission{Run: "r"})
	receive(t, seen, "the first event")
	a.step("i1")
	other := &appender{t: t, j: b.Journal(), run: "q"}
	other.add(EventSubmitted, Submission{Run: "q"})
	a.add(EventFinished, Finished{Status: Succeeded, Final: heldChecks})
	want := []EventKind{EventSubmitted, EventIntent, EventAttempt, EventReceipt, EventVerdict, EventFinished}
	if d := cmp.Diff(want, receive(t, got, "the end of the watch")); d != "" {
		t.Error(d)
	}
	var late []EventKind
	for e, err := range b.Journal().Watch(t.Context(), "r") {
		if err != nil {
			t.Fatal(err)
		}
		late = append(late, e.Kind)
	}
	if d := cmp.Diff(want, late); d != "" {
		t.Error(d)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var last error
	for _, err := range b.Journal().Watch(ctx, "q") {
		last = err
	}
	if !errors.Is(last, context.DeadlineExceeded) {
		t.Errorf("a watch whose time is up ends with %v", last)
	}
	for range b.Journal().Watch(t.Context(), "r") {
		break // and nothing is left running
	}
}

func TestStateCacheIsBounded(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	for i := range maxCached + 5 {
		if _, err := b.Journal().State(t.Context(), fmt.Sprintf("r%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(b.journal.runs); n != maxCached {
		t.Errorf("%d runs are cached, want %d", n, maxCached)
	}
}

func TestAppendTooLarge(t *testing.T) {
	b := testBus(t, ConnectOptions{Server: testServer(t, "")})
	_, err := b.Journal().Append(t.Context(), "r", 0, EventSubmitted, Submission{Run: "r", Workflow: json.RawMessage(`"` + strings.Repeat("x", MaxMessage) + `"`)})
	wantCode(t, err, CodeTooLarge, GiveUp)
}

// TestJournalAfterKill: the process that holds the server dies by SIGKILL while
// it writes; every entry that was acknowledged is there, and the folder is free.
func TestJournalAfterKill(t *testing.T) {
	for i := range 3 {
		dir := t.TempDir()
		cmd, lines := child(t, dir, "journal")
		var last uint64
		note := func(l string) {
			if n, err := strconv.ParseUint(l, 10, 64); err == nil {
				last = max(last, n)
			}
		}
		for range 20 + 13*i {
			note(receive(t, lines, "an entry"))
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for l := range lines { // what it said before it died
			note(l)
		}
		srv, err := StartServer(ServerOptions{StoreDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(srv.Close)
		b := testBus(t, ConnectOptions{Server: srv})
		s, err := b.Journal().State(t.Context(), "r")
		if err != nil {
			t.Fatal(err)
		}
		if s.LastSeq < last || last == 0 || uint64(s.Events) != s.LastSeq {
			t.Errorf("entry %d was acknowledged; the journal ends at %d with %d entries", last, s.LastSeq, s.Events)
		}
		if _, err := b.Journal().Append(t.Context(), "r", s.LastSeq, EventOwned, Owned{"next", 1}); err != nil {
			t.Error(err)
		}
	}
}
