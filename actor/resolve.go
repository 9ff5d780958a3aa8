package actor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/target"
	"github.com/quartet-agents/quartet/observer/aria"
)

// lookWait bounds how long a target that is not there yet is waited for.
const lookWait = 5 * time.Second

// prepare answers actor.prepare: which element the intent means, or why none.
// It looks at the page afresh and sends no input. A target that is not there
// is waited for, since pages finish late; one that is there twice is not.
func (a *Agent) prepare(ctx context.Context, req bus.PrepareRequest) (bus.Prepared, error) {
	limit := a.o.Timeout
	if req.Intent.TimeoutMS > 0 {
		limit = time.Duration(req.Intent.TimeoutMS) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	until := time.Now().Add(min(lookWait, limit*3/4))
	var last *bus.Prepared
	for {
		tree, scene, err := a.look(ctx, req.Session)
		if err != nil {
			if last != nil && ctx.Err() != nil {
				return *last, nil
			}
			return bus.Prepared{}, err
		}
		p := bus.Prepared{Before: scene}
		if !wantsTarget(req.Intent) {
			return p, nil
		}
		err = a.resolve(ctx, req, tree, &p)
		if err == nil {
			return p, nil
		}
		r := refusalOf(ctx, err)
		p.Target, p.To, p.Refusal = nil, nil, r
		if r.Code != bus.RefusedNotFound || tree.Stale || time.Now().After(until) || !a.changed(ctx, req.Session, time.Until(until)) {
			return p, nil
		}
		last = &p
	}
}

// look observes the page and fetches the scene's tree.
func (a *Agent) look(ctx context.Context, s bus.Session) (*aria.Tree, bus.Scene, error) {
	obs, err := bus.Call[bus.ObserveRequest, bus.Observation](ctx, a.bus, bus.VerbObserve, &s, bus.ObserveRequest{Session: s, Mode: "full", Format: "none"})
	if err != nil {
		return nil, bus.Scene{}, err
	}
	if obs.Tree == "" {
		return &aria.Tree{}, obs.Scene, nil
	}
	tree, err := bus.GetScene[aria.Tree](ctx, a.bus, obs.Tree)
	if err != nil {
		return nil, bus.Scene{}, fmt.Errorf("scene @%d: %w", obs.Version, err)
	}
	return tree, obs.Scene, nil
}

// changed waits until something changes on the page, at most d; false when the
// page cannot be asked.
func (a *Agent) changed(ctx context.Context, s bus.Session, d time.Duration) bool {
	tab, err := a.pool.Tab(ctx, s)
	if err != nil {
		return false
	}
	frames, err := tab.Frames(ctx)
	if err != nil || len(frames) == 0 {
		return false
	}
	// A change in a child frame is not seen by the top one, hence the bound.
	ms := min(max(d, 0), 300*time.Millisecond).Milliseconds()
	_ = frames[0].Call(ctx, nil, `(ms) => globalThis.__quartetAct.change(ms)`, ms) // a navigation is a change too
	return ctx.Err() == nil
}

// wantsTarget tells the intents that act on an element from those that don't.
func wantsTarget(in bus.Intent) bool {
	switch in.Action {
	case bus.ActionOpen, bus.ActionBack, bus.ActionForward, bus.ActionAccept, bus.ActionDismiss,
		bus.ActionSwitchTab, bus.ActionCloseTab, bus.ActionNewTab, bus.ActionWait, bus.ActionExpectation:
		return false
	case bus.ActionPress, bus.ActionScroll, bus.ActionEvaluate:
		return in.Target != nil && !in.Target.Focused
	case bus.ActionRemember:
		return in.Target != nil && in.Of != "url" && in.Of != "title" && in.Of != "count"
	}
	return true
}

func (a *Agent) resolve(ctx context.Context, req bus.PrepareRequest, tree *aria.Tree, p *bus.Prepared) error {
	in := req.Intent
	if in.Target == nil {
		return refuse(bus.RefusedNotFound, "the intent names no target")
	}
	el, err := a.place(ctx, req, tree, *in.Target, target.Purpose(in.Action), p)
	if err != nil {
		return err
	}
	p.Target = el
	if in.To != nil {
		if p.To, err = a.place(ctx, req, tree, *in.To, aria.ForAny, p); err != nil {
			return err
		}
	} else if in.Action == bus.ActionDrag {
		return refuse(bus.RefusedNotFound, "the intent does not say where to drag to")
	}
	return nil
}

// place finds the one element that a target means.
func (a *Agent) place(ctx context.Context, req bus.PrepareRequest, tree *aria.Tree, t bus.Target, purpose aria.Purpose, p *bus.Prepared) (*bus.Element, error) {
	q := byWords(t, purpose)
	if t.Ref != "" {
		n := tree.ByRef(t.Ref)
		if n == nil {
			return nil, &refused{bus.Refusal{Code: bus.RefusedStale, Message: fmt.Sprintf("%s is stale or was never given: no element of this page has it", t.Ref), Diagnosis: &bus.Diagnosis{URL: tree.URL, Title: tree.Title}}}
		}
		if err := agree(tree, n, q); err != nil {
			return nil, err
		}
		el := elementOf(tree, n)
		return &el, nil
	}
	if spot, err := a.spot(ctx, req, tree, t, p); spot != nil || err != nil {
		return spot, err
	}
	r := aria.Locate(tree, q)
	if r.Node == nil && len(r.Candidates) == 0 && purpose != aria.ForClick && purpose != aria.ForFill {
		// A date or a file may be asked for by a plain button, a list opened by one.
		wider := q
		wider.Purpose = aria.ForClick
		if w := aria.Locate(tree, wider); w.Node != nil || len(w.Candidates) > 0 {
			r = w
		}
	}
	switch {
	case r.Node == nil:
		return nil, a.notPlaced(tree, t, q, r)
	case r.Node.Ref == "":
		return nil, refuse(bus.RefusedUnsupported, "%s can be seen, but not operated", aria.Describe(r.Node))
	}
	el := elementOf(tree, r.Node)
	if r.Spatial {
		p.Escalations = append(p.Escalations, bus.Escalation{
			Kind: bus.EscalateSpatial, Trigger: t.Words, Backend: "boxes", Outcome: "settled by boxes: " + aria.Describe(r.Node),
		})
	}
	return &el, nil
}

// agree is the second key: the words that came with a ref must fit it.
func agree(tree *aria.Tree, n *aria.Node, q aria.Query) error {
	if q.Words == "" && q.Name == "" && q.Role == "" && q.Kind == "" && len(q.Within) == 0 && q.Near == nil {
		return nil
	}
	v := aria.Fits(tree, n.Ref, q)
	if v.Fit != aria.Contradicts {
		return nil
	}
	r := &refused{bus.Refusal{Code: bus.RefusedContradicts, Message: fmt.Sprintf("the words %q contradict %s: %s", wordsOf(q), n.Ref, v.Reason)}}
	for _, other := range v.Better[:min(len(v.Better), maxCandidates)] {
		r.Candidates = append(r.Candidates, elementOf(tree, other))
	}
	return r
}

func wordsOf(q aria.Query) string {
	if q.Words != "" {
		return q.Words
	}
	return strings.TrimSpace(q.Role + q.Kind + " " + q.Name)
}

// byWords is the question for a target without its ref, which has been looked
// at already.
func byWords(t bus.Target, p aria.Purpose) aria.Query {
	q := target.Query(t, p)
	q.Ref = ""
	return q
}

func elementOf(t *aria.Tree, n *aria.Node) bus.Element {
	e := bus.Element{Ref: n.Ref, Role: n.Role, Name: n.Name, Place: t.PlaceOf(n)}
	if n.Box != nil {
		e.Box = bus.Box{X: n.Box.X, Y: n.Box.Y, W: n.Box.W, H: n.Box.H}
	}
	return e
}
