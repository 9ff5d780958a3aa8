package aria

import (
	"hash/maphash"
	"reflect"
)

// A matching pairs the nodes of two trees.
type matching struct {
	a, b         *index
	fromA, fromB []int // partner, or -1
	hashA, hashB []uint64
	firstA       []string // first ref in the subtree
	firstB       []string
}

// match pairs nodes by ref, then, under matched parents, nodes without ref (or
// with refs that found no partner) by content, by the refs inside them, by
// role and name, and last by role between the same neighbours.
func match(base, next *Tree) *matching {
	m := &matching{a: newIndex(base), b: newIndex(next)}
	m.fromA, m.fromB = unpaired(len(m.a.nodes)), unpaired(len(m.b.nodes))
	seed := maphash.MakeSeed()
	m.hashA, m.firstA = digest(m.a, seed)
	m.hashB, m.firstB = digest(m.b, seed)

	byRef := map[string]int{}
	for i, n := range m.a.nodes {
		if n.Ref != "" {
			if _, twice := byRef[n.Ref]; !twice {
				byRef[n.Ref] = i
			}
		}
	}
	for j, n := range m.b.nodes {
		if i, ok := byRef[n.Ref]; ok && n.Ref != "" && m.fromA[i] < 0 && compatible(m, i, j) {
			m.pair(i, j)
		}
	}
	if len(m.a.nodes) > 0 && len(m.b.nodes) > 0 && m.fromA[0] < 0 && m.fromB[0] < 0 {
		m.pair(0, 0)
	}
	// Document order: a parent's children are matched after the parent.
	for j := range m.b.nodes {
		if i := m.fromB[j]; i >= 0 {
			m.children(i, j)
		}
	}
	return m
}

// compatible keeps roots with roots: a root that became an inner node is
// simpler told as removed and added.
func compatible(_ *matching, i, j int) bool { return (i == 0) == (j == 0) }

func unpaired(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = -1
	}
	return p
}

func (m *matching) pair(i, j int) { m.fromA[i], m.fromB[j] = j, i }

// digest hashes what each subtree says, refs and geometry left out, and finds
// the first ref in it.
func digest(x *index, seed maphash.Seed) ([]uint64, []string) {
	hash, first := make([]uint64, len(x.nodes)), make([]string, len(x.nodes))
	for i := len(x.nodes) - 1; i >= 0; i-- {
		n := x.nodes[i]
		var h maphash.Hash
		h.SetSeed(seed)
		value := ""
		if n.Value != nil {
			value = *n.Value
		}
		for _, s := range []string{n.Role, n.Name, n.Text, n.Label, n.Description, n.Placeholder, value, n.Key, n.Checked, n.Selected} {
			h.WriteString(s)
			h.WriteByte(0)
		}
		first[i] = n.Ref
		for k := i + 1; k < x.end[i]; k = x.end[k] {
			maphash.WriteComparable(&h, hash[k])
			if first[i] == "" {
				first[i] = first[k]
			}
		}
		hash[i] = h.Sum64()
	}
	return hash, first
}

// children pairs the unpaired children of a's node i and b's node j.
func (m *matching) children(i, j int) {
	var left, right []int
	for k := i + 1; k < m.a.end[i]; k = m.a.end[k] {
		if m.fromA[k] < 0 {
			left = append(left, k)
		}
	}
	for k := j + 1; k < m.b.end[j]; k = m.b.end[k] {
		if m.fromB[k] < 0 {
			right = append(right, k)
		}
	}
	if len(left) == 0 || len(right) == 0 {
		return
	}
	left, right = byKey(m, left, right, func(x *index, k int, hash []uint64, _ []string) (any, bool) { return hash[k], true })
	left, right = byKey(m, left, right, func(x *index, k int, _ []uint64, first []string) (any, bool) {
		return [2]string{x.nodes[k].Role, first[k]}, first[k] != "" && x.nodes[k].Ref == ""
	})
	left, right = byKey(m, left, right, func(x *index, k int, _ []uint64, _ []string) (any, bool) {
		n := x.nodes[k]
		return [3]string{n.Role, n.Name, n.Key}, n.Name != "" || n.Key != ""
	})
	if len(left) > 0 && len(right) > 0 {
		m.inGaps(i, j)
	}
}

// byKey pairs children with equal keys in order and returns those left over.
func byKey(m *matching, left, right []int, key func(x *index, k int, hash []uint64, first []string) (any, bool)) (l, r []int) {
	if len(left) == 0 || len(right) == 0 {
		return left, right
	}
	waiting := map[any][]int{}
	for _, k := range left {
		if v, ok := key(m.a, k, m.hashA, m.firstA); ok {
			waiting[v] = append(waiting[v], k)
		}
	}
	for _, k := range right {
		v, ok := key(m.b, k, m.hashB, m.firstB)
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
