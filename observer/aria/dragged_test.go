package aria

import "testing"

// A card that is dragged by its title is the card; where it goes is a column by
// its heading; a label speaks for what follows in its line.
func TestBoard(t *testing.T) {
	heading := func(ref, name string, level int) *Node {
		return &Node{Ref: ref, Role: "heading", Name: name, Level: level}
	}
	tree := &Tree{Root: &Node{Role: "document", Children: []*Node{
		{Role: "generic", Children: []*Node{heading("e1", "To do", 2), {Ref: "e2", Role: "article", Children: []*Node{heading("e3", "Call Bob", 3), {Ref: "e4", Role: "button", Name: "Edit"}}}}},
		{Role: "generic", Children: []*Node{heading("e5", "Done", 2), {Ref: "e6", Role: "button", Name: "Edit"}}},
		{Role: "paragraph", Children: []*Node{{Role: "text", Text: "Total:"}, {Ref: "e7", Role: "status", Children: []*Node{{Role: "text", Text: "7.00"}}}}},
	}}}
	for _, c := range []struct {
		name string
		q    Query
		want string
	}{
		{"by its title", Query{Name: "Call Bob", Purpose: ForDrag}, "e2"},
		{"to a column", Query{Name: "Done", Kind: "column", Purpose: ForAny}, "e5"},
		{"in a column", Query{Name: "Edit", Purpose: ForClick, Within: []Scope{{Kind: "column", Name: "Done"}}}, "e6"},
		{"a title that is clicked", Query{Name: "Call Bob", Purpose: ForClick}, "e3"},
	} {
		if r := Locate(tree, c.q); r.Node == nil || r.Node.Ref != c.want {
			t.Errorf("%s: %+v, want %s", c.name, r, c.want)
		}
	}
	if got := tree.Place("e6"); got != `section "Done"` {
		t.Errorf("place of e6: %q", got)
	}
	if got := Labelled(tree, tree.Root.Children[2].Children[0]); got != "7.00" {
		t.Errorf("what Total: says: %q", got)
	}
}
