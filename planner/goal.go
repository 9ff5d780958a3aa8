package planner

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/llm"
	"github.com/quartet-agents/quartet/internal/workflow"
	"github.com/quartet-agents/quartet/planner/model"
)

// goal is a Planner that asks a model what to do next. Its conversation lives
// in this process: who takes the run up begins a new one, and tells the model
// what was done before.
type goal struct {
	m   llm.Model
	w   *workflow.Workflow
	p   *model.Planner // nil before the first decision
	fed string         // attempt whose outcome the model was told
}

// newGoal needs a configured model.
func newGoal(m llm.Model, w *workflow.Workflow) (*goal, error) {
	if m == nil {
		return nil, bus.Errorf(bus.GiveUp, "no_model", "the workflow has a goal, which needs a model: set models.planner (QUARTET_MODELS_PLANNER=provider/model), or write steps")
	}
	return &goal{m: m, w: w}, nil
}

// begin opens the conversation.
func (g *goal) begin(state *bus.RunState) {
	o := model.Options{Goal: g.w.Goal, Vars: g.w.Vars, Secrets: g.w.Secrets, Origins: g.w.AllowedOrigins, Fence: rand.Text()[:8]}
	for _, line := range g.w.DoneWhen {
		o.DoneWhen = append(o.DoneWhen, g.w.Expand(line.Text))
	}
	for _, i := range state.Intents {
		if last := i.Last(); last != nil && last.Verdict != nil && i.Intent.ID != startID {
			o.Before = append(o.Before, fmt.Sprintf("%s: %s", i.Intent.Text, last.Verdict.Outcome))
		}
	}
	g.p = model.New(g.m, o)
}

// Next tells the model what came of its last call and takes its decision.
func (g *goal) Next(ctx context.Context, now Situation) (Move, error) {
	if g.p == nil {
		g.begin(now.State)
	}
	var last *model.Result
	if o := now.Last; o != nil && o.Attempt.ID != g.fed {
		g.fed = o.Attempt.ID
		last = &model.Result{Intent: o.Intent, Receipt: o.Receipt, Verdict: o.Verdict}
	}
	var refuted []string
	if now.Refuted != nil {
		refuted = unmet(now.Refuted.Checks)
	}
	d, err := g.p.Next(ctx, model.Turn{Eyes: now.Eyes, Last: last, Refuted: refuted,
		Expand: func(i bus.Intent) (bus.Intent, error) { return expand(i, now.Vars) }})
	m := Move{Usage: d.Usage, GiveUp: d.GiveUp, Ask: d.Ask}
	if err != nil {
		return m, err
	}
	switch {
	case d.Intent != nil:
		m.Intent = d.Intent
	case d.GiveUp == "" && d.Ask == "":
		m.Finish = &Finish{Claim: d.Finish}
	}
	return m, nil
}
