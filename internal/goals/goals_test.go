// Package goals_test runs the quartet command on workflows with a goal, against
// the demo back office and a model server that speaks the providers' own wire
// formats. The model's mind is a function that is given nothing but what a
// model would be sent.
package goals_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/cli"
	"github.com/quartet-agents/quartet/internal/demo"
	"github.com/quartet-agents/quartet/internal/llm/llmtest"
)

// canary is the password of the demo: no request, report or journal may hold it.
const canary = "Canary-5b1e-Kx7"

func TestMain(m *testing.M) {
	if browser.GuardMain(os.Args[1:]) {
		return
	}
	os.Exit(m.Run())
}

var wires = []string{"openai", "anthropic"}

// A goal is one run to be made.
type goal struct {
	wire  string // provider: openai or anthropic
	mind  func(view) llmtest.Answer
	start string // "" is the demo's sign-in page
	done  []string
	more  string // further lines of the workflow
	env   []string
}

// An ended run is what is left of it.
type ended struct {
	code     int
	out, err string
	asked    []llmtest.Asked
	events   []bus.Event
	ledger   []demo.Entry
}

// run makes a run by the command itself and checks what holds for every run:
// requests that only grow, and no secret anywhere.
func run(t *testing.T, g goal) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	shop, err := demo.Start(ctx, demo.Options{Addr: "127.0.0.1:0", PayAddr: "127.0.0.1:0", Password: canary})
	if err != nil {
		t.Fatal(err)
	}
	defer shop.Close()
	s := llmtest.New(func(q llmtest.Asked) llmtest.Answer { return g.mind(newView(q)) })
	defer s.Close()
	dir := t.TempDir()
	if g.start == "" {
		g.start = shop.URL() + "/login"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "name: Goal\nstart: %q\nsecrets: [SHOP_PASSWORD]\n", g.start)
	b.WriteString("goal: Sign in as anna@northgate.example with the password ${secret:SHOP_PASSWORD} and add 3 seats for Fernhill Logistics in Leeds\n")
	b.WriteString("done_when:\n")
	for _, d := range g.done {
		fmt.Fprintf(&b, "  - %q\n", d)
	}
	b.WriteString(g.more)
	file := filepath.Join(dir, "goal.yaml")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	env := append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "QUARTET_RUNS=" + filepath.Join(dir, "runs"), "QUARTET_LOG_LEVEL=error",
		"QUARTET_MODELS_PLANNER=" + g.wire + "/test", "SHOP_PASSWORD=" + canary,
		"OPENAI_BASE_URL=" + s.URL + "/v1", "OPENAI_API_KEY=k", "ANTHROPIC_BASE_URL=" + s.URL + "/v1", "ANTHROPIC_API_KEY=k",
	}, g.env...)
	var out, errOut bytes.Buffer
	e := ended{}
	e.code = cli.Run(ctx, []string{"run", file}, &out, &errOut, env)
	e.out, e.err, e.asked = out.String(), errOut.String(), s.Asked()
	t.Logf("exit %d\n%s%s", e.code, e.out, e.err)
	e.events = events(t, dir)
	e.ledger = ledger(t, shop.URL())
	growing(t, e.asked)
	secret(t, dir, e)
	return e
}

func events(t *testing.T, dir string) []bus.Event {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "runs", "*", "events.jsonl"))
	if err != nil || len(files) == 0 {
		return nil
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var all []bus.Event
	for _, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\n")) {
		var e bus.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("event %s: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

func ledger(t *testing.T, url string) []demo.Entry {
	t.Helper()
	res, err := http.Get(url + "/ledger")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var all []demo.Entry
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// growing holds that a provider's cache can serve everything but the newest
// turn: each request begins with the one before it.
func growing(t *testing.T, asked []llmtest.Asked) {
	t.Helper()
	for i := 1; i < len(asked); i++ {
		a, b := asked[i-1], asked[i]
		if a.System != b.System || fmt.Sprint(a.Tools) != fmt.Sprint(b.Tools) {
			t.Errorf("request %d changes the system prompt or the tools", i+1)
		}
		if len(b.Turns) < len(a.Turns) || fmt.Sprint(b.Turns[:len(a.Turns)]) != fmt.Sprint(a.Turns) {
			t.Errorf("request %d does not extend request %d", i+1, i)
		}
		if !b.MustCall {
			t.Errorf("request %d does not ask for a tool call", i+1)
		}
	}
}

// secret looks for the password in everything that was sent, printed or kept.
func secret(t *testing.T, dir string, e ended) {
	t.Helper()
	for i, q := range e.asked {
		if bytes.Contains(q.Raw, []byte(canary)) {
			t.Errorf("request %d holds the secret", i+1)
		}
	}
	if strings.Contains(e.out+e.err, canary) {
		t.Error("the output holds the secret")
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(canary)) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// of are the ledger's entries of one kind.
func of(all []demo.Entry, kind string) []demo.Entry {
	var out []demo.Entry
	for _, e := range all {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// threeSeats is the oracle: exactly one change of seats, of the right customer.
func threeSeats(t *testing.T, all []demo.Entry) {
	t.Helper()
	got := of(all, demo.KindSeatsAdded)
	if len(got) != 1 || got[0].Data["customer"] != "Fernhill Logistics" || got[0].Data["count"] != float64(3) {
		t.Errorf("ledger: %+v", got)
	}
	if n := len(of(all, demo.KindSignIn)); n != 1 {
		t.Errorf("signed in %d times", n)
	}
}

// finished is the run's terminal event; there is exactly one.
func finished(t *testing.T, e ended) bus.Finished {
	t.Helper()
	var f bus.Finished
	n := 0
	for _, ev := range e.events {
		if ev.Kind == bus.EventFinished {
			n++
			if err := json.Unmarshal(ev.Data, &f); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n != 1 {
		t.Errorf("%d terminal events", n)
	}
	return f
}

// ends checks how a run ended.
func ends(t *testing.T, e ended, code int, status bus.Status, reason string) {
	t.Helper()
	f := finished(t, e)
	if e.code != code || f.Status != status || !strings.Contains(f.Reason, reason) {
		t.Errorf("exit %d, %s because %q; want exit %d, %s, %q", e.code, f.Status, f.Reason, code, status, reason)
	}
	if !strings.Contains(e.out, string(status)+": ") {
		t.Errorf("the output does not say how the run ended")
	}
}
