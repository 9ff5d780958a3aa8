package trials

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/actor"
	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/config"
	"github.com/quartet-agents/quartet/internal/workflow"
	"github.com/quartet-agents/quartet/observer"
	"github.com/quartet-agents/quartet/observer/page"
	"github.com/quartet-agents/quartet/planner"
	"github.com/quartet-agents/quartet/verifier"
)

//go:embed testdata
var pages embed.FS

// A site serves the pages, each under as many addresses as there are trials
// (/crm/7), and keeps what they log. It is the oracle.
type site struct {
	*httptest.Server
	mu  sync.Mutex
	log map[string][]string // by path
}

func newSite(t *testing.T) *site {
	s := &site{log: map[string][]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /log/", func(w http.ResponseWriter, r *http.Request) {
		line, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		path := strings.TrimPrefix(r.URL.Path, "/log")
		s.log[path] = append(s.log[path], string(line))
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		name := strings.Split(strings.Trim(r.URL.Path, "/"), "/")[0]
		if !strings.HasSuffix(name, ".js") {
			name += ".html"
		}
		data, err := pages.ReadFile("testdata/" + name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", map[bool]string{true: "text/javascript", false: "text/html; charset=utf-8"}[strings.HasSuffix(name, ".js")])
		w.Write(data)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// what happened on a page, in order: of the inputs into one field in a row only
// the last one.
func (s *site) what(path string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, line := range s.log[path] {
		field, _, _ := strings.Cut(line, "=")
		if n := len(out) - 1; n >= 0 && strings.HasPrefix(line, "input ") && strings.HasPrefix(out[n], field+"=") {
			out = out[:n]
		}
		out = append(out, line)
	}
	return out
}

// A stack is every agent in this process.
type stack struct {
	bus *bus.Bus
	t   *testing.T
}

func newStack(t *testing.T, runs int) *stack {
	t.Helper()
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	log := slog.New(slog.DiscardHandler)
	server, err := bus.StartServer(bus.ServerOptions{StoreDir: t.TempDir()})
	must(err)
	t.Cleanup(server.Close)
	b, err := bus.Connect(ctx, bus.ConnectOptions{Server: server, Name: "trials", Node: "trials", Logger: log})
	must(err)
	t.Cleanup(func() { must(b.Close()) })
	pool, err := browser.NewPool(browser.WithNode("trials"), browser.WithLogger(log), browser.WithHeadless(true),
		browser.WithScript("observer", page.Script), browser.WithScript("actor", actor.Script()))
	must(err)
	must(pool.Start(ctx))
	t.Cleanup(func() { must(pool.Close(context.Background())) })
	secrets := func(name string) (string, bool) { return "s3cret", name == "PW" }
	o, err := observer.New(b, pool, observer.Options{Logger: log})
	must(err)
	a, err := actor.New(b, pool, actor.Options{Secrets: secrets, FilesRoot: t.TempDir(), Look: "never", Logger: log})
	must(err)
	v, err := verifier.New(b, verifier.Options{Logger: log})
	must(err)
	c, err := config.Load("", nil)
	must(err)
	p, err := planner.New(b, planner.Options{Limits: c.Limits, Runs: runs, Logger: log})
	must(err)
	for _, s := range []interface {
		Start(context.Context) error
		Stop(context.Context) error
	}{o, a, v, p} {
		must(s.Start(ctx))
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			must(s.Stop(ctx))
		})
	}
	return &stack{b, t}
}

// An outcome is what the journal says about one step.
type outcome struct {
	status   bus.Status // of the run, when it ended with this step; else succeeded
	reason   string
	targets  []string
	refusals []bus.Refusal
}

// run carries out steps in one session, each on a page of its own, and returns
// what came of those that were begun: the last of them ended the run.
func (s *stack) run(id string, starts, steps []string) ([]outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var yaml strings.Builder
	fmt.Fprintf(&yaml, "name: trial\nstart: %s\nsecrets: [PW]\nlimits: {seconds: 280}\ndone_when:\n  - The URL contains \"/\"\nsteps:\n", starts[0])
	for i, step := range steps { // a run opens its start by itself
		lines := []string{"Open " + starts[i], step}
		if i == 0 {
			lines = lines[1:]
		}
		for _, line := range lines {
			quoted, _ := json.Marshal(line)
			fmt.Fprintf(&yaml, "  - %s\n", quoted)
		}
	}
	w, err := workflow.Parse(id+".yaml", []byte(yaml.String()))
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	if err := s.bus.Submit(ctx, bus.Submission{Run: id, Name: w.Name, Workflow: raw}); err != nil {
		return nil, err
	}
	out := []outcome{{status: bus.Succeeded}}
	for e, err := range s.bus.Journal().Watch(ctx, id) {
		if err != nil {
			return out, err
		}
		var d struct {
			Step    int          `json:"step"`
			Target  *bus.Element `json:"target"`
			Refusal *bus.Refusal `json:"refusal"`
			Status  bus.Status   `json:"status"`
			Reason  string       `json:"reason"`
		}
		if e.Kind == "intent" || e.Kind == "attempt" || e.Kind == "receipt" || e.Kind == "finished" {
			if err := json.Unmarshal(e.Data, &d); err != nil {
				return out, err
			}
		}
		if d.Step > 0 {
			for len(out) < d.Step/2+1 {
				out = append(out, outcome{status: bus.Succeeded})
			}
		}
		last := &out[len(out)-1]
		if d.Target != nil && e.Kind == "attempt" {
			last.targets = append(last.targets, d.Target.Role+" "+d.Target.Name)
		}
		if d.Refusal != nil {
			last.refusals = append(last.refusals, *d.Refusal)
		}
		if e.Kind == "finished" {
			last.status, last.reason = d.Status, d.Reason
		}
	}
	return out, ctx.Err()
}

func TestMain(m *testing.M) {
	if browser.GuardMain(os.Args[1:]) {
		return
	}
	os.Exit(m.Run())
}
