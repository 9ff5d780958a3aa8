package aria

import "strings"

// title names a node in a line: role, ref, name.
func (w *deltaWriter) title(n *Node) string {
	s := roleName(n)
	if n.Ref != "" {
		s += " " + n.Ref
	}
	name := n.title()
	if n.Role == "row" {
		name = rowTitle(n)
	} else if name == "" && (n.Role != "textbox" || len(n.Children) == 0) {
		name = TextOf(n)
	}
	if name != "" {
		s += " " + quote(shorten(name, 60))
	}
	return s
}

// short is title without the role, for lists of equals.
func (w *deltaWriter) short(n *Node) string {
	name := n.title()
	if n.Role == "row" {
		name = rowKey(n)
	} else if name == "" {
		name = TextOf(n)
	}
	s := n.Ref
	if name != "" {
		s = strings.TrimSpace(s + " " + quote(shorten(name, 28)))
	}
	return s
}

func roleName(n *Node) string {
	switch {
	case n.Role == "generic" && n.Clickable:
		return "clickable"
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
	for _, f := range visible(c.Fields) {
		switch f.Name {
		case "active", "rebinds":
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
			return "now " + yes + " partly"
		case "false":
			return "now " + no
		}
		return "no longer " + yes
	}
	switch f.Name {
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
	if silent(c.Node) {
		return
	}
	blocks := w.compact.added(c.Node)
	if len(blocks) == 0 {
		return
	}
	each(blocks, nil, func(b *block, _ []*block) { b.keep = true })
	wr := writer{tree: &Tree{Root: c.Node}}
	text := strings.TrimRight(wr.text(blocks), "\n")
	lines := strings.Split(text, "\n")
	where := in(place)
	if c.After != "" {
		where += " after " + quote(c.After)
	} else if place != "" && c.Index <= 1 && (c.Node.Role == "row" || c.Node.Role == "listitem") {
		where += " first"
	}
	if where != "" {
		// The place stands before the text, where it cannot run into it.
		lines[0] = strings.TrimSpace(where) + ": " + lines[0]
	}
	for k := range lines {
		if k == 0 {
			lines[k] = "+ " + lines[k]
		} else {
			lines[k] = "  " + lines[k]
		}
	}
	w.lines = append(w.lines, strings.Join(lines, "\n"))
}
