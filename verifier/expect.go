package verifier

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// A view is what expectations are evaluated on: one observation and what
// happened besides.
type view struct {
	tree      *aria.Tree // nil: the page could not be observed
	dialogs   []bus.Dialog
	downloads []bus.Download
	tabs      []bus.Tab
}

// A finding is what an expectation came to. known is false where it could not
// be told, and then it does not hold, negated or not.
type finding struct {
	held, known bool
	fact        string
}

func yes(format string, args ...any) finding {
	return finding{held: true, known: true, fact: fmt.Sprintf(format, args...)}
}
func no(format string, args ...any) finding {
	return finding{known: true, fact: fmt.Sprintf(format, args...)}
}
func unknown(format string, args ...any) finding { return finding{fact: fmt.Sprintf(format, args...)} }
func that(held bool, format string, args ...any) finding {
	return finding{held: held, known: true, fact: fmt.Sprintf(format, args...)}
}

// evaluate judges one expectation on a view.
func evaluate(e bus.Expect, v view) bus.Checked {
	f := find(e, v)
	held := f.known && f.held != e.Not
	return bus.Checked{Expect: e, Held: held, Fact: f.fact}
}

// evaluateBoth judges the expectations on the view after an attempt, and says
// of each whether it held before.
func evaluateBoth(expect []bus.Expect, before, after view) []bus.Checked {
	out := make([]bus.Checked, len(expect))
	for i, e := range expect {
		out[i] = evaluate(e, after)
		if b := find(e, before); b.known {
			held := b.held != e.Not
			out[i].Before = &held
		}
	}
	return out
}

func find(e bus.Expect, v view) finding {
	switch e.Kind {
	case bus.ExpectDownload:
		return findDownload(e, v.downloads)
	case bus.ExpectDialog:
		return findDialog(e, v.dialogs)
	case bus.ExpectTab:
		return findTab(e, v.tabs)
	}
	if v.tree == nil {
		return unknown("the page could not be observed")
	}
	if v.tree.Stale {
		return unknown("the page does not answer")
	}
	switch e.Kind {
	case bus.ExpectVisible, bus.ExpectGone:
		return findVisible(e, v.tree)
	case bus.ExpectURL:
		return findPlace(e, "URL", v.tree.URL)
	case bus.ExpectTitle:
		return findPlace(e, "title", v.tree.Title)
	case bus.ExpectText:
		return findText(e, v.tree)
	case bus.ExpectCount:
		return findCount(e, v.tree)
	case bus.ExpectAria:
		switch err := aria.Match(e.Want, v.tree); {
		case errors.Is(err, aria.ErrTemplate):
			return unknown("%v", err)
		case err != nil:
			return no("%v", err)
		}
		return yes("the page has what the template describes")
	case bus.ExpectValue, bus.ExpectEmpty, bus.ExpectChecked, bus.ExpectEnabled, bus.ExpectFocused:
		return findState(e, v.tree)
	}
	return unknown("there is no expectation of the kind %q", e.Kind)
}

// compare applies an operator to what was found. err is set for an unusable
// expectation.
func compare(op, fallback, want, got, hint string) (l likeness, err error) {
	if op == "" {
		op = fallback
	}
	switch op {
	case "equals":
		return compareValues(want, got, hint), nil
	case "contains":
		return likeness{same: holds(got, want)}, nil
	case "matches":
		re, err := regexp.Compile(want)
		if err != nil {
			return likeness{}, fmt.Errorf("the expression %q: %w", want, err)
		}
		return likeness{same: re.MatchString(squeeze(got))}, nil
	}
	return likeness{}, fmt.Errorf("there is no comparison %q", op)
}

// findPlace compares a URL or a title, "contains" by default. Letters' case
// counts in a URL.
func findPlace(e bus.Expect, what, got string) finding {
	l, err := compare(e.Op, "contains", e.Want, got, "")
	if err != nil {
		return unknown("%v", err)
	}
	held := l.same
	if what == "URL" && (e.Op == "" || e.Op == "contains") {
		held = e.Want != "" && strings.Contains(got, e.Want)
	}
	if what == "URL" && e.Op == "equals" {
		held = sameURL(e.Want, got)
	}
	return that(held, "the %s is %s", what, quote(got))
}

// findVisible looks for an element, or for a text anywhere on the page. For
// "gone" the finding is turned round.
func findVisible(e bus.Expect, t *aria.Tree) finding {
	f := see(e, t)
	if e.Kind == bus.ExpectGone && f.known {
		f.held = !f.held
	}
	return f
}

func see(e bus.Expect, t *aria.Tree) finding {
	if e.Target == nil {
		if squeeze(e.Want) == "" {
			return unknown("the expectation names neither an element nor a text")
		}
		where, ok := textOnPage(t, e.Want)
		if !ok {
			return no("the text %s is nowhere on the page", quote(e.Want))
		}
		return yes("the text %s is on the page, in %s", quote(e.Want), where)
	}
	f := locate(t, e.Target, aria.ForAny, aria.ForRead)
	typed := e.Target.Role != "" || e.Target.Kind != ""
	var shown []*aria.Node
	for _, n := range f.nodes {
		if visible(t, n) {
			shown = append(shown, n)
		}
	}
	// What is meant to be gone is not still there because a longer name, or
	// something of another kind, holds its words.
	if e.Kind == bus.ExpectGone && typed && (f.rung == "other role" || f.rung == "prefix" || f.rung == "contains") {
		return no("%s is not on the page; the nearest is %s", phrase(e.Target), describe(f.nodes[0]))
	}
	if len(shown) == 0 {
		if !typed && e.Target.Name != "" && len(e.Target.Within) == 0 && e.Target.Near == nil && e.Target.Ref == "" {
			if where, ok := textOnPage(t, e.Target.Name); ok {
				return yes("the text %s is on the page, in %s", quote(e.Target.Name), where)
			}
		}
		if len(f.nodes) > 0 {
			return no("%s is there, but cannot be seen", describe(f.nodes[0]))
		}
		return no("%s is not on the page%s", phrase(e.Target), because(f.why))
	}
	if e.Want != "" && e.Kind == bus.ExpectVisible {
		for _, n := range shown {
			if holds(aria.TextOf(n), e.Want) || holds(n.Name, e.Want) {
				return yes("%s is on the page and says %s", describe(n), quote(e.Want))
			}
		}
		return no("%s is on the page, but does not say %s", describe(shown[0]), quote(e.Want))
	}
	return yes("%s is on the page%s", describe(shown[0]), at(t.PlaceOf(shown[0])))
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// visible holds for a node that a person can see, by scrolling at most.
func visible(t *aria.Tree, n *aria.Node) bool {
	for _, p := range t.PathTo(n) {
		if p.Unreachable || p.Transparent {
			return false
		}
	}
	return true
}

// textOnPage finds words in what the page shows, and says where: the innermost
// node that shows all of them.
func textOnPage(t *aria.Tree, words string) (string, bool) {
	var where *aria.Node
	var read func(n *aria.Node) string
	read = func(n *aria.Node) string {
		if n == nil || n.Unreachable || n.Transparent {
			return ""
		}
		if n.Role == "text" {
			if where == nil && holds(n.Text, words) {
				where = n
			}
			return n.Text
		}
		var parts []string
		for _, c := range n.Children {
			if s := read(c); s != "" {
				parts = append(parts, s)
			}
		}
		if len(parts) == 0 {
			parts = append(parts, n.Label, n.Name)
		}
		text := strings.Join(parts, " ")
		if n.Value != nil && !n.Masked {
			text += " " + *n.Value
		}
		if where == nil && (holds(text, words) || n.Role != "iframe" && holds(n.Name, words) || holds(n.Label, words)) {
			where = n
		}
		return text
	}
	read(t.Root)
	return describe(where), where != nil
}

func findText(e bus.Expect, t *aria.Tree) finding {
	if e.Target == nil {
		if e.Op == "" || e.Op == "contains" {
			e.Kind = bus.ExpectVisible
			return see(e, t)
		}
		l, err := compare(e.Op, "contains", e.Want, aria.TextOf(t.Root), "")
		if err != nil {
			return unknown("%v", err)
		}
		return that(l.same, "the page's text was compared whole")
	}
	f := locate(t, e.Target, aria.ForRead, aria.ForAny)
	if len(f.nodes) == 0 {
		return no("%s is not on the page%s", phrase(e.Target), because(f.why))
	}
	if len(f.nodes) > 1 {
		return no("several elements fit %s: %s", phrase(e.Target), several(t, f.nodes))
	}
	n := f.one()
	says := []string{aria.TextOf(n), n.Name, valueOf(n)}
	if e.Target.Role == "" && e.Target.Kind == "" {
		if s := aria.Labelled(t, n); s != "" {
			says = append(says, s)
		}
	}
	for _, got := range says {
		l, err := compare(e.Op, "contains", e.Want, got, "")
		if err != nil {
			return unknown("%v", err)
		}
		if l.same {
			return yes("%s says %s", describe(n), quote(got))
		}
	}
	return no("%s says %s", describe(n), quote(aria.TextOf(n)))
}

func valueOf(n *aria.Node) string {
	if n.Value == nil || n.Masked {
		return ""
	}
	return *n.Value
}

func findCount(e bus.Expect, t *aria.Tree) finding {
	if e.Target == nil {
		return unknown("the expectation does not say what to count")
	}
	f := locate(t, e.Target, aria.ForAny)
	n := 0
	for _, c := range f.nodes {
		if visible(t, c) {
			n++
		}
	}
	held := n == e.Count
	switch e.CountOp {
	case "":
	case "at_least":
		held = n >= e.Count
	case "at_most":
		held = n <= e.Count
	default:
		return unknown("there is no comparison %q", e.CountOp)
	}
	return that(held, "%d on the page fit %s", n, phrase(e.Target))
}

// findState looks at what a control says of itself.
func findState(e bus.Expect, t *aria.Tree) finding {
	if e.Target == nil {
		return unknown("the expectation names no element")
	}
	ps := []aria.Purpose{aria.ForFill, aria.ForSelect, aria.ForAny}
	switch e.Kind {
	case bus.ExpectChecked:
		ps = []aria.Purpose{aria.ForCheck, aria.ForAny}
	case bus.ExpectEnabled, bus.ExpectFocused:
		ps = []aria.Purpose{aria.ForAny}
	}
	f := locate(t, e.Target, ps...)
	if len(f.nodes) == 0 {
		// Neither it nor its opposite can be said of what is not there.
		return unknown("%s is not on the page%s", phrase(e.Target), because(f.why))
	}
	if len(f.nodes) > 1 {
		return unknown("several elements fit %s: %s", phrase(e.Target), several(t, f.nodes))
	}
	n := f.one()
	switch e.Kind {
	case bus.ExpectEnabled:
		return that(!n.Disabled && !n.Inert, "%s is %s", describe(n), either(!n.Disabled && !n.Inert, "enabled", "disabled"))
	case bus.ExpectFocused:
		return that(n.Active, "%s %s the focus", describe(n), either(n.Active, "has", "does not have"))
	case bus.ExpectChecked:
		on, known := isOn(n)
		if !known {
			return unknown("%s has no state that could be on or off", describe(n))
		}
		return that(on, "%s is %s", describe(n), either(on, "on", "off"))
	case bus.ExpectEmpty:
		if n.Masked {
			return that(n.Value == nil || *n.Value == "", "%s is masked", describe(n))
		}
		got := currentValue(n)
		return that(squeeze(got) == "", "%s holds %s", describe(n), quote(got))
	}
	if n.Masked {
		return unknown("%s holds a secret, which is not compared", describe(n))
	}
	got := currentValue(n)
	l, err := compare(e.Op, "equals", e.Want, got, hintOf(n))
	if err != nil {
		return unknown("%v", err)
	}
	if l.same && l.doubt != "" {
		return unknown("%s holds %s: %s", describe(n), quote(got), l.doubt)
	}
	return that(l.same, "%s holds %s%s", describe(n), quote(got), aside(l.how))
}

func either(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

func aside(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// hintOf is what a field says of the form it wants.
func hintOf(n *aria.Node) string { return n.Placeholder + " " + n.Description + " " + n.Name }

// isOn reads a control's two-way state.
func isOn(n *aria.Node) (on, known bool) {
	for _, s := range []string{n.Checked, n.Pressed, n.Selected} {
		if s != "" {
			return s == "true", true
		}
	}
	if n.Current != "" && n.Current != "false" {
		return true, true
	}
	return false, false
}

// currentValue is what a control holds: its value, the names of chosen options
// in it, or the text of an editor.
func currentValue(n *aria.Node) string {
	if n.Value != nil {
		return *n.Value
	}
	if on := chosen(n); len(on) > 0 {
		return strings.Join(on, ", ")
	}
	if n.ValueNow != "" {
		return n.ValueNow
	}
	return aria.TextOf(n)
}

// chosen lists the selected or checked options inside a node.
func chosen(n *aria.Node) []string {
	var out []string
	var walk func(n *aria.Node)
	walk = func(n *aria.Node) {
		for _, c := range n.Children {
			if on, known := isOn(c); known {
				if on {
					name := c.Name
					if name == "" {
						name = aria.TextOf(c)
					}
					out = append(out, name)
				}
				continue
			}
			walk(c)
		}
	}
	walk(n)
	return out
}

func findDownload(e bus.Expect, all []bus.Download) finding {
	var names []string
	for _, d := range all {
		names = append(names, quote(d.Name))
		if d.State != "completed" {
			continue
		}
		held := e.Want == "" || d.Name == e.Want || holds(d.Name, e.Want)
		if ok, err := path.Match(e.Want, d.Name); err == nil && ok {
			held = true
		}
		switch e.Op {
		case "", "contains":
		case "equals":
			held = d.Name == e.Want
		case "matches":
			re, err := regexp.Compile(e.Want)
			if err != nil {
				return unknown("the expression %q: %v", e.Want, err)
			}
			held = re.MatchString(d.Name)
		default:
			return unknown("there is no comparison %q", e.Op)
		}
		if held {
			return yes("the file %s arrived, %d bytes, SHA-256 %s", quote(d.Name), d.Size, d.SHA256)
		}
	}
	if len(names) == 0 {
		return no("no file arrived")
	}
	return no("what arrived is %s", strings.Join(names, ", "))
}

func findDialog(e bus.Expect, all []bus.Dialog) finding {
	var seen []string
	for _, d := range all {
		l, err := compare(e.Op, "contains", e.Want, d.Message, "")
		if err != nil {
			return unknown("%v", err)
		}
		if l.same || squeeze(e.Want) == "" {
			return yes("the %s dialog %s was seen", d.Type, quote(d.Message))
		}
		seen = append(seen, quote(d.Message))
	}
	if len(seen) == 0 {
		return no("no dialog was seen")
	}
	return no("the dialogs seen say %s", strings.Join(seen, ", "))
}

func findTab(e bus.Expect, tabs []bus.Tab) finding {
	if tabs == nil {
		return unknown("the open tabs are not known")
	}
	for _, t := range tabs {
		for _, got := range []string{t.Title, t.URL} {
			l, err := compare(e.Op, "contains", e.Want, got, "")
			if err != nil {
				return unknown("%v", err)
			}
			if l.same || got == t.URL && e.Want != "" && e.Want == t.ID {
				return yes("tab %s is open: %s at %s", t.ID, quote(t.Title), t.URL)
			}
		}
	}
	return no("none of the %d open tabs fits %s", len(tabs), quote(e.Want))
}
