package actor

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/input"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/target"
)

// retarget is how often a target that moved away under the pointer is aimed at
// again before it is given up.
const retarget = 3

// clickEvents are what a click may be seen by.
var clickEvents = []string{"pointerdown", "mousedown", "mouseup", "click", "dblclick", "contextmenu", "auxclick"}

func toClick() readyOptions {
	return readyOptions{Purpose: forClick, Arm: &arming{Kinds: clickEvents}}
}

// click is a click with the intent's button, count and modifiers.
func (h *hand) click(ctx context.Context) error {
	a, err := h.target(ctx, h.req.Attempt.Target, toClick())
	if err != nil {
		return err
	}
	return h.clickOn(ctx, a, h.req.Attempt.Target)
}

// clickOn clicks on what was aimed at; el is what it is aimed at again when it
// moves away under the pointer, nil to refuse then.
func (h *hand) clickOn(ctx context.Context, a *aim, el *bus.Element) error {
	mods, err := modifierBits(h.in.Modifiers)
	if err != nil {
		return refuse(bus.RefusedUnsupported, "%v", err)
	}
	button, err := buttonOf(h.in.Button)
	if err != nil {
		return err
	}
	if err := h.armAt(ctx, a, clickEvents...); err != nil {
		return err
	}
	for try := 0; ; try++ {
		if err := h.mouse(ctx, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: a.at.X, Y: a.at.Y, Modifiers: mods, Button: input.MouseButtonNone}); err != nil {
			return err
		}
		// The pointer's arrival may have changed the page: a menu opened, a node
		// was swapped, the list moved.
		var s struct {
			OK      bool      `json:"ok"`
			Gone    bool      `json:"gone"`
			Name    string    `json:"name"`
			Blocker *standing `json:"blocker"`
		}
		if err := a.frame.Call(ctx, &s, `(ref, x, y) => globalThis.__quartetAct.still(ref, x, y)`, a.ref, a.local.X, a.local.Y); err != nil {
			return err
		}
		if s.OK && el != nil && el.Label == "" && target.Renamed(el.Name, s.Name) {
			return refuse(bus.RefusedContradicts, "%s became %q as the pointer reached it", label(el.Role, el.Name), s.Name)
		}
		if s.OK {
			break
		}
		if el == nil || try == retarget {
			return notReady(a.ref, readiness{Code: "covered", Blocker: s.Blocker})
		}
		if a, err = h.target(ctx, el, toClick()); err != nil {
			return err
		}
		if err := h.armAt(ctx, a, clickEvents...); err != nil {
			return err
		}
	}
	if twoState(role(el), a.Checked) {
		h.mustLast(a.frame, a.ref, stateLasts)
	}
	h.expectTraces(ctx, a)
	aimed := a.at
	h.rec.Aimed = &aimed
	h.rec.Sent = true
	for n := int64(1); n <= max(1, int64(h.in.Count)); n++ {
		down := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: a.at.X, Y: a.at.Y, Modifiers: mods, Button: button, Buttons: buttonBit(button), ClickCount: n}
		up := down
		up.Type, up.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
		for _, p := range []input.DispatchMouseEventParams{down, up} {
			if err := h.mouse(ctx, p); err != nil {
				return h.unlessClosed(err)
			}
		}
	}
	h.collect(ctx, clickKind(h.in.Button), "pointerdown", "mousedown", "click", "contextmenu", "auxclick")
	h.printSoon(ctx)
	return nil
}

func role(el *bus.Element) string {
	if el == nil {
		return ""
	}
	return el.Role
}

// unlessClosed takes an error after input: a tab that closed itself because of
// it is a fact, not a failure.
func (h *hand) unlessClosed(err error) error {
	if h.rec.Sent && errors.Is(err, browser.ErrTabGone) {
		h.note("the tab closed")
		return nil
	}
	return err
}

// collect takes the probe's facts into the receipt, once an event of the kind
// until was reported. It is one that decides: the change of the field that had
// the focus before may come first, and says nothing.
func (h *hand) collect(ctx context.Context, until string, decide ...string) {
	h.probe.wait(ctx, until)
	h.rec.Hit = h.probe.hit(decide...)
}

func clickKind(button string) string {
	switch button {
	case "right":
		return "contextmenu"
	case "middle":
		return "auxclick"
	}
	return "click"
}

func buttonOf(name string) (input.MouseButton, error) {
	switch name {
	case "", "left":
		return input.MouseButtonLeft, nil
	case "right":
		return input.MouseButtonRight, nil
	case "middle":
		return input.MouseButtonMiddle, nil
	}
	return "", refuse(bus.RefusedUnsupported, "unknown mouse button %q; known: left, right, middle", name)
}

func buttonBit(b input.MouseButton) int64 {
	switch b {
	case input.MouseButtonRight:
		return 2
	case input.MouseButtonMiddle:
		return 4
	}
	return 1
}

// hover brings the pointer over the target.
func (h *hand) hover(ctx context.Context) error {
	a, err := h.target(ctx, h.req.Attempt.Target, readyOptions{Purpose: forHover})
	if err != nil {
		return err
	}
	if err := h.arm(ctx, a.frame, a.ref, "mouseover"); err != nil {
		return err
	}
	aimed := a.at
	h.rec.Aimed = &aimed
	h.rec.Sent = true
	// From just outside, so that the pointer enters also where it was already.
	for _, d := range []float64{-3, 0} {
		if err := h.mouse(ctx, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: a.at.X + d, Y: a.at.Y + d, Button: input.MouseButtonNone}); err != nil {
			return err
		}
	}
	h.collect(ctx, "mouseover")
	h.rec.Hit = h.probe.lastHit("mouseover")
	return nil
}

// check brings a checkbox, switch, radio or toggle button into a state.
func (h *hand) check(ctx context.Context) error {
	el := h.req.Attempt.Target
	a, err := h.target(ctx, el, toClick())
	if err != nil {
		return err
	}
	want := "true"
	switch {
	case a.Checked == "":
		return refuse(bus.RefusedUnsupported, "%s is nothing that can be checked", label(el.Role, el.Name))
	case h.in.Action == bus.ActionUncheck, h.in.Action == bus.ActionToggle && a.Checked == "true":
		want = "false"
	}
	h.rec.ValueBefore, h.rec.ValueAfter = a.Checked, a.Checked
	if a.Checked == want {
		h.note("it was %s already; nothing was sent", map[string]string{"true": "checked", "false": "unchecked"}[want])
		h.rec.Matches = new(true)
		return nil
	}
	if want == "false" && a.Type == "radio" {
		return refuse(bus.RefusedUnsupported, "a radio button cannot be unchecked; choose another of its group")
	}
	if err := h.clickOn(ctx, a, el); err != nil {
		return err
	}
	var got string
	if err := a.frame.Call(ctx, &got, `(ref, want) => globalThis.__quartetAct.untilChecked(ref, want, 1500)`, h.rec.Target.Ref, want); err != nil {
		h.note("the state could not be read back: %v", err)
		return nil
	}
	h.rec.ValueAfter = got
	h.rec.Matches = new(got == want)
	return nil
}

// lastHit is hit by the last event of the kind: what the pointer is over.
func (p *probe) lastHit(kind string) *bus.Hit {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := &bus.Hit{}
	for _, e := range p.events {
		if e.Type == kind {
			*out = bus.Hit{Seen: true, Ref: e.Ref, Role: e.Role, Name: clip(e.Name), Inside: e.Inside, Events: []string{kind}}
		}
	}
	return out
}
