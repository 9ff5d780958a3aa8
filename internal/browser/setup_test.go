package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

func TestMain(m *testing.M) {
	if browser.GuardMain(os.Args[1:]) {
		return
	}
	if os.Getenv("QUARTET_BROWSER_TEST_PARENT") != "" {
		orphanParent()
		return
	}
	code := m.Run()
	if shared != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		_ = shared.Close(ctx)
		cancel()
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines left:", err)
		code = 1
	}
	os.Exit(code)
}

var (
	sharedOnce sync.Once
	shared     *browser.Pool
)

// pool is one browser for all tests that need no browser of their own; it has a
// script in the world, as the observer's is.
func pool(t *testing.T) *browser.Pool {
	t.Helper()
	sharedOnce.Do(func() {
		var err error
		shared, err = browser.NewPool(browser.WithScript("test", `globalThis.__test = globalThis.__test || { n: 0 }; globalThis.__test.n++`), browser.WithNode("here"))
		if err != nil {
			t.Fatal(err)
		}
	})
	return shared
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// A site is a server of pages that logs what it was asked for. It answers on
// every address of the machine; URL says 127.0.0.1, Other says localhost,
// which is another site for the browser.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	hits  []string
	pages map[string]string
	mux   *http.ServeMux
}

func serve(t *testing.T, pages map[string]string) *site {
	t.Helper()
	s := &site{pages: pages, mux: http.NewServeMux()}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/favicon.ico" {
			s.mu.Lock()
			s.hits = append(s.hits, r.Method+" "+r.URL.Path)
			s.mu.Unlock()
		}
		s.mu.Lock()
		body, ok := s.pages[r.URL.Path]
		s.mu.Unlock()
		if !ok {
			s.mux.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(strings.NewReplacer("{SELF}", s.URL, "{OTHER}", s.Other()).Replace(body)))
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *site) Other() string { return strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }

func (s *site) Hits() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.hits...)
}

// page opens a session on the shared browser and loads the URL.
func page(t *testing.T, url string, origins ...string) (bus.Session, *browser.Tab) {
	t.Helper()
	p := pool(t)
	s, tab := blank(t, p, origins...)
	if err := tab.Navigate(within(t, 10*time.Second), url); err != nil {
		t.Fatalf("navigating: %v", err)
	}
	if err := tab.Settle(within(t, 10*time.Second), 50*time.Millisecond, 5*time.Second); err != nil {
		t.Fatalf("settling: %v", err)
	}
	return s, tab
}

func blank(t *testing.T, p *browser.Pool, origins ...string) (bus.Session, *browser.Tab) {
	t.Helper()
	ctx := within(t, 30*time.Second)
	s, err := p.OpenSession(ctx, strings.ReplaceAll(t.Name(), "/", "-"), origins)
	if err != nil {
		t.Fatalf("opening a session: %v", err)
	}
	t.Cleanup(func() {
		if err := p.CloseSession(within(t, 10*time.Second), s); err != nil {
			t.Errorf("closing the session: %v", err)
		}
	})
	tab, err := p.Tab(ctx, s)
	if err != nil {
		t.Fatalf("tab: %v", err)
	}
	return s, tab
}

func frames(t *testing.T, tab *browser.Tab) []*browser.Frame {
	t.Helper()
	all, err := tab.Frames(within(t, 5*time.Second))
	if err != nil {
		t.Fatalf("frames: %v", err)
	}
	return all
}

func eval[T any](t *testing.T, f *browser.Frame, fn string, args ...any) T {
	t.Helper()
	var out T
	if err := f.Call(within(t, 5*time.Second), &out, fn, args...); err != nil {
		t.Fatalf("%s: %v", fn, err)
	}
	return out
}
