// Package planner is the agent that owns a run. It takes a submitted run from
// the work queue, asks a Planner what comes next, and carries each intent
// through the same gate: prepare, attempt, act, receipt, verdict (DESIGN 2.1).
// It alone writes the run's journal, and it never touches the page.
package planner

import (
	"context"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/workflow"
)

// A Planner decides what a run does next. Both kinds, the playbook's rules and
// a model, have this contract. A Planner serves one run, from one goroutine.
type Planner interface {
	// Next returns the next move. An error ends the run as failed, unless it
	// is a *bus.Error whose decision is Ask, which ends it as needing a person.
	Next(ctx context.Context, now Situation) (Move, error)
}

// A Maker makes the Planner of a run. State is the run so far: empty for a new
// run, and what the journal holds for one that is taken over or resumed.
type Maker func(w *workflow.Workflow, state *bus.RunState) (Planner, error)

// A Situation is what a Planner knows when it decides.
type Situation struct {
	State *bus.RunState
	// Last is the verdict on the latest attempt, nil before the first.
	Last *Outcome
	Eyes Eyes
}

// An Outcome is one finished attempt.
type Outcome struct {
	Intent  bus.Intent
	Attempt bus.Attempt
	Receipt bus.Receipt
	Verdict bus.Verdict
}

// Eyes are what a Planner may look with. They never touch the page.
type Eyes interface {
	// Observe returns the page as the observer reports it.
	Observe(ctx context.Context, mode string, base int) (bus.Observation, error)
	// Find searches the page, as the observer's find does.
	Find(ctx context.Context, query string) (bus.Observation, error)
	// Check asks the verifier whether expectations hold now.
	Check(ctx context.Context, expect []bus.Expect) (bus.CheckReply, error)
}

// A Move is a Planner's decision: exactly one field is set, Usage aside.
type Move struct {
	Intent *bus.Intent
	// Skip says that a conditional step does not apply.
	Skip *Skip
	// Finish claims that the workflow is done; done_when decides (DESIGN 2.2).
	Finish *Finish
	// GiveUp ends the run as failed, Ask as needing a person; the words say why.
	GiveUp string
	Ask    string
	// Usage is what the decision cost in tokens, where a model was asked.
	Usage []bus.Usage
}

// A Skip is a conditional step that did not apply, with what was found.
type Skip struct {
	Step   int           `json:"step"`
	Text   string        `json:"text"`
	Checks []bus.Checked `json:"checks,omitempty"`
}

// A Finish is the claim that the workflow is done.
type Finish struct {
	Claim string `json:"claim,omitempty"`
}
