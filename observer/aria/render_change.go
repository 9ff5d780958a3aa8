package aria

import (
	"slices"
	"strings"
)

// title names a node in a line: role, ref, name, or what it says.
func (w *deltaWriter) title(n *Node) string {
	s := w.bareTitle(n)
	if n.Role == "row" || n.title() != "" || n.Role == "textbox" && len(n.Children) > 0 {
		return s
	}
	if text := TextOf(n); text != "" {
		s += " " + quote(shorten(text, 60))
	}
	return s
}

// bareTitle names a node by role, ref and name only.
func (w *deltaWriter) bareTitle(n *Node) string {
	s := roleName(n)
	if n.Ref != "" {
		s += " " + n.Ref
	}
	name := n.title()
	if n.Role == "row" {
		name = rowTitle(n)
	}
	if name != "" {
		s += " " + quote(shorten(name, 60))
	}
	return s
}

// short is title without the role, for lists of equals.
func (w *deltaWriter) short(n *Node) string {
	s := n.Ref
	if name := key(n); name != "" {
		s = strings.TrimSpace(s + " " + quote(brief(name, 28)))
	}
	if s == "" {
		return "one without words"
	}
	return s
}

// brief cuts s to about max runes, in a list where the ref or the place says the
// rest.
func brief(s string, max int) string {
	r := []rune(clean(s))
	if len(r) <= max+4 {
		return string(r)
	}
	return strings.TrimSpace(string(r[:max])) + "…"
}

func roleName(n *Node) string {
	switch {
	case n.Role == "generic" && n.Clickable:
		return "clickable"
	case n.Role == "generic" && n.Focusable:
		return "focusable"
	case n.Role == "generic" || n.Role == "paragraph":
		return "text"
	case n.Role == "listitem":
		return "item"
	}
	return roleWord(n.Role)
}

// fields writes the changes of one node's own fields.
func (w *deltaWriter) fields(c Change) string {
	n := c.Node
	var parts []string
	name := w.title(n)
	if c.Words != "" {
		name += " " + quote(c.Words)
	}
	for _, f := range visible(c.Fields) {
		switch f.Name {
		case "active", "rebinds":
		case "label":
			// The visible text stayed what the name was.
			if !slices.ContainsFunc(c.Fields, func(g Field) bool { return g.Name == "name" && g.From == f.To }) {
				parts = append(parts, stateText(f))
			}
		case "name", "text":
			// The old name places the change, the new one is the news.
			s := *n
			s.Name, s.Text, s.Label = "", "", ""
			if f.Name == "name" || n.Role == "text" {
				name = strings.TrimSuffix(w.title(&s), " ")
			}
			parts = append(parts, quote(shorten(f.From, 60))+" → "+quote(shorten(f.To, 200)))
		case "value":
			parts = append(parts, "= "+quote(shorten(f.From, 60))+" → "+quote(shorten(f.To, 200)))
		default:
			parts = append(parts, stateText(f))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return name + ": " + strings.Join(parts, ", ")
}

// stateText says a state's change in a few words.
func stateText(f Field) string {
	yesNo := func(yes, no string) string {
		switch f.To {
		case "true":
			return "now " + yes
		case "mixed":
			return "now mixed (" + yes + " in part)"
		case "false":
			return "now " + no
		}
		return "no longer " + yes
	}
	switch f.Name {
	case "current":
		if f.To == "" || f.To == "false" {
			return "no longer current" + token(f.From, "page", "step", "location", "date", "time")
		}
		return "now current" + token(f.To, "page", "step", "location", "date", "time")
	case "sort":
		if f.To == "" || f.To == "none" {
			return "no longer sorted"
		}
		return "now sorted" + token(f.To, "ascending", "descending")
	case "haspopup":
		if f.To == "" || f.To == "false" {
			return "opens nothing any more"
		}
		return "now opens a popup" + token(f.To, "menu", "listbox", "tree", "grid", "dialog")
	case "frame_note":
		if f.To == "" {
			return "now loaded"
		}
		return "now " + roleWord(f.To)
	case "checked":
		return yesNo("checked", "unchecked")
	case "pressed":
		return yesNo("pressed", "not pressed")
	case "selected":
		return yesNo("selected", "unselected")
	case "expanded":
		return yesNo("expanded", "collapsed")
	case "disabled":
		if f.To == "" {
			return "now enabled"
		}
		return "now disabled"
	case "required", "readonly", "modal", "busy", "inert", "unreachable", "clipped", "transparent", "pointer_none", "aria_hidden", "masked", "clickable":
		return yesNo(strings.ReplaceAll(f.Name, "_", "-"), "not "+f.Name)
	case "invalid":
		if f.To == "" || f.To == "false" {
			return "now valid"
		}
		return "now invalid"
	case "covered_by":
		if f.To == "" {
			return "no longer covered"
		}
		if refPattern.MatchString(f.To) {
			return "now covered-by " + f.To
		}
		return "now covered-by " + quote(shorten(f.To, 60))
	}
	word := strings.ReplaceAll(f.Name, "_", " ")
	switch {
	case f.From == "":
		return word + " " + quote(shorten(f.To, 160))
	case f.To == "":
		return word + " " + quote(shorten(f.From, 60)) + " gone"
	}
	return word + " " + quote(shorten(f.From, 60)) + " → " + quote(shorten(f.To, 160))
}

// added writes a new subtree in the compact form, its first line marked.
func (w *deltaWriter) added(c Change, place string) {
	blocks := w.compact.added(lean(c.Node))
	each(blocks, nil, func(b *block, _ []*block) { b.keep = true })
	wr := writer{tree: &Tree{Root: c.Node}}
	text := strings.TrimRight(wr.text(blocks), "\n")
	if text == "" {
		text = w.title(c.Node) // the compact form has no line for it, the change has
	}
	lines := strings.Split(text, "\n")
	where := in(place)
	switch {
	case w.lastLines == len(w.lines) && w.lastLines > 0 && w.lastAdded.Parent == c.Parent && w.lastAdded.Index+1 == c.Index && w.lastAdded.Place == c.Place:
		where = "" // right after the one above
	case c.After != "":
		where += " after " + quote(c.After)
	case c.Node.Role == "row" || c.Node.Role == "listitem":
		where += " first"
	}
	if where != "" {
		// The place stands before the text, where it cannot run into it.
		if c.Node.Role == "row" && !strings.HasPrefix(lines[0], "row e") {
			lines[0] = "row" + where + ": " + strings.TrimPrefix(lines[0], "row: ")
		} else {
			lines[0] = strings.TrimSpace(where) + ": " + lines[0]
		}
	}
	for k := range lines {
		if k == 0 {
			lines[k] = "+ " + lines[k]
		} else {
			lines[k] = "  " + lines[k]
		}
	}
	w.lines = append(w.lines, strings.Join(lines, "\n"))
	w.lastAdded, w.lastLines = c, len(w.lines)
}

// lean copies a subtree as a delta shows it: a row that holds something to
// operate without its own ref, and its boxes without the mark that they are not
// ticked, as new ones are.
func lean(n *Node) *Node {
	c := n.own()
	inRow := n.Role == "row"
	if inRow && !n.Operable() && holdsOperable(n) {
		c.Ref = ""
	}
	for _, k := range n.Children {
		k = lean(k)
		if inRow {
			unmark(k)
		}
		c.Children = append(c.Children, k)
	}
	return c
}

func unmark(n *Node) {
	if n.Checked == "false" {
		n.Checked = ""
	}
	for _, k := range n.Children {
		unmark(k)
	}
}

func holdsOperable(n *Node) bool {
	return slices.ContainsFunc(n.Children, func(k *Node) bool { return k.Operable() && k.Ref != "" || holdsOperable(k) })
}
