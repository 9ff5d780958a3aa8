package observer_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/observer"
	"github.com/quartet-agents/quartet/observer/aria"
	"github.com/quartet-agents/quartet/observer/page"
)

func TestMain(m *testing.M) {
	if browser.GuardMain(os.Args[1:]) {
		return
	}
	os.Exit(m.Run())
}

const home = `<!doctype html><title>Home</title><h1>Home</h1><button id=b>Count (1)</button><ul id=u></ul>
<script>for (let i = 0; i < 60; i++) u.innerHTML += '<li>Entry number ' + i + ' <a href=#>Open ' + i + '</a></li>'</script>`

// A world is a bus, a browser and two observers on one page.
type world struct {
	t    *testing.T
	ctx  context.Context
	bus  *bus.Bus
	pool *browser.Pool
	s    bus.Session
	url  string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	log := slog.New(slog.DiscardHandler)
	srv, err := bus.StartServer(bus.ServerOptions{StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	b, err := bus.Connect(ctx, bus.ConnectOptions{Server: srv, Node: "n1", Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	pool, err := browser.NewPool(browser.WithScript(page.ScriptName, page.Script), browser.WithNode("n1"), browser.WithLogger(log))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := pool.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	for range 2 { // replicas: neither may know more than the bus does
		a, err := observer.New(b, pool, observer.Options{Logger: log, Deadline: 4 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Start(ctx); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Stop(context.Background()) })
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/two" {
			fmt.Fprint(w, "<!doctype html><title>Two</title><h1>Second</h1><button>Only here</button>")
			return
		}
		fmt.Fprint(w, home)
	}))
	t.Cleanup(site.Close)
	s, err := pool.OpenSession(ctx, "run-1", []string{site.URL})
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, ctx: ctx, bus: b, pool: pool, s: s, url: site.URL}
}

func (w *world) open(path string) {
	w.t.Helper()
	tab, err := w.pool.Tab(w.ctx, w.s)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := tab.Navigate(w.ctx, w.url+path); err != nil {
		w.t.Fatal(err)
	}
	if err := tab.Settle(w.ctx, 80*time.Millisecond, 3*time.Second); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) js(fn string) {
	w.t.Helper()
	tab, err := w.pool.Tab(w.ctx, w.s)
	if err != nil {
		w.t.Fatal(err)
	}
	frames, err := tab.Frames(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := frames[0].Call(w.ctx, nil, fn); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) observe(req bus.ObserveRequest) bus.Observation {
	w.t.Helper()
	req.Session = w.s
	out, err := bus.Call[bus.ObserveRequest, bus.Observation](w.ctx, w.bus, bus.VerbObserve, &w.s, req)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestObserve(t *testing.T) {
	w := newWorld(t)
	w.open("/")
	first := w.observe(bus.ObserveRequest{SettleMS: 500})
	if first.Version != 1 || first.Kind != "full" || first.Title != "Home" || first.Stale {
		t.Fatalf("first: %+v", first)
	}
	for _, s := range []string{"Count (1)", "Open 3"} {
		if !strings.Contains(first.Text, s) {
			t.Errorf("%q is not in\n%s", s, first.Text)
		}
	}
	tree, err := bus.GetScene[aria.Tree](w.ctx, w.bus, first.Tree)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Version != 1 || tree.Title != "Home" || tree.Tab != "t1" {
		t.Errorf("the stored tree is @%d %q of %q", tree.Version, tree.Title, tree.Tab)
	}
	// Nothing changed: the same version, whichever replica answers.
	for range 4 {
		if again := w.observe(bus.ObserveRequest{}); again.Version != 1 || again.Tree != first.Tree {
			t.Fatalf("unchanged page is @%d", again.Version)
		}
	}
	w.js("() => { document.getElementById('b').textContent = 'Count (2)' }")
	diff := w.observe(bus.ObserveRequest{Base: 1})
	if diff.Kind != "diff" || diff.Base != 1 || diff.Version != 2 || diff.Tokens > 60 || !strings.Contains(diff.Text, "Count (2)") || strings.Contains(diff.Text, "Open 3") {
		t.Errorf("diff: %+v", diff)
	}
	if d := w.observe(bus.ObserveRequest{Mode: "diff"}); d.Kind != "diff" || d.Base != 1 {
		t.Errorf("a diff without a base: %+v", d)
	}
	if full := w.observe(bus.ObserveRequest{Mode: "full", Base: 1}); full.Kind != "full" || !strings.Contains(full.Text, "Open 3") {
		t.Errorf("full: %+v", full)
	}
	if none := w.observe(bus.ObserveRequest{Format: "none"}); none.Text != "" || none.Tree == "" {
		t.Errorf("none: %+v", none)
	}
	if small := w.observe(bus.ObserveRequest{Mode: "full", Budget: 200}); !small.Truncated || small.Tokens > 200 {
		t.Errorf("a budget of 200 gave %d tokens, truncated %v", small.Tokens, small.Truncated)
	}
	found, err := bus.Call[bus.FindRequest, bus.Observation](w.ctx, w.bus, bus.VerbFind, &w.s, bus.FindRequest{Session: w.s, Query: "Open 41"})
	if err != nil || !strings.Contains(found.Text, "Open 41") || strings.Contains(found.Text, "Open 12") {
		t.Errorf("find: %v %+v", err, found)
	}
	w.open("/two")
	other := w.observe(bus.ObserveRequest{Base: 2})
	if other.Kind != "full" || other.Version != 3 || !strings.Contains(other.Text, "Only here") || len(other.Notes) == 0 {
		t.Errorf("another document: %+v", other)
	}
	if gone := w.observe(bus.ObserveRequest{Base: 77}); gone.Kind != "full" || len(gone.Notes) == 0 {
		t.Errorf("unknown base: %+v", gone)
	}
	if _, err := bus.Call[bus.ObserveRequest, bus.Observation](w.ctx, w.bus, bus.VerbObserve, &w.s, bus.ObserveRequest{Session: w.s, Format: "html"}); err == nil {
		t.Error("an unknown format is accepted")
	}
}

func TestObserveDuringDialog(t *testing.T) {
	w := newWorld(t)
	w.open("/")
	first := w.observe(bus.ObserveRequest{})
	w.js("() => { const s = document.createElement('script'); s.textContent = 'setTimeout(() => alert(\"Mind the gap\"), 0)'; document.head.append(s) }")
	tab, err := w.pool.Tab(w.ctx, w.s)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Second); tab.Dialog() == nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	start := time.Now()
	during := w.observe(bus.ObserveRequest{SettleMS: 1000, Mode: "full"})
	if !during.Stale || during.Dialog == nil || during.Dialog.Message != "Mind the gap" || during.Version != first.Version || !strings.Contains(during.Text, "Count (1)") {
		t.Errorf("during a dialog: %+v", during)
	}
	if time.Since(start) > 4*time.Second {
		t.Errorf("it took %v", time.Since(start))
	}
	if err := tab.AnswerDialog(w.ctx, true, ""); err != nil {
		t.Fatal(err)
	}
	if after := w.observe(bus.ObserveRequest{SettleMS: 500}); after.Stale || after.Dialog != nil {
		t.Errorf("after it: %+v", after)
	}
}

func TestObserveBusyPage(t *testing.T) {
	w := newWorld(t)
	w.open("/")
	first := w.observe(bus.ObserveRequest{})
	w.js("() => { setTimeout(() => { const t = Date.now(); while (Date.now() - t < 7000); }, 0) }")
	time.Sleep(50 * time.Millisecond)
	busy := w.observe(bus.ObserveRequest{Mode: "full"})
	if !busy.Stale || busy.Version != first.Version || !strings.Contains(busy.Text, "Count (1)") || len(busy.Notes) == 0 {
		t.Errorf("a busy page: %+v", busy)
	}
	if busy.Millis > 6000 {
		t.Errorf("it took %d ms, the deadline is 4 s", busy.Millis)
	}
}

// TestLookAgainWaits: who looks again where nothing has changed is given what
// comes a little later.
func TestLookAgainWaits(t *testing.T) {
	w := newWorld(t)
	w.open("/")
	first := w.observe(bus.ObserveRequest{SettleMS: 500})
	tab, err := w.pool.Tab(w.ctx, w.s)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := tab.Frames(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := frames[0].Call(w.ctx, nil, `() => { setTimeout(() => { document.getElementById('b').textContent = 'Came late' }, 300) }`); err != nil {
		t.Fatal(err)
	}
	if now := w.observe(bus.ObserveRequest{Base: first.Version}); strings.Contains(now.Text, "Came late") {
		t.Fatal("it came too soon to prove anything")
	}
	if late := w.observe(bus.ObserveRequest{Base: first.Version, SettleMS: 500, ChangeMS: 5000}); !strings.Contains(late.Text, "Came late") {
		t.Errorf("the look did not wait:\n%s", late.Text)
	}
}
