package actor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// act answers actor.act. Everything that happens, refusals included, comes back
// as a receipt; an error means that nothing was touched and nothing is known.
// The same attempt given twice is carried out once: the second caller gets the
// receipt of the first.
func (a *Agent) act(ctx context.Context, req bus.ActRequest) (bus.Receipt, error) {
	rec := bus.Receipt{Attempt: req.Attempt.ID, Started: time.Now().UTC()}
	done := func(r *bus.Refusal) (bus.Receipt, error) {
		rec.Refusal = r
		rec.Millis = time.Since(rec.Started).Milliseconds()
		return rec, nil
	}
	refusal := make(chan *bus.Refusal, 1)
	go func() { refusal <- a.gate(ctx, req) }()
	old, err := a.stored(ctx, req.Session.ID, req.Attempt.ID)
	if err != nil {
		return bus.Receipt{}, err
	}
	if old != nil {
		if old.Lost {
			return done(&bus.Refusal{Code: bus.RefusedNoVerdict, Message: fmt.Sprintf("attempt %s was begun by another replica; observe what it did", req.Attempt.ID)})
		}
		return *old, nil
	}
	if r := <-refusal; r != nil {
		return done(r)
	}
	if err := a.begin(ctx, req.Session.ID, rec); err != nil {
		if errors.Is(err, errBegun) {
			return done(&bus.Refusal{Code: bus.RefusedNoVerdict, Message: fmt.Sprintf("attempt %s was begun by another replica; observe what it did", req.Attempt.ID)})
		}
		return bus.Receipt{}, err
	}
	limit := a.o.Timeout
	if req.Intent.Action == bus.ActionOpen {
		limit = a.o.OpenTimeout
	}
	if req.Intent.TimeoutMS > 0 {
		limit = time.Duration(req.Intent.TimeoutMS) * time.Millisecond
	}
	actCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	h := &hand{a: a, req: req, in: req.Intent, sess: req.Session, rec: &rec}
	if err := h.run(actCtx); err != nil {
		rec.Refusal = refusalOf(actCtx, err)
		a.log.Info("attempt refused", "run", req.Run, "attempt", req.Attempt.ID, "code", rec.Refusal.Code)
	}
	h.mask()
	rec.Millis = time.Since(rec.Started).Milliseconds()
	// The receipt must be kept even when the caller has gone.
	keepCtx, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	a.keepLogin(keepCtx, req.Session, rec)
	if err := a.keep(keepCtx, req.Session.ID, rec); err != nil {
		a.log.Error("receipt was not kept", "run", req.Run, "attempt", req.Attempt.ID, "error", err)
	}
	return rec, nil
}

// A hand carries out one attempt. It is used by one goroutine.
type hand struct {
	a    *Agent
	req  bus.ActRequest
	in   bus.Intent
	sess bus.Session
	rec  *bus.Receipt

	tab    *browser.Tab
	frames []*browser.Frame // as of the last look
	probe  *probe
	want   string    // what the target should hold afterwards
	aimed  *aim      // what was aimed at last
	lasts  *lasting  // the state that must last, nil for none
	drawn  *drawing  // the canvases around the target, nil where there are none
	dead   bool      // the renderer had died before
	opener *opener   // the page that opened this one, nil where it tells nothing
	until  time.Time // when the attempt's time is up
}

// run does the attempt between the watch's start and the reading of its facts.
func (h *hand) run(ctx context.Context) (err error) {
	tab, err := h.a.pool.Tab(ctx, h.sess)
	if err != nil {
		switch h.in.Action {
		case bus.ActionSwitchTab, bus.ActionCloseTab, bus.ActionNewTab:
			return h.withoutTab(ctx)
		}
		return err
	}
	h.tab = tab
	h.rec.Tab = h.sess.Tab
	if d := tab.Dialog(); d != nil && h.in.Action == bus.ActionOpen {
		// To leave the page is to answer: as at the address bar, with no.
		h.note("the page's %s dialog %q was open, and was dismissed to leave the page", d.Type, clip(d.Message))
		if err := tab.AnswerDialog(ctx, accepts(h.in, d.Type), ""); err != nil {
			return err
		}
	} else if d != nil && !answers(h.in.Action) {
		h.rec.Dialogs = append(h.rec.Dialogs, *d)
		return refuse(bus.RefusedDialogOpen, "the page waits for an answer to its %s dialog %q", d.Type, clip(d.Message))
	}
	h.dialogPolicy()
	defer h.restorePolicy()
	if h.in.Action == bus.ActionOpen || h.in.Action == bus.ActionBack || h.in.Action == bus.ActionForward {
		tab.Revive()
	}
	watch := tab.Watch()
	defer watch.Close()
	h.dead = watch.Facts().Crashed
	h.rec.URLBefore = tab.URL()
	if h.inPage() {
		h.rec.Input = InputPage
	}
	h.until, _ = ctx.Deadline()
	defer func() {
		fctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), gatherMax)
		defer cancel()
		h.gather(fctx, watch, err == nil)
	}()
	// A dead renderer answers nothing, nor does one behind a dialog that stays
	// open; what waits for it is let go at once.
	dctx, stop := context.WithCancel(ctx)
	defer stop()
	leaves := h.in.DialogAnswer == bus.DialogLeave // the hand is its own goroutine's
	go func() {
		if _, werr := watch.Wait(dctx, func(f browser.Facts) bool { return f.Crashed && !h.dead || leaves && tab.Dialog() != nil }); werr == nil {
			stop()
		}
	}()
	if err = h.do(dctx); err != nil && watch.Facts().Crashed {
		return refuse(bus.RefusedBrowserGone, "the tab's renderer died; open an address to go on in it")
	}
	if err != nil {
		err = h.heldByDialog(err)
	}
	return err
}

// do carries out the action.
func (h *hand) do(ctx context.Context) error {
	switch h.in.Action {
	case bus.ActionOpen:
		return h.navigate(ctx)
	case bus.ActionBack, bus.ActionForward:
		return h.history(ctx)
	case bus.ActionAccept, bus.ActionDismiss:
		return h.answerDialog(ctx)
	case bus.ActionSwitchTab:
		return h.switchTab(ctx)
	case bus.ActionCloseTab:
		return h.closeTab(ctx)
	case bus.ActionNewTab:
		return h.newTab(ctx)
	case bus.ActionWait:
		return h.wait(ctx)
	case bus.ActionExpectation:
		return nil // the verifier looks; nothing is sent
	case bus.ActionScroll:
		return h.scroll(ctx)
	case bus.ActionPress:
		return h.press(ctx)
	case bus.ActionRemember:
		return h.remember(ctx)
	case bus.ActionEvaluate:
		return h.evaluate(ctx)
	}
	if h.req.Attempt.Target == nil {
		return refuse(bus.RefusedNotFound, "the attempt has no target")
	}
	switch h.in.Action {
	case bus.ActionClick, bus.ActionDownload:
		return h.click(ctx)
	case bus.ActionHover:
		return h.hover(ctx)
	case bus.ActionFill, bus.ActionType, bus.ActionClear, bus.ActionReplace:
		return h.fill(ctx)
	case bus.ActionSelect:
		return h.choose(ctx)
	case bus.ActionPickDate:
		return h.pickDate(ctx)
	case bus.ActionCheck, bus.ActionUncheck, bus.ActionToggle:
		return h.check(ctx)
	case bus.ActionUpload:
		return h.upload(ctx)
	case bus.ActionDrag:
		return h.drag(ctx)
	}
	return refuse(bus.RefusedUnsupported, "the actor does not know the action %q", h.in.Action)
}

// wait sends nothing. With an expectation the verifier does the waiting; the
// time alone is waited here, and a navigation does not end it early.
func (h *hand) wait(ctx context.Context) error {
	ms := 0
	if _, err := fmt.Sscan(h.in.Value, &ms); err != nil || ms <= 0 || len(h.in.Expect) > 0 {
		return nil
	}
	t := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		h.note("waited %d ms", ms)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func answers(a bus.Action) bool {
	switch a {
	case bus.ActionAccept, bus.ActionDismiss, bus.ActionCloseTab, bus.ActionSwitchTab, bus.ActionNewTab, bus.ActionWait, bus.ActionExpectation:
		return true
	}
	return false
}

func (h *hand) note(format string, args ...any) {
	h.rec.Notes = append(h.rec.Notes, fmt.Sprintf(format, args...))
}

// mask hides secrets in whatever the page showed of them.
func (h *hand) mask() {
	m := h.a.mask
	r := h.rec
	if r.Masked {
		r.ValueBefore, r.ValueAfter = dots(r.ValueBefore), dots(r.ValueAfter)
	}
	r.ValueBefore, r.ValueAfter = m(r.ValueBefore), m(r.ValueAfter)
	r.URLBefore, r.URLAfter = m(r.URLBefore), m(r.URLAfter)
	if r.Read != nil {
		s := m(*r.Read)
		r.Read = &s
	}
	for i := range r.Notes {
		r.Notes[i] = m(r.Notes[i])
	}
	for i := range r.Dialogs {
		r.Dialogs[i].Message = m(r.Dialogs[i].Message)
	}
	for i := range r.Requests {
		r.Requests[i].URL = m(r.Requests[i].URL)
	}
	for i := range r.Traces {
		r.Traces[i].Fact = m(r.Traces[i].Fact)
	}
	for i := range r.Downloads {
		r.Downloads[i].URL, r.Downloads[i].Name = m(r.Downloads[i].URL), m(r.Downloads[i].Name)
	}
	if r.Hit != nil {
		r.Hit.Name = m(r.Hit.Name)
	}
	for _, e := range []*bus.Element{r.Target} {
		if e != nil {
			e.Name, e.Place = m(e.Name), m(e.Place)
		}
	}
	if r.Refusal != nil {
		r.Refusal.Message = m(r.Refusal.Message)
	}
}

// dots stands for a masked value; it does not tell the length.
func dots(s string) string {
	if s == "" {
		return ""
	}
	return "••••••"
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 120 {
		return string(r[:120]) + "…"
	}
	return s
}
