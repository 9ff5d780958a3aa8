package aria

import "slices"

// Diff compares two observations. Nodes are matched by ref first, nodes
// without ref by role, name, content and position among the children of
// matched parents. Time is near linear in both trees.
func Diff(base, next *Tree) *Delta {
	d, m := compared(base, next)
	// What the trees share was counted as one.
	pos := make([]int, len(m.a.nodes))
	for i, n := range m.a.nodes {
		pos[i] = d.Size
		if d.Size++; m.fromA[i] >= 0 && m.shared[m.fromA[i]] {
			d.Size += n.size() - 1
		}
	}
	full := func(i *int) {
		switch {
		case *i >= len(pos):
			*i += d.Size - len(pos)
		case *i >= 0:
			*i = pos[*i]
		}
	}
	for k := range d.Changes {
		c := &d.Changes[k]
		full(&c.At)
		if c.Kind == Added || c.Kind == Moved {
			full(&c.Parent)
		}
	}
	for k := range d.Orders {
		full(&d.Orders[k].Parent)
	}
	return d
}

// compared is Diff with numbers that are those of the matching, and no size:
// a reader needs neither.
func compared(base, next *Tree) (*Delta, *matching) {
	m := match(base, next)
	b := &builder{matching: m, delta: &Delta{Base: headOf(base), Next: headOf(next)},
		was: newPlacer(m.a), is: newPlacer(m.b), inside: make([]bool, len(m.b.nodes)), number: numberNew(m)}
	b.moves()
	b.removed()
	placed := b.placed()
	own := b.own()
	b.delta.Changes = append(append(b.delta.Changes, placed...), own...)
	return b.delta, m
}

// A builder makes a Delta of a matching.
type builder struct {
	*matching
	delta  *Delta
	was    *placer // of the base
	is     *placer // of the next tree
	moved  []bool  // by b's number
	follow []bool  // moved only with a wrapper that came or went
	inside []bool  // by b's number: something below is told
	number []int   // Apply's numbers of b's new nodes
}

// tell notes that something below b's node j is told.
func (b *builder) tell(j int) {
	for p := b.b.parent[j]; p >= 0 && !b.inside[p]; p = b.b.parent[p] {
		b.inside[p] = true
	}
}

// moves finds which matched nodes stay among their siblings and which move.
func (b *builder) moves() {
	b.moved = make([]bool, len(b.b.nodes))
	for j := 1; j < len(b.b.nodes); j++ {
		if i := b.fromB[j]; i >= 0 {
			b.moved[j] = b.a.parent[i] < 0 || b.fromB[b.b.parent[j]] != b.a.parent[i]
		}
	}
	b.follow = b.rewrapped()
	for j, n := range b.b.nodes {
		if b.fromB[j] >= 0 && len(n.Children) > 1 && !b.shared[j] {
			b.reordered(j)
		}
	}
}

// reordered keeps the longest run of children of b's node j that are in the
// base's order already, and marks the others as moved.
func (b *builder) reordered(j int) {
	var kids, order []int
	for k := j + 1; k < b.b.end[j]; k = b.b.end[k] {
		if b.fromB[k] >= 0 && !b.moved[k] {
			kids, order = append(kids, k), append(order, b.fromB[k])
		}
	}
	if slices.IsSorted(order) {
		return
	}
	keep, count := increasing(order), 0
	for x, k := range kids {
		if !keep[x] {
			b.moved[k] = true
			count++
		}
	}
	if count >= 3 {
		b.order(j, count, kids, order)
	}
}

// firstTold is how many children an Order shows.
const firstTold = 5

func (b *builder) order(j, moved int, kids, order []int) {
	o := Order{Parent: b.fromB[j], Moved: moved, Reversed: true}
	last := -1
	for k := j + 1; k < b.b.end[j]; k = b.b.end[k] {
		if isHeaderRow(b.b.nodes[k]) {
			continue
		}
		o.Of++
		if last = k; len(o.First) < firstTold {
			o.First = append(o.First, b.b.nodes[k].Clone())
		}
	}
	if o.Of > len(o.First) {
		o.Last = b.b.nodes[last].Clone()
	}
	before, seen := 0, false
	for x, k := range kids {
		if isHeaderRow(b.b.nodes[k]) {
			continue
		}
		if seen && order[x] > before {
			o.Reversed = false
		}
		before, seen = order[x], true
	}
	if len(o.First) > 0 {
		o.Place = b.is.of(j + 1)
		if o.First[0].Role == "row" {
			o.Place = b.is.ofRow(o.Place)
		}
	}
	b.delta.Orders = append(b.delta.Orders, o)
}

// rewrapped marks nodes that moved only because a nameless wrapper around them
// came or went: nothing that a person could see.
func (b *builder) rewrapped() []bool {
	follow := make([]bool, len(b.b.nodes))
	asked := map[int]bool{}
	for j := 1; j < len(b.b.nodes); j++ {
		i := b.fromB[j]
		if !b.moved[j] || i <= 0 {
			continue
		}
		p, q := around(b.a, b.fromA, i), around(b.b, b.fromB, j)
		// With a wrapper on both sides it may have gone from one to the other.
		if q < 0 || p < 0 || b.fromA[p] != q || b.a.parent[i] != p && b.b.parent[j] != q || asked[q] {
			continue
		}
		asked[q] = true
		var kids, order []int
		for k := q + 1; k < b.b.end[q]; {
			switch {
			case b.fromB[k] < 0 && isWrapper(b.b.nodes[k]):
				k++
				continue
			case b.fromB[k] > 0 && around(b.a, b.fromA, b.fromB[k]) == p:
				kids, order = append(kids, k), append(order, b.fromB[k])
			}
			k = b.b.end[k]
		}
		for x, keep := range increasing(order) {
			k := kids[x]
			follow[k] = keep && b.moved[k] && (b.a.parent[b.fromB[k]] == p || b.b.parent[k] == q)
		}
	}
	return follow
}

// around is the parent of a node, wrappers without partner left out.
func around(x *index, partner []int, i int) int {
	p := x.parent[i]
	for p > 0 && partner[p] < 0 && isWrapper(x.nodes[p]) {
		p = x.parent[p]
	}
	return p
}

// isWrapper holds for a node that is there for its grouping alone.
func isWrapper(n *Node) bool {
	return n.Role == "generic" && n.Ref == "" && n.Name == "" && n.Text == "" && n.Label == ""
}

// removed lists what went.
func (b *builder) removed() {
	for i := range b.a.nodes {
		if b.fromA[i] >= 0 || b.a.parent[i] >= 0 && b.fromA[b.a.parent[i]] < 0 {
			continue
		}
		c := Change{Kind: Removed, At: i, Node: prune(b.a, i, b.fromA), Live: b.was.live(i)}
		if c.Quiet = silent(c.Node); !c.Quiet {
			c.Place = b.was.node(i)
			if p := b.a.parent[i]; p >= 0 {
				b.inside[b.fromA[p]] = true
				b.tell(b.fromA[p])
			}
		}
		b.delta.Changes = append(b.delta.Changes, c)
	}
}

// placed lists what came and what moved, parents before children and siblings
// from the left: the order in which they can be put in place.
func (b *builder) placed() []Change {
	var out []Change
	for j := range b.b.nodes {
		parent := b.b.parent[j]
		switch {
		case b.fromB[j] < 0 && (parent < 0 || b.fromB[parent] >= 0):
			c := Change{Kind: Added, At: b.number[j], Parent: -1, Node: prune(b.b, j, b.fromB), Live: b.is.live(j)}
			if c.Quiet = silent(c.Node); !c.Quiet {
				c.Place = b.is.node(j)
				b.tell(j)
			}
			if parent >= 0 {
				c.Parent, c.Index, c.After = b.fromB[parent], b.is.index(j), b.is.after(j)
			}
			out = append(out, c)
		case b.moved[j]:
			c := Change{Kind: Moved, At: b.fromB[j], Parent: b.fromB[parent], Index: b.is.index(j), Node: b.b.nodes[j].Clone(), Quiet: b.follow[j]}
			if c.Parent < 0 {
				c.Parent = b.number[parent]
			}
			if !c.Quiet {
				c.Place, c.After = b.is.node(j), b.is.after(j)
				if b.a.parent[c.At] != c.Parent {
					if c.Was = b.was.node(c.At); c.Was == "" {
						c.Was = "elsewhere"
					}
				}
				b.tell(j)
			}
			out = append(out, c)
		}
	}
	return out
}

// own lists the nodes whose own fields differ, in document order.
func (b *builder) own() []Change {
	var own []Change
	var at []int
	for j := len(b.b.nodes) - 1; j >= 0; j-- {
		i := b.fromB[j]
		if i < 0 || b.shared[j] {
			continue
		}
		fields := compare(b.a.nodes[i], b.b.nodes[j])
		if len(fields) == 0 {
			continue
		}
		c := Change{Kind: Changed, At: i, Node: b.b.nodes[j].own(), Fields: fields, Quiet: true}
		echo := false
		for _, f := range fields {
			switch {
			case f.Name == "ref" && f.From != "" && f.To != "", f.Name == "rebinds":
				c.Kind, c.Quiet = Rebound, false
			case quietField(f.Name):
			case (f.Name == "name" || f.Name == "label") && b.inside[j] && nameFromContent(b.b.nodes[j]):
				echo = true
			default:
				c.Quiet = false
			}
		}
		if !c.Quiet {
			b.tell(j)
		}
		c.Echo = echo && c.Kind == Rebound
		own, at = append(own, c), append(at, j)
	}
	slices.Reverse(own)
	slices.Reverse(at)
	// A control's new name says what its text says again.
	renamed := -1
	for k := range own {
		j := at[k]
		if renamed >= 0 && b.b.contains(renamed, j) && j != renamed {
			own[k].Quiet = own[k].Quiet || b.b.nodes[j].Role == "text"
		} else if namedByContent(b.b.nodes[j]) && slices.ContainsFunc(own[k].Fields, func(f Field) bool { return f.Name == "name" }) {
			renamed = j
		}
		if !own[k].Quiet {
			own[k].Place, own[k].Live = b.is.node(j), b.is.live(j)
			if n := own[k].Node; n.Ref == "" && n.title() == "" {
				own[k].Words = shorten(TextOf(b.b.nodes[j]), 60)
			}
		}
	}
	return own
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
