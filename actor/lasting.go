package actor

import (
	"context"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// How long after the input a state is watched that the page may take back: one
// that is on or off, or chosen, and a text, of which forms have many.
const (
	stateLasts = 1200 * time.Millisecond
	textLasts  = 600 * time.Millisecond
)

// A lasting is a control that an attempt brings to a state. Pages show a state
// at once and take it back when something later says no. What a request says is
// waited for by settling; whether anything else is to come is known by the
// timers that the page has set since the input reached it. Where it has set none
// the state is final, and nothing is waited for.
type lasting struct {
	frame   *browser.Frame
	ref     string
	within  time.Duration
	since   time.Time // the end of the input
	asked   bool      // after the last of it
	pending bool      // the page has set timers since
}

// mustLast notes the control whose state the attempt aims at.
func (h *hand) mustLast(f *browser.Frame, ref string, within time.Duration) {
	h.lasts = &lasting{frame: f, ref: ref, within: within}
}

// twoState holds for roles whose click is meant to turn a state.
func twoState(role, checked string) bool {
	switch role {
	case "checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio":
		return true
	case "button":
		return checked != "" // a toggle button
	}
	return false
}

// askPending asks, right after the input, whether the page has more to do. A
// page that can't be asked has gone on, and takes nothing back.
func (h *hand) askPending(ctx context.Context) {
	l := h.lasts
	if l == nil || l.asked || h.probe == nil {
		return
	}
	l.since = time.Now()
	_ = l.frame.Call(ctx, &l.pending, `(t) => globalThis.__quartetAct.timersSet(t)`, h.probe.token)
}

// outlast watches the state until it falls or has lasted, then reads it again.
func (h *hand) outlast(ctx context.Context) {
	l := h.lasts
	if l == nil || !l.pending || h.rec.Crashed || h.leftOpen() {
		return
	}
	left := min(l.within-time.Since(l.since), time.Until(h.until))
	var fell bool
	if left <= 0 || l.frame.Call(ctx, &fell, `(ref, ms) => globalThis.__quartetAct.falls(ref, ms)`, l.ref, left.Milliseconds()) != nil || !fell {
		return
	}
	h.note("the page changed the control again after the input")
	h.settle(ctx, h.tab)
	h.readBack(ctx)
	switch h.in.Action {
	case bus.ActionCheck, bus.ActionUncheck, bus.ActionToggle:
		v, err := readValue(ctx, l.frame, l.ref)
		if err == nil && !v.Gone && v.Checked != h.rec.ValueAfter {
			h.rec.ValueAfter, h.rec.Matches = v.Checked, new(false)
		}
	}
}
