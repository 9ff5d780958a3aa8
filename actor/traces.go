package actor

import (
	"context"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// A drawing is what the canvases of the target's document showed before the
// input and right after it (pictures.js). No pixel leaves the page.
type drawing struct {
	frame *browser.Frame
	soon  string // what showed otherwise right after the input, "" for nothing
}

// An opener is the page that opened this one, and may be what an input in this
// one is for. It was calm before the input.
type opener struct {
	frame *browser.Frame
	since time.Time
}

const (
	// stillFor is for how long a canvas that changed late must stay as it is, to
	// tell an effect from a picture that moves by itself.
	stillFor = 250 * time.Millisecond
	// calmFor is how long the opener must not have changed before the input, to
	// tell an effect from a page that changes by itself.
	calmFor = time.Second
)

// expectTraces prepares for what no observation of this page shows, right before
// the input. It looks only where there may be some.
func (h *hand) expectTraces(ctx context.Context, a *aim) {
	var n int
	if a.Canvas && a.frame.Call(ctx, &n, `() => globalThis.__quartetAct.prints()`) == nil && n > 0 {
		h.drawn = &drawing{frame: a.frame}
	}
	for _, t := range h.sess.Tabs {
		if t.ID != h.sess.Tab || t.Opener == "" {
			continue
		}
		s := h.sess
		s.Tab = t.Opener
		tab, err := h.a.pool.Tab(ctx, s)
		if err != nil || tab.Dialog() != nil {
			return
		}
		fs, err := tab.Frames(ctx)
		if err == nil && len(fs) > 0 && calm(ctx, fs[0], calmFor) {
			h.opener = &opener{frame: fs[0], since: time.Now()}
		}
	}
}

// calm tells whether the document has not changed for so long, or since it began
// where that is less. One that can't be asked is not.
func calm(ctx context.Context, f *browser.Frame, d time.Duration) (ok bool) {
	err := f.Call(ctx, &ok, `(ms) => { const q = globalThis.__quartet; return q && q.quiet ? q.quiet(Math.min(ms, performance.now() * 0.7), 1) : false; }`, d.Milliseconds())
	return err == nil && ok
}

// printSoon compares the canvases right after the input.
func (h *hand) printSoon(ctx context.Context) {
	if h.drawn != nil {
		_ = h.drawn.frame.Call(ctx, &h.drawn.soon, `() => globalThis.__quartetAct.redrawn(0)`)
	}
}

// takeTraces collects what the input left behind that no observation shows.
func (h *hand) takeTraces(ctx context.Context) {
	switch h.in.Action {
	case bus.ActionClick, bus.ActionPress, bus.ActionDrag:
	default:
		return
	}
	if h.lasts != nil && h.in.Action == bus.ActionClick {
		return // it is there for its state, which the tree has
	}
	if p := h.probe; p != nil && p.frame != nil {
		var n int
		if p.frame.Call(ctx, &n, `(t) => globalThis.__quartetAct.traced(t)`, p.token) == nil {
			p.waitTraces(ctx, n)
		}
		for _, t := range p.traces() {
			// A click moves the caret and the selection by itself.
			if t.Kind != bus.TraceSelection || h.in.Action == bus.ActionPress {
				h.rec.Traces = append(h.rec.Traces, t)
			}
		}
	}
	if d := h.drawn; d != nil {
		now := d.soon
		if now == "" {
			_ = d.frame.Call(ctx, &now, `(ms) => globalThis.__quartetAct.redrawn(ms)`, stillFor.Milliseconds())
		}
		if now != "" {
			h.rec.Traces = append(h.rec.Traces, bus.Trace{Kind: bus.TraceCanvas, Fact: "a canvas shows something else"})
		}
	}
	if o := h.opener; o != nil && !calm(ctx, o.frame, time.Since(o.since)) {
		h.rec.Traces = append(h.rec.Traces, bus.Trace{Kind: bus.TraceOpener, Fact: "the page that opened this one changed"})
	}
}
