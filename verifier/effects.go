package verifier

import (
	"fmt"
	"strings"

	"github.com/quartet-agents/quartet/observer/aria"
)

// effects are what happened on the page between two observations, as far as
// it can be the effect of an act: what moves by itself (a focus ring, a clock,
// a re-render that shows the same) is left out.
type effects struct {
	delta *aria.Delta
	// navigated: another document, or another URL of the same one.
	navigated bool
	document  bool // another document
	tab       bool // another tab is in front
	// seen are the changes of the tree that count, as short sentences.
	seen []string
	// said are messages that appeared: alerts, status lines, invalid fields.
	said []string
	// refused are the fields that became invalid; others counts what is seen that
	// has nothing to do with that.
	refused []string
	others  int
	// at counts those of seen that are of one element, by its ref.
	at map[string]int
	// errors are those of said that tell of something wrong.
	errors []string
	// counting are changes of numbers in a text alone: an effect, or a clock.
	counting []counted
	// focused is set when the focus went elsewhere.
	focused bool
	// scrolled is set when the viewport scrolled, moved when elements did.
	scrolled, moved bool
}

// ambient roles change by themselves.
func ambient(role string) bool { return role == "timer" || role == "marquee" }

// idleField holds for fields whose change is no effect of an act: where the
// pointer and the focus are, what covers what, and geometry.
func idleField(name string) bool {
	switch name {
	case "active", "covered_by", "box", "key", "offscreen", "clipped", "transparent", "unreachable",
		"pointer_none", "clickable", "controls", "ref", "rebinds", "pos_in_set", "set_size", "busy":
		return true
	}
	return false
}

// effectsOf compares two observations. Either may be nil: then nothing is known.
func effectsOf(before, after *aria.Tree) effects {
	var e effects
	if before == nil || after == nil {
		return e
	}
	d := aria.Diff(before, after)
	e.delta = d
	e.document = d.NewDocument()
	e.tab = before.Tab != after.Tab
	e.navigated = e.document || before.URL != after.URL
	e.scrolled = before.Viewport.ScrollX != after.Viewport.ScrollX || before.Viewport.ScrollY != after.Viewport.ScrollY
	if before.Title != after.Title {
		e.see("the title became %q", after.Title)
	}
	for i := range d.Changes {
		e.change(&d.Changes[i])
	}
	return e
}

func (e *effects) see(format string, args ...any) {
	e.seen = append(e.seen, fmt.Sprintf(format, args...))
}

func (e *effects) change(c *aria.Change) {
	switch c.Kind {
	case aria.Added, aria.Removed:
		if c.Node == nil || ambient(c.Node.Role) || strings.TrimSpace(c.Node.Name+aria.TextOf(c.Node)) == "" && bare(c.Node) {
			return
		}
		if c.Kind == aria.Removed || c.Node.Ref != "" && !speaks(c.Node) {
			e.others++
		}
		e.see("%s %s%s", describe(c.Node), map[aria.ChangeKind]string{aria.Added: "came", aria.Removed: "went"}[c.Kind], at(c.Place))
		if c.Kind == aria.Added {
			e.messages(c.Node)
		}
	case aria.Moved:
		if c.Quiet {
			return
		}
		e.moved = true
		e.others++
		e.see("%s moved%s", describe(c.Node), at(c.Place))
	case aria.Changed, aria.Rebound:
		for _, f := range c.Fields {
			if f.Name == "active" {
				e.focused = true
			}
			if f.Name == "box" {
				e.moved = true
			}
			if idleField(f.Name) || c.Quiet || ambient(c.Node.Role) {
				continue
			}
			e.field(c, f)
		}
	}
}

func (e *effects) field(c *aria.Change, f aria.Field) {
	if (f.Name == "text" || f.Name == "name") && f.From != "" && numberless(f.From) == numberless(f.To) {
		e.counting = append(e.counting, counted{idleKey(c, f), c.Node.Ref, fmt.Sprintf("%s: %s was %s, is now %s", describe(c.Node), f.Name, quote(f.From), quote(f.To))})
		return
	}
	switch f.Name {
	case "invalid", "invalid_message", "description", "looks":
	default:
		e.others++
	}
	if c.Node.Ref != "" {
		if e.at == nil {
			e.at = map[string]int{}
		}
		e.at[c.Node.Ref]++
	}
	what := strings.ReplaceAll(f.Name, "_", " ")
	switch {
	case c.Node.Masked && f.Name == "value":
		e.see("%s has another value", describe(c.Node))
	case f.From == "":
		e.see("%s: %s is now %s", describe(c.Node), what, quote(f.To))
	default:
		e.see("%s: %s was %s, is now %s", describe(c.Node), what, quote(f.From), quote(f.To))
	}
	if f.Name == "invalid" && f.To != "" && f.To != "false" {
		e.refused = append(e.refused, describe(c.Node)+" is invalid"+because(c.Node.InvalidMessage))
	}
	switch {
	case f.Name == "invalid_message" && f.To != "":
		e.say(fmt.Sprintf("%s says: %s", describe(c.Node), quote(f.To)), true)
	case f.Name == "invalid" && f.To != "" && f.To != "false" && c.Node.InvalidMessage == "":
		e.say(describe(c.Node)+" is marked invalid", true)
	case (f.Name == "text" || f.Name == "name") && speaks(c.Node):
		e.say(fmt.Sprintf("the page says: %s", quote(f.To)), c.Node.Role == "alert" || wrong(f.To))
	}
}

// messages collects what a subtree that came tells a person.
func (e *effects) messages(n *aria.Node) {
	if speaks(n) {
		text := squeeze(aria.TextOf(n))
		if text == "" {
			text = squeeze(n.Name)
		}
		if text != "" {
			e.say(fmt.Sprintf("the page says: %s", quote(text)), n.Role == "alert" || n.Role == "alertdialog" || wrong(text))
			return
		}
	}
	if n.Invalid != "" && n.Invalid != "false" && n.InvalidMessage != "" {
		e.say(fmt.Sprintf("%s says: %s", describe(n), quote(n.InvalidMessage)), true)
	}
	for _, c := range n.Children {
		e.messages(c)
	}
}

func (e *effects) say(s string, bad bool) {
	for _, o := range e.said {
		if o == s {
			return
		}
	}
	e.said = append(e.said, s)
	if bad {
		e.errors = append(e.errors, s)
	}
}

// speaks holds for nodes that announce themselves.
func speaks(n *aria.Node) bool {
	return n.Role == "alert" || n.Role == "status" || n.Role == "log" || n.Role == "alertdialog" ||
		n.Live == "polite" || n.Live == "assertive"
}

// wrong holds for messages that tell of something that did not work.
func wrong(s string) bool {
	for _, w := range []string{"error", "fail", "invalid", "declin", "reject", "denied", "not allowed", "required", "could not", "cannot", "can't", "must be", "must not", "wrong", "incorrect", "unable"} {
		if strings.Contains(strings.ToLower(s), w) {
			return true
		}
	}
	return false
}

// bare holds for a node that is nothing to a person: no children, no role.
func bare(n *aria.Node) bool {
	return len(n.Children) == 0 && (n.Role == "generic" || n.Role == "text")
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " in " + place
}

// describe names a node for a sentence: button "Save" (e12).
func describe(n *aria.Node) string {
	if n == nil {
		return "nothing"
	}
	if n.Role == "text" {
		return "the text " + quote(n.Text)
	}
	s := n.Role
	name := n.Name
	if name == "" {
		name = n.Label
	}
	if name == "" {
		name = aria.TextOf(n)
	}
	if name != "" {
		s += " " + quote(name)
	}
	if n.Ref != "" {
		s += " (" + n.Ref + ")"
	}
	return s
}

// quote writes page text for a sentence: one line, at most 120 characters.
func quote(s string) string {
	s = squeeze(s)
	if r := []rune(s); len(r) > 120 {
		s = string(r[:119]) + "…"
	}
	return "\"" + strings.ReplaceAll(s, "\"", "'") + "\""
}

// list joins at most n sentences and counts the others.
func list(items []string, n int) string {
	if len(items) <= n {
		return strings.Join(items, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(items[:n], "; "), len(items)-n)
}
