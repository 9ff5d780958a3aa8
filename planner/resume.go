package planner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
)

// planner makes the run's Planner.
func (r *run) planner(state *bus.RunState) (Planner, error) {
	if len(r.w.Steps) > 0 {
		return newRules(r.w, state)
	}
	return r.agent.newGoal(r.w, state)
}

// takeUp brings the page to where the journal says that the run stands: the
// workflow's start for a new run. An attempt that was open is settled by
// observation, never blindly repeated (DESIGN 2.4).
func (r *run) takeUp(ctx context.Context, state *bus.RunState) error {
	if state.Session == nil {
		if err := r.open(ctx, ""); err != nil {
			return err
		}
		return r.goTo(ctx, "i0", r.w.Start)
	}
	if i := state.LastIntent(); i != nil && i.Last() != nil {
		r.last = outcomeOf(i, i.Last())
	}
	if !r.alive(ctx) {
		return r.rebuild(ctx, state)
	}
	open := state.OpenIntent()
	if open == nil {
		return nil
	}
	out, err := r.settle(ctx, open, "another owner took the run up")
	if err != nil {
		return err
	}
	if out == nil || mayRepeat(out) {
		out, err = r.try(ctx, open.Intent, len(open.Attempts)+1)
	}
	r.last = out
	return err
}

// settle brings an open attempt to its verdict by observation; nil when the
// intent has no open attempt, so that nothing of it was sent.
func (r *run) settle(ctx context.Context, open *bus.IntentRecord, why string) (*Outcome, error) {
	a := open.Last()
	if a == nil || a.Verdict != nil {
		return nil, r.append(ctx, bus.EventResumed, bus.Resumed{Reason: why})
	}
	if a.Receipt != nil {
		if err := r.append(ctx, bus.EventResumed, bus.Resumed{Reason: why, Attempt: a.Attempt.ID, Found: "its receipt in the journal"}); err != nil {
			return nil, err
		}
		return r.verdict(ctx, open.Intent, a.Attempt, *a.Receipt)
	}
	receipt, err := r.lostReceipt(ctx, a.Attempt, a.Time)
	if err != nil {
		return nil, err
	}
	found := "the actor's receipt"
	if receipt.Lost {
		found = "no receipt; judged by what the page shows"
	}
	if err := r.append(ctx, bus.EventResumed, bus.Resumed{Reason: why, Attempt: a.Attempt.ID, Found: found}); err != nil {
		return nil, err
	}
	return r.judge(ctx, open.Intent, a.Attempt, receipt)
}

// mayRepeat says whether an attempt that was settled after a crash, and not
// found right, may be made again: anything but an irreversible one.
func mayRepeat(o *Outcome) bool {
	return o.Verdict.Outcome != bus.Right && o.Intent.Risk != bus.RiskIrreversible &&
		(o.Receipt.Lost || harmlessToRepeat(o))
}

func outcomeOf(i *bus.IntentRecord, a *bus.AttemptRecord) *Outcome {
	o := &Outcome{Intent: i.Intent, Attempt: a.Attempt}
	if a.Receipt != nil {
		o.Receipt = *a.Receipt
	}
	if a.Verdict != nil {
		o.Verdict = *a.Verdict
	}
	return o
}

// goTo opens an address as an intent; the run can't go on without it.
func (r *run) goTo(ctx context.Context, id, url string) error {
	out, err := r.carry(ctx, bus.Intent{ID: id, Text: "Open " + url, Action: bus.ActionOpen, Value: url, Risk: bus.RiskRead})
	if err != nil {
		return err
	}
	r.last = out
	if out.Verdict.Outcome != bus.Right {
		return r.finish(ctx, bus.Finished{Status: bus.Failed, Attempt: out.Attempt.ID,
			Reason: fmt.Sprintf("%s could not be opened: %s", url, strings.Join(out.Verdict.Reasons, "; "))})
	}
	return nil
}

// alive says whether the run's session still answers.
func (r *run) alive(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, err := bus.Call[bus.ObserveRequest, bus.Observation](ctx, r.b, bus.VerbObserve, &r.session,
		bus.ObserveRequest{Session: r.session, Mode: "full", Format: "none"})
	if err != nil {
		r.log.Info("planner: the session is gone", "error", err)
	}
	return err == nil
}

// rebuild goes on in a new browser: the run's cookies, the address where it
// stood, and what had been entered there since. The address is opened anew,
// never reloaded, since a reload can post twice; what was irreversible is never
// repeated, and a page that can't be brought back is a person's matter.
func (r *run) rebuild(ctx context.Context, state *bus.RunState) error {
	url, replay := standing(state)
	if url == "" {
		url = r.w.Start
	}
	if err := r.open(ctx, url); err != nil {
		return err
	}
	suffix := fmt.Sprintf("r%d", len(state.Resumes)+1)
	var again *bus.Intent
	if open := state.OpenIntent(); open != nil {
		out, err := r.settleLost(ctx, open)
		if err != nil {
			return err
		}
		r.last = out
		switch {
		case out.Verdict.Outcome == bus.Right && open.Intent.Risk == bus.RiskIrreversible:
			replay = nil
		case out.Verdict.Outcome == bus.Right:
		case out.Receipt.Refusal == nil && open.Intent.Risk == bus.RiskIrreversible:
			return r.finish(ctx, bus.Finished{Status: bus.NeedsPerson, Attempt: out.Attempt.ID,
				Reason: fmt.Sprintf("the browser was lost during %q, and the page does not tell whether it took effect", open.Intent.Text)})
		default:
			again = &open.Intent
		}
	} else if err := r.append(ctx, bus.EventResumed, bus.Resumed{Reason: "the browser was lost"}); err != nil {
		return err
	}
	if again != nil {
		replay = append(replay, *again)
	}
	for _, i := range replay {
		i.ID = strings.SplitN(i.ID, "r", 2)[0] + suffix
		if i.Target != nil && i.Target.Ref != "" && i.Target.Words != "" {
			t := *i.Target // the ref was of a page that is gone
			t.Ref = ""
			i.Target = &t
		}
		out, err := r.carry(ctx, i)
		if err != nil {
			return err
		}
		r.last = out
		if out.Verdict.Outcome != bus.Right && (again == nil || i.ID != again.ID+suffix) {
			return r.finish(ctx, bus.Finished{Status: bus.NeedsPerson, Attempt: out.Attempt.ID,
				Reason: fmt.Sprintf("the page could not be brought back after the browser was lost: %s: %s", i.Text, strings.Join(out.Verdict.Reasons, "; "))})
		}
	}
	return nil
}

// settleLost closes the intent that was open when the browser was lost.
func (r *run) settleLost(ctx context.Context, open *bus.IntentRecord) (*Outcome, error) {
	if a := open.Last(); a != nil && a.Verdict == nil {
		return r.settle(ctx, open, "the browser was lost")
	}
	if err := r.append(ctx, bus.EventResumed, bus.Resumed{Reason: "the browser was lost"}); err != nil {
		return nil, err
	}
	a := bus.Attempt{ID: fmt.Sprintf("%s.%d", open.Intent.ID, len(open.Attempts)+1), Intent: open.Intent.ID, Risk: open.Intent.Risk}
	if err := r.append(ctx, bus.EventAttempt, a); err != nil {
		return nil, err
	}
	return r.judge(ctx, open.Intent, a, bus.Receipt{Attempt: a.ID, Started: time.Now().UTC(),
		Refusal: &bus.Refusal{Code: bus.RefusedBrowserGone, Message: "the browser was lost before anything was sent"}})
}

// standing says at which address the run stood, and which of its intents have
// to be repeated there: those since the document was opened or since the last
// irreversible one, without what only looks.
func standing(state *bus.RunState) (url string, replay []bus.Intent) {
	for _, i := range state.Intents {
		a := i.Last()
		if a == nil || a.Verdict == nil || a.Verdict.Outcome != bus.Right {
			continue
		}
		moved := page(a.Verdict.After.URL) != page(a.Attempt.Before.URL)
		url = a.Verdict.After.URL
		switch {
		case moved || i.Intent.Action == bus.ActionOpen || i.Intent.Risk == bus.RiskIrreversible:
			replay = nil
		case i.Intent.Action == bus.ActionExpectation || i.Intent.Action == bus.ActionRemember || i.Intent.Action == bus.ActionDownload:
		default:
			replay = append(replay, i.Intent)
		}
	}
	return url, replay
}

// page is an address without its fragment.
func page(url string) string {
	p, _, _ := strings.Cut(url, "#")
	return p
}
