package aria

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// rebound writes all re-rendered elements as one line.
func (w *deltaWriter) rebound() {
	kept, from, to := 0, []string(nil), []string(nil)
	for k, c := range w.d.Changes {
		if w.done[k] || c.Kind != Rebound {
			continue
		}
		var rest []Field
		for _, f := range visible(c.Fields) {
			switch {
			case f.Name == "ref":
				from, to = append(from, f.From), append(to, f.To)
			case f.Name == "rebinds":
				kept++
			case c.Echo && (f.Name == "name" || f.Name == "label"):
			default:
				rest = append(rest, f)
			}
		}
		w.replace(k, rest)
	}
	if kept > 0 {
		w.add("= %d %s re-rendered, refs kept", kept, plural("element", kept))
	}
	if len(from) > 0 {
		w.add("= %d %s re-rendered, new refs: %s", len(from), plural("element", len(from)), refPairs(from, to))
	}
}

// refPairs writes old and new refs, runs at one distance as one.
func refPairs(from, to []string) string {
	type run struct{ a, b, c, d string }
	var runs []run
	number := func(ref string) (string, int) {
		k := strings.LastIndexByte(ref, 'e')
		if k < 0 {
			return ref, 0
		}
		n, err := strconv.Atoi(ref[k+1:])
		if err != nil {
			return ref, 0
		}
		return ref[:k], n
	}
	last := 0
	for i := range from {
		pa, a := number(from[i])
		pb, b := number(to[i])
		if k := len(runs) - 1; k >= 0 && a-b == last {
			if qa, _ := number(runs[k].a); qa == pa {
				if qb, _ := number(runs[k].b); qb == pb {
					runs[k].c, runs[k].d = from[i], to[i]
					continue
				}
			}
		}
		runs = append(runs, run{from[i], to[i], from[i], to[i]})
		last = a - b
	}
	var parts []string
	for k, r := range runs {
		if k == 24 {
			parts = append(parts, fmt.Sprintf("… %d more", len(runs)-k))
			break
		}
		if r.a == r.c {
			parts = append(parts, r.a+"→"+r.b)
		} else {
			parts = append(parts, r.a+"…"+r.c+"→"+r.b+"…"+r.d)
		}
	}
	return strings.Join(parts, ", ")
}

// shared writes a state that many elements got together as one line.
func (w *deltaWriter) shared() {
	type key struct{ name, from, to string }
	groups := map[key][]int{}
	var order []key
	for k, c := range w.d.Changes {
		if w.done[k] || c.Kind != Changed {
			continue
		}
		for _, f := range visible(c.Fields) {
			if told(f.Name) {
				continue
			}
			g := key{f.Name, f.From, f.To}
			if groups[g] == nil {
				order = append(order, g)
			}
			groups[g] = append(groups[g], k)
		}
	}
	for _, g := range order {
		at := groups[g]
		behind := g.name == "inert" || g.name == "covered_by"
		if len(at) < 3 && !(behind && len(at) > 1) {
			continue
		}
		var names []string
		for _, k := range at {
			if n := w.d.Changes[k].Node; n.Ref != "" && len(names) < 3 {
				names = append(names, w.title(n))
			} else if words := w.d.Changes[k].Words; words != "" && len(names) < 3 {
				names = append(names, quote(shorten(words, 60)))
			}
		}
		text := fmt.Sprintf("~ %d elements %s", len(at), stateText(Field{g.name, g.from, g.to}))
		if !behind && len(names) > 0 {
			text += ": " + strings.Join(names, ", ")
			if len(at) > len(names) {
				text += ", …"
			}
		}
		w.lines = append(w.lines, text)
		for _, k := range at {
			c := &w.d.Changes[k]
			rest := slices.DeleteFunc(visible(c.Fields), func(f Field) bool { return key{f.Name, f.From, f.To} == g })
			w.replace(k, rest)
		}
	}
}

// replace leaves only the given fields of a change to be written.
func (w *deltaWriter) replace(k int, fields []Field) {
	if len(fields) == 0 {
		w.done[k] = true
	}
	w.d.Changes[k].Fields = fields
}

// told holds for fields whose values differ from node to node.
func told(field string) bool {
	switch field {
	case "name", "text", "value", "label", "ref", "description", "active", "role", "level", "value_now", "invalid_message", "placeholder", "rebinds":
		return true
	}
	return false
}

// order writes each changed order as one line.
func (w *deltaWriter) order() {
	orders := map[int]bool{}
	for _, o := range w.d.Orders {
		orders[o.Parent] = true
		var first []string
		for _, n := range o.First {
			first = append(first, w.short(n))
		}
		text := "order changed" + in(o.Place) + ": "
		switch word := roleName(o.First[0]); {
		case o.Reversed:
			text += strconv.Itoa(o.Of) + " " + plural(word, o.Of) + " reversed"
		default:
			text += strconv.Itoa(o.Moved) + " of " + strconv.Itoa(o.Of) + " " + plural(word, o.Of) + " moved"
		}
		text += ", now " + strings.Join(first, ", ")
		if o.Last != nil {
			text += " … " + w.short(o.Last)
		}
		w.lines = append(w.lines, text)
	}
	for k, c := range w.d.Changes {
		if c.Kind == Moved && c.Was == "" && orders[c.Parent] {
			w.done[k] = true
		}
	}
}

func in(place string) string {
	if place == "" {
		return ""
	}
	return " in " + place
}

// How many removals of one kind and place are named one by one, and how many
// of a longer list.
const (
	namedAll   = 10
	namedFirst = 5
)

// removed writes what went, several of one kind and place on one line.
func (w *deltaWriter) removed() {
	type kind struct{ place, role string }
	groups := map[kind][]int{}
	var order []kind
	for k, c := range w.d.Changes {
		if w.done[k] || c.Kind != Removed {
			continue
		}
		w.done[k] = true
		g := kind{c.Place, c.Node.Role}
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], k)
	}
	for _, g := range order {
		same := groups[g]
		if len(same) < 3 {
			for _, k := range same {
				w.add("- removed %s%s", w.gone(w.d.Changes[k].Node), in(g.place))
			}
			continue
		}
		nodes := make([]*Node, len(same))
		for i, k := range same {
			nodes[i] = w.d.Changes[k].Node
		}
		w.add("- removed %d %s%s: %s%s", len(same), plural(roleName(nodes[0]), len(same)), in(g.place), w.list(nodes), heldIn(nodes, nil))
	}
}

// list names equals: all of a few, of many the first ones and the last.
func (w *deltaWriter) list(nodes []*Node) string {
	show := len(nodes)
	if show > namedAll {
		show = namedFirst
	}
	var names []string
	for _, n := range nodes[:show] {
		names = append(names, w.short(n))
	}
	if more := len(nodes) - show; more > 0 {
		names = append(names, fmt.Sprintf("… %d more to %s", more, w.short(nodes[len(nodes)-1])))
	}
	return strings.Join(names, ", ")
}

// gone names what went, with what was in it.
func (w *deltaWriter) gone(n *Node) string {
	return w.said(n) + heldIn([]*Node{n}, equalsIn(n))
}

// said names what went by what it said.
func (w *deltaWriter) said(n *Node) string {
	s := w.bareTitle(n)
	if equals := equalsIn(n); len(equals) > 0 {
		return fmt.Sprintf("%s of %d %s: %s", s, len(equals), plural(roleName(equals[0]), len(equals)), w.list(equals))
	}
	title := w.title(n)
	text := TextOf(n)
	if n.Role == "row" || text == "" || len(n.Children) == 0 || fold(text) == fold(n.title()) || title != s {
		return title
	}
	return s + ": " + quote(shorten(text, 80))
}

// equalsIn are the rows of a table or the items of a list, three at least.
func equalsIn(n *Node) []*Node {
	var equals []*Node
	if isTable(n.Role) {
		equals = slices.DeleteFunc(Rows(n), isHeaderRow)
	} else {
		for _, k := range n.Children {
			if k.Role == "listitem" || k.Role == "option" || k.Role == "article" || k.Role == "menuitem" || k.Role == "treeitem" {
				equals = append(equals, k)
			}
		}
	}
	if len(equals) < 3 {
		return nil
	}
	return equals
}

// How many controls of one role that went with something are named all, and how
// many of more.
const (
	heldAll   = 4
	heldFirst = 3
)

// heldIn names by their refs the controls that went inside the nodes, by role: of
// many the first ones. Those that are named already are left out; what a closed
// list offers goes with it.
func heldIn(nodes, named []*Node) string {
	refs := map[string][]string{}
	var order []string
	var walk func(n *Node)
	walk = func(n *Node) {
		for _, k := range n.Children {
			if k.Ref != "" && k.Operable() && !slices.Contains(named, k) {
				role := roleName(k)
				if refs[role] == nil {
					order = append(order, role)
				}
				refs[role] = append(refs[role], k.Ref)
			}
			if k.Role != "combobox" && k.Role != "listbox" {
				walk(k)
			}
		}
	}
	for _, n := range nodes {
		walk(n)
	}
	var parts []string
	for _, role := range order {
		r := refs[role]
		switch {
		case len(r) <= heldAll:
			parts = append(parts, plural(role, len(r))+" "+strings.Join(r, " "))
		default:
			parts = append(parts, strconv.Itoa(len(r))+" "+plural(role, len(r))+" "+strings.Join(r[:heldFirst], " ")+" …")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// silent holds for nodes whose coming or going says nothing.
func silent(n *Node) bool {
	if n.Ref != "" && (n.Operable() || n.Name != "") || n.Value != nil {
		return false
	}
	switch n.Role {
	case "canvas", "video", "audio", "iframe", "object":
		return false
	}
	if TextOf(n) != "" {
		return false
	}
	return !slices.ContainsFunc(n.Children, func(k *Node) bool { return !silent(k) })
}

// rest writes what nothing else wrote, in order, grouped by place.
func (w *deltaWriter) rest() {
	groups := map[string][]int{}
	for k, c := range w.d.Changes {
		if !w.done[k] && c.Place != "" {
			groups[c.Place] = append(groups[c.Place], k)
		}
	}
	for k, c := range w.d.Changes {
		if w.done[k] {
			continue
		}
		group := groups[c.Place]
		if len(group) < 3 {
			w.done[k] = true
			w.one(c, c.Place)
			continue
		}
		before := len(w.lines)
		for _, j := range group {
			w.done[j] = true
			w.one(w.d.Changes[j], "")
		}
		if len(w.lines) > before {
			for i := before; i < len(w.lines); i++ {
				w.lines[i] = "  " + strings.ReplaceAll(w.lines[i], "\n", "\n  ")
			}
			w.lines = slices.Insert(w.lines, before, "in "+c.Place+":")
			w.lastLines = len(w.lines)
		}
	}
}

func (w *deltaWriter) one(c Change, place string) {
	switch c.Kind {
	case Added:
		w.added(c, place)
	case Moved:
		switch {
		case c.Was != "" && place == "":
			w.add("> %s moved here from %s", w.title(c.Node), c.Was)
		case c.Was != "":
			w.add("> %s moved from %s to %s", w.title(c.Node), c.Was, place)
		case c.After != "":
			w.add("> %s moved after %s%s", w.title(c.Node), quote(c.After), in(place))
		default:
			w.add("> %s moved to position %d%s", w.title(c.Node), c.Index+1, in(place))
		}
	default:
		if text := w.fields(c); text != "" {
			w.add("~ %s%s", text, in(place))
		}
	}
}
