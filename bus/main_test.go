package bus

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
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
	b.beat, b.lost = 50*time.Millisecond, 400*time.Millisecond
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
