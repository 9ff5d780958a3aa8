//go:build unix

package topology_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/bus"
)

// An outcome is what a run came to, without what may differ between two runs
// of the same workflow: times, ids, refs, addresses.
type outcome struct {
	Status  bus.Status
	Reason  string
	Exit    int
	Intents []intent
	Ledger  []entry
}

type intent struct {
	Text    string
	Action  bus.Action
	Verdict bus.Outcome // the last
}

type entry struct {
	Kind string         `json:"kind"`
	Data map[string]any `json:"data"`
}

// example is the absolute path of a file of the repository.
func example(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A line is one that quartet run --json prints: of a step, or of the end.
type line struct {
	Step    int         `json:"step"`
	Intent  string      `json:"intent"`
	Text    string      `json:"instruction"`
	Verdict bus.Outcome `json:"verdict"`
	Reasons []string    `json:"reasons"`
	Millis  int64       `json:"millis"`
	Run     string      `json:"run"`
	Status  bus.Status  `json:"status"`
	Reason  string      `json:"reason"`
	Seconds float64     `json:"seconds"`
}

// run runs the workflow to its end; each is told every line as it comes.
func (w *world) run(t *testing.T, env []string, args []string, each func(line)) outcome {
	t.Helper()
	var last line
	var failed []string
	p := w.start(t, "run", &lines{each: func(b []byte) {
		var l line
		if err := json.Unmarshal(b, &l); err != nil {
			failed = append(failed, err.Error()+": "+string(b))
			return
		}
		if last = l; l.Verdict != "" && l.Verdict != bus.Right {
			failed = append(failed, string(b))
		}
		each(l)
	}}, env, w.quartet, args...)
	out := outcome{Exit: p.ended(t, 3*time.Minute), Status: last.Status, Reason: last.Reason}
	for _, f := range failed {
		t.Logf("not right: %s", f)
	}
	if last.Run == "" {
		t.Fatalf("the last line is of no result: %+v", last)
	}
	t.Logf("%s: %s, %.1f s", last.Status, last.Reason, last.Seconds)
	out.Intents = w.intents(t, last.Run)
	out.Ledger = w.ledger(t)
	return out
}

// events reads the run's events as they were written so far.
func (w *world) events(run string) (*bus.RunState, error) {
	f, err := os.Open(filepath.Join(w.runs, run, "events.jsonl"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	state := bus.NewRunState(run)
	in := bufio.NewScanner(f)
	in.Buffer(nil, 4<<20)
	for in.Scan() {
		var e bus.Event
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			break // being written
		}
		if err := state.Apply(e); err != nil {
			return nil, err
		}
	}
	return state, in.Err()
}

func (w *world) intents(t *testing.T, run string) []intent {
	t.Helper()
	var out []intent
	address := strings.NewReplacer(w.demo, "{demo}", w.pay, "{pay}")
	state, err := w.events(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range state.Intents {
		if len(i.Attempts) == 0 {
			continue // skipped
		}
		got := intent{Text: address.Replace(i.Intent.Text), Action: i.Intent.Action}
		if v := i.Last().Verdict; v != nil {
			got.Verdict = v.Outcome
		}
		out = append(out, got)
	}
	return out
}

// ledger is what the demo's server says that really happened.
func (w *world) ledger(t *testing.T) []entry {
	t.Helper()
	res, err := http.Get(w.demo + "/ledger")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var all []entry
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

var single struct {
	once sync.Once
	outcome
}

// alone is the same workflow in a single process, against a demo of its own:
// what the spread run is compared with.
func alone(t *testing.T) outcome {
	t.Helper()
	single.once.Do(func() {
		w := newWorld(t)
		single.outcome = w.run(t, []string{"QUARTET_RUNS=" + w.runs},
			[]string{"run", "--json", "--var", "demo=" + w.demo, "--var", "pay=" + w.pay, example(t, workflow)}, func(line) {})
	})
	if o := single.outcome; o.Status != bus.Succeeded || o.Exit != 0 || len(o.Intents) < 25 || len(o.Ledger) == 0 {
		t.Fatalf("the single process: %s, exit %d, %d intents, %d ledger entries", o.Status, o.Exit, len(o.Intents), len(o.Ledger))
	}
	return single.outcome
}
