package observer

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/quartet-agents/quartet/bus"
)

// Replicas that reserve at the same time never get the same number, and give a
// document the same prefix.
func TestRefsAcrossReplicas(t *testing.T) {
	srv, err := bus.StartServer(bus.ServerOptions{StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	b, err := bus.Connect(context.Background(), bus.ConnectOptions{Server: srv, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	var mu sync.Mutex
	taken, prefix := map[int]bool{}, map[string]map[string]bool{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r := &sessionRefs{bus: b, session: "s", known: &prefixes{}}
			for i := range 10 {
				start, err := r.Reserve(context.Background(), i+1)
				if err != nil {
					t.Error(err)
					return
				}
				doc := string(rune('a' + i%3))
				p, err := r.FramePrefix(context.Background(), doc)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for n := start; n <= start+i; n++ {
					if n < 1 || taken[n] {
						t.Errorf("number %d twice", n)
					}
					taken[n] = true
				}
				if prefix[doc] == nil {
					prefix[doc] = map[string]bool{}
				}
				prefix[doc][p] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	all := map[string]bool{}
	for doc, ps := range prefix {
		if len(ps) != 1 {
			t.Errorf("document %s has the prefixes %v", doc, ps)
		}
		for p := range ps {
			if all[p] {
				t.Errorf("prefix %s twice", p)
			}
			all[p] = true
		}
	}
}
