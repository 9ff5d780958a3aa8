package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// errBrowserLost says that the run's browser is gone; bus.CodeNodeGone says
// the same of a browser over a pipe.
var errBrowserLost = bus.Errorf(bus.GiveUp, "browser_lost", "the run's browser is gone")

func isBrowserLost(err error) bool {
	code := codeOf(err)
	return code == errBrowserLost.Code || code == bus.CodeNodeGone
}

// orLost is err, or errBrowserLost where there is none.
func orLost(err error) error {
	if err != nil {
		return err
	}
	return errBrowserLost
}

// browserLost says whether the run's session is gone. That no observer answers
// says nothing about the browser: it is an error.
func (r *run) browserLost(ctx context.Context) (bool, error) {
	_, err := call[bus.ObserveRequest, bus.Observation](ctx, r, bus.VerbObserve, &r.session,
		bus.ObserveRequest{Session: r.session, Mode: "full", Format: "none"})
	switch {
	case err == nil:
		return false, nil
	case ctx.Err() != nil, bus.DecisionOf(err) != bus.GiveUp:
		return false, err
	}
	r.log.Info("planner: the session is gone", "error", err)
	return true, nil
}

// reopen gets a new browser: the run's cookies, at the address where it stood.
// The address is opened anew and never reloaded, since a reload can post twice.
func (r *run) reopen(ctx context.Context) error {
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return err
	}
	if open := state.OpenIntent(); open != nil && len(open.Attempts) == 0 {
		if err := r.leave(ctx, open.Intent); err != nil { // others come before it now
			return err
		}
	}
	url, _ := standing(state.Intents)
	if i := doneByOpening(state.Intents); i != nil {
		return r.finish(ctx, bus.Finished{Status: bus.NeedsPerson, Attempt: i.Last().Attempt.ID,
			Reason: fmt.Sprintf("the browser was lost on %s, to which %q had led: to open that address again might do it a second time", url, i.Intent.Text)})
	}
	resumed := bus.Resumed{Reason: "the browser was lost", Lost: true, Intents: len(state.Intents)}
	if a := state.OpenAttempt(); a != nil {
		resumed.Attempt = a.Attempt.ID
		receipt, _, err := r.receiptOf(ctx, a)
		if err != nil {
			return err
		}
		asked := a.Attempt.Risk == bus.RiskIrreversible && !slices.ContainsFunc(receipt.Requests, bus.Request.Posts)
		if receipt.Sent && receipt.URLAfter != "" && receipt.URLAfter != receipt.URLBefore && !asked {
			url = receipt.URLAfter
		}
	}
	if url == "" {
		url = r.w.Start
	}
	// Before the session: whoever finds the new one must find this too.
	if err := r.append(ctx, bus.EventResumed, resumed); err != nil {
		return err
	}
	return r.open(ctx, url)
}

// enterAgain carries out in a new browser what had been entered on the page in
// the lost one, without what is irreversible. A page that can't be brought back
// is a person's matter.
func (r *run) enterAgain(ctx context.Context) error {
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return err
	}
	again, redo := pending(state)
	for _, i := range again {
		out, err := r.again(ctx, i)
		if err != nil {
			return err
		}
		if v := out.Verdict; v.Outcome != bus.Right {
			return r.finish(ctx, bus.Finished{Status: bus.NeedsPerson, Attempt: out.Attempt.ID,
				Reason: fmt.Sprintf("the page could not be brought back after the browser was lost: %s: %s", i.Text, strings.Join(v.Reasons, "; "))})
		}
	}
	if redo == nil {
		return nil
	}
	if r.last, err = r.again(ctx, *redo); err == nil {
		_, err = r.stopForPerson(ctx)
	}
	return err
}

// again carries an intent out once more, as a new one.
func (r *run) again(ctx context.Context, i bus.Intent) (*Outcome, error) {
	state, err := r.b.Journal().State(ctx, r.id)
	if err != nil {
		return nil, err
	}
	i.ID = idFor(state, baseID(i.ID))
	if i.Target != nil && i.Target.Ref != "" && i.Target.Words != "" {
		t := *i.Target // the ref was of a page that is gone
		t.Ref = ""
		i.Target = &t
	}
	return r.carry(ctx, i)
}

// pending says what is still to be done of bringing back the page of the
// newest lost browser: the intents to carry out again, and the one that the
// loss interrupted, where repeating it is harmless.
func pending(state *bus.RunState) (again []bus.Intent, redo *bus.Intent) {
	n, open, lost := newestLoss(state)
	if !lost {
		return nil, nil
	}
	before, since := state.Intents[:n], state.Intents[n:]
	done := func(i bus.Intent) bool {
		return slices.ContainsFunc(since, func(r *bus.IntentRecord) bool { return baseID(r.Intent.ID) == baseID(i.ID) && len(r.Attempts) > 0 })
	}
	url, again := standing(before)
	if a := judged(before, open); a != nil && page(a.Verdict.After.URL) != page(url) {
		again = nil // the attempt that was open had led on to another page
	}
	again = slices.DeleteFunc(again, done)
	for k, last := range slices.Backward(before) {
		if last.Last() == nil || wasRight(before[:k], last.Intent) {
			continue // not tried, or only to bring back an earlier lost page
		}
		if last.Last().Verdict != nil && !done(last.Intent) && (harmlessToRepeat(outcomeOf(last)) || goneWithPage(outcomeOf(last))) {
			redo = &last.Intent
		}
		break
	}
	return again, redo
}

// goneWithPage holds for an attempt whose effect, if it had one, went with the
// page of a lost browser: it left the server alone, or what the workflow expects
// of it is not so in the new one.
func goneWithPage(o *Outcome) bool {
	switch o.Intent.Risk {
	case bus.RiskRead, bus.RiskIdempotent:
		return o.Verdict.Outcome != bus.Right
	case bus.RiskReversible:
		posted := slices.ContainsFunc(o.Receipt.Requests, bus.Request.Posts)
		// What a page says for a moment it need not say again; where it leads, it does.
		unmet := slices.ContainsFunc(o.Verdict.Checks, func(c bus.Checked) bool {
			return !c.Held && (!posted || c.Expect.Kind == bus.ExpectURL)
		})
		return o.Receipt.Refusal == nil && (unmet || o.Verdict.Outcome == bus.NoEffect && !posted)
	}
	return false
}

// wasRight says whether one of the intents carried the same out before.
func wasRight(intents []*bus.IntentRecord, i bus.Intent) bool {
	return slices.ContainsFunc(intents, func(r *bus.IntentRecord) bool { return baseID(r.Intent.ID) == baseID(i.ID) && isRight(r) })
}

// judged is the attempt with this id, if it has a verdict.
func judged(intents []*bus.IntentRecord, id string) *bus.AttemptRecord {
	for _, i := range intents {
		for _, a := range i.Attempts {
			if a.Attempt.ID == id && a.Verdict != nil {
				return a
			}
		}
	}
	return nil
}

// newestLoss is how many intents there were when a browser was lost last, and
// the attempt that was open then.
func newestLoss(state *bus.RunState) (intents int, open string, lost bool) {
	for _, r := range slices.Backward(state.Resumes) {
		if r.Lost {
			return min(r.Intents, len(state.Intents)), r.Attempt, true
		}
	}
	return 0, "", false
}

// inLostBrowser says whether the newest intent was carried out in a browser
// that was lost.
func inLostBrowser(state *bus.RunState) bool {
	n, _, lost := newestLoss(state)
	return lost && n == len(state.Intents)
}

// standing says at which address the run stands after these intents, and which
// of them have to be carried out again when that address is opened anew: those
// since it was opened, or since the last irreversible one, without what only
// looks and without what has reached the server and might do so again.
func standing(intents []*bus.IntentRecord) (url string, again []bus.Intent) {
	for _, i := range intents {
		a := i.Last()
		if !isRight(i) {
			continue
		}
		moved := page(a.Verdict.After.URL) != page(a.Attempt.Before.URL)
		url = a.Verdict.After.URL
		switch {
		case moved || i.Intent.Action == bus.ActionOpen || i.Intent.Risk == bus.RiskIrreversible:
			again = nil
		case i.Intent.Action == bus.ActionExpectation || i.Intent.Action == bus.ActionWait ||
			i.Intent.Action == bus.ActionRemember || i.Intent.Action == bus.ActionDownload:
		case i.Intent.Risk == bus.RiskReversible && mayHavePosted(a.Receipt):
		default:
			same := func(x bus.Intent) bool { return baseID(x.ID) == baseID(i.Intent.ID) }
			if k := slices.IndexFunc(again, same); k >= 0 {
				again[k] = i.Intent // entered again after an earlier loss
				continue
			}
			again = append(again, i.Intent)
		}
	}
	return url, again
}

// doneByOpening is the irreversible act that led to where the run stands without
// posting anything, as far as anybody saw: asking for the address did it.
func doneByOpening(intents []*bus.IntentRecord) (by *bus.IntentRecord) {
	for _, i := range intents {
		a := i.Last()
		if !isRight(i) || page(a.Verdict.After.URL) == page(a.Attempt.Before.URL) {
			continue
		}
		by = nil
		if i.Intent.Risk == bus.RiskIrreversible && !slices.ContainsFunc(a.Receipt.Requests, bus.Request.Posts) {
			by = i
		}
	}
	return by
}

// beyondRepair is the irreversible act after which a browser was lost while its
// page stood: what that page held can't be brought back, and what fails for want
// of it has not failed. It is nil where the run has come to another page since.
func beyondRepair(state *bus.RunState) (by *bus.IntentRecord) {
	n, _, lost := newestLoss(state)
	if !lost {
		return nil
	}
	for k, i := range state.Intents {
		a := i.Last()
		if !isRight(i) {
			continue
		}
		switch moved := page(a.Verdict.After.URL) != page(a.Attempt.Before.URL); {
		case i.Intent.Risk == bus.RiskIrreversible && k < n:
			by = i
		case moved || i.Intent.Action == bus.ActionOpen:
			by = nil
		}
	}
	return by
}

// mayHavePosted says whether the attempt sent something to the server, as far as
// anybody knows.
func mayHavePosted(r *bus.Receipt) bool {
	return r.Lost || slices.ContainsFunc(r.Requests, bus.Request.Posts)
}

// page is an address without its fragment.
func page(url string) string {
	p, _, _ := strings.Cut(url, "#")
	return p
}
