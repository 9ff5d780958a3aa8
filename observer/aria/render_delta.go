package aria

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// RenderDelta writes what changed, at a size that follows the change: new
// dialogs and alerts first, then the address, the focus, and the rest by
// place. Names and values are JSON strings, as in the compact form. Over the
// budget the last lines are folded and counted.
func RenderDelta(d *Delta, o RenderOptions) Rendering {
	// The writer crosses out what it has written, in a copy of its own.
	own := *d
	own.Changes = slices.Clone(d.Changes)
	w := deltaWriter{d: &own, compact: newCompact(&Tree{}, o)}
	head := "@" + strconv.Itoa(d.Next.Version) + " from @" + strconv.Itoa(d.Base.Version)
	w.write()
	if d.Next.Stale {
		head += " [stale: the page did not answer]"
	}
	if len(w.lines) == 0 {
		return rendered(head+": no change", false)
	}
	text := head + "\n" + strings.Join(w.lines, "\n")
	if tokens := Tokens(text); o.Budget <= 0 || tokens <= o.Budget {
		return Rendering{Text: text, Tokens: tokens}
	}
	return cut(text, o.Budget, false)
}

type deltaWriter struct {
	d       *Delta
	compact *compact
	lines   []string
	done    []bool // changes that a line was written for
}

func (w *deltaWriter) add(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *deltaWriter) write() {
	w.done = make([]bool, len(w.d.Changes))
	for k := range w.d.Changes {
		w.done[k] = w.d.Changes[k].Quiet
	}
	for k, c := range w.d.Changes {
		if c.Kind == Added && front(c.Node) {
			w.done[k] = true
			w.added(c, "")
		}
	}
	for k, c := range w.d.Changes {
		if c.Kind == Removed && front(c.Node) {
			w.done[k] = true
			w.add("- %s", w.title(c.Node))
		}
	}
	w.header()
	w.focus()
	w.rebound()
	w.shared()
	w.order()
	w.removed()
	w.rest()
}

// front holds for what comes up over the page and wants an answer.
func front(n *Node) bool {
	if n.Role == "status" || n.Role == "log" {
		return TextOf(n) != ""
	}
	if isOverlay(n) {
		return true
	}
	// A wrapper around nothing but a dialog.
	return n.Role == "generic" && len(n.Children) > 0 && len(n.Children) <= 2 && front(n.Children[len(n.Children)-1])
}

func (w *deltaWriter) header() {
	b, n := w.d.Base, w.d.Next
	if b.Document != n.Document {
		w.add("new document: earlier refs are stale")
	}
	if b.Tab != n.Tab {
		w.add("tab: %s", clean(n.Tab))
	}
	if b.URL != n.URL {
		w.add("url: %s", strings.ReplaceAll(shorten(n.URL, 200), " ", "%20"))
	}
	if b.Title != n.Title {
		w.add("title: %s", quote(shorten(n.Title, 120)))
	}
	if b.Viewport.ScrollY != n.Viewport.ScrollY || b.Viewport.ScrollX != n.Viewport.ScrollX {
		// Scrolling alone is no change, but with one it places it.
		for k := range w.done {
			if !w.done[k] {
				w.add("scrolled to %.0f of %.0f", n.Viewport.ScrollY, max(0, n.Viewport.PageH-n.Viewport.H))
				break
			}
		}
	}
	for _, note := range n.Notes {
		if !slices.Contains(b.Notes, note) {
			w.add("note: %s", shorten(note, 300))
		}
	}
}

// focus writes the move of the focus as one line and takes it out of the
// changes.
func (w *deltaWriter) focus() {
	var to *Node
	left := false
	for k, c := range w.d.Changes {
		if w.done[k] {
			if c.Kind == Added && to == nil {
				to = activeIn(c.Node)
			}
			continue
		}
		if c.Kind == Added {
			if n := activeIn(c.Node); n != nil {
				to = n
			}
		}
		if c.Kind != Changed && c.Kind != Rebound {
			continue
		}
		rest := visible(c.Fields)
		for _, f := range rest {
			if f.Name == "active" {
				if f.To == "true" {
					to = c.Node
				} else {
					left = true
				}
			}
		}
		if len(rest) == 1 && rest[0].Name == "active" {
			w.done[k] = true
		}
	}
	switch {
	case to != nil:
		w.add("focus: %s", w.title(to))
	case left:
		w.add("focus: nothing")
	}
}

func activeIn(n *Node) *Node {
	for _, k := range n.Children {
		if a := activeIn(k); a != nil {
			return a
		}
	}
	if n.Active {
		return n
	}
	return nil
}

// visible are the fields that a reader is told.
func visible(fields []Field) []Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool { return quietField(f.Name) })
}

// rebound writes all re-rendered elements as one line.
func (w *deltaWriter) rebound() {
	kept, from, to := 0, []string(nil), []string(nil)
	for k, c := range w.d.Changes {
		if w.done[k] || c.Kind != Rebound {
			continue
		}
		only := true
		for _, f := range visible(c.Fields) {
			switch f.Name {
			case "ref":
				from, to = append(from, f.From), append(to, f.To)
			case "rebinds":
				kept++
			default:
				only = false
			}
		}
		w.done[k] = only
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

// order writes many moves under one parent as one line.
func (w *deltaWriter) order() {
	byParent := map[int][]int{}
	var parents []int
	for k, c := range w.d.Changes {
		if !w.done[k] && c.Kind == Moved && c.Was == "" {
			if byParent[c.Parent] == nil {
				parents = append(parents, c.Parent)
			}
			byParent[c.Parent] = append(byParent[c.Parent], k)
		}
	}
	for _, p := range parents {
		at := byParent[p]
		if len(at) < 3 {
			continue
		}
		slices.SortFunc(at, func(x, y int) int { return w.d.Changes[x].Index - w.d.Changes[y].Index })
		var first []string
		for i, k := range at {
			w.done[k] = true
			if c := w.d.Changes[k]; i < 3 && c.Index == i {
				first = append(first, w.short(c.Node))
			}
		}
		c := w.d.Changes[at[0]]
		text := "order changed" + in(c.Place) + ": " + strconv.Itoa(len(at)) + " " + plural(roleName(c.Node), len(at)) + " moved"
		if len(first) > 0 {
			text += ", now first " + strings.Join(first, ", ")
		}
		w.lines = append(w.lines, text)
	}
}

func in(place string) string {
	if place == "" {
		return ""
	}
	return " in " + place
}

// removed writes what went, several of one place on one line.
func (w *deltaWriter) removed() {
	for k := 0; k < len(w.d.Changes); k++ {
		c := w.d.Changes[k]
		if w.done[k] || c.Kind != Removed {
			continue
		}
		w.done[k] = true
		if silent(c.Node) {
			continue
		}
		same := []int{k}
		for j := k + 1; j < len(w.d.Changes); j++ {
			o := w.d.Changes[j]
			if o.Kind == Removed && !w.done[j] && o.Place == c.Place && o.Node.Role == c.Node.Role && c.Node.Role != "text" {
				same = append(same, j)
				w.done[j] = true
			}
		}
		if len(same) < 3 {
			for _, j := range same {
				w.add("- %s%s", w.title(w.d.Changes[j].Node), in(c.Place))
			}
			continue
		}
		var names []string
		for _, j := range same[:min(20, len(same))] {
			names = append(names, w.short(w.d.Changes[j].Node))
		}
		if len(same) > 20 {
			names = append(names, fmt.Sprintf("… %d more to %s", len(same)-20, w.short(w.d.Changes[same[len(same)-1]].Node)))
		}
		w.add("- %d %s%s: %s", len(same), plural(roleName(c.Node), len(same)), in(c.Place), strings.Join(names, ", "))
	}
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
	for k := 0; k < len(w.d.Changes); k++ {
		c := w.d.Changes[k]
		if w.done[k] {
			continue
		}
		group := []int{k}
		for j := k + 1; j < len(w.d.Changes) && c.Place != ""; j++ {
			if !w.done[j] && w.d.Changes[j].Place == c.Place {
				group = append(group, j)
			}
		}
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
		}
	}
}

func (w *deltaWriter) one(c Change, place string) {
	switch c.Kind {
	case Added:
		w.added(c, place)
	case Moved:
		where := in(place)
		if c.Was != "" {
			w.add("> %s moved from %s%s", w.title(c.Node), c.Was, strings.Replace(where, " in ", " to ", 1))
			return
		}
		w.add("> %s moved to position %d%s", w.title(c.Node), c.Index+1, where)
	default:
		if text := w.fields(c); text != "" {
			w.add("~ %s%s", text, in(place))
		}
	}
}

// added are the blocks of a subtree that need not be a root.
func (c *compact) added(n *Node) []*block {
	return c.children(&Node{Role: "generic", Children: []*Node{n}}, "")
}
