package aria

import "slices"

// A placer says where the nodes of one tree stand, at a constant price for
// each: what is true of a parent is found out once.
type placer struct {
	x      *index
	ready  bool  // the slices are filled
	nth    []int // position among the siblings
	prev   []int // the sibling before, or -1
	alive  []bool
	tables int            // up to 2; -1 before they are counted
	said   map[int]string // surroundings by node
	heads  map[int]string // headings before a node in its parent
	headed map[int]bool   // parents whose children are in heads
}

func newPlacer(x *index) *placer { return &placer{x: x, tables: -1} }

// get fills the placer when it is first needed: a page that only scrolled needs
// none.
func (p *placer) get() *placer {
	if p.ready {
		return p
	}
	x := p.x
	*p = placer{x: x, ready: true, tables: p.tables, nth: make([]int, len(x.nodes)), prev: make([]int, len(x.nodes)), alive: make([]bool, len(x.nodes)),
		said: map[int]string{}, heads: map[int]string{}, headed: map[int]bool{}}
	if len(x.nodes) > 0 {
		p.prev[0] = -1
	}
	for i, n := range x.nodes {
		inside := p.alive[i] || announces(n)
		k, last := 0, -1
		for j := i + 1; j < x.end[i]; j = x.end[j] {
			p.nth[j], p.prev[j], p.alive[j] = k, last, inside
			k, last = k+1, j
		}
	}
	return p
}

// announces holds for a region whose changes are news.
func announces(n *Node) bool {
	switch n.Role {
	case "alert", "alertdialog", "status", "log":
		return true
	}
	return n.Live == "assertive" || n.Live == "polite"
}

// live reports whether node i stands in a live region.
func (p *placer) live(i int) bool { return p.get().alive[i] }

// index is the position of node i among its siblings.
func (p *placer) index(i int) int { return p.get().nth[i] }

// node is the place of node i; for a row of the page's only table, which has
// no name, "": there is nothing to say.
func (p *placer) node(i int) string {
	s := p.of(i)
	if p.x.nodes[i].Role == "row" {
		return p.ofRow(s)
	}
	return s
}

func (p *placer) ofRow(place string) string {
	if place != "table" && place != "grid" && place != "treegrid" {
		return place
	}
	if p.tables < 0 {
		p.tables = tablesIn(p.x.tree.Root, 2)
	}
	if p.tables == 1 {
		return ""
	}
	return place
}

// tablesIn counts the tables in a subtree, up to most.
func tablesIn(n *Node, most int) int {
	count := 0
	if isTable(n.Role) {
		count++
	}
	for _, k := range n.Children {
		if count >= most {
			break
		}
		count += tablesIn(k, most-count)
	}
	return count
}

// of is what place says of the path to node i.
func (p *placer) of(i int) string {
	p.get()
	s, parts := "", 0
	for k := p.x.parent[i]; k >= 1 && parts < 2; k = p.x.parent[k] {
		t, ok := p.said[k]
		if !ok {
			t = surrounding(p.x.nodes[k])
			p.said[k] = t
		}
		if t == "" {
			continue
		}
		if parts++; s != "" {
			s += " in "
		}
		s += t
	}
	if parts > 0 {
		return s
	}
	for ; i > 0; i = p.x.parent[i] {
		if h := p.heading(i); h != "" {
			return "section " + quote(shorten(h, 40))
		}
	}
	return ""
}

// heading is the last heading before node i among its siblings.
func (p *placer) heading(i int) string {
	q := p.x.parent[i]
	if !p.headed[q] {
		p.headed[q] = true
		before := ""
		for k := q + 1; k < p.x.end[q]; k = p.x.end[k] {
			if before != "" {
				p.heads[k] = before
			}
			if h := headingIn(p.x.nodes[k]); h != "" {
				before = collapse(h)
			}
		}
	}
	return p.heads[i]
}

// after names the sibling before a row or item; "" where it stands first.
func (p *placer) after(i int) string {
	p.get()
	switch p.x.nodes[i].Role {
	case "row", "listitem", "option", "treeitem", "article", "menuitem":
	default:
		return ""
	}
	if p.prev[i] < 0 || isHeaderRow(p.x.nodes[p.prev[i]]) {
		return ""
	}
	return shorten(key(p.x.nodes[p.prev[i]]), 32)
}

// key is what a row, item or other repeated thing is called in a list of its
// equals.
func key(n *Node) string {
	if n.Role == "row" {
		if texts := rowNames(n, 1); len(texts) > 0 {
			return texts[0]
		}
		return TextOf(n)
	}
	if s := clean(n.Name); s != "" {
		return s
	}
	if h := firstHeading(n, 4); h != nil {
		return TextOf(h)
	}
	return firstText(n)
}

// firstText is the first text inside a node, or the first name.
func firstText(n *Node) string {
	if len(n.Children) == 0 {
		return TextOf(n)
	}
	for _, k := range n.Children {
		if s := firstText(k); s != "" {
			return s
		}
	}
	return TextOf(n)
}

// rowNames are the first texts of a row's cells, at most max: what tells it
// from the others. A cell with nothing but a box to tick says less than the
// others.
func rowNames(row *Node, max int) []string {
	var texts, boxes []string
	for _, c := range Cells(row) {
		s := TextOf(c)
		switch {
		case s == "":
		case onlyBoxes(c):
			boxes = append(boxes, s)
		default:
			texts = append(texts, s)
		}
		if len(texts) == max {
			break
		}
	}
	if len(texts) == 0 {
		texts = boxes[:min(max, len(boxes))]
	}
	return texts
}

func onlyBoxes(n *Node) bool {
	return len(n.Children) > 0 && !slices.ContainsFunc(n.Children, func(k *Node) bool { return !isCheckable(k.Role) && !(k.Role == "generic" && onlyBoxes(k)) })
}

// isHeaderRow holds for a row of column headers only.
func isHeaderRow(n *Node) bool {
	if n.Role != "row" {
		return false
	}
	cells := Cells(n)
	return len(cells) > 0 && !slices.ContainsFunc(cells, func(c *Node) bool { return c.Role != "columnheader" })
}

// prune copies the subtree at i without the nodes that have a partner.
func prune(x *index, i int, partner []int) *Node {
	c := x.nodes[i].own()
	for k := i + 1; k < x.end[i]; k = x.end[k] {
		if partner[k] < 0 {
			c.Children = append(c.Children, prune(x, k, partner))
		}
	}
	return c
}

// numberNew gives the nodes of b that have no partner their numbers, in the
// order in which Apply meets them: subtree by subtree, as the roots of new
// subtrees follow each other in document order.
func numberNew(m *matching) []int {
	number := make([]int, len(m.b.nodes))
	next := len(m.a.nodes)
	var give func(j int)
	give = func(j int) {
		number[j] = next
		next++
		for k := j + 1; k < m.b.end[j]; k = m.b.end[k] {
			if m.fromB[k] < 0 {
				give(k)
			}
		}
	}
	for j := range m.b.nodes {
		if m.fromB[j] < 0 && (m.b.parent[j] < 0 || m.fromB[m.b.parent[j]] >= 0) {
			give(j)
		}
	}
	return number
}
