package page_test

import (
	"context"
	"embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"log/slog"

	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/observer/aria"
	"github.com/quartet-agents/quartet/observer/page"
)

//go:embed testdata
var testdata embed.FS

var (
	poolOnce sync.Once
	pool     *browser.Pool
	poolErr  error
)

func TestMain(m *testing.M) {
	if browser.GuardMain(os.Args[1:]) {
		return
	}
	code := m.Run()
	if pool != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		if err := pool.Close(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		cancel()
	}
	os.Exit(code)
}

// numbers is page.Refs in memory.
type numbers struct {
	mu     sync.Mutex
	next   int
	frames map[string]int
}

func (r *numbers) Reserve(_ context.Context, n int) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	start := r.next + 1
	r.next += n
	return start, nil
}

func (r *numbers) FramePrefix(_ context.Context, doc string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.frames == nil {
		r.frames = map[string]int{}
	}
	if r.frames[doc] == 0 {
		r.frames[doc] = len(r.frames) + 1
	}
	return fmt.Sprintf("f%de", r.frames[doc]), nil
}

// A bench is a tab on a page of testdata, or of its own.
type bench struct {
	t    testing.TB
	ctx  context.Context
	tab  *browser.Tab
	refs *numbers
	cap  *page.Capturer
	site *httptest.Server
	own  map[string]string // pages by path
	hung chan struct{}     // closed at the end
}

// other is the site's address as another site: localhost for 127.0.0.1.
func (b *bench) other() string { return strings.Replace(b.site.URL, "127.0.0.1", "localhost", 1) }

func newBench(t testing.TB, pages map[string]string) *bench {
	t.Helper()
	poolOnce.Do(func() {
		pool, poolErr = browser.NewPool(browser.WithScript(page.ScriptName, page.Script), browser.WithNode("test"))
	})
	if poolErr != nil {
		t.Fatal(poolErr)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(func() { cancel() })
	b := &bench{t: t, ctx: ctx, refs: &numbers{}, cap: page.NewCapturer(slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))), own: pages, hung: make(chan struct{})}
	b.site = httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(func() { close(b.hung); b.site.CloseClientConnections(); b.site.Close() })
	id := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, t.Name())
	s, err := pool.OpenSession(ctx, id, []string{b.site.URL, b.other()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = pool.CloseSession(ctx, s)
	})
	b.tab, err = pool.Tab(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.URL.Path == "/hang" {
		select {
		case <-b.hung:
		case <-r.Context().Done():
		}
		return
	}
	text, ok := b.own[r.URL.Path]
	if !ok {
		data, err := testdata.ReadFile("testdata" + r.URL.Path)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		text = string(data)
	}
	text = strings.ReplaceAll(text, "{{other}}", b.other())
	_, _ = w.Write([]byte(text))
}

// limit gives the bench so much time from now on.
func (b *bench) limit(d time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	b.t.Cleanup(cancel)
	b.ctx = ctx
}

func (b *bench) open(path string) {
	b.t.Helper()
	if err := b.tab.Navigate(b.ctx, b.site.URL+path); err != nil {
		b.t.Fatal(err)
	}
	if err := b.tab.Settle(b.ctx, 80*time.Millisecond, 3*time.Second); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) look() *aria.Tree {
	b.t.Helper()
	return b.capture().Tree
}

func (b *bench) capture() *page.Capture {
	b.t.Helper()
	got, err := b.cap.Capture(b.ctx, b.tab, b.refs, page.Options{Deadline: 15 * time.Second})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := check(got.Tree); err != nil {
		b.t.Fatal(err)
	}
	return got
}

// frame is the frame whose URL ends so; "" is the top frame.
func (b *bench) frame(suffix string) *browser.Frame {
	b.t.Helper()
	frames, err := b.tab.Frames(b.ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, f := range frames {
		if suffix == "" || strings.HasSuffix(f.URL, suffix) {
			return f
		}
	}
	b.t.Fatalf("no frame %q", suffix)
	return nil
}

// js runs in the top frame's isolated world: it sees the page's DOM as we do,
// and is the oracle for what is there.
func (b *bench) js(out any, fn string, args ...any) {
	b.t.Helper()
	if err := b.frame("").Call(b.ctx, out, fn, args...); err != nil {
		b.t.Fatal(err)
	}
}

// k is the data-k attribute of the element that the ref stands for, in the
// frame whose URL ends in suffix; "none" when there is no such element.
func (b *bench) k(suffix, ref string) string {
	b.t.Helper()
	var k *string
	if err := b.frame(suffix).Call(b.ctx, &k, "(ref) => { const e = __quartet.el(ref); return e ? e.getAttribute('data-k') : 'none' }", ref); err != nil {
		b.t.Fatal(err)
	}
	if k == nil {
		return ""
	}
	return *k
}

func (b *bench) status(ref string) string {
	b.t.Helper()
	var s struct{ Status string }
	b.js(&s, "(ref) => __quartet.status(ref)", ref)
	return s.Status
}

// find returns the only node with the role and name.
func find(t testing.TB, tree *aria.Tree, role, name string) *aria.Node {
	t.Helper()
	all := findAll(tree.Root, role, name)
	if len(all) != 1 {
		t.Fatalf("%d nodes %s %q, want one, in\n%s", len(all), role, name, aria.Render(tree, aria.Playwright, aria.RenderOptions{}).Text)
	}
	return all[0]
}

func findAll(n *aria.Node, role, name string) []*aria.Node {
	var out []*aria.Node
	if (role == "*" || n.Role == role) && (n.Name == name || n.Role == "text" && n.Text == name) {
		out = append(out, n)
	}
	for _, c := range n.Children {
		out = append(out, findAll(c, role, name)...)
	}
	return out
}

// check holds for every tree: refs are unique and well formed.
func check(t *aria.Tree) error {
	seen := map[string]bool{}
	var bad error
	var walk func(n *aria.Node)
	walk = func(n *aria.Node) {
		if n.Ref != "" && seen[n.Ref] {
			bad = fmt.Errorf("ref %s twice", n.Ref)
		}
		if strings.ContainsAny(n.Ref+n.CoveredBy+n.Controls, "\x00") || n.Ref != "" && n.Box == nil {
			bad = fmt.Errorf("ref %q of %s %q: not handed out, or no box", n.Ref, n.Role, n.Name)
		}
		seen[n.Ref] = true
		for _, c := range n.Children {
			walk(c)
		}
	}
	walk(t.Root)
	return bad
}
