package planner

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/workflow"
	"github.com/quartet-agents/quartet/planner/model"
)

// goal is a Planner that asks a model what to do next.
type goal struct {
	p   *model.Planner
	fed string // attempt whose outcome the model was told
}

// newGoal needs a configured model.
func (a *Agent) newGoal(w *workflow.Workflow, state *bus.RunState) (Planner, error) {
	if a.o.Model == nil {
		return nil, bus.Errorf(bus.GiveUp, "no_model", "the workflow has a goal, which needs a model: set models.planner (QUARTET_MODELS_PLANNER=provider/model), or write steps")
	}
	o := model.Options{Goal: w.Goal, Vars: w.Vars, Secrets: w.Secrets, Origins: w.AllowedOrigins, Fence: rand.Text()[:8]}
	for _, line := range w.DoneWhen {
		o.DoneWhen = append(o.DoneWhen, w.Expand(line.Text))
	}
	for _, i := range state.Intents {
		if last := i.Last(); last != nil && last.Verdict != nil {
			o.Before = append(o.Before, fmt.Sprintf("%s: %s", i.Intent.Text, last.Verdict.Outcome))
		}
	}
	return &goal{p: model.New(a.o.Model, o)}, nil
}

// Next tells the model what came of its last call and takes its decision.
func (g *goal) Next(ctx context.Context, now Situation) (Move, error) {
	var last *model.Result
	if o := now.Last; o != nil && o.Attempt.ID != g.fed {
		g.fed = o.Attempt.ID
		last = &model.Result{Intent: o.Intent, Receipt: o.Receipt, Verdict: o.Verdict}
		if wrong := o.Verdict.Outcome == bus.WrongTarget && o.Receipt.Sent; wrong && o.Intent.Risk == bus.RiskIrreversible {
			return stopAt(o), nil // a person's matter, not the model's
		}
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
