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
	// scope is the node that expand writes out as this very line with these kids.
	scope *Node
	// say writes the line anew, without a mark that stands elsewhere; nil where
	// text is all there is.
	say func(mute string) string
	// state is the mark that all nodes on the line share ("offscreen", "inert",
	// "covered-by e4"); bare is the text without that mark.
	state string
	bare  string
	known bool // state is known: some node on the line has a place on the page

	at     int // place in reading order
	keep   bool
	near   bool // some node on the line is in view, in a dialog, in focus
	acts   bool // near, and operable
	weight int
	atomic bool
	prio   int
}

// write sets the texts from say.
func (b *block) write() {
	if b.say == nil {
		return
	}
	b.text = b.say("")
	b.bare = b.text
	if b.state != "" {
		b.bare = b.say(b.state)
	}
}

// prepend adds to the start and the end of the line.
func (b *block) prepend(start, end string) {
	if say := b.say; say != nil {
		b.say = func(mute string) string { return start + say(mute) + end }
	}
	b.text, b.bare = start+b.text+end, start+b.bare+end
}

// number gives each block its place in reading order, from 0.
func number(blocks []*block) {
	k := 0
	each(blocks, nil, func(b *block, _ []*block) { b.at, k = k, k+1 })
}

// firstLine is the number of the line that expand calls 0: the first under an
// element that has a line of its own.
func firstLine(blocks []*block, ref string) int {
	if len(blocks) == 1 && len(blocks[0].kids) > 0 && ref != PageRef {
		return 1
	}
	return 0
}

// skip drops the lines before the one with the number at; those above it stay,
// for its place.
func skip(blocks []*block, at int) []*block {
	var out []*block
	for _, b := range blocks {
		kids := skip(b.kids, at)
		if b.at >= at || len(kids) > 0 {
			c := *b
			c.kids = kids
			out = append(out, &c)
		}
	}
	return out
}

// A writer turns blocks into text within the budget.
type writer struct {
	tree *Tree
	o    RenderOptions
	head string
	yaml bool
	// first is the number of the line that expand calls 0.
	first int
	// skipped is the number of the first line that is wanted.
	skipped int
	// compact is whose lines these are, if it can write them shorter.
	compact *compact
}

// fit writes everything, or, over the budget, what matters most, the rest
// folded into counted markers. The result is never over the budget.
func (w *writer) fit(blocks []*block) Rendering {
	each(blocks, nil, func(b *block, _ []*block) { b.keep = true })
	// Bytes are counted first: nobody needs the tokens of a text that is far over.
	if w.o.Budget <= 0 || !longer(blocks, 12*w.o.Budget) {
		text := w.text(blocks)
		if tokens := Tokens(text); w.o.Budget <= 0 || tokens <= w.o.Budget {
			return Rendering{Text: text, Tokens: tokens}
		}
	}
	var best Rendering
	least := -1
	for level := 0; level == 0 || w.compact != nil && level < len(shorter); level++ {
		if level > 0 {
			w.compact.size = shorter[level]
			each(blocks, nil, func(b *block, _ []*block) {
				if b.near {
					b.write()
				}
			})
		}
		w.weigh(blocks)
		r, ok := w.fold(blocks)
		if !ok {
			continue
		}
		if w.o.Ref != "" && !ahead(blocks, w.wanted()) {
			continue // an expand that shows nothing leads nowhere
		}
		missing := missing(blocks)
		if least < 0 || missing < least {
			best, least = r, missing
		}
		if missing == 0 {
			break
		}
	}
	if least >= 0 {
		return best
	}
	each(blocks, nil, func(b *block, _ []*block) { b.keep = true })
	return w.cut(blocks)
}

// wanted is the number of the first line that the reader has not seen yet.
func (w *writer) wanted() int { return max(w.first, w.skipped) }

// longer reports whether the texts have more than n bytes.
func longer(blocks []*block, n int) bool {
	size := 0
	each(blocks, nil, func(b *block, _ []*block) { size += len(b.text) })
	return size > n
}

// missing counts the lines near the reader that are not written though they
// hold something operable.
func missing(blocks []*block) int {
	k := 0
	each(blocks, nil, func(b *block, _ []*block) {
		if b.acts && !b.keep {
			k++
		}
	})
	return k
}

// ahead reports whether a line from the number on is written.
func ahead(blocks []*block, first int) bool {
	ok := false
	each(blocks, nil, func(b *block, _ []*block) { ok = ok || b.keep && b.at >= first && len(b.kids) == 0 })
	return ok
}

// fold chooses lines until the text fits.
func (w *writer) fold(blocks []*block) (Rendering, bool) {
	full := w.o.Budget - Tokens(w.head) - 8
	limit := full
	var best Rendering
	for range 24 {
		w.choose(blocks, limit)
		text := w.text(blocks)
		tokens := Tokens(text)
		if tokens <= w.o.Budget {
			best = Rendering{Text: text, Tokens: tokens, Truncated: true}
			return best, true
		}
		limit -= max(tokens-w.o.Budget, 8)
		if limit <= 0 {
			break
		}
	}
	return best, false
}

// cut is the last resort: whole lines from the top, and what expand brings the
// others.
func (w *writer) cut(blocks []*block) Rendering {
	top := w.top()
	lines := w.lines(blocks)
	texts := strings.Split(strings.TrimRight(w.head, "\n"), "\n")
	if w.head == "" {
		texts = nil
	}
	head, least := len(texts), 1
	if w.o.Ref != "" { // an expand that shows nothing leads nowhere
		least += head + slices.IndexFunc(lines, func(l line) bool { return l.b != nil && l.b.at >= w.wanted() })
	}
	for _, l := range lines {
		texts = append(texts, l.text)
	}
	return cut(texts, least, w.o.Budget, func(k int) string {
		for k = max(k-head, 0); k < len(lines) && lines[k].b == nil; k++ {
		}
		if k == len(lines) {
			return w.expand(top, 0)
		}
		return w.expand(top, lines[k].b.at)
	}, w.yaml)
}

// cut writes as many whole lines from the top as fit, then how many are missing
// and how they are reached. Below least lines there is nothing worth reading: then
// it is how many tokens those take.
func cut(lines []string, least, budget int, reach func(from int) string, yaml bool) Rendering {
	least = min(least, len(lines))
	write := func(k int) string {
		s := strings.Join(lines[:k], "\n")
		if k == len(lines) {
			return s
		}
		if k > 0 {
			s += "\n"
		}
		if yaml {
			s += "# "
		}
		return s + "… " + strconv.Itoa(len(lines)-k) + " more " + plural("line", len(lines)-k) + reach(k) + "\n"
	}
	lo, hi := least, len(lines)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if Tokens(write(mid)) <= budget {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	r := rendered(write(lo), true)
	if r.Tokens > budget {
		return Rendering{Truncated: true, Least: r.Tokens}
	}
	return r
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
		front := false
		for _, a := range above {
			if n := a.node; n != nil && (n.Modal || focus[n] || isOverlay(n) && n.Role != "listbox" && n.Role != "menu") {
				front = true
			}
		}
		b.prio, b.acts = prioBehind, false
		for _, n := range append([]*Node{b.node}, b.more...) {
			if n == nil {
				continue
			}
			// Text runs have no box: they are where the line before them is.
			in := inView(n, w.tree)
			if n.Box != nil && n.Ref != "" || n.Offscreen {
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
			if n.Operable() && n.Ref != "" && !n.Inert && in && (n.Box != nil || front) {
				b.acts = true
			}
		}
		if b.node == nil {
			b.prio = prioRest
		}
		if w.o.Ref != "" { // expand goes on in order
			b.prio, b.acts = prioRest, false
		}
		b.near = b.prio <= prioText || w.o.Ref != ""
		if b.weight = len(b.text)/4 + 4; b.near {
			b.weight = Tokens(b.text) + 2
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
		if !open[parent] || e.b.prio == prioMap { // a line of the map has folds around it
			cost += marker
		}
		room := limit
		if e.b.prio >= prioMap && w.o.Ref == "" {
			// Some room is left free: nobody asked for the rest of the page.
			room = limit * 4 / 5
			if e.b.prio == prioMap {
				room = limit * 2 / 3
			}
		}
		if used+cost > room {
			if e.b.prio > prioMap {
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

// An owner is what expand has to be called with for the lines under it; first
// is the number of the first of them.
type owner struct {
	ref   string
	first int
}

// PageRef is what expand calls the whole page.
const PageRef = "page"

// top is the owner of the lines of this rendering.
func (w *writer) top() owner {
	if w.o.Ref != "" {
		return owner{w.o.Ref, w.first}
	}
	return owner{ref: PageRef}
}

// text writes the kept blocks and the markers of what is folded.
func (w *writer) text(blocks []*block) string {
	var b strings.Builder
	b.WriteString(w.head)
	for _, l := range w.lines(blocks) {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// lines are those of text, without its head, indented.
func (w *writer) lines(blocks []*block) []line {
	var lines []line
	var walk func(bs []*block, depth int, o owner)
	walk = func(bs []*block, depth int, o owner) {
		for k := 0; k < len(bs); {
			if b := bs[k]; b.keep {
				lines = append(lines, line{depth, b.text, b})
				under := o
				if b.scope != nil && b.scope.Ref != "" {
					under = owner{b.scope.Ref, b.at + 1}
				}
				walk(b.kids, depth+1, under)
				k++
				continue
			}
			from := k
			for k < len(bs) && !bs[k].keep {
				k++
			}
			lines = append(lines, line{depth, w.marker(bs[from:k], o), nil})
		}
	}
	walk(blocks, 0, w.top())
	if !w.yaml {
		lines = withStates(lines)
	}
	indent := " " // one space a level: two are a token more
	if w.yaml {
		indent = "  "
	}
	for k := range lines {
		lines[k].text = strings.Repeat(indent, lines[k].depth) + lines[k].text
	}
	return lines
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
func (w *writer) marker(folded []*block, o owner) string {
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
		case word == "generic" && n.Focusable:
			word = "focusable"
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
	at := folded[0].at
	if len(folded) == 1 && folded[0].scope != nil && folded[0].scope.Ref != "" {
		o = owner{folded[0].scope.Ref, at}
	}
	s += w.expand(o, at)
	if w.yaml {
		return "# " + s
	}
	return s
}

// expand is how the lines of the owner from a number on are reached.
func (w *writer) expand(o owner, at int) string {
	s := ", expand " + o.ref
	if from := at - o.first; from > 0 && !w.yaml { // the numbers are those of compact lines
		s += " from " + strconv.Itoa(from)
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
