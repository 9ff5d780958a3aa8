package aria

import (
	"hash/maphash"
	"reflect"
)

// A matching pairs the nodes of two trees.
type matching struct {
	a, b         *index
	fromA, fromB []int // partner, or -1
	saysA, saysB *digest
	firstA       []string // first ref in the subtree
	firstB       []string
	left, right  []int  // of children, used again
	shared       []bool // by b's number: the very node of a, with all that is in it
}

// match pairs nodes by ref, then, under matched parents, nodes without ref (or
// with refs that found no partner) by content, by the refs inside them, by
// role and name, and last by role between the same neighbours.
func match(base, next *Tree) *matching {
	m := &matching{a: numbered(base), b: numbered(next)}
	m.fromA, m.fromB = unpaired(len(m.a.nodes)), unpaired(len(m.b.nodes))
	seed := maphash.MakeSeed()
	m.saysA, m.saysB = newDigest(m.a, seed), newDigest(m.b, seed)
	m.firstA, m.firstB = firstRefs(m.a), firstRefs(m.b)

	m.shared = make([]bool, len(m.b.nodes))
	if len(m.a.nodes) > 0 && len(m.b.nodes) > 0 {
		m.inPlace()
	}
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

// inPlace pairs the roots and, from both ends of their children on, what stands
// where it stood: what the trees share needs no look inside, so that the price
// of a small change follows the change.
func (m *matching) inPlace() {
	m.pair(0, 0)
	todo := [][2]int{{0, 0}}
	if m.a.nodes[0] == m.b.nodes[0] {
		m.share(0, 0)
		return
	}
	for len(todo) > 0 {
		i, j := todo[len(todo)-1][0], todo[len(todo)-1][1]
		todo = todo[:len(todo)-1]
		left, right := unpairedIn(nil, m.a, m.fromA, i), unpairedIn(nil, m.b, m.fromB, j)
		both := func(k, l int) bool {
			switch a, b := m.a.nodes[k], m.b.nodes[l]; {
			case a == b:
				m.share(k, l)
			case a.Ref != "" && a.Ref == b.Ref || m.plainlySame(k, l):
				m.pair(k, l)
				todo = append(todo, [2]int{k, l})
			default:
				return false
			}
			return true
		}
		for len(left) > 0 && len(right) > 0 && both(left[0], right[0]) {
			left, right = left[1:], right[1:]
		}
		for len(left) > 0 && len(right) > 0 && both(left[len(left)-1], right[len(right)-1]) {
			left, right = left[:len(left)-1], right[:len(right)-1]
		}
	}
}

// share pairs a node that both trees hold, and all in it.
func (m *matching) share(i, j int) {
	for k := range m.a.end[i] - i {
		m.pair(i+k, j+k)
		m.shared[j+k] = true
	}
}

func unpaired(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = -1
	}
	return p
}

func (m *matching) pair(i, j int) { m.fromA[i], m.fromB[j] = j, i }

// firstRefs finds the first ref in each subtree.
func firstRefs(x *index) []string {
	first := make([]string, len(x.nodes))
	for i := len(x.nodes) - 1; i >= 0; i-- {
		first[i] = x.nodes[i].Ref
		for k := i + 1; k < x.end[i] && first[i] == ""; k = x.end[k] {
			first[i] = first[k]
		}
	}
	return first
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
	for len(left) > 0 && len(right) > 0 && m.plainlySame(left[0], right[0]) {
		m.pair(left[0], right[0])
		left, right = left[1:], right[1:]
	}
	for len(left) > 0 && len(right) > 0 && m.plainlySame(left[len(left)-1], right[len(right)-1]) {
		m.pair(left[len(left)-1], right[len(right)-1])
		left, right = left[:len(left)-1], right[:len(right)-1]
	}
	if len(left) == 0 || len(right) == 0 {
		return
	}
	// A ref inside tells equals apart; words alone do not.
	left, right = byKey(m, left, right, func(x *index, k int, says *digest, first []string) (any, bool) {
		return refAndWords{first[k], says.of(k)}, first[k] != "" && x.nodes[k].Ref == ""
	})
	left, right = byKey(m, left, right, func(_ *index, k int, says *digest, _ []string) (any, bool) { return says.of(k), true })
	left, right = byKey(m, left, right, func(x *index, k int, _ *digest, first []string) (any, bool) {
		return [2]string{x.nodes[k].Role, first[k]}, first[k] != "" && x.nodes[k].Ref == ""
	})
	left, right = byKey(m, left, right, func(x *index, k int, _ *digest, _ []string) (any, bool) {
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
func (m *matching) plainlySame(i, j int) bool {
	a, b := m.a.nodes[i], m.b.nodes[j]
	if a.Role != b.Role || a.Ref != "" || b.Ref != "" || m.firstA[i] != m.firstB[j] {
		return false
	}
	if m.firstA[i] != "" {
		return true
	}
	return len(a.Children) == 0 && len(b.Children) == 0 && a.Name == b.Name && a.Text == b.Text && a.Label == b.Label && valueOf(a) == valueOf(b)
}

// byKey pairs children with equal keys in order and returns those left over.
func byKey(m *matching, left, right []int, key func(x *index, k int, says *digest, first []string) (any, bool)) (l, r []int) {
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
