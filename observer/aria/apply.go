package aria

import (
	"reflect"
	"slices"
	"strconv"
)

// Apply does to a copy of the base what the delta says. With the base that the
// delta was made from, the result equals the next observation exactly; with
// any other, the result is meaningless (compare versions first).
func (d *Delta) Apply(base *Tree) *Tree {
	h := d.Next
	next := &Tree{Version: h.Version, Document: h.Document, URL: h.URL, Title: h.Title, Tab: h.Tab,
		Viewport: h.Viewport, Stale: h.Stale, Notes: slices.Clone(h.Notes)}
	root := base.Clone().Root
	x := numbered(&Tree{Root: root})
	nodes := slices.Clone(x.nodes)

	// Fields first: they are addressed by the base's numbers.
	for _, c := range d.Changes {
		if (c.Kind == Changed || c.Kind == Rebound) && c.At < len(nodes) {
			kids := nodes[c.At].Children
			*nodes[c.At] = *c.Node.own()
			nodes[c.At].Children = kids
		}
	}
	// Then everything that leaves its place.
	leaves := map[*Node]bool{}
	touched := map[int]bool{}
	for _, c := range d.Changes {
		if (c.Kind == Moved || c.Kind == Removed) && c.At < len(x.nodes) {
			leaves[nodes[c.At]] = true
			if c.At == 0 {
				root = nil
			}
			if p := x.parent[c.At]; p >= 0 {
				touched[p] = true
			}
		}
	}
	for p := range touched {
		nodes[p].Children = slices.DeleteFunc(nodes[p].Children, func(n *Node) bool { return leaves[n] })
	}
	// New subtrees are numbered on, in the order of the changes.
	for _, c := range d.Changes {
		if c.Kind == Added {
			var number func(n *Node) *Node
			number = func(n *Node) *Node {
				k := n.own()
				nodes = append(nodes, k)
				for _, child := range n.Children {
					k.Children = append(k.Children, number(child))
				}
				return k
			}
			number(c.Node)
		}
	}
	// Last, everything into its place: for each parent from the left, as the
	// changes come.
	comes := map[*Node][]Change{}
	var parents []*Node
	for _, c := range d.Changes {
		if c.Kind != Added && c.Kind != Moved || c.At >= len(nodes) {
			continue
		}
		switch {
		case c.Parent < 0:
			root = nodes[c.At]
		case c.Parent < len(nodes):
			p := nodes[c.Parent]
			if comes[p] == nil {
				parents = append(parents, p)
			}
			comes[p] = append(comes[p], c)
		}
	}
	for _, p := range parents {
		p.Children = interleave(p.Children, comes[p], nodes)
	}
	next.Root = root
	return next
}

// interleave puts what comes at its final positions, the rest between.
func interleave(stay []*Node, comes []Change, nodes []*Node) []*Node {
	out := make([]*Node, 0, len(stay)+len(comes))
	for _, c := range comes {
		for len(out) < c.Index && len(stay) > 0 {
			out, stay = append(out, stay[0]), stay[1:]
		}
		out = append(out, nodes[c.At])
	}
	return append(out, stay...)
}

func boxText(b *Box) string {
	var s []byte
	for i, f := range []float64{b.X, b.Y, b.W, b.H} {
		if i > 0 {
			s = append(s, ',')
		}
		s = strconv.AppendFloat(s, f, 'g', -1, 64)
	}
	return string(s)
}

func fieldText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		if b, ok := v.Interface().(*Box); ok {
			return boxText(b)
		}
		return fieldText(v.Elem())
	case reflect.Bool:
		if v.Bool() {
			return "true"
		}
		return ""
	case reflect.Int:
		if v.Int() == 0 {
			return ""
		}
		return strconv.FormatInt(v.Int(), 10)
	default:
		return v.String()
	}
}
