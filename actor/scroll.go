package actor

import (
	"context"
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// scroll brings the target into view, or scrolls the page (or the target's
// scroller) by Value: up, down, top, bottom.
func (h *hand) scroll(ctx context.Context) error {
	el := h.req.Attempt.Target
	how := strings.ToLower(strings.TrimSpace(h.in.Value))
	switch how {
	case "up", "down", "top", "bottom":
	case "":
		if el == nil {
			return refuse(bus.RefusedUnsupported, "nothing says where to scroll: a target, or up, down, top, bottom")
		}
		h.rec.Sent = true
		_, err := h.target(ctx, el, readyOptions{Purpose: forScroll})
		return err
	default:
		return refuse(bus.RefusedUnsupported, "cannot scroll %q; known: up, down, top, bottom", how)
	}
	ref := ""
	f, err := h.frameOf(ctx, "")
	if err != nil {
		return err
	}
	if el != nil {
		a, err := h.target(ctx, el, readyOptions{Purpose: forScroll})
		if err != nil {
			return err
		}
		f, ref = a.frame, a.ref
	}
	h.rec.Sent = true
	var by int
	if err := f.Call(ctx, &by, `(ref, how) => globalThis.__quartetAct.scroll(ref, how)`, ref, how); err != nil {
		return err
	}
	h.note("scrolled by %d px", by)
	return nil
}

// press presses a key or chord on the target, or on what has the focus.
func (h *hand) press(ctx context.Context) error {
	c, err := parseChord(h.in.Value)
	if err != nil {
		return refuse(bus.RefusedUnsupported, "%v", err)
	}
	if el := h.req.Attempt.Target; el != nil {
		a, err := h.target(ctx, el, readyOptions{Purpose: forHover})
		if err != nil {
			return err
		}
		if err := h.arm(ctx, a.frame, a.ref, "keydown", "pointerdown", "mousedown", "click", "input"); err != nil {
			return err
		}
		if _, err := h.focus(ctx, a, ""); err != nil {
			return err
		}
	} else if err := h.arm(ctx, nil, "", "keydown", "input"); err != nil {
		return err
	}
	if c.key.Key == "Tab" {
		// The page may take back what was typed as its field is left.
		var left string
		if f := h.frames[0]; f.Call(ctx, &left, `() => globalThis.__quartetAct.holdFocused()`) == nil && left != "" {
			h.mustLast(f, left, textLasts)
		}
	}
	if err := h.send(ctx, c); err != nil {
		return h.unlessClosed(err)
	}
	h.collect(ctx, "keydown", "keydown")
	return nil
}

// remember reads what the target shows, or the URL, title or count.
func (h *hand) remember(ctx context.Context) error {
	give := func(s string) error { h.rec.Read = &s; return nil }
	switch h.in.Of {
	case "url":
		return give(h.tab.URL())
	case "title":
		return give(h.tab.Title())
	case "count":
		tree, _, err := h.a.look(ctx, h.sess)
		if err != nil {
			return err
		}
		if h.in.Target == nil {
			return refuse(bus.RefusedNotFound, "nothing says what to count")
		}
		r := aria.Locate(tree, byWords(*h.in.Target, aria.ForRead))
		n := len(r.Candidates)
		if n == 0 && r.Node != nil {
			n = 1
		}
		return give(itoa(n))
	}
	el := h.req.Attempt.Target
	if el == nil {
		return refuse(bus.RefusedNotFound, "nothing says what to remember")
	}
	f, err := h.frameOf(ctx, el.Ref)
	if err != nil {
		return err
	}
	v, err := readValue(ctx, f, el.Ref)
	switch {
	case err != nil:
		return err
	case v.Gone:
		return refuse(bus.RefusedStale, "%s (%s) is gone", el.Ref, label(el.Role, el.Name))
	case v.Masked:
		return refuse(bus.RefusedSecret, "%s holds a secret; it is not read", label(el.Role, el.Name))
	}
	t := *el
	h.rec.Target = &t
	if h.in.Of == "value" && v.Value == nil {
		return refuse(bus.RefusedUnsupported, "%s holds no value", label(el.Role, el.Name))
	}
	return give(v.shown())
}
