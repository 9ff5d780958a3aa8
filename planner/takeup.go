package planner

import (
	"context"
	"fmt"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// startID is the intent that opens the workflow's start page.
const startID = "i0"

// takeUp brings the page to where the journal says that the run stands: the
// start page for a new run. All it knows is in the journal, so it can itself be
// interrupted and be done again, by this owner or another.
//
// What comes in is a run with any prefix of a journal. What goes out is a run
// without an open attempt, in a browser that stands where the run stands; or
// one that is finished.
func (r *run) takeUp(ctx context.Context) error {
	r.last = nil
	if err := r.bringSession(ctx); err != nil || r.ended {
		return err
	}
	if err := r.settle(ctx); err != nil || r.ended {
		return err
	}
	if err := r.enterAgain(ctx); err != nil || r.ended {
		return err
	}
	return r.start(ctx)
}

// bringSession sees to it that the run has a session that answers.
func (r *run) bringSession(ctx context.Context) error {
	if r.session.ID == "" {
		return r.open(ctx, "")
	}
	lost, err := r.browserLost(ctx)
	if lost && err == nil {
		err = r.reopen(ctx)
	}
	return err
}

// settle brings an attempt that a former owner left open to its verdict, by
// observation; it is never blindly repeated (DESIGN 2.4). One that may be made
// again, is: in the same browser here, in a new one by enterAgain.
func (r *run) settle(ctx context.Context) error {
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return err
	}
	i := state.LastIntent()
	if i == nil || i.Last() == nil {
		return nil // nothing was tried: the planner decides anew
	}
	a, lost := i.Last(), inLostBrowser(state)
	if a.Verdict != nil {
		r.last = outcomeOf(i)
		err = r.remember(ctx, r.last)
	} else {
		r.last, err = r.settleAttempt(ctx, i.Intent, a, lost)
	}
	if err != nil {
		return err
	}
	if stopped, err := r.stopForPerson(ctx); stopped || err != nil {
		return err
	}
	if !lost && len(i.Attempts) < maxTries && harmlessToRepeat(r.last) {
		r.last, err = r.try(ctx, i.Intent, len(i.Attempts)+1)
		if err == nil {
			_, err = r.stopForPerson(ctx)
		}
	}
	return err
}

// outcomeOf is the outcome of an intent whose last attempt has a verdict.
func outcomeOf(i *bus.IntentRecord) *Outcome {
	a := i.Last()
	return &Outcome{Intent: i.Intent, Attempt: a.Attempt, Receipt: *a.Receipt, Verdict: *a.Verdict}
}

// settleAttempt judges an open attempt by its receipt, or by what the page
// shows where there is none.
func (r *run) settleAttempt(ctx context.Context, i bus.Intent, a *bus.AttemptRecord, lost bool) (*Outcome, error) {
	receipt, found, err := r.receiptOf(ctx, a)
	if err != nil {
		return nil, err
	}
	if err := r.append(ctx, bus.EventResumed, bus.Resumed{Reason: "an attempt was open", Attempt: a.Attempt.ID, Found: found}); err != nil {
		return nil, err
	}
	if a.Receipt == nil {
		if err := r.append(ctx, bus.EventReceipt, receipt); err != nil {
			return nil, err
		}
	}
	if !lost { // tabs of a lost browser are gone
		if err := r.noteTabs(ctx, receipt); err != nil {
			return nil, err
		}
	}
	return r.judge(ctx, i, a.Attempt, receipt)
}

// receiptOf finds the receipt of an open attempt, and says where it was.
func (r *run) receiptOf(ctx context.Context, a *bus.AttemptRecord) (receipt bus.Receipt, found string, err error) {
	if a.Receipt != nil {
		return *a.Receipt, "its receipt in the journal", nil
	}
	if receipt, err = r.lostReceipt(ctx, a.Attempt, a.Time); err != nil {
		return receipt, "", err
	}
	if receipt.Lost {
		return receipt, "no receipt; judged by what the page shows", nil
	}
	return receipt, "the actor's receipt", nil
}

// start opens the workflow's start page, unless that was done; the run can't
// go on without it.
func (r *run) start(ctx context.Context) error {
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return err
	}
	for _, i := range state.Intents {
		if baseID(i.Intent.ID) == startID && isRight(i) {
			return nil
		}
	}
	i := bus.Intent{ID: idFor(state, startID), Text: "Open " + r.w.Start, Action: bus.ActionOpen, Value: r.w.Start, Risk: bus.RiskRead}
	if r.last, err = r.carry(ctx, i); err != nil || r.last.Verdict.Outcome == bus.Right {
		return err
	}
	return r.finish(ctx, bus.Finished{Status: bus.Failed,
		Reason: fmt.Sprintf("%s could not be opened: %s", r.w.Start, strings.Join(r.last.Verdict.Reasons, "; "))})
}
