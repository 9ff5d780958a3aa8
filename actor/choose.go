package actor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// optionScrolls bounds how often a list that draws its options only on
// scrolling is scrolled in search of one.
const optionScrolls = 60

// choose selects options by their visible labels: of a native list, or of a
// custom one that is opened, read and clicked as a person would.
func (h *hand) choose(ctx context.Context) error {
	el := h.req.Attempt.Target
	labels := h.in.Values
	if len(labels) == 0 && h.in.Value != "" {
		labels = []string{h.in.Value}
	}
	if len(labels) == 0 {
		return refuse(bus.RefusedNoOption, "no option is named")
	}
	var want []string
	for _, l := range labels {
		v, used, err := h.a.expand(l)
		if err != nil {
			return err
		}
		h.rec.Masked = h.rec.Masked || used
		want = append(want, v)
	}
	a, err := h.target(ctx, el, readyOptions{Purpose: forClick, Arm: &arming{Kinds: choiceEvents}, Read: true})
	if err != nil {
		return err
	}
	if a.Held != nil {
		h.rec.ValueBefore = a.Held.shown()
	}
	if a.Select {
		return h.chooseNative(ctx, a, want)
	}
	for _, w := range want {
		if err := h.chooseCustom(ctx, a, el, w); err != nil {
			return err
		}
	}
	return h.readChoice(ctx, a, want)
}

// choiceEvents are what a choice among native options may be seen by.
var choiceEvents = []string{"input", "change"}

func (h *hand) chooseNative(ctx context.Context, a *aim, want []string) error {
	if err := h.armAt(ctx, a, choiceEvents...); err != nil {
		return err
	}
	aimed := a.at
	h.rec.Aimed = &aimed
	var r struct {
		OK       bool     `json:"ok"`
		Gone     bool     `json:"gone"`
		Missing  string   `json:"missing"`
		Options  []string `json:"options"`
		Total    int      `json:"total"`
		Disabled string   `json:"disabled"`
		Single   bool     `json:"single"`
		Twins    bool     `json:"twins"`
	}
	wait := min(patience(ctx), 3*time.Second).Milliseconds()
	if err := a.frame.Call(ctx, &r, `(ref, labels, wait) => globalThis.__quartetAct.choose(ref, labels, wait)`, a.ref, want, wait); err != nil {
		return err
	}
	switch {
	case r.Gone:
		return refuse(bus.RefusedStale, "%s was removed by the page", a.ref)
	case r.Missing != "":
		return refuse(bus.RefusedNoOption, "the list has no option %q; it has %s", r.Missing, listOptions(r.Options, r.Total))
	case r.Disabled != "":
		return refuse(bus.RefusedDisabled, "the option %q is disabled", r.Disabled)
	case r.Single:
		return refuse(bus.RefusedUnsupported, "the list takes one option only")
	}
	h.rec.Sent = true
	h.note("the options of a native list were set as its own popup does")
	if r.Twins {
		h.note("the list has several options of that label; the first was taken")
	}
	h.collect(ctx, "input", "input")
	return h.readChoice(ctx, a, want)
}

func (h *hand) readChoice(ctx context.Context, a *aim, want []string) error {
	h.mustLast(a.frame, a.ref, stateLasts)
	// The page may have drawn the control anew; its equal is read then.
	f, ref := a.frame, a.ref
	v, err := readValue(ctx, f, ref)
	if err != nil || v.Gone {
		h.note("the control could not be read back")
		return nil
	}
	shown := v.shown()
	if shown == "" {
		shown = v.Text
	}
	h.rec.ValueAfter = shown
	hay := strings.ToLower(strings.Join(strings.Fields(shown+" \u241f "+v.Text), " "))
	all := true
	for _, w := range want {
		all = all && strings.Contains(hay, strings.ToLower(strings.Join(strings.Fields(w), " ")))
	}
	h.rec.Matches = new(all)
	return nil
}

func listOptions(opts []string, total int) string {
	var q []string
	for _, o := range opts {
		if o != "" {
			q = append(q, fmt.Sprintf("%q", clip(o)))
		}
	}
	s := strings.Join(q, ", ")
	if total > len(opts) {
		s += fmt.Sprintf(" and %d more", total-len(opts))
	}
	if s == "" {
		return "none"
	}
	return s
}

// chooseCustom opens a custom list, waits for its options (which may come late
// and stand anywhere on the page), and clicks the one with the label.
func (h *hand) chooseCustom(ctx context.Context, a *aim, el *bus.Element, want string) error {
	base, _, err := h.a.look(ctx, h.sess)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	base.Walk(func(n *aria.Node, _ []*aria.Node) bool { known[n.Ref] = true; return true })
	node := base.ByRef(a.ref)
	open := node != nil && (node.Expanded == "true" || node.Role == "listbox" || node.Role == "radiogroup" || node.Role == "menu" || node.Role == "tree")
	if open {
		// Everything counts as an option of what is open already.
		known = map[string]bool{}
	} else {
		if err := h.clickOn(ctx, a, el); err != nil {
			return err
		}
		if t := h.rec.Target; t != nil {
			a.ref = t.Ref
		}
	}
	hit := h.rec.Hit
	until := time.Now().Add(patience(ctx) * 3 / 4)
	typed, scrolls := a.Editable == "" || a.ReadOnly, 0
	half := time.Now().Add(time.Until(until) / 3)
	var seen []string
	for {
		tree, _, err := h.a.look(ctx, h.sess)
		if err != nil {
			return err
		}
		opt, all := optionIn(tree, a.ref, known, want)
		for _, o := range all {
			seen = appendOnce(seen, o)
		}
		if opt != nil {
			if opt.Disabled {
				return refuse(bus.RefusedDisabled, "the option %q is disabled", want)
			}
			if opt.Selected == "true" && !open && len(h.in.Values) > 1 {
				return nil // clicking it would take it away again
			}
			return h.clickOption(ctx, tree, opt, hit)
		}
		// A list that filters shows its option once it is typed.
		if !typed && (len(all) > 0 || time.Now().After(half)) {
			typed = true
			if err := h.write(ctx, a, want); err != nil {
				return err
			}
			h.note("the label was typed into the field to find its option")
			continue
		}
		if len(all) > 0 && scrolls < optionScrolls {
			moved, err := h.scrollOptions(ctx, tree, a.ref, known)
			if err != nil {
				return err
			}
			if moved {
				scrolls++
				continue
			}
		}
		if time.Now().After(until) || (len(all) > 0 && time.Now().After(half)) {
			break
		}
		if !h.a.changed(ctx, h.sess, time.Until(until)) {
			break
		}
	}
	if !open {
		// What was opened is closed again, so that the page is as it was found.
		if err := h.send(ctx, chord{key: namedKeys["Escape"]}); err != nil {
			return h.unlessClosed(err)
		}
	}
	return refuse(bus.RefusedNoOption, "the list has no option %q; it showed %s", want, listOptions(seen, len(seen)))
}

// optionRoles are what the entries of a custom list can be, likeliest first.
var optionRoles = []string{"option", "menuitemradio", "menuitemcheckbox", "menuitem", "treeitem", "radio", "gridcell", "listitem"}

// optionIn finds the option with the label: in the popup that the control owns,
// else among options anywhere, else among what is new on the page since the
// list was opened. It also returns the labels of all options it saw.
func optionIn(tree *aria.Tree, control string, known map[string]bool, want string) (*aria.Node, []string) {
	owner := tree.ByRef(control)
	var popup *aria.Node
	if owner != nil && owner.Controls != "" {
		popup = tree.ByRef(owner.Controls)
	}
	isNew := func(n *aria.Node) bool { return n.Ref != "" && !known[n.Ref] }
	for _, src := range []struct {
		in   *aria.Node
		take func(n *aria.Node) bool
	}{
		{popup, isOption},
		{owner, isOption},
		{tree.Root, func(n *aria.Node) bool { return isOption(n) && isNew(n) }},
		{tree.Root, func(n *aria.Node) bool { return isNew(n) && !isOption(n) && (n.Clickable || n.Operable()) }},
	} {
		if src.in == nil {
			continue
		}
		var all []string
		var exact, folded []*aria.Node
		walk(src.in, func(n *aria.Node) {
			if n == owner || n.Inert || !src.take(n) {
				return
			}
			name := optionName(n)
			all = append(all, name)
			switch {
			case name == want:
				exact = append(exact, n)
			case strings.EqualFold(name, want):
				folded = append(folded, n)
			}
		})
		if len(exact) == 0 {
			exact = folded
		}
		// An entry and a wrapper of the same words are one: the inner one is meant.
		if len(exact) > 0 {
			return exact[len(exact)-1], all
		}
		if len(all) > 0 && src.in != tree.Root {
			return nil, all
		}
		if len(all) > 0 {
			return nil, all
		}
	}
	return nil, nil
}

func isOption(n *aria.Node) bool { return n.Ref != "" && slices.Contains(optionRoles, n.Role) }

func optionName(n *aria.Node) string {
	if n.Name != "" {
		return strings.Join(strings.Fields(n.Name), " ")
	}
	return aria.TextOf(n)
}

func walk(n *aria.Node, visit func(*aria.Node)) {
	visit(n)
	for _, c := range n.Children {
		walk(c, visit)
	}
}

// clickOption clicks an option; the receipt keeps the control as the target,
// and names the option in a note.
func (h *hand) clickOption(ctx context.Context, tree *aria.Tree, n *aria.Node, first *bus.Hit) error {
	target, aimed := h.rec.Target, h.rec.Aimed
	el := elementOf(tree, n)
	h.frames = nil
	a, err := h.target(ctx, &el, readyOptions{Purpose: forClick})
	if err != nil {
		return err
	}
	if err := h.plainClick(ctx, a, &el); err != nil {
		return err
	}
	h.note("the %s was clicked", label(n.Role, optionName(n)))
	if first != nil && first.Seen && h.rec.Hit != nil && h.rec.Hit.Inside {
		h.rec.Hit = first // both were right; the control is what was meant
	}
	h.rec.Target = target
	if aimed != nil {
		h.rec.Aimed = aimed
	}
	return nil
}

// plainClick is a left click, whatever the intent's own button and count, with
// a probe of its own.
func (h *hand) plainClick(ctx context.Context, a *aim, el *bus.Element) error {
	in := h.in
	h.in.Button, h.in.Count, h.in.Modifiers = "", 0, nil
	defer func() { h.in = in }()
	if h.probe != nil {
		h.probe.reset()
	}
	return h.clickOn(ctx, a, el)
}

// scrollOptions scrolls the list that the options are in by a page; false when
// it is at its end.
func (h *hand) scrollOptions(ctx context.Context, tree *aria.Tree, control string, known map[string]bool) (bool, error) {
	var last *aria.Node
	owner := tree.ByRef(control)
	walk(tree.Root, func(n *aria.Node) {
		if isOption(n) && (!known[n.Ref] || owner != nil && related(tree, owner, n)) {
			last = n
		}
	})
	if last == nil {
		return false, nil
	}
	f, err := h.frameOf(ctx, last.Ref)
	if err != nil {
		return false, nil //nolint:nilerr // the list was drawn anew; the next look finds it
	}
	var by int
	if err := f.Call(ctx, &by, `(ref) => globalThis.__quartetAct.scrollList(ref)`, last.Ref); err != nil {
		return false, err
	}
	return by != 0, nil
}

// related holds for two nodes of which one contains the other.
func related(tree *aria.Tree, a, b *aria.Node) bool {
	return slices.Contains(tree.PathTo(a), b) || slices.Contains(tree.PathTo(b), a)
}
