package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain also is the program that tests start to have a replica, or a
// planner, that can be killed.
func TestMain(m *testing.M) {
	if url := os.Getenv("QUARTET_TEST_REPLICA"); url != "" {
		if err := childMain(url, os.Getenv("QUARTET_TEST_ROLE")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// childMain serves and never answers, or takes a run and never ends it.
func childMain(url, role string) error {
	ctx := context.Background()
	if role == "journal" { // url is the store's folder
		return writeForever(ctx, url)
	}
	b, err := Connect(ctx, ConnectOptions{URL: url, AckWait: time.Second})
	if err != nil {
		return err
	}
	if role == "planner" {
		return b.Work(ctx, func(ctx context.Context, s Submission) error {
			fmt.Println("working")
			select {}
		})
	}
	s := NewService(b, "actor")
	hang := func(ctx context.Context, r Raw) (Raw, error) {
		fmt.Println("working")
		<-ctx.Done()
		return r, ctx.Err()
	}
	Handle(s, VerbAct, hang)
	Handle(s, VerbPrepare, hang)
	if err := s.Start(ctx); err != nil {
		return err
	}
	fmt.Println("ready")
	select {}
}

// writeForever appends notes and says after each that it is stored.
func writeForever(ctx context.Context, dir string) error {
	srv, err := StartServer(ServerOptions{StoreDir: dir})
	if err != nil {
		return err
	}
	b, err := Connect(ctx, ConnectOptions{Server: srv})
	if err != nil {
		return err
	}
	seq, err := b.Journal().Append(ctx, "r", 0, EventSubmitted, Submission{Run: "r"})
	for err == nil {
		fmt.Println(seq)
		seq, err = b.Journal().Append(ctx, "r", seq, EventNote, Note{Text: "x"})
	}
	return err
}

// testServer starts an embedded server that ends with the test.
func testServer(t testing.TB, listen string) *Server {
	t.Helper()
	s, err := StartServer(ServerOptions{StoreDir: t.TempDir(), Listen: listen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// testBus connects; its beats are fast so that lost replicas are found soon.
func testBus(t testing.TB, o ConnectOptions) *Bus {
	t.Helper()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	b, err := Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.beat, b.lost = 50*time.Millisecond, 600*time.Millisecond
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func startService(t testing.TB, s *Service) {
	t.Helper()
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
}

// wantCode checks an error's code and decision.
func wantCode(t testing.TB, err error, code string, d Decision) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T) is not a *bus.Error; want code %s", err, err, code)
	}
	if e.Code != code || e.Decision != d {
		t.Fatalf("error has code %q and decision %q, want %q and %q: %v", e.Code, e.Decision, code, d, err)
	}
}

func receive[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}
