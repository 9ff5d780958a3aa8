package aria

import (
	"slices"
	"strconv"
	"strings"
)

// A block is one line of a rendering with the lines that belong under it. Both
// text renderings are made of blocks, so that a budget is one piece of code.
type block struct {
	text string
	node *Node // what the line stands for, the first where several share it
	more []*Node
	kids []*block
	// state is the mark that all nodes on the line share ("offscreen", "inert",
	// "covered-by e4"); bare is the text without that mark.
	state string
	bare  string
	known bool // state is known: some node on the line has a place on the page

	keep   bool
	weight int
	atomic bool
	prio   int
}

// skip drops the first n blocks at the level where the blocks fan out.
func skip(blocks []*block, n int) []*block {
	if len(blocks) == 1 && len(blocks[0].kids) > 0 {
		b := *blocks[0]
		b.kids = b.kids[min(n, len(b.kids)):]
		return []*block{&b}
	}
	return blocks[min(n, len(blocks)):]
}

// A writer turns blocks into text within the budget.
type writer struct {
	tree *Tree
	o    RenderOptions
	head string
	yaml bool
}

// fit writes everything, or, over the budget, what matters most, the rest
// folded into counted markers. The result is never over the budget.
func (w *writer) fit(blocks []*block) Rendering {
	each(blocks, nil, func(b *block, _ []*block) { b.keep = true })
	whole := w.text(blocks)
	// A token is at least one byte: short texts need no count to fit.
	if tokens := Tokens(whole); w.o.Budget <= 0 || tokens <= w.o.Budget {
		return Rendering{Text: whole, Tokens: tokens}
	}
	w.weigh(blocks)
	limit := w.o.Budget - Tokens(w.head) - 8
	for range 24 {
		w.choose(blocks, limit)
		text := w.text(blocks)
		tokens := Tokens(text)
		if tokens <= w.o.Budget {
			return Rendering{Text: text, Tokens: tokens, Truncated: true}
		}
		over := tokens - w.o.Budget
		limit -= max(over, limit/12, 4)
		if limit <= 0 {
			break
		}
	}
	return cut(whole, w.o.Budget, w.yaml)
}

// cut is the last resort: whole lines from the top, and how many are missing.
func cut(text string, budget int, yaml bool) Rendering {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	lo, hi := 0, len(lines)
	write := func(k int) string {
		mark := "… " + strconv.Itoa(len(lines)-k) + " more lines, find or expand\n"
		if yaml {
			mark = "# " + mark
		}
		s := ""
		if k > 0 {
			s = strings.Join(lines[:k], "\n") + "\n"
		}
		return s + mark
	}
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if Tokens(write(mid)) <= budget {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if s := write(lo); Tokens(s) <= budget {
		return rendered(s, true)
	}
	return rendered("", true)
}

// Priorities: a lower number is written first.
const (
	prioFocus  = iota // dialogs, alerts, the focus, what is near RenderOptions.Focus
	prioView          // operable things and headings in the viewport
	prioText          // other things in the viewport
	prioMap           // headings, landmarks and table heads outside
	prioRest          // everything else, in document order
	prioBehind        // inert
)

// weigh gives each block its tokens and its priority.
func (w *writer) weigh(blocks []*block) {
	focus := map[*Node]bool{}
	if w.o.Focus != "" {
		path := w.tree.Path(w.o.Focus)
		if len(path) > 0 {
			focus[path[len(path)-1]] = true
			for k, up := len(path)-2, 0; k > 0 && up < 3; k, up = k-1, up+1 {
				if path[k].Role == "row" || len(path[k].Children) <= 12 {
					focus[path[k]] = true
				}
			}
		}
	}
	seen := true
	each(blocks, nil, func(b *block, above []*block) {
		b.weight = Tokens(b.text) + 2
		front := false
		for _, a := range above {
			if n := a.node; n != nil && (n.Modal || focus[n] || isOverlay(n) && n.Role != "listbox" && n.Role != "menu") {
				front = true
			}
		}
		b.prio = prioBehind
		for _, n := range append([]*Node{b.node}, b.more...) {
			if n == nil {
				continue
			}
			// Text runs have no box: they are where the line before them is.
			in := inView(n, w.tree)
			if n.Box != nil || n.Offscreen {
				seen = in
			} else if n.Role == "text" {
				in = seen
			}
			p := prioRest
			switch {
			case n.Inert:
				p = prioBehind
			case front && !n.Operable() && n.Role != "heading" && n.Role != "row" && !isOverlay(n) && !focus[n]:
				p = prioView
			case front || n.Active || focus[n] || isOverlay(n) || n.Invalid != "" && n.Invalid != "false":
				p = prioFocus
			case in && (n.Operable() || n.Role == "heading" || isScope(n.Role)), isHeaderRow(n):
				p = prioView
			case n.Role == "heading" || isScope(n.Role):
				p = prioMap
			case in:
				p = prioText
			}
			b.prio = min(b.prio, p)
		}
		if b.node == nil {
			b.prio = prioRest
		}
	})
	// What belongs on one line for a reader is kept or folded as one.
	each(blocks, nil, func(b *block, _ []*block) {
		if b.atomic = b.node != nil && (b.node.Role == "row" || isControl(b.node.Role) && len(b.kids) < 8); b.atomic {
			each(b.kids, nil, func(k *block, _ []*block) {
				b.weight += k.weight
				b.prio = min(b.prio, k.prio)
			})
		}
	})
}

// inView reports whether the node is in the viewport, as far as boxes tell.
func inView(n *Node, t *Tree) bool {
	if n.Offscreen || n.Unreachable {
		return false
	}
	if n.Box == nil || t.Viewport.H == 0 {
		return true
	}
	return n.Box.Y < t.Viewport.H && n.Box.Y+n.Box.H > 0 && n.Box.X < t.Viewport.W && n.Box.X+n.Box.W > 0
}

// choose keeps blocks by priority, in document order within one, with the
// lines above them, while they fit.
func (w *writer) choose(blocks []*block, limit int) {
	type entry struct {
		b     *block
		above []*block
		order int
	}
	var all []entry
	each(blocks, nil, func(b *block, above []*block) {
		b.keep = false
		if slices.ContainsFunc(above, func(a *block) bool { return a.atomic }) {
			return // kept with the block above
		}
		all = append(all, entry{b, slices.Clone(above), len(all)})
	})
	slices.SortStableFunc(all, func(x, y entry) int {
		if x.b.prio != y.b.prio {
			return x.b.prio - y.b.prio
		}
		return x.order - y.order
	})
	const marker = 16 // what folding the rest of a container costs
	used, open := 0, map[*block]bool{}
	for _, e := range all {
		if e.b.keep {
			continue
		}
		cost := e.b.weight
		for _, a := range e.above {
			if !a.keep {
				cost += a.weight
			}
		}
		var parent *block
		if len(e.above) > 0 {
			parent = e.above[len(e.above)-1]
		}
		if !open[parent] {
			cost += marker
		}
		if used+cost > limit {
			if e.b.prio >= prioMap {
				break // the rest is folded where it stands
			}
			continue
		}
		used += cost
		open[parent] = true
		e.b.keep = true
		if e.b.atomic {
			each(e.b.kids, nil, func(k *block, _ []*block) { k.keep = true })
		}
		for _, a := range e.above {
			a.keep = true
		}
	}
}

func each(blocks []*block, above []*block, visit func(b *block, above []*block)) {
	for _, b := range blocks {
		visit(b, above)
		each(b.kids, append(above, b), visit)
	}
}

// A line of output with its depth.
type line struct {
	depth int
	text  string
	b     *block // nil for a marker
}

// text writes the kept blocks and the markers of what is folded.
func (w *writer) text(blocks []*block) string {
	var lines []line
	var walk func(bs []*block, depth int, owner *Node)
	walk = func(bs []*block, depth int, owner *Node) {
		for k := 0; k < len(bs); {
			if bs[k].keep {
				lines = append(lines, line{depth, bs[k].text, bs[k]})
				o := owner
				if bs[k].node != nil && bs[k].node.Ref != "" {
					o = bs[k].node
				}
				walk(bs[k].kids, depth+1, o)
				k++
				continue
			}
			from := k
			for k < len(bs) && !bs[k].keep {
				k++
			}
			lines = append(lines, line{depth, w.marker(bs[from:k], owner, from), nil})
		}
	}
	walk(blocks, 0, nil)
	if !w.yaml {
		lines = withStates(lines)
	}
	var b strings.Builder
	b.WriteString(w.head)
	for _, l := range lines {
		for range l.depth {
			b.WriteString("  ")
		}
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// withStates writes a mark that several lines in a row share once, before the
// first of them, instead of on each.
func withStates(lines []line) []line {
	known := false
	for _, l := range lines {
		if l.b != nil && l.b.known && l.b.state == "" {
			known = true
		}
	}
	var out []line
	state := ""
	for k := 0; k < len(lines); k++ {
		l := lines[k]
		if l.b == nil || !l.b.known {
			out = append(out, l)
			continue
		}
		if l.b.state != state {
			run := 0
			for j := k; j < len(lines) && run < 3; j++ {
				if b := lines[j].b; b != nil && b.known {
					if b.state != l.b.state {
						break
					}
					run++
				}
			}
			if (l.b.state == "" && state != "") || l.b.state != "" && run >= 3 && known {
				state = l.b.state
				name := state
				if name == "" {
					name = "in view"
				}
				out = append(out, line{l.depth, "-- " + name + " --", nil})
			}
		}
		if l.b.state == state || l.b.state == "offscreen" {
			l.text = l.b.bare
		}
		out = append(out, l)
	}
	return out
}

// marker says what was folded: how many of what, a few names, and how to
// reach it.
func (w *writer) marker(folded []*block, owner *Node, from int) string {
	roles := map[string]int{}
	var order, names []string
	count := func(n *Node) {
		if n == nil {
			return
		}
		word := n.Role
		switch {
		case word == "generic" && n.Clickable:
			word = "clickable"
		case word == "generic" || word == "paragraph" || word == "listitem":
			word = "text"
		}
		if roles[word] == 0 {
			order = append(order, word)
		}
		roles[word]++
	}
	rows := 0
	var first *Node
	each(folded, nil, func(b *block, above []*block) {
		if first == nil && b.node != nil {
			first = b.node
		}
		if b.node != nil && b.node.Role == "row" && len(above) == 0 {
			rows++
		}
		count(b.node)
		for _, n := range b.more {
			count(n)
		}
		if b.node != nil && len(names) < 4 && (b.node.Role == "heading" || isScope(b.node.Role)) {
			if s := ScopeName(b.node); s != "" && !slices.Contains(names, quote(shorten(s, 30))) {
				names = append(names, quote(shorten(s, 30)))
			}
		}
	})
	var s string
	if rows == len(folded) {
		s = "… " + strconv.Itoa(rows) + " more " + plural("row", rows)
	} else {
		slices.SortStableFunc(order, func(a, b string) int { return roles[b] - roles[a] })
		total := 0
		for _, n := range roles {
			total += n
		}
		var parts []string
		for _, r := range order[:min(3, len(order))] {
			parts = append(parts, strconv.Itoa(roles[r])+" "+plural(r, roles[r]))
		}
		if len(order) > 3 || len(order) == 0 {
			parts = append(parts, "…")
		}
		s = "… " + strconv.Itoa(total) + " more: " + strings.Join(parts, ", ")
		if len(names) > 0 {
			s += " (" + strings.Join(names, ", ") + ")"
		}
	}
	switch {
	case len(folded) == 1 && len(folded[0].more) == 0 && folded[0].node != nil && folded[0].node.Ref != "":
		s += ", expand " + folded[0].node.Ref
	case owner != nil && owner.Ref != "":
		s += ", expand " + owner.Ref
		if from > 0 {
			s += " from " + strconv.Itoa(from)
		}
	case w.tree.Root.Ref != "" && from == 0:
		s += ", expand " + w.tree.Root.Ref
	default:
		s += ", find or full"
	}
	if w.yaml {
		return "# " + s
	}
	return s
}

func plural(word string, n int) string {
	if n == 1 || word == "text" {
		return word
	}
	switch {
	case strings.HasSuffix(word, "x") || strings.HasSuffix(word, "s") || strings.HasSuffix(word, "ch"):
		return word + "es"
	case strings.HasSuffix(word, "y"):
		return word[:len(word)-1] + "ies"
	}
	return word + "s"
}
