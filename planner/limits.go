package planner

import (
	"fmt"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/config"
	"github.com/quartet-agents/quartet/internal/workflow"
)

func validLimits(l config.Limits) error {
	if l.Steps <= 0 || l.Seconds <= 0 || l.Tokens <= 0 || l.StepSeconds <= 0 || l.SameState <= 0 {
		return fmt.Errorf("planner: every limit must be more than 0, got %+v", l)
	}
	return nil
}

// mergeLimits lets a workflow's own limits override the configured ones.
func mergeLimits(base config.Limits, own workflow.Limits) config.Limits {
	pick := func(own, base int) int {
		if own > 0 {
			return own
		}
		return base
	}
	return config.Limits{
		Steps: pick(own.Steps, base.Steps), Seconds: pick(own.Seconds, base.Seconds), Tokens: pick(own.Tokens, base.Tokens),
		StepSeconds: pick(own.StepSeconds, base.StepSeconds), SameState: pick(own.SameState, base.SameState),
	}
}

// exceeded says which cap forbids a further move, or "". A cap never becomes
// success (DESIGN 2.2, 2.9). The cap on time is the deadline of run.drive's
// context.
func exceeded(l config.Limits, s *bus.RunState) string {
	tokens := 0
	for _, u := range s.Usage {
		tokens += u.InputTokens + u.OutputTokens
	}
	if tokens >= l.Tokens {
		return fmt.Sprintf("the limit of %d tokens is reached", l.Tokens)
	}
	return ""
}

// outOfSteps forbids a further intent; what was done may still be concluded.
// The opening of the start page is not counted.
func outOfSteps(l config.Limits, s *bus.RunState) string {
	steps := 0
	for _, r := range s.Intents {
		if baseID(r.Intent.ID) != startID {
			steps++
		}
	}
	if steps >= l.Steps {
		return fmt.Sprintf("the limit of %d steps is reached", l.Steps)
	}
	return ""
}

// A loopGuard notices that a planner repeats itself: the same intent with the
// same outcome on the same page (DESIGN 9).
type loopGuard struct {
	seen map[string]int
}

// count returns how often the outcome has come, this time included.
func (g *loopGuard) count(o *Outcome) int {
	if g.seen == nil {
		g.seen = map[string]int{}
	}
	i := o.Intent
	target := ""
	if o.Attempt.Target != nil {
		target = o.Attempt.Target.Role + "\x00" + o.Attempt.Target.Name + "\x00" + o.Attempt.Target.Place
	} else if i.Target != nil {
		target = i.Target.Ref + "\x00" + i.Target.Words
	}
	key := fmt.Sprintf("%s\x00%s\x00%s\x00%q\x00%s\x00%s\x00%s", i.Action, target, i.Value, i.Values, o.Verdict.Outcome, o.Verdict.After.URL, o.Verdict.Diff)
	g.seen[key]++
	return g.seen[key]
}
