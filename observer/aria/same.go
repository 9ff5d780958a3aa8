package aria

import "slices"

// Same says whether two trees show the same, whatever their versions. Parts
// that they share are not compared.
func Same(a, b *Tree) bool {
	if a.Document != b.Document || a.URL != b.URL || a.Title != b.Title || a.Tab != b.Tab || a.Viewport != b.Viewport ||
		a.Stale != b.Stale || a.Partial != b.Partial || !slices.Equal(a.Notes, b.Notes) || (a.Root == nil) != (b.Root == nil) {
		return false
	}
	if a.Root == nil {
		return true
	}
	type pair struct{ a, b *Node }
	todo := []pair{{a.Root, b.Root}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.a == p.b {
			continue
		}
		if !sameOwn(p.a, p.b) || len(p.a.Children) != len(p.b.Children) {
			return false
		}
		for i := range p.a.Children {
			todo = append(todo, pair{p.a.Children[i], p.b.Children[i]})
		}
	}
	return true
}
