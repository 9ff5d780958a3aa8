package actor

import (
	"context"
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"

	"github.com/quartet-agents/quartet/bus"
)

// dragSteps is how many moves lie between the two ends of a drag.
const dragSteps = 8

// drag drags the target onto the other element. Whether the page uses HTML drag
// and drop or pointer events shows itself: with the former the browser hands
// over the drag's data, and the drop is made with it.
func (h *hand) drag(ctx context.Context) error {
	from, to := h.req.Attempt.Target, h.req.Attempt.To
	if to == nil {
		return refuse(bus.RefusedNotFound, "the attempt does not say where to drag to")
	}
	// The destination first: aiming at it may scroll the source away, and the
	// source must be in view when it is taken hold of.
	b, err := h.target(ctx, to, readyOptions{Purpose: forHover})
	if err != nil {
		return err
	}
	a, err := h.target(ctx, from, readyOptions{Purpose: forHover})
	if err != nil {
		return err
	}
	if a.Scrolled != 0 {
		if b, err = h.target(ctx, to, readyOptions{Purpose: forHover}); err != nil {
			return err
		}
		target := *from
		h.rec.Target = &target
		if b.Scrolled != 0 {
			return refuse(bus.RefusedHidden, "%s and %s are not in view together", label(from.Role, from.Name), label(to.Role, to.Name))
		}
	}
	if err := h.arm(ctx, a.frame, a.ref, "pointerdown", "mousedown", "dragstart", "drop", "mouseup"); err != nil {
		return err
	}
	h.expectTraces(ctx, a)
	if h.inPage() && a.frame.ID != b.frame.ID {
		return refuse(bus.RefusedUnsupported, "events that are dispatched in the page cannot drag from one frame into another")
	}
	if h.inPage() {
		return h.dragInPage(ctx, a, b)
	}
	s := h.tab.Session()
	if _, err := cdp.Call(ctx, s, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: true}); err != nil {
		return err
	}
	started, stop := s.Subscribe(input.DragIntercepted.Method)
	defer stop()
	defer func() {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _ = cdp.Call(cctx, s, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: false})
	}()
	aimed := a.at
	h.rec.Aimed = &aimed
	h.rec.Sent = true
	move := func(p bus.Point, t input.DispatchMouseEventType, buttons int64) error {
		return h.dragTo(ctx, p, t, buttons)
	}
	if err := h.takeHold(ctx, a); err != nil {
		return err
	}
	var data *input.DragData
	for i := 1; i <= dragSteps; i++ {
		if err := move(between(a, b, i), input.DispatchMouseEventTypeMouseMoved, 1); err != nil {
			return err
		}
		if data = intercepted(started, i == 1); data != nil {
			break
		}
	}
	if data == nil {
		// Pointer events: once more on the spot, for pages that need a move over
		// the destination, then let go.
		if err := move(b.at, input.DispatchMouseEventTypeMouseMoved, 1); err != nil {
			return err
		}
		if err := move(b.at, input.DispatchMouseEventTypeMouseReleased, 0); err != nil {
			return h.unlessClosed(err)
		}
		h.collect(ctx, "mouseup", "pointerdown", "mousedown")
		return nil
	}
	for _, t := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		if _, err := cdp.Call(ctx, s, input.DispatchDragEvent, input.DispatchDragEventParams{Type: t, X: b.at.X, Y: b.at.Y, Data: data}); err != nil {
			return h.unlessClosed(err)
		}
	}
	if err := move(b.at, input.DispatchMouseEventTypeMouseReleased, 0); err != nil {
		return h.unlessClosed(err)
	}
	h.collect(ctx, "drop", "pointerdown", "mousedown", "dragstart")
	return nil
}

// dragTo sends a mouse event of a drag with the left button.
func (h *hand) dragTo(ctx context.Context, p bus.Point, t input.DispatchMouseEventType, buttons int64) error {
	q := input.DispatchMouseEventParams{Type: t, X: p.X, Y: p.Y, Button: input.MouseButtonLeft, Buttons: buttons, ClickCount: 1}
	if t == input.DispatchMouseEventTypeMouseMoved {
		q.ClickCount = 0
		if buttons == 0 {
			q.Button = input.MouseButtonNone
		}
	}
	return h.mouse(ctx, q)
}

// takeHold presses the button on the source.
func (h *hand) takeHold(ctx context.Context, a *aim) error {
	if err := h.dragTo(ctx, a.at, input.DispatchMouseEventTypeMouseMoved, 0); err != nil {
		return err
	}
	return h.dragTo(ctx, a.at, input.DispatchMouseEventTypeMousePressed, 1)
}

// between is the point of the i-th move.
func between(a, b *aim, i int) bus.Point {
	k := float64(i) / dragSteps
	return bus.Point{X: a.at.X + (b.at.X-a.at.X)*k, Y: a.at.Y + (b.at.Y-a.at.Y)*k}
}

// dragInPage drags with events that are dispatched in the page, which tell by
// themselves whether it is an HTML drag.
func (h *hand) dragInPage(ctx context.Context, a, b *aim) error {
	aimed := a.at
	h.rec.Aimed = &aimed
	h.rec.Sent = true
	if err := h.takeHold(ctx, a); err != nil {
		return err
	}
	for i := 1; i <= dragSteps; i++ {
		if err := h.dragTo(ctx, between(a, b, i), input.DispatchMouseEventTypeMouseMoved, 1); err != nil {
			return err
		}
	}
	if err := h.dragTo(ctx, b.at, input.DispatchMouseEventTypeMouseReleased, 0); err != nil {
		return h.unlessClosed(err)
	}
	h.collect(ctx, "mousedown", "pointerdown", "mousedown", "dragstart")
	return nil
}

// intercepted returns the data of an HTML drag that has begun. After the first
// move the browser is given a moment, since the drag begins asynchronously.
func intercepted(ch <-chan jsonv2.Value, first bool) *input.DragData {
	wait := 10 * time.Millisecond
	if first {
		wait = 60 * time.Millisecond
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case raw := <-ch:
		var ev input.EventDragIntercepted
		if json.Unmarshal(raw, &ev) == nil {
			return ev.Data
		}
	case <-t.C:
	}
	return nil
}
