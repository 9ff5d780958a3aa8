package planner

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/workflow"
	"github.com/quartet-agents/quartet/planner/playbook"
)

// A rules planner runs a workflow's steps in order, each as the playbook reads
// it. It never guesses: the first step that is not judged right ends the run.
//
// It remembers nothing: its place, and what conditions came to, are read from
// the journal at each call, so that a run that was taken up goes the same way.
type rules struct {
	commands []playbook.Command // of all steps, in order
}

func newRules(w *workflow.Workflow) (*rules, error) {
	book, err := playbook.Compile(w)
	if err != nil {
		return nil, err
	}
	p := &rules{}
	for _, step := range book.Steps {
		p.commands = append(p.commands, step.Commands...)
	}
	return p, nil
}

// Next returns the next command's intent, or the claim to be done.
func (p *rules) Next(ctx context.Context, now Situation) (Move, error) {
	if now.Refuted != nil {
		return Move{GiveUp: "not done: " + strings.Join(unmet(now.Refuted.Checks), "; ")}, nil
	}
	at := p.place(now.State)
	if at >= len(p.commands) {
		return Move{Finish: &Finish{Claim: "every step was carried out"}}, nil
	}
	if o := tried(now.State, commandID(at)); o != nil {
		return stopAt(o), nil // it was not right, or the place would be behind it
	}
	c := p.commands[at]
	applies, checks, err := p.applies(ctx, c, now)
	if err != nil {
		return Move{}, err
	}
	intent, err := expand(c.Intent, now.Vars)
	if err != nil {
		if applies {
			return Move{}, err
		}
		intent = c.Intent // what it would need was never remembered
	}
	intent.ID = idFor(now.State, commandID(at))
	m := Move{Intent: &intent}
	if !applies {
		m.Skip = &bus.Skipped{Intent: intent.ID, Step: intent.Step, Text: c.Text, Checks: checks, Reason: "its condition does not apply"}
	}
	return m, nil
}

// place is the index of the first command that is neither carried out nor skipped.
func (p *rules) place(state *bus.RunState) int {
	at := 0
	for _, r := range state.Intents {
		if n, ok := commandNumber(r.Intent.ID); ok && (skipped(r) || isRight(r)) {
			at = max(at, n)
		}
	}
	return at
}

// tried is the outcome of the newest attempt at a command, nil when there is none.
func tried(state *bus.RunState, base string) *Outcome {
	for _, r := range slices.Backward(state.Intents) {
		if a := r.Last(); baseID(r.Intent.ID) == base && a != nil && a.Verdict != nil {
			return outcomeOf(r)
		}
	}
	return nil
}

// applies says whether the command's condition lets it be carried out. The
// first command of a group looks; the others follow it, since an "otherwise"
// must not see what the "if" has done.
func (p *rules) applies(ctx context.Context, c playbook.Command, now Situation) (bool, []bus.Checked, error) {
	if c.If == nil {
		return true, nil, nil
	}
	for _, r := range now.State.Intents {
		n, ok := commandNumber(r.Intent.ID)
		if !ok || n > len(p.commands) || !sameCondition(p.commands[n-1], c) || !skipped(r) && len(r.Attempts) == 0 {
			continue
		}
		held := skipped(r) == p.commands[n-1].If.Negate
		return held != c.If.Negate, nil, nil
	}
	expect, err := playbook.ExpandChecks(c.If.Checks, lookup(now.Vars))
	if err != nil {
		return false, nil, err
	}
	reply, err := now.Eyes.Check(ctx, expect)
	if err != nil {
		return false, nil, err
	}
	return reply.Held != c.If.Negate, reply.Checks, nil
}

func sameCondition(a, b playbook.Command) bool {
	return a.If != nil && b.If != nil && a.Intent.Step == b.Intent.Step && a.If.Group == b.If.Group
}

// Intents of commands are numbered from 1; "i7r1" is command 7 once more.
func commandID(index int) string { return "i" + strconv.Itoa(index+1) }

func commandNumber(id string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(baseID(id), "i"))
	return n, err == nil && n > 0
}

// baseID is the ID of the intent that this one repeats, or its own.
func baseID(id string) string {
	base, _, _ := strings.Cut(id, "r")
	return base
}

// idFor is the ID of an intent that may have been begun before: that of the
// open one, or the next free repetition.
func idFor(state *bus.RunState, base string) string {
	if open := state.OpenIntent(); open != nil && len(open.Attempts) == 0 && baseID(open.Intent.ID) == base {
		return open.Intent.ID
	}
	n := 0
	for _, r := range state.Intents {
		if baseID(r.Intent.ID) == base {
			n++
		}
	}
	if n == 0 {
		return base
	}
	return base + "r" + strconv.Itoa(n)
}

// skipped says whether the planner decided that the intent does not apply; one
// that was only left behind is not skipped.
func skipped(r *bus.IntentRecord) bool { return r.Skipped != nil && r.Skipped.Reason != leftBehind }

func isRight(r *bus.IntentRecord) bool {
	a := r.Last()
	return a != nil && a.Verdict != nil && a.Verdict.Outcome == bus.Right
}

// expand puts variables into an intent just before it is carried out; a
// relative date ("in three days") becomes an ISO date of today's reckoning.
func expand(i bus.Intent, vars map[string]string) (bus.Intent, error) {
	i, err := playbook.ExpandIntent(i, lookup(vars))
	if err == nil && i.Action == bus.ActionPickDate {
		i.Value, err = playbook.ResolveDate(i.Value, time.Now())
	}
	return i, err
}

func lookup(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}
}

// stopAt ends a playbook run at an attempt that was not right; what nobody
// could tell goes to a person.
func stopAt(o *Outcome) Move {
	if o.Verdict.Outcome == bus.Unsure {
		return Move{Ask: whyNot(o)}
	}
	return Move{GiveUp: whyNot(o)}
}

// whyNot tells a person where the run stands and what was judged.
func whyNot(o *Outcome) string {
	step := "step"
	if o.Intent.Step > 0 {
		step = fmt.Sprintf("step %d", o.Intent.Step)
	}
	return fmt.Sprintf("%s %q: %s", step, o.Intent.Text, strings.Join(o.Verdict.Reasons, "; "))
}
