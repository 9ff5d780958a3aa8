package verifier

import (
	"fmt"
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/target"
	"github.com/quartet-agents/quartet/observer/aria"
)

// found is where an expectation's target stands.
type found struct {
	nodes []*aria.Node // one, or several that fit equally well
	rung  string
	why   string // why there are none
}

// one returns the only node, or nil.
func (f found) one() *aria.Node {
	if len(f.nodes) == 1 {
		return f.nodes[0]
	}
	return nil
}

// locate places a target for the first of the purposes that finds it. Loose
// words, in any order, place nothing: an expectation must not hold for a
// likeness.
func locate(t *aria.Tree, want *bus.Target, purposes ...aria.Purpose) found {
	var f found
	for _, p := range purposes {
		r := aria.Locate(t, target.Query(*want, p))
		switch {
		case r.Rung == "words":
			f.why = "only something like it is there: " + describe(first(r))
			continue
		case r.Node != nil:
			return found{nodes: []*aria.Node{r.Node}, rung: r.Rung}
		case len(r.Candidates) > 0:
			return found{nodes: r.Candidates, rung: r.Rung}
		}
		if f.why == "" {
			f.why = r.Diagnosis.Reason
		}
	}
	return f
}

func first(r aria.Result) *aria.Node {
	if r.Node == nil && len(r.Candidates) > 0 {
		return r.Candidates[0]
	}
	return r.Node
}

// phrase writes a target as a person would.
func phrase(t *bus.Target) string {
	switch {
	case t == nil:
		return "the page"
	case t.Words != "":
		return t.Words
	case t.Name != "":
		return strings.TrimSpace(t.Role+" "+t.Kind) + " " + quote(t.Name)
	case t.Ref != "":
		return t.Ref
	case t.Focused:
		return "the focused element"
	}
	return strings.TrimSpace("the " + t.Role + t.Kind)
}

// element writes an element of the bus for a sentence.
func element(e *bus.Element) string {
	if e == nil {
		return "the page"
	}
	s := e.Role
	if e.Name != "" {
		s += " " + quote(e.Name)
	}
	if e.Ref != "" {
		s += " (" + e.Ref + ")"
	}
	if e.Place != "" {
		s += " in " + e.Place
	}
	if e.Label != "" {
		s = fmt.Sprintf("the spot %s on %s", quote(e.Label), s)
	}
	return s
}

// several lists nodes that fit equally well, with their places.
func several(t *aria.Tree, nodes []*aria.Node) string {
	var out []string
	for _, n := range nodes {
		out = append(out, describe(n)+at(t.PlaceOf(n)))
	}
	return list(out, 4)
}

// twinsOf returns the elements that the target's words fit as well as the one
// with the ref, when the words, ordinal and position together do not single it
// out. A ref that a planner gave tells nothing apart here: it is the words that
// say what a person meant. Without words there are no twins.
func twinsOf(t *aria.Tree, want *bus.Target, p aria.Purpose, ref string) []*aria.Node {
	if want.Words == "" && want.Name == "" || want.Focused {
		return nil
	}
	q := target.Query(*want, p)
	q.Ref = ""
	if r := aria.Locate(t, q); r.Node != nil && r.Node.Ref == ref {
		return nil
	}
	return aria.Twins(t, ref, q)
}
