package planner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/config"
	"github.com/quartet-agents/quartet/internal/llm"
	"github.com/quartet-agents/quartet/internal/workflow"
	"github.com/quartet-agents/quartet/planner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tester is what the harness needs of testing.T and rapid.T.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

// A rig is a real bus with every agent but the planner played by scripts.
type rig struct {
	server *bus.Server
	bus    *bus.Bus // of the scripted agents and of the tests

	mu    sync.Mutex
	sites map[string]*site // by run
	count int
}

// A site is the page of one run, and the oracle: what really happened to it.
// It knows nothing of the planner.
type site struct {
	t      tester
	rig    *rig
	run    string
	script script

	mu       sync.Mutex
	ledger   []string       // every effect that reached the server, in order
	effects  map[string]int // by attempt: in which browser it came about
	receipts map[string]bus.Receipt
	browser  int      // the number of the one that lives
	url      string   // where it stands
	fields   []string // what was entered on its page
	tab      string   // where it stands
	opened   []bus.OpenRequest
	closed   int
	tries    map[string]int // attempts prepared, by command
	calls    map[bus.Verb]int
	checks   [][]bus.Expect
	judged   []bus.JudgeRequest
	broken   []string // rules of the protocol that a call broke

	planners []*planner.Agent
	buses    []*bus.Bus
	options  planner.Options
}

// A script says how the page behaves; its zero value is a page on which
// everything works.
type script struct {
	// plans are what happens at each attempt of an intent, by the words of the
	// intent's target or value; the last one goes on for ever.
	plans map[string][]plan
	// holds answers a check; nil: everything holds.
	holds func(s *site, e bus.Expect) bool
	// read is what a remember intent reads.
	read string
	// at is called at each point of an attempt, with the point's name.
	at func(s *site, point string, i bus.Intent)
	// begin is called when a cut run's page stands.
	begin func(s *site)
	// fail makes a verb fail, by its error; nil lets it work.
	fail func(s *site, v bus.Verb) error
}

// A plan is what happens at one attempt.
type plan struct {
	refuse  bus.RefusalCode // at prepare
	loses   string          // the actor dies: "before" the input, "after" it, or "answer": its receipt is kept
	nothing bool            // the input is sent and has no effect
	verdict bus.Outcome     // instead of what really happened
	goes    string          // the page goes to this address
	status  int             // of the answer to what is posted
	asks    bool            // the effect comes of asking for an address: nothing is posted
	tab     string          // another tab opens
}

func newRig(t *testing.T) *rig {
	t.Helper()
	srv, err := bus.StartServer(bus.ServerOptions{StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	g := &rig{server: srv, sites: map[string]*site{}}
	g.bus = g.connect(t)
	for _, s := range []*bus.Service{g.actor(), g.observer(), g.verifier(), g.vision()} {
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if err := s.Stop(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
	}
	return g
}

func (g *rig) connect(t tester) *bus.Bus {
	t.Helper()
	b, err := bus.Connect(context.Background(), bus.ConnectOptions{Server: g.server, Logger: slog.New(slog.DiscardHandler), AckWait: 2 * time.Second, MaxDeliver: 100})
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	if c, ok := t.(interface{ Cleanup(func()) }); ok {
		c.Cleanup(func() {
			if err := b.Close(); err != nil {
				t.Errorf("closing the bus: %v", err)
			}
		})
	}
	return b
}

func (g *rig) site(run string) *site {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sites[run]
}

// begin submits a workflow and starts a planner for it.
func (g *rig) begin(t tester, yaml string, sc script, o planner.Options) *site {
	t.Helper()
	if o.Limits == (config.Limits{}) {
		o.Limits = someLimits()
	}
	data := g.submission(t, yaml)
	s := g.prepareSite(t, sc, o)
	if err := g.bus.Submit(context.Background(), bus.Submission{Run: s.run, Name: "test", Workflow: data}); err != nil {
		t.Fatalf("submitting: %v", err)
	}
	s.startPlanner()
	return s
}

// submission is a workflow file as a submission carries it.
func (g *rig) submission(t tester, yaml string) json.RawMessage {
	t.Helper()
	w, err := workflow.Parse("test.yaml", []byte(yaml))
	if err != nil {
		t.Fatalf("the test's workflow: %v\n%s", err, yaml)
	}
	data, err := json.Marshal(w)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return data
}

// prepareSite makes the page of a new run.
func (g *rig) prepareSite(t tester, sc script, o planner.Options) *site {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count++
	s := &site{t: t, rig: g, run: fmt.Sprintf("run%d", g.count), script: sc, options: o,
		effects: map[string]int{}, receipts: map[string]bus.Receipt{}, tries: map[string]int{}, calls: map[bus.Verb]int{}}
	g.sites[s.run] = s
	return s
}

// startPlanner adds a planner with a bus of its own.
func (s *site) startPlanner() {
	b := s.rig.connect(nilCleanup{s.t})
	a, err := planner.New(b, s.options)
	if err == nil {
		err = a.Start(context.Background())
	}
	if err != nil {
		s.t.Fatalf("starting a planner: %v", err)
	}
	s.mu.Lock()
	s.planners, s.buses = append(s.planners, a), append(s.buses, b)
	s.mu.Unlock()
}

// planner starts one that drives many runs, until the test ends.
func (g *rig) planner(t *testing.T) {
	t.Helper()
	a, err := planner.New(g.connect(t), planner.Options{Limits: someLimits(), Runs: 8})
	if err == nil {
		err = a.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// nilCleanup keeps connect from registering a cleanup: the site closes.
type nilCleanup struct{ tester }

// kill stops the planner that has the run, as hard as a process can be stopped
// that shares our memory: its context ends in the middle of a call. When kill
// returns nothing of it runs any more, and another planner is there.
func (s *site) kill() {
	s.mu.Lock()
	old := s.planners[len(s.planners)-1]
	s.mu.Unlock()
	if err := old.Stop(context.Background()); err != nil {
		s.t.Errorf("stopping a planner: %v", err)
	}
	s.startPlanner()
}

// end waits for the terminal event and returns the run's whole journal.
func (s *site) end() *record {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	r := &record{site: s, state: bus.NewRunState(s.run)}
	for e, err := range s.rig.bus.Journal().Watch(ctx, s.run) {
		if err == nil {
			err = r.state.Apply(e)
		}
		if err != nil {
			for _, e := range r.events {
				s.t.Logf("%s %s", e.Kind, e.Data)
			}
			s.t.Fatalf("the journal of %s: %v; ledger %q", s.run, err, s.ledger)
		}
		r.events = append(r.events, e)
	}
	s.mu.Lock()
	planners, buses := s.planners, s.buses
	s.planners, s.buses = nil, nil
	s.mu.Unlock()
	s.wait("the session is closed", func() bool { return s.closed > 0 || len(s.opened) == 0 })
	for _, p := range planners {
		if err := p.Stop(ctx); err != nil {
			s.t.Errorf("%v", err)
		}
	}
	for _, b := range buses {
		if err := b.Close(); err != nil {
			s.t.Errorf("%v", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.broken {
		s.t.Errorf("broken rule: %s", b)
	}
	return r
}

// wait until f, called under the site's lock, is true.
func (s *site) wait(what string, f func() bool) {
	s.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		ok := f()
		s.mu.Unlock()
		if ok {
			return
		}
	}
	s.t.Errorf("it never came that %s", what)
}

// A record is a finished run as the journal tells it.
type record struct {
	site   *site
	events []bus.Event
	state  *bus.RunState
}

func (r *record) kinds() string {
	var out []string
	for _, e := range r.events {
		out = append(out, string(e.Kind))
	}
	return strings.Join(out, " ")
}

// want checks how the run ended and what really happened.
func (r *record) want(status bus.Status, reason string, ledger ...string) {
	t := r.site.t
	t.Helper()
	f := r.state.Finished
	if f.Status != status || !strings.Contains(f.Reason, reason) {
		t.Errorf("the run ended %s: %s; want %s: …%s…", f.Status, f.Reason, status, reason)
	}
	if !slices.Equal(r.site.ledger, ledger) {
		t.Errorf("the ledger is %q, want %q", r.site.ledger, ledger)
	}
	for _, e := range r.events[:len(r.events)-1] {
		if e.Kind == bus.EventFinished {
			t.Errorf("there is a terminal event before the last entry")
		}
	}
	if t.Logf("%s", r.kinds()); r.events[len(r.events)-1].Kind != bus.EventFinished {
		t.Errorf("the last entry is %s", r.events[len(r.events)-1].Kind)
	}
}

// intents lists the intents with the outcome of each attempt.
func (r *record) intents() []string {
	var out []string
	for _, i := range r.state.Intents {
		line := i.Intent.ID
		for _, a := range i.Attempts {
			if a.Verdict != nil {
				line += " " + string(a.Verdict.Outcome)
			} else {
				line += " open"
			}
		}
		if i.Skipped != nil {
			line += " skipped"
		}
		out = append(out, line)
	}
	return out
}

// aModel is a model that answers by a function.
type aModel func(turn int, r llm.Request) llm.Reply

type modelRun struct {
	answer aModel
	turn   int
}

func (m *modelRun) Name() string { return "test/scripted" }

func (m *modelRun) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	m.turn++
	reply := m.answer(m.turn, r)
	for k := range reply.Calls {
		reply.Calls[k].ID = fmt.Sprintf("c%d.%d", m.turn, k)
	}
	return reply, nil
}

func toolCall(name, args string) llm.Reply {
	return llm.Reply{Calls: []llm.Call{{Name: name, Args: json.RawMessage(args)}}, Usage: llm.Usage{Input: 100, Output: 10}}
}

// flow is a workflow's file around its steps.
func flow(steps ...string) string {
	var b strings.Builder
	b.WriteString("name: test\nstart: http://shop.test/\nsteps:\n")
	for _, s := range steps {
		b.WriteString("  - '" + strings.ReplaceAll(s, "'", "''") + "'\n")
	}
	b.WriteString("done_when:\n  - The page shows \"Done\"\n")
	return b.String()
}
