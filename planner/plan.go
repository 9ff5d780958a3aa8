// Package planner is the agent that owns a run. It takes a submitted run from
// the work queue, asks its Planner what comes next, and carries each intent
// through the same gate: prepare, attempt, act, receipt, verdict (DESIGN 2.1).
// It alone writes the run's journal, and it never touches the page.
//
// Two Planners know how to decide: rules over a workflow's plain-language steps
// (planner/playbook) and a language model with a goal (planner/model).
package planner

import (
	"context"

	"github.com/quartet-agents/quartet/bus"
)

// A Planner decides what a run does next. It serves one run, from one goroutine.
//
// A run may change its planner process between any two calls, so what a Planner
// knows must be in the Situation, or be worth no more than a model's memory.
type Planner interface {
	// Next returns the next move. An error ends the run as failed, or as
	// needing a person where it is a *bus.Error whose decision is Ask.
	Next(ctx context.Context, now Situation) (Move, error)
}

// A Situation is what a Planner knows when it decides.
type Situation struct {
	// Vars are the workflow's variables and what was remembered so far.
	Vars map[string]string
	// State is the run's journal, folded: what was done, and by which intents.
	State *bus.RunState
	// Last is the latest finished attempt, nil before the first, and after one
	// that is to be decided anew because the browser was lost before it.
	Last *Outcome
	// Refuted is set after a claim of being done that the final checks did not
	// bear out.
	Refuted *bus.CheckReply
	Eyes    Eyes
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
	// Observe returns the page as the observer reports it: mode full, diff
	// (against version base) or auto.
	Observe(ctx context.Context, mode string, base int) (bus.Observation, error)
	// Find searches the page: text, "a | b", globs.
	Find(ctx context.Context, query string) (bus.Observation, error)
	// Check asks the verifier whether expectations hold now.
	Check(ctx context.Context, expect []bus.Expect) (bus.CheckReply, error)
}

// A Move is a Planner's decision: one of Intent, Skip, Finish, GiveUp and Ask.
type Move struct {
	// Intent is what to do. Without an ID it gets the next free one.
	Intent *bus.Intent
	// Skip says that a conditional step, whose intent may be given too, does
	// not apply.
	Skip *bus.Skipped
	// Finish claims that the workflow is done; done_when decides (DESIGN 2.2).
	Finish *Finish
	// GiveUp ends the run as failed, Ask as needing a person; the words say why.
	GiveUp string
	Ask    string
	// Usage is what the decision cost, where a model was asked.
	Usage []bus.Usage
}

// A Finish is the claim that the workflow is done, in the planner's words.
type Finish struct {
	Claim string
}
