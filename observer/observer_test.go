package observer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
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
		if r.URL.Path == "/alert" {
			fmt.Fprint(w, "<!doctype html><title>Alert</title><script>alert('Mind')</script><h1>Read now</h1>")
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

var expandMarker = regexp.MustCompile(`, expand ((?:f\d+)?e\d+|page)(?: from (\d+))?$`)

// TestEveryMarkerCanBeAsked: whatever a snapshot's markers name is answered, and
// what was folded is there.
func TestEveryMarkerCanBeAsked(t *testing.T) {
	w := newWorld(t)
	w.open("/")
	for _, budget := range []int{60, 150, 400} {
		seen := ""
		asked := map[string]bool{}
		queue := []bus.ObserveRequest{{Mode: "full", Budget: budget}}
		for len(queue) > 0 {
			out := w.observe(queue[0])
			queue = queue[1:]
			seen += out.Text
			for _, line := range strings.Split(out.Text, "\n") {
				m := expandMarker.FindStringSubmatch(line)
				if m == nil || asked[m[0]] {
					continue
				}
				asked[m[0]] = true
				from, _ := strconv.Atoi(m[2])
				queue = append(queue, bus.ObserveRequest{Mode: "full", Budget: budget, Ref: m[1], From: from})
			}
		}
		if len(asked) == 0 || !strings.Contains(seen, "Open 3") || !strings.Contains(seen, "Open 59") {
			t.Errorf("budget %d: asked for %v, seen:\n%s", budget, asked, seen)
		}
	}
	found, err := bus.Call[bus.FindRequest, bus.Observation](w.ctx, w.bus, bus.VerbFind, &w.s, bus.FindRequest{Session: w.s, Query: "Open 41", Ref: "page"})
	if err != nil || !strings.Contains(found.Text, "Open 41") {
		t.Errorf("find in the page: %v %+v", err, found)
	}
}

// TestTooSmallABudget: the answer is then an error with what the least is.
func TestTooSmallABudget(t *testing.T) {
	w := newWorld(t)
	w.open("/")
	for _, req := range []bus.ObserveRequest{{Budget: 1}, {Budget: 50, Format: "json"}, {Budget: 3, Format: "playwright"}, {Budget: 5, Ref: "page", From: 2}} {
		req.Session, req.Mode = w.s, "full"
		_, err := bus.Call[bus.ObserveRequest, bus.Observation](w.ctx, w.bus, bus.VerbObserve, &w.s, req)
		if err == nil {
			t.Errorf("%+v: no error", req)
			continue
		}
		m := regexp.MustCompile(`shortest answer takes (\d+)`).FindStringSubmatch(err.Error())
		if m == nil {
			t.Errorf("%+v: %v", req, err)
			continue
		}
		req.Budget, _ = strconv.Atoi(m[1])
		if out := w.observe(req); out.Text == "" || out.Tokens > req.Budget {
			t.Errorf("%+v: %+v", req, out)
		}
	}
}

// TestJSONIsWhole: a program that asks for JSON reads JSON, also at its second look.
func TestJSONIsWhole(t *testing.T) {
	w := newWorld(t)
	w.open("/")
	first := w.observe(bus.ObserveRequest{})
	w.js("() => { document.getElementById('b').textContent = 'Count (2)' }")
	var tree aria.Tree
	if out := w.observe(bus.ObserveRequest{Base: first.Version, Format: "json", Budget: aria.Unlimited}); json.Unmarshal([]byte(out.Text), &tree) != nil || out.Kind != "full" {
		t.Errorf("%s: %.200s", out.Kind, out.Text)
	}
	_, err := bus.Call[bus.ObserveRequest, bus.Observation](w.ctx, w.bus, bus.VerbObserve, &w.s, bus.ObserveRequest{Session: w.s, Mode: "diff", Format: "json"})
	if err == nil || !strings.Contains(err.Error(), "no json form") {
		t.Errorf("a diff as json: %v", err)
	}
}

// TestUnreadDocumentHasItsVersion: a document that does not answer is another than
// the one before, and so is its version.
func TestUnreadDocumentHasItsVersion(t *testing.T) {
	w := newWorld(t)
	w.open("/")
	first := w.observe(bus.ObserveRequest{})
	tab, err := w.pool.Tab(w.ctx, w.s)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = tab.Navigate(w.ctx, w.url+"/alert") }()
	for end := time.Now().Add(5 * time.Second); tab.Dialog() == nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	var unread bus.Observation
	for range 2 {
		unread = w.observe(bus.ObserveRequest{Base: first.Version})
		if !unread.Stale || unread.Version != first.Version+1 || !strings.Contains(strings.Join(unread.Notes, " "), "not seen before") {
			t.Errorf("an unread document after @%d: %+v", first.Version, unread)
		}
	}
	if err := tab.AnswerDialog(w.ctx, true, ""); err != nil {
		t.Fatal(err)
	}
	if after := w.observe(bus.ObserveRequest{Base: unread.Version, SettleMS: 500}); after.Version <= unread.Version || after.Kind != "full" || !strings.Contains(after.Text, "Read now") {
		t.Errorf("after it: %+v", after)
	}
}
