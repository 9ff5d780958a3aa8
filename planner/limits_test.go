package planner_test

import (
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/config"
	"github.com/quartet-agents/quartet/internal/llm"
	"github.com/quartet-agents/quartet/planner"
)

func someLimits() config.Limits {
	return config.Limits{Steps: 50, Seconds: 60, Tokens: 10000, StepSeconds: 10, SameState: 3}
}

func TestStepsAreLimited(t *testing.T) {
	g := newRig(t)
	steps := flow(`Click "A"`, `Click "B"`)
	s := g.begin(t, steps+"limits:\n  steps: 1\n", script{}, planner.Options{})
	s.end().want(bus.Failed, "the limit of 1 steps is reached", "A")
	// As many steps as there may be are no fault.
	s = g.begin(t, steps+"limits:\n  steps: 2\n", script{}, planner.Options{})
	s.end().want(bus.Succeeded, "", "A", "B")
}

func TestTimeIsLimited(t *testing.T) {
	g := newRig(t)
	hang := func(s *site, point string, i bus.Intent) {
		if point == "during act" && label(i) == "B" {
			time.Sleep(4 * time.Second)
		}
	}
	for step, status := range map[string]bus.Status{`Click "B"`: bus.Failed} {
		began := time.Now()
		s := g.begin(t, flow(`Click "A"`, step)+"limits:\n  seconds: 3\n", script{at: hang}, planner.Options{})
		s.end().want(status, "the limit of 3 seconds is reached", "A", "B")
		if d := time.Since(began); d < 2*time.Second {
			t.Errorf("the run ended after %s", d)
		}
	}
}

const goal = "name: test\nstart: http://shop.test/\ngoal: Pay\ndone_when:\n  - The page shows \"Done\"\n"

func TestTokensAreLimited(t *testing.T) {
	g := newRig(t)
	m := &modelRun{answer: func(int, llm.Request) llm.Reply {
		return toolCall("click", `{"ref":"e2","element":"Save"}`)
	}}
	s := g.begin(t, goal+"limits:\n  tokens: 200\n", script{}, planner.Options{Model: m})
	r := s.end()
	r.want(bus.Failed, "the limit of 200 tokens is reached", "Save", "Save")
	if u := r.state.Usage["planner"]; u.InputTokens != 200 || u.OutputTokens != 20 || u.Calls != 2 {
		t.Errorf("usage %+v", u)
	}
}

func TestRepetitionIsLimited(t *testing.T) {
	g := newRig(t)
	m := &modelRun{answer: func(turn int, _ llm.Request) llm.Reply {
		if turn%2 == 0 {
			return toolCall("look", `{}`)
		}
		return toolCall("click", `{"ref":"e2","element":"Save"}`)
	}}
	nothing := script{plans: map[string][]plan{"Save": {{nothing: true}}}}
	s := g.begin(t, goal, nothing, planner.Options{Model: m})
	r := s.end()
	r.want(bus.Failed, "the same intent had the same outcome 3 times")
	if n := len(r.state.Intents); n != 4 {
		t.Errorf("%d intents, want the start and 3: %s", n, strings.Join(r.intents(), "|"))
	}
}

// An irreversible act that can't be settled is not the model's to decide.
func TestModelDoesNotRepeatWhatIsLost(t *testing.T) {
	g := newRig(t)
	m := &modelRun{answer: func(int, llm.Request) llm.Reply {
		return toolCall("click", `{"ref":"e1","element":"Pay","irreversible":true}`)
	}}
	lost := []plan{{loses: "after", verdict: bus.NoEffect}}
	s := g.begin(t, goal, script{plans: map[string][]plan{"Pay": lost}}, planner.Options{Model: m})
	r := s.end()
	if len(s.ledger) != 1 || r.state.Finished.Status != bus.NeedsPerson {
		t.Errorf("ended %+v with ledger %q", r.state.Finished, s.ledger)
	}
}

func TestGoalNeedsModel(t *testing.T) {
	g := newRig(t)
	s := g.begin(t, goal, script{}, planner.Options{})
	s.end().want(bus.Failed, "the workflow has a goal, which needs a model")
	if len(s.opened) != 0 {
		t.Error("a browser was opened for it")
	}
}
