package actor_test

import (
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

	"github.com/quartet-agents/quartet/actor"
	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/secret"
	"github.com/quartet-agents/quartet/observer"
	"github.com/quartet-agents/quartet/observer/page"
)

// One browser, one bus and one of each agent serve all tests; every test has a
// run, a session and a server of its own.
var world struct {
	once sync.Once
	err  error
	pool *browser.Pool
	bus  *bus.Bus
	stop []func()
	n    int
	mu   sync.Mutex
	root string
}

func TestMain(m *testing.M) {
	if browser.GuardMain(os.Args[1:]) {
		return
	}
	code := m.Run()
	for i := len(world.stop) - 1; i >= 0; i-- {
		world.stop[i]()
	}
	os.Exit(code)
}

const testSecret = "sesame-9317"

func start() error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "quartet-actor-test")
	if err != nil {
		return err
	}
	world.stop = append(world.stop, func() { os.RemoveAll(dir) })
	world.root = filepath.Join(dir, "files")
	if err := os.Mkdir(world.root, 0o700); err != nil {
		return err
	}
	srv, err := bus.StartServer(bus.ServerOptions{StoreDir: filepath.Join(dir, "store")})
	if err != nil {
		return err
	}
	world.stop = append(world.stop, srv.Close)
	if world.bus, err = bus.Connect(ctx, bus.ConnectOptions{Server: srv, Name: "test", Node: "test"}); err != nil {
		return err
	}
	world.stop = append(world.stop, func() { world.bus.Close() })
	world.pool, err = browser.NewPool(
		browser.WithScript(page.ScriptName, page.Script), browser.WithScript("actor", actor.Script()),
		browser.WithNode("test"), browser.WithHeadless(true))
	if err != nil {
		return err
	}
	world.stop = append(world.stop, func() {
		cctx, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		world.pool.Close(cctx)
	})
	o, err := observer.New(world.bus, world.pool, observer.Options{})
	if err != nil {
		return err
	}
	if err := o.Start(ctx); err != nil {
		return err
	}
	world.stop = append(world.stop, func() {
		cctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		o.Stop(cctx)
	})
	a, err := actor.New(world.bus, world.pool, actor.Options{
		Secrets: secret.Map(map[string]string{"SHOP_PASSWORD": testSecret}), FilesRoot: world.root,
	})
	if err != nil {
		return err
	}
	world.stop = append(world.stop, func() {
		cctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		a.Stop(cctx)
	})
	return a.Start(ctx)
}

// A bench is one run on one page.
type bench struct {
	t    *testing.T
	ctx  context.Context
	run  string
	sess bus.Session
	site *httptest.Server
	seq  uint64
	n    int
	mux  *http.ServeMux
}

// serve opens a page with the body, and a second site ("other") for frames.
func serve(t *testing.T, body string) *bench {
	t.Helper()
	world.once.Do(func() { world.err = start() })
	if world.err != nil {
		t.Fatal(world.err)
	}
	world.mu.Lock()
	world.n++
	run := fmt.Sprintf("run%d", world.n)
	world.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	b := &bench{t: t, ctx: ctx, run: run, mux: http.NewServeMux()}
	b.mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Fixture</title><body>"+strings.ReplaceAll(body, "OTHER", strings.Replace(b.site.URL, "127.0.0.1", "localhost", 1)))
	})
	b.site = httptest.NewServer(b.mux)
	t.Cleanup(b.site.Close)
	other := strings.Replace(b.site.URL, "127.0.0.1", "localhost", 1)
	var err error
	b.sess, err = bus.Call[bus.OpenRequest, bus.Session](ctx, world.bus, bus.VerbOpen, nil, bus.OpenRequest{Session: run, AllowedOrigins: []string{b.site.URL, other}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		bus.Call[bus.CloseRequest, bus.Raw](cctx, world.bus, bus.VerbClose, &b.sess, bus.CloseRequest{Session: b.sess})
	})
	b.append(bus.EventSubmitted, bus.Submission{Run: run, Workflow: json.RawMessage(`{}`)})
	b.append(bus.EventOwned, bus.Owned{Owner: "test", Epoch: 1})
	if r := b.do(bus.Intent{Action: bus.ActionOpen, Value: b.site.URL + "/"}); r.Refusal != nil {
		t.Fatalf("open: %+v", r.Refusal)
	}
	return b
}

func (b *bench) append(kind bus.EventKind, data any) {
	b.t.Helper()
	seq, err := world.bus.Journal().Append(b.ctx, b.run, b.seq, kind, data)
	if err != nil {
		b.t.Fatalf("journal %s: %v", kind, err)
	}
	b.seq = seq
}

// prepare journals the intent and prepares it.
func (b *bench) prepare(in bus.Intent) (bus.Intent, bus.Prepared) {
	b.t.Helper()
	b.n++
	in.ID = fmt.Sprintf("i%d", b.n)
	if in.Risk == "" {
		in.Risk = bus.RiskReversible
	}
	b.append(bus.EventIntent, in)
	p, err := bus.Call[bus.PrepareRequest, bus.Prepared](b.ctx, world.bus, bus.VerbPrepare, &b.sess, bus.PrepareRequest{Run: b.run, Session: b.sess, Intent: in})
	if err != nil {
		b.t.Fatalf("prepare %s: %v", in.Action, err)
	}
	return in, p
}

// attempt journals an attempt and gives the request to act on it.
func (b *bench) attempt(in bus.Intent, p bus.Prepared) bus.ActRequest {
	b.t.Helper()
	at := bus.Attempt{ID: in.ID + ".1", Intent: in.ID, Target: p.Target, To: p.To, Before: p.Before, Risk: in.Risk}
	b.append(bus.EventAttempt, at)
	return bus.ActRequest{Run: b.run, Session: b.sess, Intent: in, Attempt: at, Seq: b.seq}
}

func (b *bench) act(req bus.ActRequest) bus.Receipt {
	b.t.Helper()
	r, err := bus.Call[bus.ActRequest, bus.Receipt](b.ctx, world.bus, bus.VerbAct, &b.sess, req)
	if err != nil {
		b.t.Fatalf("act %s: %v", req.Intent.Action, err)
	}
	return r
}

// settle journals the receipt and a verdict, so that the next intent may come.
func (b *bench) settle(r bus.Receipt) {
	b.t.Helper()
	b.append(bus.EventReceipt, r)
	b.append(bus.EventVerdict, bus.Verdict{Attempt: r.Attempt, Outcome: bus.Unsure, Reasons: []string{"test"}})
	if len(r.Tabs) > 0 {
		b.sess.Tabs, b.sess.Tab = r.Tabs, r.Tab
	}
}

// do takes an intent all the way; a refusal in prepare comes as a receipt.
func (b *bench) do(in bus.Intent) bus.Receipt {
	b.t.Helper()
	in, p := b.prepare(in)
	req := b.attempt(in, p)
	r := bus.Receipt{Attempt: req.Attempt.ID, Refusal: p.Refusal}
	if p.Refusal == nil {
		r = b.act(req)
	}
	r.Escalations = append(p.Escalations, r.Escalations...)
	b.settle(r)
	return r
}

// js reads the page's own state: the oracle.
func js[T any](b *bench, expr string) T {
	b.t.Helper()
	var out T
	tab, err := world.pool.Tab(b.ctx, b.sess)
	if err != nil {
		b.t.Fatal(err)
	}
	// The page's own world, not ours.
	var res struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		ExceptionDetails json.RawMessage `json:"exceptionDetails"`
	}
	var raw json.RawMessage
	if err := tab.Session().Call(b.ctx, "Runtime.evaluate", map[string]any{"expression": expr, "returnByValue": true, "awaitPromise": true}, &raw); err != nil {
		b.t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &res); err != nil || res.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expr, raw)
	}
	if len(res.Result.Value) > 0 {
		if err := json.Unmarshal(res.Result.Value, &out); err != nil {
			b.t.Fatalf("%s: %v", expr, err)
		}
	}
	return out
}

// want fails unless the receipt is one of an attempt that was carried out on
// the target itself.
func (b *bench) want(r bus.Receipt) {
	b.t.Helper()
	if r.Refusal != nil {
		b.t.Fatalf("refused: %+v", *r.Refusal)
	}
	if r.Hit != nil && (!r.Hit.Seen || !r.Hit.Inside) {
		b.t.Errorf("hit %+v", *r.Hit)
	}
	if r.Matches != nil && !*r.Matches {
		b.t.Errorf("read back %q, which does not match", r.ValueAfter)
	}
}

func (b *bench) refused(r bus.Receipt, code bus.RefusalCode, says ...string) {
	b.t.Helper()
	if r.Refusal == nil || r.Refusal.Code != code {
		b.t.Fatalf("refusal %+v, want %s", r.Refusal, code)
	}
	for _, s := range says {
		if !strings.Contains(r.Refusal.Message, s) {
			b.t.Errorf("the refusal %q does not say %q", r.Refusal.Message, s)
		}
	}
}

func named(name string) *bus.Target { return &bus.Target{Words: name, Name: name} }
func role(role, name string) *bus.Target {
	return &bus.Target{Words: role + " " + name, Role: role, Name: name}
}
func click(t *bus.Target) bus.Intent { return bus.Intent{Action: bus.ActionClick, Target: t} }
func fill(t *bus.Target, v string) bus.Intent {
	return bus.Intent{Action: bus.ActionFill, Target: t, Value: v}
}
func choose(t *bus.Target, o ...string) bus.Intent {
	return bus.Intent{Action: bus.ActionSelect, Target: t, Values: o}
}
