package aria

import (
	"slices"
	"strconv"
	"strings"
)

// head is a node in one phrase: role, ref, name, value, marks.
func (c *compact) head(n *Node, mute string) string {
	var b strings.Builder
	b.WriteString(headWord(n))
	if n.Ref != "" && c.showsRef(n) {
		b.WriteString(" " + n.Ref)
	}
	if s := c.name(n); s != "" && !c.echo[n] {
		b.WriteString(" " + quote(c.short(s, c.size.name)))
	}
	if n.Value != nil && !saysValue(n) {
		b.WriteString(" = " + quote(c.short(*n.Value, c.size.value)))
	} else if n.ValueNow != "" {
		b.WriteString(" = " + quote(n.ValueNow))
	}
	b.WriteString(c.marks(n, mute))
	return b.String()
}

// headWord is the word for what a node is.
func headWord(n *Node) string {
	switch {
	case n.Role == "heading":
		if n.Level > 0 {
			return "h" + strconv.Itoa(n.Level)
		}
		return "h"
	case n.Role == "generic" && n.Clickable:
		return "clickable"
	case n.Role == "generic" && n.Focusable:
		return "focusable"
	}
	return roleWord(n.Role)
}

// saysValue holds for an editor whose inside is written out under it.
func saysValue(n *Node) bool {
	if n.Value == nil || isField(n.Role) && !n.holds(func(k *Node) bool { return k.Role != "text" && !dissolves(k) }) {
		return false
	}
	inside := TextOf(&Node{Role: "generic", Children: n.Children})
	return len(n.Children) > 0 && n.Role != "combobox" && inside != "" && fold(inside) == fold(*n.Value)
}

// holds reports whether some descendant is so.
func (n *Node) holds(is func(*Node) bool) bool {
	for _, k := range n.Children {
		if is(k) || k.holds(is) {
			return true
		}
	}
	return false
}

// roleWord keeps a role that the page made up from looking like more than a
// word.
func roleWord(role string) string {
	for _, r := range role {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && (r < '0' || r > '9') {
			return quote(role)
		}
	}
	return role
}

// showsRef holds where one can act on the node or search within it.
func (c *compact) showsRef(n *Node) bool {
	if n.Operable() || isTable(n.Role) || isOverlay(n) {
		return true
	}
	switch n.Role {
	case "row", "iframe", "canvas", "video", "audio", "object", "img", "image", "tree", "tablist", "menubar", "form", "progressbar", "meter", "gridcell", "application", "tabpanel", "list", "generic", "figure", "radiogroup", "graphics-document":
		return true
	}
	return false
}

// marks are the states of a node in brackets, with a space before, or "".
func (c *compact) marks(n *Node, mute string) string {
	var m []string
	add := func(s string) { m = append(m, s) }
	both := func(v, yes, no string) {
		switch v {
		case "true":
			add(yes)
		case "false":
			if no != "" {
				add(no)
			}
		case "mixed":
			add(yes + " partly")
		}
	}
	both(n.Checked, "checked", "unchecked")
	both(n.Pressed, "pressed", "not pressed")
	both(n.Selected, "selected", "")
	both(n.Expanded, "expanded", "collapsed")
	if n.Active {
		add("focused")
	}
	if n.Disabled {
		add("disabled")
	}
	if n.Required {
		add("required")
	}
	if n.ReadOnly {
		add("readonly")
	}
	if n.Invalid != "" && n.Invalid != "false" {
		s := "invalid"
		if n.Invalid != "true" {
			s += token(n.Invalid, "grammar", "spelling")
		}
		if n.InvalidMessage != "" {
			s += " " + quote(shorten(n.InvalidMessage, 120))
		}
		add(s)
	} else if n.InvalidMessage != "" {
		add("will be invalid " + quote(shorten(n.InvalidMessage, 120)))
	}
	if n.Current != "" && n.Current != "false" {
		add("current" + token(n.Current, "page", "step", "location", "date", "time"))
	}
	if n.Sort != "" && n.Sort != "none" {
		add("sorted" + token(n.Sort, "ascending", "descending"))
	}
	if n.HasPopup != "" && n.HasPopup != "false" && n.Role != "combobox" && n.Expanded == "" {
		popup := token(n.HasPopup, "menu", "listbox", "tree", "grid", "dialog")
		if popup == "" {
			popup = " menu"
		}
		add("opens" + popup)
	}
	if n.ValueMin != "" || n.ValueMax != "" {
		add(roleWordOr(n.ValueMin) + ".." + roleWordOr(n.ValueMax))
	}
	switch n.InputType {
	case "date", "time", "month", "week", "datetime-local", "file", "color", "password":
		add(n.InputType)
	}
	if n.Options > 0 && !c.size.brief && n.Expanded != "true" {
		add(strconv.Itoa(n.Options) + " options")
	}
	if p := clean(n.Placeholder); p != "" && !c.size.brief && p != clean(n.Name) && (n.Value == nil || *n.Value == "") {
		add("placeholder " + quote(shorten(p, 80)))
	}
	if l := clean(n.Label); l != "" && !c.size.brief && n.Name != "" && len(n.Children) == 0 && !subset(words(l), words(n.Name)) {
		add("shows " + quote(shorten(l, 120)))
	}
	if d := clean(n.Description); d != "" && !c.size.brief && d != clean(n.Name) && !c.onPage(d) {
		add("about " + quote(shorten(d, 160)))
	}
	if n.RowCount > 0 && n.RowCount > len(Rows(n)) {
		add(strconv.Itoa(n.RowCount) + " rows")
	}
	if n.PosInSet > 0 && n.SetSize > 0 && (n.Role == "row" || n.Role == "listitem") {
		add(strconv.Itoa(n.PosInSet) + " of " + strconv.Itoa(n.SetSize))
	}
	if n.Looks != "" {
		add("looks " + looks(n.Looks))
	}
	if n.OnHover {
		add("on hover")
	}
	if n.Modal {
		add("modal")
	}
	if n.Busy {
		add("busy")
	}
	if n.Controls != "" {
		add("popup " + coveredBy(&Node{CoveredBy: n.Controls}))
	}
	if n.FrameNote != "" {
		if note := token(n.FrameNote, "loading", "lazy", "unreachable", "refused"); note != "" {
			add(note[1:])
		} else {
			add(quote(shorten(n.FrameNote, 80)))
		}
	}
	if (n.Role == "canvas" || n.Role == "video" || n.Role == "object") && n.Box != nil {
		add(strconv.Itoa(int(n.Box.W)) + "x" + strconv.Itoa(int(n.Box.H)))
	}
	if s := stateOf(n); s != "" && s != mute {
		add(s)
	}
	if n.Unreachable {
		add("unreachable")
	}
	if n.Clipped {
		add("clipped")
	}
	if n.Transparent {
		add("transparent")
	}
	if n.PointerNone {
		add("no-pointer")
	}
	if n.AriaHidden && n.Operable() {
		add("aria-hidden")
	}
	if len(m) == 0 {
		return ""
	}
	return " [" + strings.Join(m, ", ") + "]"
}

// looks is the hint as it stands, if it is made of words alone.
func looks(s string) string {
	for _, r := range s {
		if (r < 'a' || r > 'z') && r != ' ' && r != ',' {
			return quote(s)
		}
	}
	return s
}

// token is a space and s where s is one of the words that a state may have,
// else "": the page writes these attributes.
func token(s string, known ...string) string {
	if slices.Contains(known, s) {
		return " " + s
	}
	return ""
}

// roleWordOr is roleWord for numbers as the page wrote them.
func roleWordOr(s string) string {
	for _, r := range s {
		if (r < '0' || r > '9') && r != '.' && r != '-' {
			return quote(s)
		}
	}
	return s
}

// stateOf is the mark that lines can share.
func stateOf(n *Node) string {
	switch {
	case n.Inert:
		return "inert"
	case n.CoveredBy != "":
		return "covered-by " + coveredBy(n)
	case n.Offscreen:
		return "offscreen"
	}
	return ""
}

func coveredBy(n *Node) string {
	if refPattern.MatchString(n.CoveredBy) {
		return n.CoveredBy
	}
	return quote(shorten(n.CoveredBy, 60))
}

// onPage reports whether a long text stands on the page as it is: nobody needs
// it again as a description.
func (c *compact) onPage(s string) bool {
	if len(s) < 24 || c.tree.Root == nil {
		return false
	}
	if c.texts == nil {
		c.texts = map[string]bool{}
		c.tree.Walk(func(n *Node, _ []*Node) bool {
			if len(n.Text) >= 24 {
				c.texts[clean(n.Text)] = true
			}
			return true
		})
	}
	return c.texts[s]
}

// subset reports whether all of a are among b.
func subset(a, b []string) bool {
	for _, w := range a {
		if !slices.Contains(b, w) {
			return false
		}
	}
	return true
}
