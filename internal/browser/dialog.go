package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/quartet-agents/quartet/bus"
)

// A DialogAnswer is what a policy wants done with a dialog.
type DialogAnswer struct {
	Leave  bool // leave it open for AnswerDialog; the page is held meanwhile
	Accept bool
	Text   string // for a prompt
}

// dialogs is a tab's part about JavaScript dialogs, guarded by Tab.mu.
type dialogs struct {
	open   *bus.Dialog // nil when none is
	on     *part       // where it is answered
	held   bool        // it stays open until AnswerDialog
	policy func(bus.Dialog) DialogAnswer
	// calls are the calls into the page that a dialog would hang.
	calls map[*context.CancelCauseFunc]struct{}
}

// Dialog returns the dialog that is open now, or nil.
func (t *Tab) Dialog() *bus.Dialog {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dialogs.open == nil {
		return nil
	}
	d := *t.dialogs.open
	return &d
}

// SetDialogPolicy sets who answers the tab's dialogs from now on: policy is
// called on its own goroutine, once for each dialog. Without one (nil, the
// default) dialogs stay open until AnswerDialog. Only the process that acts
// should have a policy.
func (t *Tab) SetDialogPolicy(policy func(bus.Dialog) DialogAnswer) {
	t.mu.Lock()
	t.dialogs.policy = policy
	t.mu.Unlock()
}

// AnswerDialog answers the open dialog, and returns when it is closed.
func (t *Tab) AnswerDialog(ctx context.Context, accept bool, text string) error {
	t.mu.Lock()
	d, on := t.dialogs.open, t.dialogs.on
	t.mu.Unlock()
	if d == nil {
		return errors.New("no dialog is open")
	}
	_, err := cdp.Call(ctx, on.s, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept, PromptText: text})
	if err != nil {
		return fmt.Errorf("answering the dialog: %w", err)
	}
	return t.waitFor(ctx, func() bool { return t.dialogs.open != d })
}

func (t *Tab) dialogOpens(p *part, ev *page.EventJavascriptDialogOpening) {
	d := &bus.Dialog{Type: string(ev.Type), Message: ev.Message}
	t.mu.Lock()
	t.dialogs.open, t.dialogs.on = d, p
	policy := t.dialogs.policy
	t.dialogs.held = policy == nil
	t.mu.Unlock()
	t.record(func(f *Facts) { f.Dialogs = append(f.Dialogs, *d); f.open = d })
	if policy == nil {
		t.releaseCalls(ErrDialogOpen)
		return
	}
	shown := *d
	go func() {
		answer := policy(shown)
		if answer.Leave {
			t.mu.Lock()
			t.dialogs.held = t.dialogs.open == d
			held := t.dialogs.held
			t.mu.Unlock()
			if held {
				t.releaseCalls(ErrDialogOpen)
			}
			t.notify()
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, err := cdp.Call(ctx, p.s, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: answer.Accept, PromptText: answer.Text})
		if err != nil && protocolError(err) == nil {
			t.st.h.pool.o.log.Debug("answering a dialog", "error", err)
		}
	}()
}

func (t *Tab) dialogCloses(ev *page.EventJavascriptDialogClosed) {
	answer := "dismissed"
	if ev.Result {
		answer = "accepted"
	}
	t.mu.Lock()
	d := t.dialogs.open
	t.dialogs.open, t.dialogs.on, t.dialogs.held = nil, nil, false
	t.mu.Unlock()
	if d == nil {
		return
	}
	t.record(func(f *Facts) {
		if f.open == d && len(f.Dialogs) > 0 {
			f.Dialogs[len(f.Dialogs)-1].Answer = answer
			f.open = nil
		}
	})
}

// unlessDialog returns a context that ends with ErrDialogOpen when a dialog
// opens to stay, and fails when one is open: the page cannot answer. The
// function returned must be called when the call into the page is over.
func (t *Tab) unlessDialog(ctx context.Context) (context.Context, func(), error) {
	cctx, cancel := context.WithCancelCause(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dialogs.held {
		cancel(nil)
		return nil, nil, fmt.Errorf("%w: %s %q", ErrDialogOpen, t.dialogs.open.Type, t.dialogs.open.Message)
	}
	if t.gone {
		cancel(nil)
		return nil, nil, ErrTabGone
	}
	key := &cancel
	t.dialogs.calls[key] = struct{}{}
	return cctx, func() {
		t.mu.Lock()
		delete(t.dialogs.calls, key)
		t.mu.Unlock()
		cancel(nil)
	}, nil
}

// releaseCalls ends the calls that wait for the page.
func (t *Tab) releaseCalls(cause error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key := range t.dialogs.calls {
		(*key)(cause)
	}
}
