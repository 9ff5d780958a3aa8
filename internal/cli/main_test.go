package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/demo"
	"github.com/quartet-agents/quartet/internal/report"
)

// asCommand makes the test binary the quartet command itself, for tests that
// need it as a process of its own.
const asCommand = "QUARTET_CLI_TEST_COMMAND"

// TestMain gives all tests one folder for temporary files, in which nothing may
// be left at the end, nor a process that uses it.
func TestMain(m *testing.M) {
	if browser.GuardMain(os.Args[1:]) {
		return
	}
	if os.Getenv(asCommand) != "" {
		os.Exit(Main(os.Args[1:]))
	}
	temp, err := os.MkdirTemp("", "cli-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("TMPDIR", temp)
	code := m.Run()
	if err := gone(temp, 5*time.Second); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "after all tests:", err)
		code = 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "goroutines left:", err)
		code = 1
	}
	os.RemoveAll(temp)
	os.Exit(code)
}

// A place is a folder with its own runs, for one or more commands.
type place struct {
	dir     string
	environ []string
}

// newPlace makes one; environ is added to what every command gets.
func newPlace(t testing.TB, environ ...string) *place {
	t.Helper()
	dir := t.TempDir()
	return &place{dir: dir, environ: append([]string{"QUARTET_RUNS=" + filepath.Join(dir, "runs"), "PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, environ...)}
}

// done is what came of a command.
type done struct {
	code     int
	out, err string
	took     time.Duration
}

func (d done) String() string {
	return fmt.Sprintf("exit %d after %v\n--- out\n%s--- err\n%s", d.code, d.took.Round(time.Millisecond), d.out, d.err)
}

// run runs a command in this process.
func (p *place) run(t testing.TB, args ...string) done {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var out, errOut bytes.Buffer
	began := time.Now()
	code := Run(ctx, args, &out, &errOut, p.environ)
	return done{code, out.String(), errOut.String(), time.Since(began)}
}

// runs are the folders of the runs that there are.
func (p *place) runs(t testing.TB) []string {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(p.dir, "runs", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// only is the folder of the one run that there is.
func (p *place) only(t testing.TB) string {
	t.Helper()
	dirs := p.runs(t)
	if len(dirs) != 1 {
		t.Fatalf("want one run, got %q", dirs)
	}
	return dirs[0]
}

// state folds the events of the one run that there is.
func (p *place) state(t testing.TB) *bus.RunState {
	t.Helper()
	s, err := report.Load(p.only(t))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// file writes a file into the place and returns its path.
func (p *place) file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// example is the path of an example workflow.
func example(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "examples", "workflows", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// serveDemo is a demo in this process, and the flags that point a workflow at it.
func serveDemo(t testing.TB, o demo.Options) (*demo.Server, []string) {
	t.Helper()
	o.Addr, o.PayAddr = "127.0.0.1:0", "127.0.0.1:0"
	d, err := demo.Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, []string{"--var", "demo=" + d.URL(), "--var", "pay=" + d.PayURL()}
}

// kinds are the kinds of a ledger's entries, in order.
func kinds(entries []demo.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Kind)
	}
	return out
}

func tally(entries []demo.Entry, kind string) int {
	n := 0
	for _, e := range entries {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// find is the data of the one entry of a kind.
func find(t testing.TB, entries []demo.Entry, kind string) map[string]any {
	t.Helper()
	if n := tally(entries, kind); n != 1 {
		t.Fatalf("the ledger has %s %d times: %q", kind, n, kinds(entries))
	}
	for _, e := range entries {
		if e.Kind == kind {
			return e.Data
		}
	}
	return nil
}

// fetchLedger reads the ledger of a demo in another process.
func fetchLedger(t testing.TB, url string) []demo.Entry {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/ledger", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var out []demo.Entry
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A site serves pages and keeps what it was asked for.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	hits []string
}

// serve answers each path with the page of that name; other handlers may be
// mixed in.
func serve(t testing.TB, pages map[string]string, more map[string]http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(s.handler(pages, more))
	t.Cleanup(s.end)
	return s
}

func (s *site) end() {
	s.CloseClientConnections()
	s.Close()
}

func (s *site) handler(pages map[string]string, more map[string]http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.hits = append(s.hits, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		if h, ok := more[r.URL.Path]; ok {
			h(w, r)
			return
		}
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><html lang=en><title>%s</title>%s", strings.Trim(r.URL.Path, "/"), body)
	})
}

// asked is what the site was asked for, favicons aside.
func (s *site) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []string{}
	for _, h := range s.hits {
		if !strings.HasSuffix(h, "/favicon.ico") {
			out = append(out, h)
		}
	}
	return out
}
