package planner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/bus/middleware"
	"github.com/quartet-agents/quartet/planner/playbook"
)

// finalHorizon is how long the final checks may take to come true.
const finalHorizon = 5 * time.Second

// conclude judges a claim of being done by the workflow's final checks, on
// fresh evidence (DESIGN 2.2).
func (r *run) conclude(ctx context.Context) error {
	checks, err := r.finalChecks()
	if err != nil {
		return err
	}
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return err
	}
	reply, err := call[bus.CheckRequest, bus.CheckReply](ctx, r, bus.VerbCheck, &r.session,
		bus.CheckRequest{Session: r.session, Expect: checks, WithinMS: int(finalHorizon / time.Millisecond), Downloads: state.Downloads})
	if err != nil {
		return err
	}
	if by := beyondRepair(state); by != nil && !reply.Held {
		return r.finish(ctx, bus.Finished{Status: bus.NeedsPerson, Final: &reply, Reason: lostAfter(by, strings.Join(unmet(reply.Checks), "; "))})
	}
	if !reply.Held {
		r.refuted = &reply
		return r.append(ctx, bus.EventNote, bus.Note{Level: "warn", Text: "claimed to be done, but " + strings.Join(unmet(reply.Checks), "; ")})
	}
	return r.finish(ctx, bus.Finished{Status: bus.Succeeded, Reason: "every final check holds", Final: &reply})
}

// lostAfter is why a run that fails on a page opened anew has not failed.
func lostAfter(by *bus.IntentRecord, why string) string {
	return fmt.Sprintf("%q was carried out, but the browser was lost after it, and the page that was opened anew need not show it: %s", by.Intent.Text, why)
}

func unmet(checks []bus.Checked) []string {
	var out []string
	for _, c := range checks {
		if !c.Held {
			out = append(out, c.Fact)
		}
	}
	return out
}

// finalChecks reads done_when, with the run's variables put in.
func (r *run) finalChecks() ([]bus.Expect, error) {
	var all []bus.Expect
	for _, line := range r.w.DoneWhen {
		checks, err := playbook.ReadChecks(line.Text)
		if err != nil {
			return nil, bus.Errorf(bus.GiveUp, "unreadable", "%s:%d: done_when: %w", r.w.File, line.At, err)
		}
		checks, err = playbook.ExpandChecks(checks, lookup(r.vars))
		if err != nil {
			return nil, bus.Errorf(bus.GiveUp, "unknown_variable", "%s:%d: done_when: %w", r.w.File, line.At, err)
		}
		all = append(all, checks...)
	}
	return all, nil
}

// finish writes the terminal event, with a picture of where the run stands.
func (r *run) finish(ctx context.Context, f bus.Finished) error {
	if r.last != nil && f.Attempt == "" && f.Status != bus.Succeeded {
		f.Attempt = r.last.Attempt.ID
	}
	if _, open := r.session.Current(); open {
		shot, cancel := context.WithTimeout(ctx, 10*time.Second)
		if reply, err := bus.Call[bus.ScreenshotRequest, bus.ScreenshotReply](shot, r.b, bus.VerbScreenshot, &r.session, bus.ScreenshotRequest{Session: r.session}); err == nil {
			f.Screenshot = reply.Blob
		} else {
			r.log.Warn("planner: no picture of the end", "error", err)
		}
		cancel()
	}
	if err := r.append(ctx, bus.EventFinished, f); err != nil {
		return err
	}
	r.ended = true
	return nil
}

// end turns whatever stopped the loop into the run's terminal event, unless the
// run is to be given back: the process is ending, another one owns it, or the
// journal could not be written, and what it holds is not known.
func (r *run) end(ctx context.Context, err error) error {
	outOfTime := errors.Is(context.Cause(ctx), errOutOfTime)
	giveBack := ctx.Err() != nil || errors.Is(err, bus.ErrFenced) || errors.Is(err, bus.ErrFinished) ||
		bus.DecisionOf(err) == bus.Retry && codeOf(err) == bus.CodeStore
	if err != nil && giveBack && !outOfTime {
		return err
	}
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if !r.ended {
		state, serr := r.b.Journal().State(after, r.id)
		if serr != nil {
			return serr
		}
		f := bus.Finished{Status: bus.Failed}
		switch {
		case outOfTime:
			f.Reason = fmt.Sprintf("the limit of %d seconds is reached%s", r.limits.Seconds, whereabouts(state))
		default:
			f.Reason = err.Error()
			if bus.DecisionOf(err) == bus.Ask {
				f.Status = bus.NeedsPerson
			}
		}
		if err := r.finish(after, unsettled(f, state)); err != nil {
			return err
		}
	}
	return r.close(after)
}

// whereabouts says at what a run was that ran out of time, and what was last
// found of it.
func whereabouts(state *bus.RunState) string {
	i := state.LastIntent()
	if i == nil {
		return ""
	}
	s := fmt.Sprintf(", at %q", i.Intent.Text)
	if a := i.Last(); a != nil && a.Verdict != nil && len(a.Verdict.Reasons) > 0 {
		s += ": " + a.Verdict.Reasons[0]
	}
	return s
}

// unsettled makes an end a person's matter where an irreversible attempt has no
// verdict.
func unsettled(f bus.Finished, state *bus.RunState) bus.Finished {
	a := state.OpenAttempt()
	if a == nil {
		return f
	}
	f.Attempt = a.Attempt.ID
	if a.Attempt.Risk == bus.RiskIrreversible {
		f.Status, f.Reason = bus.NeedsPerson, f.Reason+"; whether "+a.Attempt.ID+" took effect is not known"
	}
	return f
}

// bury ends a run that became a dead letter, so that nobody waits for it.
func (a *Agent) bury(ctx context.Context, s bus.Submission, l middleware.Letter) {
	j := a.b.Journal()
	r := &run{agent: a, b: a.b, id: s.Run, log: a.log.With("run", s.Run)}
	state, err := j.State(ctx, s.Run)
	if err == nil && state.Finished == nil {
		if r.seq = state.LastSeq; state.Events == 0 {
			err = r.append(ctx, bus.EventSubmitted, s)
		}
		if err == nil {
			err = r.append(ctx, bus.EventFinished, unsettled(bus.Finished{Status: bus.Failed,
				Reason: "the planner could not go on: " + l.Reason}, state))
		}
		if err == nil && state.Session != nil {
			r.session = *state.Session
			err = r.close(ctx)
		}
	}
	if err != nil {
		a.log.Error("planner: a dead run has no terminal event", "run", s.Run, "error", err)
	}
}

// close ends the session. That it fails is no fault of the run's.
func (r *run) close(ctx context.Context) error {
	if r.session.ID == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	if _, err := bus.Call[bus.CloseRequest, bus.Raw](ctx, r.b, bus.VerbClose, &r.session, bus.CloseRequest{Session: r.session}); err != nil {
		r.log.Warn("planner: the session was not closed", "error", err)
	}
	return nil
}
