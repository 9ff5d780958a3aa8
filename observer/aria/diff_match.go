package aria

import (
	"hash/maphash"
	"reflect"
)

// A matching pairs the nodes of two trees. What the trees share is one entry,
// without what is in it: the price of a small change follows the change.
type matching struct {
	a, b         *index
	fromA, fromB []int // partner, or -1
	saysA, saysB *digest
	left, right  []int  // of children, used again
	shared       []bool // by b's number: the very node of a, with all that is in it
	firstA       *firsts
	firstB       *firsts
}

// match pairs nodes by ref, then, under matched parents, nodes without ref (or
// with refs that found no partner) by content, by the refs inside them, by
// role and name, and last by role between the same neighbours.
func match(base, next *Tree) *matching {
	m := &matching{a: &index{tree: base}, b: &index{tree: next}}
	switch {
	case base.Root != nil && next.Root != nil:
		m.inPlace(base.Root, next.Root, -1, -1)
	case base.Root != nil:
		m.a.number(base.Root, -1)
	case next.Root != nil:
		m.b.number(next.Root, -1)
	}
	m.settle()
	seed := maphash.MakeSeed()
	m.saysA, m.saysB = newDigest(m.a, seed), newDigest(m.b, seed)
	m.firstA, m.firstB = newFirsts(m.a), newFirsts(m.b)

	byRef := map[string]int{}
	for i, n := range m.a.nodes {
		if n.Ref != "" && m.fromA[i] < 0 {
			if _, twice := byRef[n.Ref]; !twice {
				byRef[n.Ref] = i
			}
		}
	}
	for j, n := range m.b.nodes {
		if n.Ref == "" || m.fromB[j] >= 0 {
			continue
		}
		if i, ok := byRef[n.Ref]; ok && m.fromA[i] < 0 && (i == 0) == (j == 0) { // a root stays a root
			m.pair(i, j)
		}
	}
	// Document order: a parent's children are matched after the parent.
	for j := range m.b.nodes {
		if i := m.fromB[j]; i >= 0 && !m.shared[j] {
			m.children(i, j)
		}
	}
	return m
}

// inPlace numbers two nodes that are a pair, and pairs, from both ends of their
// children on, what stands where it stood.
func (m *matching) inPlace(a, b *Node, parentA, parentB int) {
	i, j := m.a.enter(a, parentA), m.b.enter(b, parentB)
	m.settle()
	m.pair(i, j)
	if a == b {
		m.shared[j] = true
		m.a.leave(i)
		m.b.leave(j)
		return
	}
	left, right := a.Children, b.Children
	head, tail := 0, 0
	for head < min(len(left), len(right)) && stands(left[head], right[head]) {
		head++
	}
	for tail < min(len(left), len(right))-head && stands(left[len(left)-1-tail], right[len(right)-1-tail]) {
		tail++
	}
	for k := range head {
		m.inPlace(left[k], right[k], i, j)
	}
	for _, k := range left[head : len(left)-tail] {
		m.a.number(k, i)
	}
	for _, k := range right[head : len(right)-tail] {
		m.b.number(k, j)
	}
	m.settle()
	for k := tail; k > 0; k-- {
		m.inPlace(left[len(left)-k], right[len(right)-k], i, j)
	}
	m.a.leave(i)
	m.b.leave(j)
}

// stands holds for nodes at the same place that are the same, or that ref or
// content says are.
func stands(a, b *Node) bool {
	return a == b || a.Ref != "" && a.Ref == b.Ref || a.Ref == "" && b.Ref == "" && plainlySame(a, b, firstRef(a), firstRef(b))
}

// settle makes room for the partners of what was numbered.
func (m *matching) settle() {
	for len(m.fromA) < len(m.a.nodes) {
		m.fromA = append(m.fromA, -1)
	}
	for len(m.fromB) < len(m.b.nodes) {
		m.fromB, m.shared = append(m.fromB, -1), append(m.shared, false)
	}
}

func (m *matching) pair(i, j int) { m.fromA[i], m.fromB[j] = j, i }

// firsts finds the first ref in each subtree, when it is first asked for.
type firsts struct {
	x     *index
	known []bool
	ref   []string
}

func newFirsts(x *index) *firsts {
	return &firsts{x: x, known: make([]bool, len(x.nodes)), ref: make([]string, len(x.nodes))}
}

func (f *firsts) of(i int) string {
	if !f.known[i] {
		f.known[i] = true
		f.ref[i] = f.x.nodes[i].Ref
		for k := i + 1; k < f.x.end[i] && f.ref[i] == ""; k = f.x.end[k] {
			f.ref[i] = f.of(k)
		}
	}
	return f.ref[i]
}

// firstRef is the first ref in a subtree.
func firstRef(n *Node) string {
	ref := n.Ref
	for k := 0; k < len(n.Children) && ref == ""; k++ {
		ref = firstRef(n.Children[k])
	}
	return ref
}

// A digest hashes what subtrees say, refs and geometry left out, each when it is
// first asked for.
type digest struct {
	x    *index
	seed maphash.Seed
	hash []uint64
	done []bool
}

func newDigest(x *index, seed maphash.Seed) *digest {
	return &digest{x: x, seed: seed, hash: make([]uint64, len(x.nodes)), done: make([]bool, len(x.nodes))}
}

func (d *digest) of(i int) uint64 {
	if d.done[i] {
		return d.hash[i]
	}
	n := d.x.nodes[i]
	var h maphash.Hash
	h.SetSeed(d.seed)
	for _, s := range []string{n.Role, n.Name, n.Text, n.Label, n.Description, n.Placeholder, valueOf(n), n.Key, n.Checked, n.Selected} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	for k := i + 1; k < d.x.end[i]; k = d.x.end[k] {
		maphash.WriteComparable(&h, d.of(k))
	}
	d.hash[i], d.done[i] = h.Sum64(), true
	return d.hash[i]
}

func valueOf(n *Node) string {
	if n.Value == nil {
		return ""
	}
	return *n.Value
}

// children pairs the unpaired children of a's node i and b's node j.
func (m *matching) children(i, j int) {
	m.left, m.right = unpairedIn(m.left[:0], m.a, m.fromA, i), unpairedIn(m.right[:0], m.b, m.fromB, j)
	left, right := m.left, m.right
	// What stands before and after the change needs no search.
	for len(left) > 0 && len(right) > 0 && m.plainly(left[0], right[0]) {
		m.pair(left[0], right[0])
		left, right = left[1:], right[1:]
	}
	for len(left) > 0 && len(right) > 0 && m.plainly(left[len(left)-1], right[len(right)-1]) {
		m.pair(left[len(left)-1], right[len(right)-1])
		left, right = left[:len(left)-1], right[:len(right)-1]
	}
	if len(left) == 0 || len(right) == 0 {
		return
	}
	// A ref inside tells equals apart; words alone do not.
	left, right = byKey(m, left, right, func(x *index, k int, says *digest, first *firsts) (any, bool) {
		return refAndWords{first.of(k), says.of(k)}, first.of(k) != "" && x.nodes[k].Ref == ""
	})
	left, right = byKey(m, left, right, func(_ *index, k int, says *digest, _ *firsts) (any, bool) { return says.of(k), true })
	left, right = byKey(m, left, right, func(x *index, k int, _ *digest, first *firsts) (any, bool) {
		return [2]string{x.nodes[k].Role, first.of(k)}, first.of(k) != "" && x.nodes[k].Ref == ""
	})
	left, right = byKey(m, left, right, func(x *index, k int, _ *digest, _ *firsts) (any, bool) {
		n := x.nodes[k]
		return [3]string{n.Role, n.Name, n.Key}, n.Name != "" || n.Key != ""
	})
	if len(left) > 0 && len(right) > 0 {
		m.inGaps(i, j)
	}
}

type refAndWords struct {
	first string
	says  uint64
}

func unpairedIn(out []int, x *index, partner []int, i int) []int {
	for k := i + 1; k < x.end[i]; k = x.end[k] {
		if partner[k] < 0 {
			out = append(out, k)
		}
	}
	return out
}

// plainlySame holds for children without ref at the same end of their parents
// that are leaves saying the same, or hold the same ref first.
func plainlySame(a, b *Node, firstA, firstB string) bool {
	if a.Role != b.Role || a.Ref != "" || b.Ref != "" || firstA != firstB {
		return false
	}
	if firstA != "" {
		return true
	}
	return len(a.Children) == 0 && len(b.Children) == 0 && a.Name == b.Name && a.Text == b.Text && a.Label == b.Label && valueOf(a) == valueOf(b)
}

func (m *matching) plainly(i, j int) bool {
	return plainlySame(m.a.nodes[i], m.b.nodes[j], m.firstA.of(i), m.firstB.of(j))
}

// byKey pairs children with equal keys in order and returns those left over.
func byKey(m *matching, left, right []int, key func(x *index, k int, says *digest, first *firsts) (any, bool)) (l, r []int) {
	if len(left) == 0 || len(right) == 0 {
		return left, right
	}
	waiting := map[any][]int{}
	for _, k := range left {
		if v, ok := key(m.a, k, m.saysA, m.firstA); ok {
			waiting[v] = append(waiting[v], k)
		}
	}
	for _, k := range right {
		v, ok := key(m.b, k, m.saysB, m.firstB)
		if q := waiting[v]; ok && len(q) > 0 {
			m.pair(q[0], k)
			waiting[v] = q[1:]
			continue
		}
		r = append(r, k)
	}
	for _, k := range left {
		if m.fromA[k] < 0 {
			l = append(l, k)
		}
	}
	return l, r
}

// inGaps pairs what is left between the same two paired neighbours: text with
// text, a node with one that is like it.
func (m *matching) inGaps(i, j int) {
	type gap struct{ after int }
	waiting := map[gap][]int{}
	last := -1
	for k := i + 1; k < m.a.end[i]; k = m.a.end[k] {
		if m.fromA[k] >= 0 {
			last = k
		} else {
			waiting[gap{last}] = append(waiting[gap{last}], k)
		}
	}
	last = -1
	for k := j + 1; k < m.b.end[j]; k = m.b.end[k] {
		if p := m.fromB[k]; p >= 0 {
			if m.a.parent[p] == i {
				last = p
			}
			continue
		}
		q := waiting[gap{last}]
		for x, c := range q {
			if m.alike(c, k) {
				m.pair(c, k)
				copy(q[1:x+1], q[:x])
				waiting[gap{last}] = q[1:]
				break
			}
			if x > 8 { // a long gap holds other things, not changed ones
				break
			}
		}
	}
}

// alike holds for nodes that are better told as one that changed than as one
// that went and one that came.
func (m *matching) alike(i, j int) bool {
	a, b := m.a.nodes[i], m.b.nodes[j]
	if a.Role != b.Role {
		return false
	}
	if a.Ref != "" && b.Ref != "" {
		if a.Role == "row" && b.Role == "row" {
			return sameRow(a, b)
		}
		// Two refs are two elements, unless everything that names them agrees.
		return a.Name == b.Name && a.Key == b.Key && reflect.DeepEqual(a.Placeholder, b.Placeholder)
	}
	if len(a.Children) == 0 && len(b.Children) == 0 {
		return true
	}
	switch a.Role {
	case "row", "listitem", "option", "treeitem", "article", "dialog", "alert", "alertdialog", "status":
		return overlap(words(TextOf(a)), words(TextOf(b)))
	}
	return true
}

// sameRow holds for rows that begin with the same words and have as many cells:
// the same thing with another value, also where the page's refs are careful and
// took it for another (a number may be the line's, not the thing's).
func sameRow(a, b *Node) bool {
	x, y := rowNames(a, 1), rowNames(b, 1)
	return len(x) > 0 && len(y) > 0 && x[0] == y[0] && len(Cells(a)) == len(Cells(b))
}

// overlap holds when at least half of the shorter list's words are in the
// other.
func overlap(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return len(b) == 0
	}
	in := map[string]bool{}
	for _, w := range b {
		in[w] = true
	}
	same := 0
	for _, w := range a {
		if in[w] {
			same++
		}
	}
	return 2*same >= len(a)
}
