package actor

import (
	"context"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// dialogPolicy answers the dialogs that the attempt raises: as the intent says,
// else by dismissing them. A beforeunload is accepted without being told so
// only when the intent is to leave. Between attempts there is no policy: a
// dialog that comes then stays open, and the next intent sees it.
func (h *hand) dialogPolicy() {
	in := h.in
	if in.Action == bus.ActionAccept || in.Action == bus.ActionDismiss {
		return // it answers the open one; one that follows stays open
	}
	if in.DialogAnswer == bus.DialogLeave {
		h.tab.SetDialogPolicy(nil)
		return
	}
	h.tab.SetDialogPolicy(func(d bus.Dialog) browser.DialogAnswer {
		return browser.DialogAnswer{Accept: accepts(in, d.Type), Text: in.PromptText}
	})
}

// leftOpen tells whether a dialog is open that the intent leaves to the next one.
func (h *hand) leftOpen() bool {
	return h.in.DialogAnswer == bus.DialogLeave && h.tab.Dialog() != nil
}

// heldByDialog takes the error of an act that a dialog cut short, where it stays
// open: input that was sent waits for the answer, and that is no failure.
func (h *hand) heldByDialog(err error) error {
	d := h.tab.Dialog()
	if d == nil || h.in.DialogAnswer != bus.DialogLeave {
		return err
	}
	if !h.rec.Sent {
		return refuse(bus.RefusedDialogOpen, "the page opened a %s dialog %q before anything was sent; it waits for an answer", d.Type, clip(d.Message))
	}
	if h.probe != nil && h.rec.Hit == nil {
		h.rec.Hit = h.probe.hit("pointerdown", "mousedown", "click", "keydown", "contextmenu", "auxclick")
	}
	h.note("a %s dialog opened, and waits for its answer", d.Type)
	return nil
}

func (h *hand) restorePolicy() { h.tab.SetDialogPolicy(nil) }

func accepts(in bus.Intent, dialog string) bool {
	switch in.DialogAnswer {
	case "accept":
		return true
	case "dismiss":
		return false
	}
	if dialog == "beforeunload" {
		switch in.Action {
		case bus.ActionOpen, bus.ActionBack, bus.ActionForward, bus.ActionCloseTab:
			return true
		}
		return false
	}
	return dialog == "alert" // it has no other answer
}

// answerDialog answers the dialog that is open, or that opens within the
// attempt's time.
func (h *hand) answerDialog(ctx context.Context) error {
	w := h.tab.Watch()
	defer w.Close()
	if h.tab.Dialog() == nil {
		wctx, cancel := context.WithTimeout(ctx, h.readyIn(patience(ctx)/4))
		defer cancel()
		_, err := w.Wait(wctx, func(f browser.Facts) bool { return len(f.Dialogs) > 0 || f.Closed })
		if err != nil || h.tab.Dialog() == nil {
			return refuse(bus.RefusedNoDialog, "no dialog is open")
		}
	}
	h.rec.Sent = true
	return h.tab.AnswerDialog(ctx, h.in.Action == bus.ActionAccept, h.in.PromptText)
}
