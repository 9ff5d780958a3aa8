//go:build unix

// Package topology_test proves the topology of docker-compose.yml without
// Docker: every container is a process here, started with the command, the
// environment and the configuration that the compose file gives it.
package topology_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quartet-agents/quartet/bus"
)

// spreadRun runs a workflow as "docker compose run quartet run FILE" does.
func (w *world) spreadRun(t *testing.T, file string, each func(line)) outcome {
	t.Helper()
	return w.run(t, w.env(t, w.compose.service(t, "quartet")), []string{"run", "--json", example(t, file)}, each)
}

// same fails unless a run came to the same as in the single process.
func same(t *testing.T, want, got outcome) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not as in the single process (-want +got):\n%s", diff)
	}
}

// TestSeparateProcesses: the agents, two replicas of each, in processes of
// their own come to the same intents, verdicts and ledger as in one process.
func TestSeparateProcesses(t *testing.T) {
	want := alone(t)
	w := newWorld(t)
	w.spread(t)
	same(t, want, w.spreadRun(t, workflow, func(line) {}))
	w.healthy(t)

	// Only the actors could have the secret, and these have none.
	before := w.ledger(t)
	got := w.spreadRun(t, "examples/workflows/invite-member.yaml", func(line) {})
	if got.Status != bus.Failed || got.Exit != 1 || !strings.Contains(got.Reason, "DEMO_PASSWORD") || !strings.Contains(got.Reason, "secrets.env") {
		t.Errorf("without its secret: %+v", got)
	}
	if diff := cmp.Diff(before, got.Ledger); diff != "" || len(got.Intents) > 0 {
		t.Errorf("without its secret the run touched the page: %+v\n%s", got.Intents, diff)
	}
}

// healthy asks what docker compose asks of each container.
func (w *world) healthy(t *testing.T) {
	t.Helper()
	for name, s := range w.compose.Services {
		test := s.Healthcheck.Test
		if len(test) < 2 || test[1] != "quartet" {
			continue
		}
		var args []string
		for _, a := range test[2:] {
			args = append(args, strings.Replace(a, "http://127.0.0.1:8080", w.demo, 1))
		}
		p := w.start(t, "health-"+name, nil, w.env(t, s), w.quartet, args...)
		if code := p.ended(t, 30*time.Second); code != 0 {
			t.Errorf("the health check of %s ends with %d: %s", name, code, p.err)
		}
	}
}

// victims says after which judged step a replica of which agent is killed. What
// follows keeps the next move busy there: the look at the chart, a field to
// fill, the payment form.
var victims = map[int]string{4: "vision", 12: "actor", 20: "observer", 28: "planner", 34: "verifier"}

// TestKilledReplicas: the death of any one replica changes nothing but time.
// One of each agent is killed, one after the other, as the run goes on; of the
// planners it is the one that owns the run.
func TestKilledReplicas(t *testing.T) {
	want := alone(t)
	w := newWorld(t)
	agent := w.spread(t)
	killed := map[string]bool{}
	got := w.spreadRun(t, workflow, func(l line) {
		name := victims[l.Step]
		if name == "" || killed[name] {
			return
		}
		killed[name] = true
		victim := agent[name][0]
		if name == "planner" {
			victim = w.owner(t, agent[name])
		}
		t.Logf("step %d is judged: killing %s", l.Step, victim.name)
		victim.kill()
	})
	if len(killed) != len(agents) {
		t.Errorf("killed only %v", killed)
	}
	same(t, want, got)
	if state, err := w.onlyRun(); err != nil || state.Epoch < 2 {
		t.Errorf("no other planner took the run over: %+v, %v", state, err)
	}
}

// onlyRun is the state of the run that there is.
func (w *world) onlyRun() (*bus.RunState, error) {
	found, err := filepath.Glob(filepath.Join(w.runs, "*", "events.jsonl"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("runs: %v, %w", found, err)
	}
	return w.events(filepath.Base(filepath.Dir(found[0])))
}

// owner is the planner that owns the run, by the newest entry that says so.
func (w *world) owner(t *testing.T, planners []*process) *process {
	t.Helper()
	state, err := w.onlyRun()
	if err != nil {
		t.Error(err)
		return planners[0]
	}
	for _, p := range planners {
		if strings.HasSuffix(state.Owner, fmt.Sprintf("-%d", p.pid)) {
			return p
		}
	}
	t.Errorf("no planner here owns the run: %q", state.Owner)
	return planners[0]
}
