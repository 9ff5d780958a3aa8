package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quartet-agents/quartet/bus"
)

// maxTries is how often one intent is attempted when repeating is harmless.
const maxTries = 3

// carry brings an intent to a verdict: the only way by which a run progresses.
// It tries again where the attempt changed nothing and a repetition is harmless.
func (r *run) carry(ctx context.Context, i bus.Intent) (*Outcome, error) {
	if i.ID == "" {
		state, err := r.b.Journal().State(ctx, r.id)
		if err != nil {
			return nil, err
		}
		i.ID = fmt.Sprintf("i%d", len(state.Intents)+1)
	}
	if i.Risk == "" {
		i.Risk = bus.RiskIrreversible // unknown means the worst (DESIGN 2.4)
	}
	if i.TimeoutMS == 0 {
		i.TimeoutMS = r.limits.StepSeconds * 1000
	}
	if err := r.append(ctx, bus.EventIntent, i); err != nil {
		return nil, err
	}
	return r.try(ctx, i, 1)
}

// try makes attempts from number n on until one is right or repeating is not
// harmless.
func (r *run) try(ctx context.Context, i bus.Intent, n int) (*Outcome, error) {
	for first := n; ; n++ {
		out, err := r.attempt(ctx, i, n)
		if err != nil || out.Verdict.Outcome == bus.Right || n-first+1 >= maxTries || !harmlessToRepeat(out) {
			return out, err
		}
		r.log.Info("planner: trying again", "intent", i.ID, "outcome", out.Verdict.Outcome)
	}
}

// harmlessToRepeat says whether another attempt can do no damage and may help.
func harmlessToRepeat(o *Outcome) bool {
	if !o.Receipt.Sent && o.Receipt.Refusal != nil {
		// Nothing was sent; the page was in motion.
		return slices.Contains([]bus.RefusalCode{bus.RefusedStale, bus.RefusedUnstable, bus.RefusedCovered}, o.Receipt.Refusal.Code)
	}
	idempotent := o.Intent.Risk == bus.RiskRead || o.Intent.Risk == bus.RiskIdempotent
	switch {
	case o.Receipt.Lost:
		return idempotent
	case slices.Contains([]bus.Action{bus.ActionExpectation, bus.ActionWait}, o.Intent.Action):
		return false // the verifier has waited already
	case o.Verdict.Outcome == bus.NoEffect, o.Verdict.Outcome == bus.Unsure:
		return idempotent && o.Receipt.Refusal == nil
	}
	return false
}

// attempt is one try: prepared, journaled before the page is touched, carried
// out, judged.
func (r *run) attempt(ctx context.Context, i bus.Intent, n int) (*Outcome, error) {
	prepared, err := call[bus.PrepareRequest, bus.Prepared](ctx, r, bus.VerbPrepare, &r.session,
		bus.PrepareRequest{Run: r.id, Session: r.session, Intent: i, Look: r.o.Vision})
	if err != nil {
		return nil, err
	}
	a := bus.Attempt{ID: fmt.Sprintf("%s.%d", i.ID, n), Intent: i.ID, Target: prepared.Target, To: prepared.To, Before: prepared.Before, Risk: i.Risk}
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
	return r.judge(ctx, i, a, receipt)
}

// act asks the actor. An actor that dies may have acted: its receipt is asked
// for, and where there is none the receipt says that it is lost.
func (r *run) act(ctx context.Context, i bus.Intent, a bus.Attempt) (bus.Receipt, error) {
	started := time.Now().UTC()
	receipt, err := call[bus.ActRequest, bus.Receipt](ctx, r, bus.VerbAct, &r.session,
		bus.ActRequest{Run: r.id, Session: r.session, Intent: i, Attempt: a, Seq: r.seq, Files: r.o.Files})
	if err == nil {
		return receipt, nil
	}
	var e *bus.Error
	if ctx.Err() != nil || !errors.As(err, &e) || e.Code != bus.CodeReplicaLost && e.Code != bus.CodeDeadline {
		return bus.Receipt{}, err
	}
	r.log.Warn("planner: the actor was lost during an attempt", "attempt", a.ID, "error", err)
	return r.lostReceipt(ctx, a, started)
}

// lostReceipt finds what is known of an attempt whose actor went silent.
func (r *run) lostReceipt(ctx context.Context, a bus.Attempt, started time.Time) (bus.Receipt, error) {
	receipt, err := call[bus.ReceiptRequest, bus.Receipt](ctx, r, bus.VerbReceipt, &r.session, bus.ReceiptRequest{Attempt: a.ID, Run: r.id})
	if err == nil && receipt.Attempt == a.ID {
		return receipt, nil
	}
	if ctx.Err() != nil {
		return bus.Receipt{}, ctx.Err()
	}
	return bus.Receipt{Attempt: a.ID, Lost: true, Started: started, Millis: time.Since(started).Milliseconds(),
		Notes: []string{"the actor was lost during this attempt; what it did is known by observation only"}}, nil
}

// judge journals the receipt, asks the verifier and journals the verdict.
func (r *run) judge(ctx context.Context, i bus.Intent, a bus.Attempt, receipt bus.Receipt) (*Outcome, error) {
	if err := r.append(ctx, bus.EventReceipt, receipt); err != nil {
		return nil, err
	}
	if err := r.noteTabs(ctx, receipt); err != nil {
		return nil, err
	}
	return r.verdict(ctx, i, a, receipt)
}

// verdict asks the verifier about a journaled receipt and journals its verdict.
func (r *run) verdict(ctx context.Context, i bus.Intent, a bus.Attempt, receipt bus.Receipt) (*Outcome, error) {
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return nil, err
	}
	verdict, err := call[bus.JudgeRequest, bus.Verdict](ctx, r, bus.VerbJudge, &r.session,
		bus.JudgeRequest{Run: r.id, Session: r.session, Intent: i, Attempt: a, Receipt: receipt, Downloads: state.Downloads})
	if err != nil {
		return nil, err
	}
	if err := r.append(ctx, bus.EventVerdict, verdict); err != nil {
		return nil, err
	}
	if verdict.Outcome == bus.Right {
		if err := r.keep(ctx, i, a, receipt, verdict); err != nil {
			return nil, err
		}
	}
	return &Outcome{Intent: i, Attempt: a, Receipt: receipt, Verdict: verdict}, nil
}

// keep stores what the run needs later: a remembered value, and at each new
// page the session's cookies, for a resume after the browser is lost.
func (r *run) keep(ctx context.Context, i bus.Intent, a bus.Attempt, receipt bus.Receipt, v bus.Verdict) error {
	if i.Action == bus.ActionRemember && receipt.Read != nil {
		r.vars[i.As] = *receipt.Read
		if err := r.append(ctx, bus.EventRemembered, bus.Remembered{Name: i.As, Value: *receipt.Read, Attempt: a.ID}); err != nil {
			return err
		}
	}
	if r.session.Node != "" && page(v.After.URL) != page(a.Before.URL) {
		// A browser over a pipe dies with its process; a failure costs a
		// resume its cookies, not the run.
		if _, err := call[bus.SaveRequest, bus.SaveReply](ctx, r, bus.VerbSave, &r.session, bus.SaveRequest{Session: r.session}); err != nil {
			r.log.Warn("planner: the session's state was not saved", "error", err)
		}
	}
	return nil
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
