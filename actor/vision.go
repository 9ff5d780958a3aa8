package actor

import (
	"context"
	"fmt"
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// spotKinds are things inside a picture that have no element of their own.
var spotKinds = map[string]bool{
	"bar": true, "slice": true, "segment": true, "point": true, "dot": true, "column": true, "line": true,
	"cell": true, "marker": true, "pin": true, "node": true, "area": true, "legend": true, "label": true, "": true,
}

// spot finds a target that lies inside a canvas ("the March bar in the chart"):
// text has no answer there, so vision is asked, under a canvas escalation. It
// returns nil and no error when the target is no such thing.
func (a *Agent) spot(ctx context.Context, req bus.PrepareRequest, tree *aria.Tree, t bus.Target, p *bus.Prepared) (*bus.Element, error) {
	name := t.Name
	if name == "" || t.Focused || t.Near != nil {
		return nil, nil
	}
	canvas, ok := canvasOf(tree, t)
	if !ok {
		return nil, nil
	}
	look := req.Look
	if look == "" {
		look = a.o.Look
	}
	trigger := t.Words
	if trigger == "" {
		trigger = fmt.Sprintf("%q inside a canvas", name)
	}
	if look == "never" {
		p.Escalations = append(p.Escalations, bus.Escalation{Kind: bus.EscalateCanvas, Trigger: trigger, Backend: "none", Outcome: "not taken: pixels are switched off"})
		return nil, refuse(bus.RefusedNotFound, "%q lies inside %s, which has no text; looking at pixels is switched off", name, aria.Describe(canvas))
	}
	el := elementOf(tree, canvas)
	reply, err := bus.Call[bus.LookRequest, bus.LookReply](ctx, a.bus, bus.VerbLook, &req.Session, bus.LookRequest{
		Session: req.Session, Kind: bus.EscalateCanvas, Trigger: trigger, Ref: canvas.Ref, Box: el.Box, Label: name,
	})
	if err != nil {
		return nil, fmt.Errorf("looking for %q in %s: %w", name, aria.Describe(canvas), err)
	}
	p.Escalations = append(p.Escalations, reply.Escalation)
	if !reply.Found {
		// Not waited for: a second look at the same pixels costs as much again.
		return nil, &refused{bus.Refusal{Code: bus.RefusedUnsupported, Message: fmt.Sprintf("%q was not found in the picture of %s; it reads: %s", name, aria.Describe(canvas), strings.Join(reply.Read, " | "))}}
	}
	at := reply.At
	el.Label, el.At = name, &at
	return &el, nil
}

// canvasOf decides whether a target lies inside a canvas, and in which: the
// words name a chart around it, or a thing that only a picture has; nothing on
// the page has that name; and there is exactly one canvas that can be meant.
func canvasOf(tree *aria.Tree, t bus.Target) (*aria.Node, bool) {
	inChart, chartName := false, ""
	for _, s := range t.Within {
		switch s.Kind {
		case "chart", "canvas", "graph", "diagram", "map", "plot", "image", "picture":
			inChart, chartName = true, s.Name
		}
	}
	kind := strings.ToLower(t.Kind)
	if !inChart && (kind == "" || !spotKinds[kind]) || t.Role != "" && t.Role != "canvas" || !spotKinds[kind] {
		return nil, false
	}
	var found []*aria.Node
	tree.Walk(func(n *aria.Node, _ []*aria.Node) bool {
		if n.Role == "canvas" && n.Ref != "" && (chartName == "" || strings.Contains(strings.ToLower(n.Name+" "+n.Label+" "+tree.PlaceOf(n)), strings.ToLower(chartName))) {
			found = append(found, n)
		}
		return true
	})
	if len(found) != 1 {
		return nil, false
	}
	// What the page can say in text needs no pixels: a chart may have elements
	// beside or inside its canvas.
	if r := aria.Locate(tree, byWords(t, aria.ForClick)); r.Node != nil && r.Node != found[0] && (!inChart || r.Node.Operable()) {
		return nil, false
	}
	return found[0], true
}
