package verifier

import (
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// unseen judges a click, a key or a drag after which the tree is the same, by
// what a person would see all the same: where the focus is, what scrolled, what
// a canvas shows, what is selected or copied. It says whether it could.
func (j *judging) unseen(what string) bool {
	if led := j.focusLed(); led != nil {
		j.is(bus.Right, "%s, and the focus went to %s.", what, describe(led))
		return true
	}
	var facts []string
	for _, t := range j.Receipt.Traces {
		facts = append(facts, t.Fact)
	}
	if len(facts) == 0 {
		return false
	}
	j.is(bus.Right, "%s, and it had an effect that no text shows: %s.", what, list(facts, 3))
	return true
}

// focusLed is the element to which the page itself brought the focus: another
// one than the pointer or the key would have brought it to; nil for none.
func (j *judging) focusLed() *aria.Node {
	t := j.Attempt.Target
	if t == nil || j.Before == nil || j.After == nil || j.Intent.Action == bus.ActionDrag {
		return nil
	}
	now := focused(j.After)
	if now == nil || now.Ref == "" || now.Ref == t.Ref {
		return nil
	}
	if was := focused(j.Before); was != nil && was.Ref == now.Ref {
		return nil
	}
	n := j.After.ByRef(t.Ref)
	if n == nil || contains(n, now) || contains(now, n) {
		return nil // what a click in it brings the focus to by itself
	}
	return now
}

// focused is the innermost element that has the focus, or nil.
func focused(t *aria.Tree) *aria.Node {
	var at *aria.Node
	t.Walk(func(n *aria.Node, _ []*aria.Node) bool {
		if n.Active {
			at = n
		}
		return true
	})
	return at
}

// contains tells whether the node is in the other one's subtree.
func contains(n, of *aria.Node) bool {
	for _, c := range of.Children {
		if c == n || contains(n, c) {
			return true
		}
	}
	return false
}

// A fallen is a control that was filled in before, held that until this act, and
// holds again what it held before it was filled in.
type fallen struct {
	node      *aria.Node
	from, now string
}

// fell lists the controls that fell back during the act. A state that is on or
// off is not among them: choosing one thing often turns another off.
func (j *judging) fell() []fallen {
	if j.Before == nil || j.After == nil || j.Reopened || j.fx.document {
		return nil
	}
	var out []fallen
	for _, f := range j.Filled {
		a, b := j.After.ByRef(f.Ref), j.Before.ByRef(f.Ref)
		if a == nil || b == nil || a.Masked || j.Attempt.Target != nil && j.Attempt.Target.Ref == f.Ref {
			continue
		}
		if _, state := isOn(a); state {
			continue
		}
		now := currentValue(a)
		if squeeze(now) == squeeze(f.Before) && !compareValues(f.After, now, hintOf(a)).same && compareValues(f.After, currentValue(b), hintOf(b)).same {
			out = append(out, fallen{a, f.After, now})
		}
	}
	return out
}

// takenBack takes back a verdict where the act itself worked, but what was
// filled in before fell back because of it. Only leaving a field must never do
// that; a click may be meant to.
func (j *judging) takenBack() {
	if j.outcome != bus.Right || looksOnly(j.Intent.Action) {
		return
	}
	leaves := false
	switch j.Intent.Action {
	case bus.ActionPress:
		leaves = strings.HasSuffix(strings.ToLower(j.Intent.Value), "tab")
	case bus.ActionFill, bus.ActionType, bus.ActionClear, bus.ActionReplace, bus.ActionPickDate,
		bus.ActionSelect, bus.ActionCheck, bus.ActionUncheck, bus.ActionToggle, bus.ActionHover, bus.ActionScroll:
		leaves = true
	case bus.ActionClick:
	default:
		return
	}
	fell := j.fell()
	own := 0 // effects that are nothing but the falling back
	for _, f := range fell {
		own += j.fx.at[f.node.Ref]
	}
	// A form that was sent begins anew, with whatever it held at first.
	alone := len(j.checks) == 0 && len(j.effectFacts()) <= own
	for _, f := range fell {
		if leaves || alone && !j.undoes() {
			j.is(bus.WrongEffect, "But %s, which was filled in before, fell back from %s to %s.", describe(f.node), quote(f.from), quote(f.now))
			return
		}
	}
	if leaves && j.Intent.Action == bus.ActionPress {
		j.lostOnLeaving()
	}
}

// lostOnLeaving judges a key that only leaves a field: what the field held may
// be written otherwise then, but must not be something else.
func (j *judging) lostOnLeaving() {
	was := focused(j.Before)
	if was == nil || was.Value == nil || was.Masked {
		return
	}
	now := j.After.ByRef(was.Ref)
	if now == nil || now.Value == nil || now.Masked || now.Active {
		return
	}
	from, to := *was.Value, *now.Value
	if from == "" || compareValues(from, to, hintOf(now)).same || strings.Contains(letters(to), letters(from)) {
		return
	}
	j.is(bus.WrongEffect, "But %s, which was left by it, held %s and holds %s now.", describe(now), quote(from), quote(to))
}

// letters are what is left of a text without case and all that is written
// between letters and digits.
func letters(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" .,-/()'\u00a0\u202f", r) {
			return -1
		}
		return r
	}, s))
}

// undoes holds for a click on what is there to take something back: by its
// name, or an icon that has none.
func (j *judging) undoes() bool {
	t := j.Attempt.Target
	if t == nil || squeeze(t.Name) == "" {
		return true
	}
	for _, w := range []string{"reset", "clear", "cancel", "undo", "discard", "revert", "restore", "remove", "delete", "close", "back", "default"} {
		if holds(t.Name, w) {
			return true
		}
	}
	return false
}
