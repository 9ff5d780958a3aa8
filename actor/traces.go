package actor

import (
	"context"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// A drawing is what the canvases of the target's document showed before the
// input and right after it (pictures.js). No pixel leaves the page.
type drawing struct {
	frame *browser.Frame
	soon  string // what showed otherwise right after the input, "" for nothing
}

// printBefore takes the canvases' prints, right before the input.
func (h *hand) printBefore(ctx context.Context, a *aim) {
	var n int
	if !a.Canvas || a.frame.Call(ctx, &n, `() => globalThis.__quartetAct.prints()`) != nil || n == 0 {
		return
	}
	h.drawn = &drawing{frame: a.frame}
}

// printAfter compares them, right after the input.
func (h *hand) printAfter(ctx context.Context) {
	if h.drawn != nil {
		_ = h.drawn.frame.Call(ctx, &h.drawn.soon, `() => globalThis.__quartetAct.redrawn(0)`)
	}
}

// stillMS is for how long a canvas that changed late must stay as it is, to tell
// an effect from a picture that moves by itself.
const stillMS = 250

// takeTraces collects what the input left behind that no observation shows.
func (h *hand) takeTraces(ctx context.Context) {
	switch h.in.Action {
	case bus.ActionClick, bus.ActionPress, bus.ActionDrag:
	default:
		return
	}
	if h.probe != nil {
		for _, t := range h.probe.traces() {
			// A click moves the caret and the selection by itself.
			if t.Kind != bus.TraceSelection || h.in.Action == bus.ActionPress {
				h.rec.Traces = append(h.rec.Traces, t)
			}
		}
	}
	if d := h.drawn; d != nil {
		now := d.soon
		if now == "" {
			_ = d.frame.Call(ctx, &now, `(ms) => globalThis.__quartetAct.redrawn(ms)`, stillMS)
		}
		if now != "" {
			h.rec.Traces = append(h.rec.Traces, bus.Trace{Kind: bus.TraceCanvas, Fact: "a canvas shows something else"})
		}
	}
}
