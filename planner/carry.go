package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/planner/playbook"
)

// maxTries is how often one intent is attempted when repeating is harmless.
const maxTries = 3

// carry brings an intent to a verdict: the only way by which a run progresses.
// It tries again where the attempt changed nothing and a repetition is harmless.
func (r *run) carry(ctx context.Context, i bus.Intent) (*Outcome, error) {
	i, err := r.begin(ctx, i)
	if err != nil {
		return nil, err
	}
	return r.try(ctx, i, 1)
}

// leftBehind is why an intent is closed that a lost planner had only begun.
const leftBehind = "its planner was lost before it was tried"

// begin writes the intent into the journal. One that a former owner wrote and
// did not try is taken over as it stands there, or closed when the planner now
// wants something else.
func (r *run) begin(ctx context.Context, i bus.Intent) (bus.Intent, error) {
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return i, err
	}
	if open := state.OpenIntent(); open != nil {
		if open.Intent.ID == i.ID && len(open.Attempts) == 0 {
			return open.Intent, nil
		}
		if err := r.leave(ctx, open.Intent); err != nil {
			return i, err
		}
	}
	if i.ID == "" {
		i.ID = idFor(state, fmt.Sprintf("i%d", len(state.Intents)+1))
	}
	if i.Risk == "" {
		i.Risk = bus.RiskIrreversible // unknown means the worst (DESIGN 2.4)
	}
	if i.TimeoutMS == 0 {
		i.TimeoutMS = r.limits.StepSeconds * 1000
	}
	return i, r.append(ctx, bus.EventIntent, i)
}

// leave closes an intent that was never tried.
func (r *run) leave(ctx context.Context, i bus.Intent) error {
	return r.append(ctx, bus.EventSkipped, bus.Skipped{Intent: i.ID, Step: i.Step, Text: i.Text, Reason: leftBehind})
}

// try makes attempts from number n on until one is right or repeating is not
// harmless.
func (r *run) try(ctx context.Context, i bus.Intent, n int) (*Outcome, error) {
	for ; ; n++ {
		out, err := r.attempt(ctx, i, n)
		if err != nil || n >= max(1, r.tries) || !harmlessToRepeat(out) {
			return out, err
		}
		r.log.Info("planner: trying again", "intent", i.ID, "outcome", out.Verdict.Outcome)
	}
}

// harmlessToRepeat says whether an attempt that was not right may be made again:
// that can do no damage and may help.
func harmlessToRepeat(o *Outcome) bool {
	if o.Verdict.Outcome == bus.Right {
		return false
	}
	if r := o.Receipt.Refusal; r != nil {
		// Nothing was sent, because the page was in motion or the browser gone.
		return !o.Receipt.Sent && slices.Contains([]bus.RefusalCode{bus.RefusedStale, bus.RefusedUnstable, bus.RefusedCovered, bus.RefusedBrowserGone}, r.Code)
	}
	idempotent := o.Intent.Risk == bus.RiskRead || o.Intent.Risk == bus.RiskIdempotent
	nothing := o.Verdict.Outcome == bus.NoEffect
	switch {
	case o.Receipt.Lost:
		return idempotent || nothing && o.Intent.Risk == bus.RiskReversible
	case o.Intent.Action == bus.ActionExpectation, o.Intent.Action == bus.ActionWait:
		return false // the verifier has waited already
	}
	return idempotent && (nothing || o.Verdict.Outcome == bus.Unsure)
}

// attempt is one try: prepared, journaled before the page is touched, carried
// out, judged.
func (r *run) attempt(ctx context.Context, i bus.Intent, n int) (*Outcome, error) {
	prepared, err := call[bus.PrepareRequest, bus.Prepared](ctx, r, bus.VerbPrepare, &r.session,
		bus.PrepareRequest{Run: r.id, Session: r.session, Intent: i, Look: r.o.Vision})
	if err != nil {
		return nil, err
	}
	if gone(prepared.Refusal) {
		if lost, err := r.browserLost(ctx); lost || err != nil {
			return nil, orLost(err)
		}
	}
	ctx, cancel := r.finishing(ctx)
	defer cancel()
	a := bus.Attempt{ID: fmt.Sprintf("%s.%d", i.ID, n), Intent: i.ID, Target: prepared.Target, To: prepared.To, Before: prepared.Before, Risk: r.riskOf(i, prepared.Target)}
	if len(i.Expect) > 0 && i.Risk != bus.RiskRead && i.Risk != bus.RiskIdempotent && a.Before.Tree != "" {
		// What held before is a crash away from not being known any more.
		if a.Before.Tree, err = bus.KeepScene(ctx, r.b, a.Before.Tree); err != nil {
			return nil, err
		}
	}
	if err := r.append(ctx, bus.EventAttempt, a); err != nil {
		return nil, err
	}
	receipt := bus.Receipt{Attempt: a.ID, Refusal: prepared.Refusal, Started: time.Now().UTC()}
	if prepared.Refusal == nil {
		if receipt, err = r.act(ctx, i, a); err != nil {
			return nil, err
		}
	}
	receipt.Escalations = append(slices.Clone(prepared.Escalations), receipt.Escalations...)
	if err := r.append(ctx, bus.EventReceipt, receipt); err != nil {
		return nil, err
	}
	if gone(receipt.Refusal) {
		if lost, err := r.browserLost(ctx); lost || err != nil {
			return nil, orLost(err) // judged in the new browser
		}
	}
	if err := r.noteTabs(ctx, receipt); err != nil {
		return nil, err
	}
	out, err := r.judge(ctx, i, a, receipt)
	if err == nil && out.Verdict.Outcome == bus.Unsure {
		if lost, err := r.browserLost(ctx); lost || err != nil {
			return nil, orLost(err) // nobody could look any more
		}
	}
	return out, err
}

// riskOf is an attempt's risk: the intent's, or, where a client names its target
// by a ref, what the target itself promises, if that is more.
func (r *run) riskOf(i bus.Intent, t *bus.Element) bus.Risk {
	if !r.client || t == nil || i.Risk != bus.RiskReversible {
		return i.Risk
	}
	return playbook.GuessRisk(bus.Intent{Action: i.Action, Target: &bus.Target{Role: t.Role, Name: t.Name}})
}

// finishing is a context for an attempt that is about to be journaled: when ctx
// is cancelled, it goes on for the planner's grace, so that a run that is
// stopped leaves a verdict behind. A run whose time is up gets none.
func (r *run) finishing(ctx context.Context) (context.Context, context.CancelFunc) {
	on, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		if !errors.Is(context.Cause(ctx), errOutOfTime) {
			timer := time.NewTimer(r.agent.o.Grace)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-over:
			}
		}
		cancel(context.Cause(ctx))
	})
	return on, func() { close(over); stop(); cancel(nil) }
}

func gone(r *bus.Refusal) bool { return r != nil && r.Code == bus.RefusedBrowserGone }

// act asks the actor. An actor that dies may have acted: its receipt is asked
// for, and where there is none the receipt says that it is lost.
func (r *run) act(ctx context.Context, i bus.Intent, a bus.Attempt) (bus.Receipt, error) {
	started := time.Now().UTC()
	receipt, err := call[bus.ActRequest, bus.Receipt](ctx, r, bus.VerbAct, &r.session,
		bus.ActRequest{Run: r.id, Session: r.session, Intent: i, Attempt: a, Seq: r.seq, Files: r.o.Files})
	if code := codeOf(err); ctx.Err() != nil || code != bus.CodeReplicaLost && code != bus.CodeDeadline {
		return receipt, err
	}
	r.log.Warn("planner: the actor was lost during an attempt", "attempt", a.ID, "error", err)
	return r.lostReceipt(ctx, a, started)
}

// lostReceipt finds what is known of an attempt whose actor went silent. Any
// replica of the actor can tell, also when the browser is gone.
func (r *run) lostReceipt(ctx context.Context, a bus.Attempt, started time.Time) (bus.Receipt, error) {
	receipt, err := call[bus.ReceiptRequest, bus.Receipt](ctx, r, bus.VerbReceipt, nil, bus.ReceiptRequest{Attempt: a.ID, Run: r.id})
	if err == nil && receipt.Attempt == a.ID {
		return receipt, nil
	}
	if ctx.Err() != nil {
		return bus.Receipt{}, ctx.Err()
	}
	return bus.Receipt{Attempt: a.ID, Lost: true, Started: started, Millis: time.Since(started).Milliseconds(),
		Notes: []string{"the actor was lost during this attempt; what it did is known by observation only"}}, nil
}

// judge asks the verifier about a receipt that the journal holds, journals its
// verdict, and keeps what the run needs of the attempt.
func (r *run) judge(ctx context.Context, i bus.Intent, a bus.Attempt, receipt bus.Receipt) (*Outcome, error) {
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return nil, err
	}
	verdict, err := call[bus.JudgeRequest, bus.Verdict](ctx, r, bus.VerbJudge, &r.session,
		bus.JudgeRequest{Run: r.id, Session: r.session, Intent: i, Attempt: a, Receipt: receipt,
			Reopened: inLostBrowser(state), Downloads: state.Downloads, Filled: filled(state)})
	if err != nil {
		return nil, err
	}
	if err := r.append(ctx, bus.EventVerdict, verdict); err != nil {
		return nil, err
	}
	out := &Outcome{Intent: i, Attempt: a, Receipt: receipt, Verdict: verdict}
	if err := r.remember(ctx, out); err != nil {
		return nil, err
	}
	r.save(ctx, out)
	return out, nil
}

// maxFilled bounds the controls that a judgement looks at again.
const maxFilled = 50

// filled are the controls that right attempts filled in and that nothing was
// done to since, the newest first. What is masked nobody compares.
func filled(state *bus.RunState) []bus.Filled {
	var out []bus.Filled
	touched := map[string]bool{}
	for _, in := range slices.Backward(state.Intents) {
		a := in.Last()
		if a == nil || a.Receipt == nil || a.Receipt.Target == nil || a.Verdict == nil {
			continue
		}
		r := a.Receipt
		again := touched[r.Target.Ref]
		touched[r.Target.Ref] = true
		if again || a.Verdict.Outcome != bus.Right || !fillsIn(in.Intent.Action) || r.Masked || r.ValueBefore == r.ValueAfter {
			continue
		}
		if out = append(out, bus.Filled{Ref: r.Target.Ref, Before: r.ValueBefore, After: r.ValueAfter}); len(out) == maxFilled {
			break
		}
	}
	return out
}

// fillsIn holds for the actions that bring a control to a value.
func fillsIn(a bus.Action) bool {
	switch a {
	case bus.ActionFill, bus.ActionType, bus.ActionClear, bus.ActionReplace, bus.ActionSelect:
		return true
	}
	return false
}

// remember keeps what a right attempt has read; twice is no harm.
func (r *run) remember(ctx context.Context, o *Outcome) error {
	if o.Intent.Action != bus.ActionRemember || o.Verdict.Outcome != bus.Right || o.Receipt.Read == nil {
		return nil
	}
	if old, known := r.vars[o.Intent.As]; known && old == *o.Receipt.Read {
		return nil
	}
	r.vars[o.Intent.As] = *o.Receipt.Read
	return r.append(ctx, bus.EventRemembered, bus.Remembered{Name: o.Intent.As, Value: *o.Receipt.Read, Attempt: o.Attempt.ID})
}

// save stores the session's cookies at each new page: a browser over a pipe
// dies with its process. A failure costs a resume its cookies, not the run.
func (r *run) save(ctx context.Context, o *Outcome) {
	if r.session.Node == "" || o.Verdict.Outcome != bus.Right || page(o.Verdict.After.URL) == page(o.Attempt.Before.URL) {
		return
	}
	if _, err := bus.Call[bus.SaveRequest, bus.SaveReply](ctx, r.b, bus.VerbSave, &r.session, bus.SaveRequest{Session: r.session}); err != nil && ctx.Err() == nil {
		r.log.Warn("planner: the session's state was not saved", "error", err)
	}
}

// noteTabs keeps the session's tabs as the receipt reports them; the journal
// hears of it only when they changed.
func (r *run) noteTabs(ctx context.Context, receipt bus.Receipt) error {
	if len(receipt.Tabs) == 0 || r.session.Tab == receipt.Tab && sameTabs(r.session.Tabs, receipt.Tabs) {
		return nil
	}
	r.session.Tabs, r.session.Tab = receipt.Tabs, receipt.Tab
	return r.append(ctx, bus.EventSession, r.session)
}

// sameTabs compares which tabs there are; where they stand is in the verdicts.
func sameTabs(a, b []bus.Tab) bool {
	return slices.EqualFunc(a, b, func(x, y bus.Tab) bool { return x.ID == y.ID && x.Target == y.Target })
}
