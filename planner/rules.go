package planner

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/workflow"
	"github.com/quartet-agents/quartet/planner/playbook"
)

// A rules planner runs a workflow's steps in order, each as the playbook reads
// it. It never guesses: the first step that is not judged right ends the run.
type rules struct {
	commands []playbook.Command // of all steps, in order
	next     int                // index into commands
	// held remembers what the condition of a group of commands came to, since
	// an "otherwise" must not see what the "if" has done.
	held map[string]bool
}

// newRules starts where the run's journal says that it stands.
func newRules(w *workflow.Workflow, state *bus.RunState) (*rules, error) {
	book, err := playbook.Compile(w)
	if err != nil {
		return nil, err
	}
	p := &rules{held: map[string]bool{}}
	for _, step := range book.Steps {
		p.commands = append(p.commands, step.Commands...)
	}
	for _, r := range state.Intents {
		n, ok := commandNumber(r.Intent.ID)
		done := r.Skipped != nil || r.Last() != nil && r.Last().Verdict != nil && r.Last().Verdict.Outcome == bus.Right
		if ok && done {
			p.next = max(p.next, n)
		}
		if cond, held := commandCondition(p.commands, n); ok && cond != "" && (r.Skipped != nil || r.Last() != nil) {
			p.held[cond] = held != (r.Skipped != nil)
		}
	}
	return p, nil
}

// Intents of commands are numbered from 1; "i7r2" repeats command 7 after the
// second resume.
func commandID(index int) string { return "i" + strconv.Itoa(index+1) }

func commandNumber(id string) (int, bool) {
	digits, _, _ := strings.Cut(strings.TrimPrefix(id, "i"), "r")
	n, err := strconv.Atoi(digits)
	return n, err == nil && n > 0
}

// commandCondition names the condition of command n (from 1), and says whether
// carrying the command out means that the condition's checks held.
func commandCondition(commands []playbook.Command, n int) (key string, held bool) {
	if n < 1 || n > len(commands) || commands[n-1].If == nil {
		return "", false
	}
	c := commands[n-1]
	return conditionKey(c), !c.If.Negate
}

func conditionKey(c playbook.Command) string {
	return fmt.Sprintf("%d.%d", c.Intent.Step, c.If.Group)
}

// Next returns the next command's intent, or the claim to be done.
func (p *rules) Next(ctx context.Context, now Situation) (Move, error) {
	if o := now.Last; o != nil && o.Verdict.Outcome != bus.Right {
		return stopAt(o), nil
	}
	if now.Refuted != nil {
		return Move{GiveUp: "not done: " + strings.Join(unmet(now.Refuted.Checks), "; ")}, nil
	}
	if p.next >= len(p.commands) {
		return Move{Finish: &Finish{Claim: "every step was carried out"}}, nil
	}
	c := p.commands[p.next]
	intent, err := expand(c.Intent, now.Vars)
	if err != nil {
		return Move{}, err
	}
	intent.ID = commandID(p.next)
	p.next++
	if c.If == nil {
		return Move{Intent: &intent}, nil
	}
	key := conditionKey(c)
	held, known := p.held[key]
	var checks []bus.Checked
	if !known {
		expect, err := playbook.ExpandChecks(c.If.Checks, lookup(now.Vars))
		if err != nil {
			return Move{}, err
		}
		reply, err := now.Eyes.Check(ctx, expect)
		if err != nil {
			return Move{}, err
		}
		held, checks = reply.Held, reply.Checks
		p.held[key] = held
	}
	if held != c.If.Negate {
		return Move{Intent: &intent}, nil
	}
	return Move{Intent: &intent, Skip: &bus.Skipped{Intent: intent.ID, Step: intent.Step, Text: c.Text, Checks: checks, Reason: "its condition does not apply"}}, nil
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

// stopAt ends a playbook run at an attempt that was not right. An irreversible
// act on the wrong thing, and whatever nobody could tell, go to a person.
func stopAt(o *Outcome) Move {
	why := fmt.Sprintf("step %q: %s", o.Intent.Text, strings.Join(o.Verdict.Reasons, "; "))
	if o.Intent.Step > 0 {
		why = fmt.Sprintf("step %d %q: %s", o.Intent.Step, o.Intent.Text, strings.Join(o.Verdict.Reasons, "; "))
	}
	sent := o.Receipt.Sent || o.Receipt.Lost
	switch {
	case o.Verdict.Outcome == bus.Unsure,
		o.Verdict.Outcome == bus.WrongTarget && sent && o.Intent.Risk == bus.RiskIrreversible,
		o.Receipt.Lost && o.Intent.Risk == bus.RiskIrreversible:
		return Move{Ask: why}
	}
	return Move{GiveUp: why}
}
