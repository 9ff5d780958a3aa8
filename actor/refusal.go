package actor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// A refused is a refusal on its way up as an error.
type refused struct{ bus.Refusal }

func (r *refused) Error() string { return string(r.Code) + ": " + r.Message }

func refuse(code bus.RefusalCode, format string, args ...any) error {
	return &refused{bus.Refusal{Code: code, Message: fmt.Sprintf(format, args...)}}
}

// refusalOf turns any error of an attempt into a refusal: the facts gathered so
// far must reach the verifier, so an attempt ends in a receipt, never in an
// error.
func refusalOf(ctx context.Context, err error) *bus.Refusal {
	if r, ok := errors.AsType[*refused](err); ok {
		return &r.Refusal
	}
	code, msg := bus.RefusedUnsupported, err.Error()
	if se, ok := errors.AsType[*browser.ScriptError](err); ok {
		msg = se.Text // with the place in our own script
	}
	switch {
	case errors.Is(err, browser.ErrDialogOpen):
		code = bus.RefusedDialogOpen
	case errors.Is(err, browser.ErrGone), errors.Is(err, browser.ErrTabGone), errors.Is(err, browser.ErrClosed):
		code = bus.RefusedBrowserGone
	case errors.Is(err, browser.ErrFrameGone), errors.Is(err, browser.ErrNavigated):
		code, msg = bus.RefusedStale, "the document was replaced by a navigation before the element could be used"
	case errors.Is(err, browser.ErrOrigin):
		code = bus.RefusedOrigin
	case errors.Is(ctx.Err(), context.Canceled):
		// This process is ending, and its browser with it.
		code, msg = bus.RefusedBrowserGone, "the attempt was called off: "+err.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), ctx.Err() != nil:
		code, msg = bus.RefusedTimeout, "the time for the attempt was up: "+err.Error()
	}
	return &bus.Refusal{Code: code, Message: msg}
}

func appendOnce(list []string, v string) []string {
	if v == "" || slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
