package planner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
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
	tries  int  // of one intent, where repeating is harmless
	client bool // its moves come from outside
	log    *slog.Logger

	seq     uint64 // of the journal's last entry, as this owner knows it
	until   time.Time
	session bus.Session
	vars    map[string]string
	last    *Outcome
	refuted *bus.CheckReply
	guard   loopGuard
	ended   bool // the terminal event is written
}

// maxRecoveries is how often one owner goes on after its browser was lost.
const maxRecoveries = 3

// drive is the run's loop: decide, carry out, until a terminal event. A nil
// error means that there is one.
func (r *run) drive(ctx context.Context, s bus.Submission) error {
	if err := r.own(ctx, s); err != nil {
		return err
	}
	if r.ended {
		return r.close(ctx)
	}
	ctx, cancel := context.WithDeadlineCause(ctx, r.until, errOutOfTime)
	defer cancel()
	planner, err := r.planner()
	if err == nil {
		err = r.takeUp(ctx)
	}
	for lost := 0; err == nil && !r.ended; {
		err = r.step(ctx, planner)
		if isBrowserLost(err) && lost < maxRecoveries {
			lost++
			if planner, err = r.planner(); err == nil {
				err = r.takeUp(ctx)
			}
		}
	}
	return r.end(ctx, err)
}

var errOutOfTime = errors.New("the run's time is up")

// planner makes the run's Planner, by what the workflow has.
func (r *run) planner() (Planner, error) {
	if len(r.w.Steps) > 0 {
		return newRules(r.w)
	}
	return newGoal(r.agent.o.Model, r.w)
}

// own writes the first entries of a run, or takes over one that has some; the
// entry fences off whoever owned it before.
func (r *run) own(ctx context.Context, s bus.Submission) error {
	j := r.b.Journal()
	state, err := j.State(ctx, r.id)
	if err != nil {
		return err
	}
	r.seq, r.vars = state.LastSeq, map[string]string{}
	maps.Copy(r.vars, r.w.Vars)
	maps.Copy(r.vars, state.Vars)
	if state.Session != nil {
		r.session = *state.Session
	}
	if r.ended = state.Finished != nil; r.ended {
		return nil
	}
	worked, err := r.worked(ctx, state)
	if err != nil {
		return err
	}
	r.until = time.Now().Add(time.Duration(r.limits.Seconds)*time.Second - worked)
	if state.Events == 0 {
		if err := r.append(ctx, bus.EventSubmitted, s); err != nil {
			return err
		}
	}
	return r.append(ctx, bus.EventOwned, bus.Owned{Owner: r.b.Node(), Epoch: state.Epoch + 1})
}

// worked is how long earlier owners worked on the run. The time in which nobody
// owned it is not the run's.
func (r *run) worked(ctx context.Context, state *bus.RunState) (time.Duration, error) {
	if state.Events == 0 {
		return 0, nil
	}
	var sum time.Duration
	var last time.Time
	for e, err := range r.b.Journal().Watch(ctx, r.id) {
		if err != nil {
			return 0, err
		}
		if !last.IsZero() && e.Kind != bus.EventOwned {
			sum += e.Time.Sub(last)
		}
		if last = e.Time; e.Seq >= state.LastSeq {
			break
		}
	}
	return max(0, sum), nil
}

// open asks the actor for a session. With an address it is one to go on with:
// the run's cookies are restored and the address is opened. A new session holds
// nothing, so it may be asked for again when the actor was lost meanwhile.
func (r *run) open(ctx context.Context, at string) error {
	req := bus.OpenRequest{Session: r.id, AllowedOrigins: r.w.AllowedOrigins, Secrets: r.w.Secrets, RestoreAt: at}
	for n := 1; ; n++ {
		s, err := call[bus.OpenRequest, bus.Session](ctx, r, bus.VerbOpen, nil, req)
		if err == nil {
			r.session = s
			return r.append(ctx, bus.EventSession, s)
		}
		if n == maxTries || codeOf(err) != bus.CodeReplicaLost {
			return err
		}
		r.log.Warn("planner: the actor was lost while it opened the session", "error", err)
	}
}

// step asks the planner for its next move and makes it.
func (r *run) step(ctx context.Context, p Planner) error {
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return err
	}
	if why := exceeded(r.limits, state); why != "" {
		return r.finish(ctx, bus.Finished{Status: bus.Failed, Reason: why})
	}
	move, err := p.Next(ctx, Situation{Vars: r.vars, State: state, Last: r.last, Refuted: r.refuted, Eyes: r})
	for _, u := range move.Usage { // paid for, also when the decision failed
		if uerr := r.append(ctx, bus.EventUsage, u); uerr != nil && err == nil {
			err = uerr
		}
	}
	if err != nil {
		return err
	}
	r.refuted = nil
	switch {
	case move.Ask != "":
		return r.finish(ctx, bus.Finished{Status: bus.NeedsPerson, Reason: move.Ask})
	case move.GiveUp != "" && beyondRepair(state) != nil:
		return r.finish(ctx, bus.Finished{Status: bus.NeedsPerson, Reason: lostAfter(beyondRepair(state), move.GiveUp)})
	case move.GiveUp != "":
		return r.finish(ctx, bus.Finished{Status: bus.Failed, Reason: move.GiveUp})
	case move.Finish != nil:
		return r.conclude(ctx)
	case move.Skip != nil && move.Intent == nil:
		return r.append(ctx, bus.EventSkipped, *move.Skip)
	case move.Intent == nil:
		return bus.Errorf(bus.GiveUp, "no_move", "the planner decided nothing")
	}
	if why := outOfSteps(r.limits, state); why != "" {
		return r.finish(ctx, bus.Finished{Status: bus.Failed, Reason: why})
	}
	if move.Skip != nil {
		// The intent stands in the journal too, so that its place is known.
		if _, err := r.begin(ctx, *move.Intent); err != nil {
			return err
		}
		return r.append(ctx, bus.EventSkipped, *move.Skip)
	}
	if r.last, err = r.carry(ctx, *move.Intent); err != nil {
		return err
	}
	if stopped, err := r.stopForPerson(ctx); stopped || err != nil {
		return err
	}
	if n := r.guard.count(r.last); r.last.Verdict.Outcome != bus.Right && n >= r.limits.SameState {
		return r.finish(ctx, bus.Finished{Status: bus.Failed,
			Reason: fmt.Sprintf("the same intent had the same outcome %d times: %s", n, r.last.Intent.Text)})
	}
	return nil
}

// stopForPerson ends the run where an irreversible act can't be settled: it
// went to the wrong thing, or nobody can tell what it did, or a server was asked
// and did not refuse, whatever the page says. No planner decides that (DESIGN 2.4).
func (r *run) stopForPerson(ctx context.Context) (bool, error) {
	o := r.last
	if o.Verdict.Outcome == bus.Right || o.Intent.Risk != bus.RiskIrreversible {
		return false, nil
	}
	unclear := o.Verdict.Outcome == bus.WrongTarget || o.Verdict.Outcome == bus.Unsure
	why := whyNot(o)
	if slices.ContainsFunc(o.Receipt.Requests, func(q bus.Request) bool { return q.Posts() && !q.Refused() }) {
		unclear = true
		why += "; a server was asked and did not refuse: it may have been done all the same"
	}
	if !o.Receipt.Lost && !(o.Receipt.Sent && unclear) {
		return false, nil
	}
	return true, r.finish(ctx, bus.Finished{Status: bus.NeedsPerson, Reason: why})
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

// lookAgainMS is how long a look waits for a change that has not come.
const lookAgainMS = 700

// Observe, Find and Check are the planner's Eyes.
func (r *run) Observe(ctx context.Context, mode string, base int) (bus.Observation, error) {
	return call[bus.ObserveRequest, bus.Observation](ctx, r, bus.VerbObserve, &r.session,
		bus.ObserveRequest{Session: r.session, Mode: mode, Base: base, Budget: r.agent.o.ObservationTokens, SettleMS: 1500, ChangeMS: lookAgainMS})
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
		if err == nil || ctx.Err() != nil || bus.DecisionOf(err) != bus.Retry || time.Now().After(deadline) ||
			!v.Idempotent() && codeOf(err) != bus.CodeNoAgent {
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

// codeOf is the code of an error, "" for nil.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return bus.AsError(err).Code
}
