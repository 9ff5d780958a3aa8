package aria

import (
	"encoding/json"
	"strings"
)

// ByRef returns the node with the ref, or nil. Linear in the tree.
func (t *Tree) ByRef(ref string) *Node {
	if t == nil || ref == "" {
		return nil
	}
	var found *Node
	t.Walk(func(n *Node, _ []*Node) bool {
		if n.Ref == ref {
			found = n
		}
		return found == nil
	})
	return found
}

// Path returns the nodes from the root down to the one with the ref, both
// included, or nil.
func (t *Tree) Path(ref string) []*Node {
	if ref == "" {
		return nil
	}
	return t.pathOf(func(n *Node) bool { return n.Ref == ref })
}

// PathTo is Path for a node of this tree, also one without ref.
func (t *Tree) PathTo(node *Node) []*Node {
	return t.pathOf(func(n *Node) bool { return n == node })
}

func (t *Tree) pathOf(is func(*Node) bool) []*Node {
	var found []*Node
	t.Walk(func(n *Node, above []*Node) bool {
		if found == nil && is(n) {
			found = append(append([]*Node{}, above...), n)
		}
		return found == nil
	})
	return found
}

// Walk visits the nodes in document order, each with its ancestors (root
// first; the slice is only valid during the call). Returning false skips the
// node's descendants.
func (t *Tree) Walk(visit func(n *Node, above []*Node) bool) {
	if t == nil || t.Root == nil {
		return
	}
	var above []*Node
	var walk func(n *Node)
	walk = func(n *Node) {
		if !visit(n, above) {
			return
		}
		above = append(above, n)
		for _, c := range n.Children {
			walk(c)
		}
		above = above[:len(above)-1]
	}
	walk(t.Root)
}

// Rows returns the rows of a table, grid or treegrid, those of nested tables
// left out.
func Rows(table *Node) []*Node {
	var rows []*Node
	var walk func(n *Node)
	walk = func(n *Node) {
		for _, c := range n.Children {
			switch {
			case c.Role == "row":
				rows = append(rows, c)
			case !isTable(c.Role):
				walk(c)
			}
		}
	}
	walk(table)
	return rows
}

// Cells returns the cells of a row, header cells included.
func Cells(row *Node) []*Node {
	var cells []*Node
	var walk func(n *Node)
	walk = func(n *Node) {
		for _, c := range n.Children {
			switch {
			case isCell(c.Role):
				cells = append(cells, c)
			case c.Role == "generic" || c.Role == "none" || c.Role == "presentation":
				walk(c)
			}
		}
	}
	walk(row)
	return cells
}

// TextOf is what a person reads at the node: the text inside it, or the visible
// label or name of a node without inner text. White space is collapsed.
func TextOf(n *Node) string {
	if n == nil {
		return ""
	}
	var parts []string
	var walk func(n *Node)
	walk = func(n *Node) {
		if n.Role == "text" {
			parts = append(parts, n.Text)
			return
		}
		before := len(parts)
		for _, c := range n.Children {
			walk(c)
		}
		if len(parts) == before {
			switch {
			case n.Label != "":
				parts = append(parts, n.Label)
			case n.Name != "":
				parts = append(parts, n.Name)
			}
			if n.Value != nil && *n.Value != "" && !n.Masked {
				parts = append(parts, *n.Value)
			}
		}
	}
	walk(n)
	return collapse(strings.Join(parts, " "))
}

// Place says in words where the node stands: its nearest named surroundings,
// innermost first, at most two ("row "Acme GmbH | Berlin" in table
// "Customers""). Empty at the top of the page.
func (t *Tree) Place(ref string) string { return place(t.Path(ref)) }

// PlaceOf is Place for a node of this tree, also one without ref.
func (t *Tree) PlaceOf(n *Node) string { return place(t.PathTo(n)) }

func place(path []*Node) string {
	var parts []string
	for i := len(path) - 2; i >= 1 && len(parts) < 2; i-- {
		if s := surrounding(path[i]); s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		if h := headingOver(path); h != "" {
			return "section " + quote(shorten(h, 40))
		}
	}
	return strings.Join(parts, " in ")
}

// headingOver is the heading that stands nearest before the last of a path, the
// page's own aside.
func headingOver(path []*Node) string {
	for i := len(path) - 1; i >= 1; i-- {
		before := ""
		for _, n := range path[i-1].Children {
			if n == path[i] {
				break
			}
			if h := headingIn(n); h != "" {
				before = h
			}
		}
		if before != "" {
			return collapse(before)
		}
	}
	return ""
}

// headingIn is the text of a heading below the page's own, or of one that stands
// alone in n; "" for any other node.
func headingIn(n *Node) string {
	for len(n.Children) == 1 && n.Role == "generic" {
		n = n.Children[0]
	}
	if n.Role != "heading" || n.Level <= 1 {
		return ""
	}
	if n.Name != "" {
		return n.Name
	}
	return TextOf(n)
}

// surrounding names a node as a place, or returns "" when it is none.
func surrounding(n *Node) string {
	switch {
	case n.Role == "row":
		return "row " + quote(shorten(rowTitle(n), 48))
	case n.Role == "listitem" || n.Role == "treeitem" || n.Role == "option":
		s := collapse(n.Name)
		if s == "" {
			s = TextOf(n)
		}
		if s == "" {
			return ""
		}
		return "item " + quote(shorten(s, 40))
	case n.Role == "iframe":
		return strings.TrimSuffix("frame "+quote(shorten(n.Name, 40)), ` ""`)
	case n.Role == "main":
		return "" // everything is in it
	case n.Role == "alert" || n.Role == "status":
		return n.Role
	case isScope(n.Role):
		name := ScopeName(n)
		if name == "" {
			switch n.Role {
			case "navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "menu", "listbox", "table", "grid", "treegrid", "complementary":
				return n.Role
			}
			return ""
		}
		return n.Role + " " + quote(shorten(name, 40))
	}
	return ""
}

// rowTitle is what tells a row from the others: its first two texts.
func rowTitle(row *Node) string {
	texts := rowNames(row, 2)
	if len(texts) == 0 {
		if row.Name != "" {
			return collapse(row.Name)
		}
		return TextOf(row)
	}
	return strings.Join(texts, " | ")
}

// ScopeName is the name by which a person would call a container: its own
// name, else its caption, legend or first heading.
func ScopeName(n *Node) string {
	if n.Name != "" {
		return collapse(n.Name)
	}
	for _, c := range n.Children {
		if c.Role == "caption" || c.Role == "legend" {
			return TextOf(c)
		}
	}
	if h := firstHeading(n, 4); h != nil {
		if h.Name != "" {
			return collapse(h.Name)
		}
		return TextOf(h)
	}
	return ""
}

// firstHeading looks for a heading among the first things in n, not inside
// containers of their own.
func firstHeading(n *Node, depth int) *Node {
	if depth == 0 {
		return nil
	}
	for _, c := range n.Children {
		if c.Role == "heading" {
			return c
		}
		if !isScope(c.Role) && c.Role != "row" && c.Role != "listitem" {
			if h := firstHeading(c, depth-1); h != nil {
				return h
			}
		}
	}
	return nil
}

// Clone copies the tree in depth.
func (t *Tree) Clone() *Tree {
	if t == nil {
		return nil
	}
	c := *t
	c.Notes = append([]string(nil), t.Notes...)
	c.Root = t.Root.Clone()
	return &c
}

// Clone copies the node in depth.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	c := n.own()
	for _, k := range n.Children {
		c.Children = append(c.Children, k.Clone())
	}
	return c
}

// own copies the node without its children.
func (n *Node) own() *Node {
	c := *n
	c.Children = nil
	if n.Value != nil {
		v := *n.Value
		c.Value = &v
	}
	if n.Box != nil {
		b := *n.Box
		c.Box = &b
	}
	return &c
}

// Equal reports whether two trees say the same, fields of no meaning to a
// reader (boxes, keys) included.
func Equal(a, b *Tree) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// An index numbers the nodes of a tree in document order. It is built per
// call; trees carry no hidden state.
type index struct {
	tree   *Tree
	nodes  []*Node       // preorder
	parent []int         // -1 for the root
	end    []int         // one past the last descendant
	at     map[*Node]int // position in nodes
}

func newIndex(t *Tree) *index {
	x := numbered(t)
	x.at = make(map[*Node]int, len(x.nodes))
	for i, n := range x.nodes {
		x.at[n] = i
	}
	return x
}

// numbered is an index without the way back from a node to its number.
func numbered(t *Tree) *index {
	x := &index{tree: t}
	if t == nil || t.Root == nil {
		return x
	}
	size := t.Root.size()
	x.nodes, x.parent, x.end = make([]*Node, 0, size), make([]int, 0, size), make([]int, 0, size)
	x.number(t.Root, -1)
	return x
}

func (x *index) number(n *Node, parent int) {
	i := x.enter(n, parent)
	for _, c := range n.Children {
		x.number(c, i)
	}
	x.leave(i)
}

// enter gives a node the next number; leave says that all in it has been
// numbered.
func (x *index) enter(n *Node, parent int) int {
	x.nodes, x.parent, x.end = append(x.nodes, n), append(x.parent, parent), append(x.end, 0)
	return len(x.nodes) - 1
}

func (x *index) leave(i int) { x.end[i] = len(x.nodes) }

// size counts the nodes of a subtree.
func (n *Node) size() int {
	count := 1
	for _, c := range n.Children {
		count += c.size()
	}
	return count
}

// path returns the nodes from the root to i.
func (x *index) path(i int) []*Node {
	var p []*Node
	for ; i >= 0; i = x.parent[i] {
		p = append(p, x.nodes[i])
	}
	for a, b := 0, len(p)-1; a < b; a, b = a+1, b-1 {
		p[a], p[b] = p[b], p[a]
	}
	return p
}

// contains reports whether b is a or inside a.
func (x *index) contains(a, b int) bool { return a <= b && b < x.end[a] }

// up returns the nearest ancestor of i (itself left out) for which is holds,
// or -1.
func (x *index) up(i int, is func(*Node) bool) int {
	for i = x.parent[i]; i >= 0; i = x.parent[i] {
		if is(x.nodes[i]) {
			return i
		}
	}
	return -1
}

// Labelled is the text that follows a label in its line, row or term: "7.00" for
// the "Total:" of "Total: 7.00", or "" where the node is no such label.
func Labelled(t *Tree, n *Node) string {
	if n.Operable() {
		return ""
	}
	path := t.PathTo(n)
	label := collapse(TextOf(n))
	for i := len(path) - 2; i >= 1 && label != ""; i-- {
		p := path[i]
		if p.Operable() || len(p.Children) > 4 || isScope(p.Role) {
			return ""
		}
		rest, ok := strings.CutPrefix(collapse(TextOf(p)), label)
		if !ok {
			return ""
		}
		if rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), ":")); rest != "" {
			return rest
		}
	}
	return ""
}
