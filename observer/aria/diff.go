package aria

import (
	"reflect"
	"slices"
	"strings"
)

// A Head is what a tree says besides its nodes.
type Head struct {
	Version  int      `json:"version"`
	Document string   `json:"document"`
	URL      string   `json:"url"`
	Title    string   `json:"title"`
	Tab      string   `json:"tab,omitempty"`
	Viewport Viewport `json:"viewport"`
	Stale    bool     `json:"stale,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

func headOf(t *Tree) Head {
	return Head{t.Version, t.Document, t.URL, t.Title, t.Tab, t.Viewport, t.Stale, slices.Clone(t.Notes)}
}

// A ChangeKind says what happened to a node.
type ChangeKind string

// The kinds of change.
const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Moved   ChangeKind = "moved"
	Changed ChangeKind = "changed" // fields of the node itself
	Rebound ChangeKind = "rebound" // an equivalent element took the node's place
)

// A Change is one entry of a Delta. At and Parent are node numbers: numbers
// below Delta.Size are positions in the base's document order, the others
// count the nodes of the added subtrees on from Delta.Size, in document order.
type Change struct {
	Kind   ChangeKind `json:"kind"`
	At     int        `json:"at"`
	Parent int        `json:"parent,omitempty"` // added, moved: the new parent
	Index  int        `json:"index,omitempty"`  // added, moved: position among the new parent's children
	// Node is the subtree that came or went, without what moved in from or out
	// to other places; for moved the subtree as it is now; for changed and
	// rebound the node as it is now, without children.
	Node *Node `json:"node"`
	// Fields are the differences of a changed or rebound node.
	Fields []Field `json:"fields,omitempty"`
	// Place says where the node stands (for removed: stood); Was, for a node that
	// moved to another parent, where it stood before; After names the sibling
	// before an added row or item.
	Place string `json:"place,omitempty"`
	Was   string `json:"was,omitempty"`
	After string `json:"after,omitempty"`
	// Quiet marks a change of fields that no reader is told (boxes, keys) and of
	// names that only repeat what changed inside the node.
	Quiet bool `json:"quiet,omitempty"`
}

// A Field is one field that differs, as text; "" where it has no value.
type Field struct {
	Name string `json:"name"` // as in the tree's JSON
	From string `json:"from"`
	To   string `json:"to"`
}

// A Delta says what has to be done to a base to get the next observation. It
// holds no pointers into either tree.
type Delta struct {
	Base    Head     `json:"base"`
	Next    Head     `json:"next"`
	Size    int      `json:"size"` // nodes in the base
	Changes []Change `json:"changes,omitempty"`
}

// NewDocument reports whether the base belongs to an earlier document, so that
// its refs are stale and a full observation says more than the delta.
func (d *Delta) NewDocument() bool { return d.Base.Document != d.Next.Document }

// Empty reports whether a reader has nothing to be told.
func (d *Delta) Empty() bool {
	if d.Base.URL != d.Next.URL || d.Base.Title != d.Next.Title || d.Base.Tab != d.Next.Tab || d.NewDocument() ||
		d.Base.Stale != d.Next.Stale || !slices.Equal(d.Base.Notes, d.Next.Notes) {
		return false
	}
	for i := range d.Changes {
		if !d.Changes[i].Quiet {
			return false
		}
	}
	return true
}

// Diff compares two observations. Nodes are matched by ref first, nodes
// without ref by role, name, content and position among the children of
// matched parents. Time is near linear in both trees.
func Diff(base, next *Tree) *Delta {
	d := &Delta{Base: headOf(base), Next: headOf(next)}
	m := match(base, next)
	a, b := m.a, m.b
	d.Size = len(a.nodes)

	// Which matched nodes stay among their siblings, and which move.
	moved := make([]bool, len(b.nodes))
	for j := range b.nodes {
		if i := m.fromB[j]; i >= 0 && j > 0 {
			moved[j] = a.parent[i] < 0 || b.parent[j] < 0 || m.fromB[b.parent[j]] != a.parent[i]
		}
	}
	for j, n := range b.nodes {
		if m.fromB[j] < 0 || len(n.Children) < 2 {
			continue
		}
		markMoved(m, b, j, moved)
	}

	for i := range a.nodes {
		if m.fromA[i] < 0 && (a.parent[i] < 0 || m.fromA[a.parent[i]] >= 0) {
			d.Changes = append(d.Changes, Change{Kind: Removed, At: i, Node: prune(a, i, m.fromA), Place: place(a.path(i))})
		}
	}

	number := numberNew(m)
	inside := make([]bool, len(b.nodes)) // something below was told
	for j := range b.nodes {
		if m.fromB[j] < 0 || moved[j] {
			for p := b.parent[j]; p >= 0 && !inside[p]; p = b.parent[p] {
				inside[p] = true
			}
		}
	}
	for k := range d.Changes {
		for p := a.parent[d.Changes[k].At]; p >= 0; p = a.parent[p] {
			if j := m.fromA[p]; j >= 0 {
				if inside[j] {
					break
				}
				inside[j] = true
			}
		}
	}
	var own []Change
	var at []int
	for j := len(b.nodes) - 1; j >= 0; j-- {
		i := m.fromB[j]
		if i < 0 {
			continue
		}
		fields := compare(a.nodes[i], b.nodes[j])
		if len(fields) == 0 {
			continue
		}
		c := Change{Kind: Changed, At: i, Node: b.nodes[j].own(), Fields: fields, Place: place(b.path(j))}
		c.Quiet = true
		for _, f := range fields {
			switch {
			case f.Name == "ref" && f.From != "" && f.To != "", f.Name == "rebinds":
				c.Kind, c.Quiet = Rebound, false
			case quietField(f.Name):
			case (f.Name == "name" || f.Name == "label") && inside[j] && nameFromContent(b.nodes[j]):
			default:
				c.Quiet = false
			}
		}
		if !c.Quiet {
			for p := b.parent[j]; p >= 0 && !inside[p]; p = b.parent[p] {
				inside[p] = true
			}
		}
		own, at = append(own, c), append(at, j)
	}
	slices.Reverse(own)
	slices.Reverse(at)
	// A control's new name says what its text says again.
	renamed := -1
	for k := range own {
		if j := at[k]; renamed >= 0 && b.contains(renamed, j) && j != renamed {
			own[k].Quiet = own[k].Quiet || b.nodes[j].Role == "text"
		} else if namedByContent(b.nodes[j]) && slices.ContainsFunc(own[k].Fields, func(f Field) bool { return f.Name == "name" }) {
			renamed = j
		}
	}

	// Parents before children and siblings from the left: the order in which
	// they can be put in place.
	for j := range b.nodes {
		parent := b.parent[j]
		switch {
		case m.fromB[j] < 0 && (parent < 0 || m.fromB[parent] >= 0):
			c := Change{Kind: Added, At: number[j], Parent: -1, Node: prune(b, j, m.fromB), Place: place(b.path(j))}
			if parent >= 0 {
				c.Parent, c.Index = m.fromB[parent], indexIn(b, j)
				c.After = before(b, j)
			}
			d.Changes = append(d.Changes, c)
		case moved[j]:
			c := Change{Kind: Moved, At: m.fromB[j], Parent: m.fromB[parent], Index: indexIn(b, j), Node: b.nodes[j].Clone(), Place: place(b.path(j))}
			if c.Parent < 0 {
				c.Parent = number[parent]
			}
			if p := a.parent[c.At]; p != c.Parent {
				if c.Was = place(a.path(c.At)); c.Was == "" {
					c.Was = "elsewhere"
				}
			}
			d.Changes = append(d.Changes, c)
		}
	}
	d.Changes = append(d.Changes, own...)
	return d
}

func indexIn(x *index, i int) int {
	k := 0
	for j := x.parent[i] + 1; j < i; j = x.end[j] {
		k++
	}
	return k
}

// markMoved keeps the longest run of children of b's node j that are in the
// base's order already, and marks the others as moved.
func markMoved(m *matching, b *index, j int, moved []bool) {
	var kids, order []int
	for k := j + 1; k < b.end[j]; k = b.end[k] {
		if m.fromB[k] >= 0 && !moved[k] {
			kids = append(kids, k)
			order = append(order, m.fromB[k])
		}
	}
	if slices.IsSorted(order) {
		return
	}
	keep := increasing(order)
	for x, k := range kids {
		if !keep[x] {
			moved[k] = true
		}
	}
}

// increasing marks a longest increasing subsequence.
func increasing(v []int) []bool {
	var tails []int // indexes into v
	before := make([]int, len(v))
	for i, x := range v {
		k, _ := slices.BinarySearchFunc(tails, x, func(t, x int) int { return v[t] - x })
		before[i] = -1
		if k > 0 {
			before[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	keep := make([]bool, len(v))
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = before[i] {
			keep[i] = true
		}
	}
	return keep
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
// order in which Apply meets them: subtree by subtree.
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
	// A subtree whose parent is matched but lies inside another new subtree is
	// met later in document order: the loop above follows that order too.
	return number
}

// quietField holds for what a reader is not told by itself: geometry, keys,
// positions that follow from the order.
func quietField(name string) bool {
	switch name {
	case "box", "key", "offscreen", "clipped", "pos_in_set", "set_size", "controls", "url":
		return true
	}
	return false
}

// nameFromContent holds where the name repeats what stands inside.
func nameFromContent(n *Node) bool {
	if len(n.Children) == 0 {
		return false
	}
	switch n.Role {
	case "row", "cell", "gridcell", "columnheader", "rowheader", "listitem", "option", "treeitem", "generic",
		"paragraph", "article", "region", "dialog", "tabpanel", "group":
		return true
	}
	return false
}

// namedByContent holds for things whose name is the news and their text its
// repetition.
func namedByContent(n *Node) bool {
	return n.Ref != "" && (isControl(n.Role) || n.Clickable) && n.Role != "option" && n.Role != "treeitem"
}

// before names the sibling before a row or item.
func before(b *index, j int) string {
	switch b.nodes[j].Role {
	case "row", "listitem", "option", "treeitem", "article", "menuitem":
	default:
		return ""
	}
	previous := -1
	for k := b.parent[j] + 1; k < j; k = b.end[k] {
		previous = k
	}
	if previous < 0 {
		return ""
	}
	n := b.nodes[previous]
	if isHeaderRow(n) {
		return ""
	}
	if n.Role == "row" {
		return shorten(rowKey(n), 32)
	}
	return shorten(TextOf(n), 32)
}

// isHeaderRow holds for a row of column headers only.
func isHeaderRow(n *Node) bool {
	if n.Role != "row" {
		return false
	}
	cells := Cells(n)
	return len(cells) > 0 && !slices.ContainsFunc(cells, func(c *Node) bool { return c.Role != "columnheader" })
}

// rowKey is the first text of a row.
func rowKey(row *Node) string {
	for _, c := range Cells(row) {
		if s := TextOf(c); s != "" {
			return s
		}
	}
	return TextOf(row)
}

// nodeFields are the fields of a Node that a diff compares.
var nodeFields = func() []reflect.StructField {
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Node]()) {
		if f.Name != "Children" {
			fields = append(fields, f)
		}
	}
	return fields
}()

// compare lists the own fields in which two nodes differ.
func compare(a, b *Node) []Field {
	if sameOwn(a, b) {
		return nil
	}
	var fields []Field
	va, vb := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for _, f := range nodeFields {
		x, y := va.FieldByIndex(f.Index), vb.FieldByIndex(f.Index)
		if reflect.DeepEqual(x.Interface(), y.Interface()) {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, Field{Name: name, From: fieldText(x), To: fieldText(y)})
	}
	return fields
}

// sameOwn compares the nodes' own fields. It is written out because it runs
// for every pair of nodes; a test holds it to the type.
func sameOwn(a, b *Node) bool {
	if (a.Value == nil) != (b.Value == nil) || a.Value != nil && *a.Value != *b.Value {
		return false
	}
	if (a.Box == nil) != (b.Box == nil) || a.Box != nil && *a.Box != *b.Box {
		return false
	}
	return a.Ref == b.Ref &&
		a.Role == b.Role &&
		a.Name == b.Name &&
		a.Text == b.Text &&
		a.Label == b.Label &&
		a.Description == b.Description &&
		a.Placeholder == b.Placeholder &&
		a.Masked == b.Masked &&
		a.InputType == b.InputType &&
		a.URL == b.URL &&
		a.Level == b.Level &&
		a.Checked == b.Checked &&
		a.Pressed == b.Pressed &&
		a.Selected == b.Selected &&
		a.Expanded == b.Expanded &&
		a.Disabled == b.Disabled &&
		a.Active == b.Active &&
		a.Required == b.Required &&
		a.ReadOnly == b.ReadOnly &&
		a.Modal == b.Modal &&
		a.Busy == b.Busy &&
		a.Invalid == b.Invalid &&
		a.InvalidMessage == b.InvalidMessage &&
		a.Current == b.Current &&
		a.HasPopup == b.HasPopup &&
		a.Sort == b.Sort &&
		a.Live == b.Live &&
		a.ValueNow == b.ValueNow &&
		a.ValueMin == b.ValueMin &&
		a.ValueMax == b.ValueMax &&
		a.Options == b.Options &&
		a.RowCount == b.RowCount &&
		a.ColCount == b.ColCount &&
		a.PosInSet == b.PosInSet &&
		a.SetSize == b.SetSize &&
		a.RowSpan == b.RowSpan &&
		a.ColSpan == b.ColSpan &&
		a.Looks == b.Looks &&
		a.OnHover == b.OnHover &&
		a.Controls == b.Controls &&
		a.FrameNote == b.FrameNote &&
		a.Clickable == b.Clickable &&
		a.CoveredBy == b.CoveredBy &&
		a.Inert == b.Inert &&
		a.Offscreen == b.Offscreen &&
		a.Unreachable == b.Unreachable &&
		a.Clipped == b.Clipped &&
		a.Transparent == b.Transparent &&
		a.PointerNone == b.PointerNone &&
		a.AriaHidden == b.AriaHidden &&
		a.Rebinds == b.Rebinds &&
		a.Folded == b.Folded &&
		a.Key == b.Key
}
