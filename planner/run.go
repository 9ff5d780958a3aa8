package planner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/config"
	"github.com/quartet-agents/quartet/internal/workflow"
)

// A run is one execution of a workflow, driven by this process.
type run struct {
	agent  *Agent
	b      *bus.Bus
	id     string
	w      *workflow.Workflow
	o      RunOptions
	limits config.Limits
	log    *slog.Logger

	seq     uint64 // of the journal's last entry of this run
	session bus.Session
	vars    map[string]string
	last    *Outcome
	refuted *bus.CheckReply
	guard   loopGuard
}

// drive is the run's loop: decide, carry out, until a terminal event.
func (r *run) drive(ctx context.Context, s bus.Submission) error {
	state, err := r.own(ctx, s)
	if err != nil {
		return err
	}
	if state.Finished != nil {
		return r.close(ctx)
	}
	ctx, cancel := context.WithDeadlineCause(ctx, state.Started.Add(time.Duration(r.limits.Seconds)*time.Second), errOutOfTime)
	defer cancel()
	planner, err := r.planner(state)
	if err == nil {
		err = r.takeUp(ctx, state)
	}
	for err == nil {
		if state, err = r.b.Journal().State(ctx, r.id); err != nil {
			break
		}
		if state.Finished != nil {
			break
		}
		if why := exceeded(r.limits, state, time.Now()); why != "" {
			err = r.finish(ctx, bus.Finished{Status: bus.Failed, Reason: why})
			break
		}
		err = r.step(ctx, planner)
	}
	return r.end(ctx, err)
}

var errOutOfTime = errors.New("the run's time is up")

// own writes the first entries of a run, or takes over one that has some.
func (r *run) own(ctx context.Context, s bus.Submission) (*bus.RunState, error) {
	j := r.b.Journal()
	state, err := j.State(ctx, r.id)
	if err != nil {
		return nil, err
	}
	r.seq, r.vars = state.LastSeq, maps.Clone(r.w.Vars)
	if r.vars == nil {
		r.vars = map[string]string{}
	}
	maps.Copy(r.vars, state.Vars)
	if state.Session != nil {
		r.session = *state.Session
	}
	if state.Finished != nil {
		return state, nil
	}
	if state.Events == 0 {
		if err := r.append(ctx, bus.EventSubmitted, s); err != nil {
			return nil, err
		}
	}
	if err := r.append(ctx, bus.EventOwned, bus.Owned{Owner: r.b.Node(), Epoch: state.Epoch + 1}); err != nil {
		return nil, err
	}
	return j.State(ctx, r.id)
}

// open asks the actor for a session. With an address it is one to go on with:
// the run's cookies are restored and the address is opened.
func (r *run) open(ctx context.Context, at string) error {
	s, err := call[bus.OpenRequest, bus.Session](ctx, r, bus.VerbOpen, nil,
		bus.OpenRequest{Session: r.id, AllowedOrigins: r.w.AllowedOrigins, Secrets: r.w.Secrets, RestoreAt: at})
	if err != nil {
		return err
	}
	r.session = s
	return r.append(ctx, bus.EventSession, s)
}

// step asks the planner for its next move and makes it.
func (r *run) step(ctx context.Context, p Planner) error {
	move, err := p.Next(ctx, Situation{Vars: r.vars, Last: r.last, Refuted: r.refuted, Eyes: r})
	r.refuted = nil
	for _, u := range move.Usage { // paid for, also when the decision failed
		if uerr := r.append(ctx, bus.EventUsage, u); uerr != nil && err == nil {
			err = uerr
		}
	}
	if err != nil {
		return err
	}
	switch {
	case move.Skip != nil:
		// The intent stands in the journal, so that a resume knows its place.
		if move.Intent != nil {
			if err := r.append(ctx, bus.EventIntent, *move.Intent); err != nil {
				return err
			}
		}
		return r.append(ctx, bus.EventSkipped, *move.Skip)
	case move.Ask != "":
		return r.finish(ctx, bus.Finished{Status: bus.NeedsPerson, Reason: move.Ask})
	case move.GiveUp != "":
		return r.finish(ctx, bus.Finished{Status: bus.Failed, Reason: move.GiveUp})
	case move.Finish != nil:
		return r.conclude(ctx, *move.Finish)
	case move.Intent == nil:
		return bus.Errorf(bus.GiveUp, "no_move", "the planner decided nothing")
	}
	out, err := r.carry(ctx, *move.Intent)
	if err != nil {
		return err
	}
	r.last = out
	if n := r.guard.count(out); out.Verdict.Outcome != bus.Right && n >= r.limits.SameState {
		return r.finish(ctx, bus.Finished{Status: bus.Failed, Attempt: out.Attempt.ID,
			Reason: fmt.Sprintf("the same intent had the same outcome %d times: %s", n, out.Intent.Text)})
	}
	return nil
}

// append writes the run's next journal entry. A fenced append means that
// another planner owns the run: nothing more may be done.
func (r *run) append(ctx context.Context, kind bus.EventKind, data any) error {
	seq, err := r.b.Journal().Append(ctx, r.id, r.seq, kind, data)
	if err != nil {
		return err
	}
	r.seq = seq
	return nil
}

// Observe, Find and Check are the planner's Eyes.
func (r *run) Observe(ctx context.Context, mode string, base int) (bus.Observation, error) {
	return call[bus.ObserveRequest, bus.Observation](ctx, r, bus.VerbObserve, &r.session,
		bus.ObserveRequest{Session: r.session, Mode: mode, Base: base, Budget: r.agent.o.ObservationTokens, SettleMS: 1500})
}

// Find is described at Eyes.
func (r *run) Find(ctx context.Context, query string) (bus.Observation, error) {
	return call[bus.FindRequest, bus.Observation](ctx, r, bus.VerbFind, &r.session,
		bus.FindRequest{Session: r.session, Query: query, Context: 1, Budget: r.agent.o.ObservationTokens})
}

// Check is described at Eyes.
func (r *run) Check(ctx context.Context, expect []bus.Expect) (bus.CheckReply, error) {
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return bus.CheckReply{}, err
	}
	return call[bus.CheckRequest, bus.CheckReply](ctx, r, bus.VerbCheck, &r.session,
		bus.CheckRequest{Session: r.session, Expect: expect, Downloads: state.Downloads})
}

// callPatience is how long a call is repeated whose error asks for it: agents
// that restart come back within it.
const callPatience = 30 * time.Second

// call asks an agent, and asks again as long as its error says that this may
// help: no replica up, or one lost. Verbs that touch the page are not repeated.
func call[Req, Resp any](ctx context.Context, r *run, v bus.Verb, s *bus.Session, req Req) (Resp, error) {
	deadline := time.Now().Add(callPatience)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 2*time.Second) {
		attempt, cancel := context.WithTimeout(ctx, time.Duration(r.limits.StepSeconds+15)*time.Second)
		resp, err := bus.Call[Req, Resp](attempt, r.b, v, s, req)
		cancel()
		var e *bus.Error
		if err == nil || ctx.Err() != nil || !errors.As(err, &e) || e.Decision != bus.Retry || time.Now().After(deadline) ||
			!v.Idempotent() && e.Code != bus.CodeNoAgent {
			return resp, err
		}
		r.log.Warn("planner: asking again", "verb", v, "error", err)
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return resp, err
		case <-timer.C:
		}
	}
}
