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
	Partial  bool     `json:"partial,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

func headOf(t *Tree) Head {
	return Head{t.Version, t.Document, t.URL, t.Title, t.Tab, t.Viewport, t.Stale, t.Partial, slices.Clone(t.Notes)}
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
	// Words are what stands in a changed node that neither ref nor name tells from
	// others.
	Words string `json:"words,omitempty"`
	// Echo marks a rebound node whose name only repeats what changed inside it.
	Echo bool `json:"echo,omitempty"`
	// Live is set inside an alert, a status line or another live region: news
	// that the page itself announces.
	Live bool `json:"live,omitempty"`
	// Quiet marks a change of fields that no reader is told (boxes, keys), of
	// names that only repeat what changed inside the node, and the move into or
	// out of a nameless wrapper that came or went. It has no Place.
	Quiet bool `json:"quiet,omitempty"`
}

// An Order says that at least three children of a node stand in another order
// than before. Their moves are among the changes.
type Order struct {
	Parent int    `json:"parent"` // number of the node, as in Change
	Place  string `json:"place,omitempty"`
	Moved  int    `json:"moved"` // children told as moved; the others kept their order
	Of     int    `json:"of"`    // children in all, header rows left out
	// Reversed is set when the children stand exactly the other way round.
	Reversed bool `json:"reversed,omitempty"`
	// First are the children that stand first now, header rows left out, at most
	// five; Last is the last one of more than five.
	First []*Node `json:"first"`
	Last  *Node   `json:"last,omitempty"`
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
	Orders  []Order  `json:"orders,omitempty"`
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

// quietField holds for what a reader is not told by itself: geometry, keys,
// positions that follow from the order.
func quietField(name string) bool {
	switch name {
	case "box", "key", "offscreen", "clipped", "pos_in_set", "set_size", "controls", "url", "live":
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
	if a.Box != nil && b.Box != nil && *a.Box != *b.Box {
		// Everything below something that came has moved, and nothing else.
		moved := *a
		if moved.Box = b.Box; sameOwn(&moved, b) {
			return []Field{{Name: "box", From: boxText(a.Box), To: boxText(b.Box)}}
		}
	}
	var fields []Field
	va, vb := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for _, f := range nodeFields {
		x, y := va.FieldByIndex(f.Index), vb.FieldByIndex(f.Index)
		if same(x, y) {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, Field{Name: name, From: fieldText(x), To: fieldText(y)})
	}
	return fields
}

// same compares two fields of one type: plain values, or pointers to such.
func same(x, y reflect.Value) bool {
	if x.Kind() != reflect.Pointer {
		return x.Equal(y)
	}
	if x.IsNil() || y.IsNil() {
		return x.IsNil() == y.IsNil()
	}
	return x.Elem().Equal(y.Elem())
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
		a.Clickable == b.Clickable && a.Focusable == b.Focusable &&
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
