package page

import (
	"slices"

	"github.com/quartet-agents/quartet/observer/aria"
)

// A known is what this process knows of one frame's document: the nodes of the
// last walk that it was told of. The page answers with what came since.
//
// Nodes are never changed once made: trees of earlier captures share them. What
// changes is copied, with all that holds it.
type known struct {
	doc    string
	seen   struct{ loader, doc string } // when last found to be one document
	walk   int
	swept  int // items that were in the tree at the last sweep
	items  map[int]*item
	root   *item
	stock  stock         // of ref numbers
	frames map[int]*item // iframes that the page has or had

	last    assembly // of this frame with its child frames
	shifted shifting // of the assembly, for the parent
}

// A stock is a run of ref numbers that were reserved and not used yet.
type stock struct{ next, left int }

// An item is a node by the page's number, with its place.
type item struct {
	id     int
	node   *aria.Node
	frame  *point // iframes: where the content begins
	parent *item
	kids   []*item
	dirty  bool // the node has to be made anew from the kids
}

// patch is what the script's walk answers.
type patch struct {
	Doc       string        `json:"doc"`
	Need      int           `json:"need"` // so many refs must be brought first
	URL       string        `json:"url"`
	Title     string        `json:"title"`
	Viewport  aria.Viewport `json:"viewport"`
	Since     int           `json:"since"`
	Walk      int           `json:"walk"`
	Nodes     []*flat       `json:"nodes"`
	Boxes     []float64     `json:"boxes"` // id, x, y, w, h, marks
	Used      int           `json:"used"`
	Rebound   []string      `json:"rebound"`
	Recycled  []string      `json:"recycled"`
	Notes     []string      `json:"notes"`
	Additions int           `json:"additions"` // how often elements were added
	Elements  int           `json:"elements"`
	Walked    int           `json:"walked"`
	Millis    float64       `json:"millis"`
	Of        int           `json:"of"` // elements there are, where only the first were walked
}

// flat is a node in page order with its depth and number; or, with Kept, the
// numbers of siblings that are as they were, with all that is in them. After a
// number, -n stands for the siblings that follow it up to n.
type flat struct {
	aria.Node
	Depth int    `json:"d"`
	ID    int    `json:"i"`
	Kept  []int  `json:"k"`
	Frame *point `json:"frame,omitempty"`
}

// A point is where an iframe's content begins. Lazy says that it loads when it
// is scrolled to.
type point struct {
	X, Y float64
	Lazy bool
}

// The marks of a moved node, as bits.
const (
	markOffscreen = 1 << iota
	markUnreachable
	markClipped
	markPointerNone
)

// apply brings k up to date. It fails when the patch does not fit what is
// known; then everything has to be asked for again.
func (k *known) apply(p *patch) bool {
	if p.Since == 0 {
		k.items, k.frames = make(map[int]*item, len(p.Nodes)), map[int]*item{}
	}
	var path []*item
	place := func(it *item, depth int) {
		d := min(depth, len(path))
		it.parent = nil
		if d > 0 {
			up := path[d-1]
			it.parent = up
			up.kids = append(up.kids, it)
		}
		path = append(path[:d], it)
	}
	var root *item
	for _, f := range p.Nodes {
		if len(f.Kept) > 0 {
			its, ok := k.kept(f.Kept)
			if !ok {
				return false
			}
			for _, it := range its {
				place(it, f.Depth)
			}
			if root == nil {
				root = its[0]
			}
			continue
		}
		it := k.items[f.ID]
		if it == nil {
			it = &item{id: f.ID}
			k.items[f.ID] = it
		}
		n := f.Node
		n.Children = nil
		it.node, it.frame, it.kids, it.dirty = &n, f.Frame, nil, true
		if it.frame != nil {
			k.frames[it.id] = it
		}
		place(it, f.Depth)
		if root == nil {
			root = it
		}
	}
	for i := 0; i+5 < len(p.Boxes); i += 6 {
		it := k.items[int(p.Boxes[i])]
		if it == nil {
			return false
		}
		moved(it, p.Boxes[i+1:i+6])
	}
	k.doc, k.walk, k.root = p.Doc, p.Walk, root
	if root != nil {
		root.parent = nil
		rebuild(root)
	}
	k.sweep()
	return true
}

// kept finds the items of a run of siblings.
func (k *known) kept(ids []int) ([]*item, bool) {
	its := make([]*item, 0, len(ids))
	for _, id := range ids {
		if id > 0 {
			it := k.items[id]
			if it == nil {
				return nil, false
			}
			its = append(its, it)
			continue
		}
		last := k.items[-id]
		if last == nil || last.parent == nil || len(its) == 0 {
			return nil, false
		}
		all := last.parent.kids
		from, to := slices.Index(all, its[len(its)-1]), slices.Index(all, last)
		if from < 0 || to <= from {
			return nil, false
		}
		its = append(its, all[from+1:to+1]...)
	}
	return its, true
}

// moved gives an item a copy of its node with a new place.
func moved(it *item, at []float64) {
	n := *it.node
	n.Box = nil
	if at[2] >= 0 {
		n.Box = &aria.Box{X: at[0], Y: at[1], W: at[2], H: at[3]}
	}
	marks := int(at[4])
	n.Offscreen, n.Unreachable = marks&markOffscreen != 0, marks&markUnreachable != 0
	n.Clipped, n.PointerNone = marks&markClipped != 0, marks&markPointerNone != 0
	it.node = &n
	for up := it; up != nil && !up.dirty; up = up.parent {
		up.dirty = true
	}
}

// rebuild makes the nodes anew on the ways to what changed. A new item is dirty
// and so are those above it, for the page names every node on the way.
func rebuild(root *item) {
	type step struct {
		it   *item
		next int
	}
	todo := []step{{it: root}}
	for len(todo) > 0 {
		s := &todo[len(todo)-1]
		if s.next < len(s.it.kids) {
			kid := s.it.kids[s.next]
			s.next++
			if kid.dirty {
				todo = append(todo, step{it: kid})
			}
			continue
		}
		it := s.it
		todo = todo[:len(todo)-1]
		if !it.dirty {
			continue
		}
		n := *it.node
		n.Children = nil
		if len(it.kids) > 0 {
			n.Children = make([]*aria.Node, len(it.kids))
			for i, kid := range it.kids {
				n.Children[i] = kid.node
			}
		}
		it.node, it.dirty = &n, false
	}
}

// of says whether what was walked is the document that the browser lists under
// this loader id. The two are asked for at different moments: a navigation in
// between shows in only one of them having changed.
func (k *known) of(loader string) bool {
	was := k.seen
	k.seen.loader, k.seen.doc = loader, k.doc
	return was.doc == "" || (was.loader == loader) == (was.doc == k.doc)
}

// sweep forgets the items that are not in the tree any more, whenever there are
// twice as many as were left the last time.
func (k *known) sweep() {
	if len(k.items) < max(1024, 2*k.swept) || k.root == nil {
		return
	}
	live := map[int]*item{}
	todo := []*item{k.root}
	for len(todo) > 0 {
		it := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], it.kids...)
		live[it.id] = it
	}
	k.items, k.swept = live, len(live)
}
