// Package target puts what an intent means by an element into the words of the
// page model: the actor places it there, the verifier judges by it.
package target

import (
	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// Query is the question to the page model for a target that must be good for p.
// With a ref the words are the second key.
func Query(t bus.Target, p aria.Purpose) aria.Query {
	q := aria.Query{Ref: t.Ref, Words: t.Words, Name: t.Name, Role: t.Role, Kind: t.Kind,
		Ordinal: t.Ordinal, Focused: t.Focused, Purpose: p}
	for _, s := range t.Within {
		q.Within = append(q.Within, aria.Scope{Kind: s.Kind, Name: s.Name, Ordinal: s.Ordinal})
	}
	if t.Near != nil {
		q.Near = &aria.Near{Relation: t.Near.Relation, Of: Query(t.Near.Of, aria.ForAny)}
	}
	return q
}

// Purpose is what an action wants of its target.
func Purpose(a bus.Action) aria.Purpose {
	switch a {
	case bus.ActionClick, bus.ActionDownload:
		return aria.ForClick
	case bus.ActionFill, bus.ActionType, bus.ActionClear, bus.ActionReplace:
		return aria.ForFill
	case bus.ActionSelect:
		return aria.ForSelect
	case bus.ActionPickDate:
		return aria.ForDate
	case bus.ActionCheck, bus.ActionUncheck, bus.ActionToggle:
		return aria.ForCheck
	case bus.ActionHover:
		return aria.ForHover
	case bus.ActionDrag:
		return aria.ForDrag
	case bus.ActionUpload:
		return aria.ForUpload
	case bus.ActionPress:
		return aria.ForPress
	case bus.ActionRemember:
		return aria.ForRead
	}
	return aria.ForAny
}
