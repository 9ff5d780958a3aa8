package page

import (
	"context"
	"fmt"
	"slices"

	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/observer/aria"
)

// A tabKnown is what this process knows of the frames of one tab. One capture
// of a tab goes at a time.
type tabKnown struct {
	turn   chan struct{}
	frames map[string]*known
	top    *browser.Frame // as last listed; nil before
	used   int            // tick of the last capture
}

// maxTabs is how many tabs are remembered.
const maxTabs = 64

// take waits for the turn to capture a tab; give ends it.
func (c *Capturer) take(ctx context.Context, target string) (*tabKnown, error) {
	c.mu.Lock()
	c.tick++
	tk := c.tabs[target]
	if tk == nil {
		forgetOldest(c.tabs, maxTabs, func(tk *tabKnown) int { return tk.used })
		tk = &tabKnown{turn: make(chan struct{}, 1), frames: map[string]*known{}}
		c.tabs[target] = tk
	}
	tk.used = c.tick
	c.mu.Unlock()
	select {
	case tk.turn <- struct{}{}:
		return tk, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("another look at the page is not over: %w", ctx.Err())
	}
}

func (tk *tabKnown) give() { <-tk.turn }

func (tk *tabKnown) frame(id string) *known {
	k := tk.frames[id]
	if k == nil {
		k = &known{}
		tk.frames[id] = k
	}
	return k
}

// keep forgets the frames that are gone.
func (tk *tabKnown) keep(walks []*frameWalk) {
	live := map[string]bool{}
	for _, w := range walks {
		live[string(w.frame.ID)] = true
	}
	for id := range tk.frames {
		if !live[id] {
			delete(tk.frames, id)
		}
	}
}

// noteLazy is a frame that loads when it is scrolled to.
const noteLazy = "lazy"

// A filling is what goes into an iframe's node.
type filling struct {
	kids   []*aria.Node
	note   string
	active bool // the focus is in there
}

// An assembly is a frame's tree with its child frames put in, and what it was
// made of: as long as that is the same, so is the tree.
type assembly struct {
	of    *aria.Node
	parts map[int]filling
	root  *aria.Node
}

// A shifting is a frame's assembly as its parent shows it.
type shifting struct {
	of     *aria.Node
	at     point
	marks  aria.Node // inert, offscreen, unreachable and active, of the iframe
	root   *aria.Node
	active bool
}

// assemble puts the frames' trees together, each below its iframe's node, in
// the top frame's coordinates. It returns the root of every frame that is
// shown. Walks are in page order, parents first.
func assemble(walks []*frameWalk) map[*frameWalk]*aria.Node {
	kids := map[*frameWalk][]*frameWalk{}
	for _, w := range walks[1:] {
		for _, p := range walks {
			if p.frame.ID == w.frame.Parent.ID {
				kids[p] = append(kids[p], w)
			}
		}
	}
	shown := map[*frameWalk]*aria.Node{}
	var fill func(w *frameWalk) *aria.Node
	fill = func(w *frameWalk) *aria.Node {
		if w.k.root == nil || w.p == nil {
			return nil
		}
		parts := map[int]filling{}
		for _, kid := range kids[w] {
			hole := w.k.hole(kid.owner)
			if hole == nil {
				continue // not shown
			}
			shown[kid] = &aria.Node{}
			root := fill(kid)
			if root == nil {
				parts[hole.id] = filling{note: kid.note}
				continue
			}
			shown[kid] = root
			moved, active := kid.k.shift(root, hole)
			f := filling{kids: moved.Children, active: active}
			if len(moved.Children) == 0 {
				f.note = kid.note
				if hole.frame.Lazy && f.note == "" && (kid.frame.URL == "" || kid.frame.URL == "about:blank") {
					f.note = noteLazy
				}
			}
			parts[hole.id] = f
		}
		root := w.k.assemble(parts)
		shown[w] = root
		return root
	}
	fill(walks[0])
	return shown
}

// hole is the iframe with the ref, nil where the page does not show it.
func (k *known) hole(ref string) *item {
	if ref == "" {
		return nil
	}
	for id, it := range k.frames {
		up := it
		for up.parent != nil && slices.Contains(up.parent.kids, up) {
			up = up.parent
		}
		switch {
		case up != k.root:
			delete(k.frames, id)
		case it.node.Ref == ref:
			return it
		}
	}
	return nil
}

// assemble returns the frame's tree with the parts in their places.
func (k *known) assemble(parts map[int]filling) *aria.Node {
	if len(parts) == 0 {
		return k.root.node
	}
	if k.last.of == k.root.node && sameParts(k.last.parts, parts) {
		return k.last.root
	}
	onWay := map[*item]bool{}
	for id := range parts {
		for it := k.items[id]; it != nil && !onWay[it]; it = it.parent {
			onWay[it] = true
		}
	}
	var copyOf func(it *item) *aria.Node // as deep as iframes lie
	copyOf = func(it *item) *aria.Node {
		n := *it.node
		if f, ok := parts[it.id]; ok {
			n.Children, n.FrameNote = f.kids, f.note
			n.Active = n.Active && !f.active
			return &n
		}
		n.Children = make([]*aria.Node, len(it.kids))
		for i, kid := range it.kids {
			n.Children[i] = kid.node
			if onWay[kid] {
				n.Children[i] = copyOf(kid)
			}
		}
		return &n
	}
	k.last = assembly{of: k.root.node, parts: parts, root: copyOf(k.root)}
	return k.last.root
}

func sameParts(a, b map[int]filling) bool {
	if len(a) != len(b) {
		return false
	}
	for id, x := range a {
		y, ok := b[id]
		if !ok || x.note != y.note || x.active != y.active || len(x.kids) != len(y.kids) {
			return false
		}
		for i := range x.kids {
			if x.kids[i] != y.kids[i] {
				return false
			}
		}
	}
	return true
}

// shift returns a frame's tree as it stands in its iframe: moved to where the
// content begins, with the marks that it has from there, and whether the focus
// is in it.
func (k *known) shift(root *aria.Node, hole *item) (*aria.Node, bool) {
	h := hole.node
	marks := aria.Node{Inert: h.Inert, Offscreen: h.Offscreen, Unreachable: h.Unreachable, Active: h.Active}
	s := &k.shifted
	if s.root != nil && s.of == root && s.at == *hole.frame && s.marks.Inert == marks.Inert && s.marks.Offscreen == marks.Offscreen &&
		s.marks.Unreachable == marks.Unreachable && s.marks.Active == marks.Active {
		return s.root, s.active
	}
	*s = shifting{of: root, at: *hole.frame, marks: marks}
	type step struct{ from, to *aria.Node }
	out := &aria.Node{}
	todo := []step{{root, out}}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := t.to
		*n = *t.from
		if n.Box != nil {
			n.Box = &aria.Box{X: n.Box.X + s.at.X, Y: n.Box.Y + s.at.Y, W: n.Box.W, H: n.Box.H}
		}
		if n.Active && !h.Active {
			n.Active = false // the frame's own, but the focus is elsewhere
		}
		s.active = s.active || n.Active
		if n.Ref != "" {
			n.Inert = n.Inert || h.Inert
			switch {
			case n.Unreachable:
			case h.Unreachable:
				n.Unreachable, n.Offscreen = true, false
			case h.Offscreen:
				n.Offscreen = true
			}
		}
		if len(t.from.Children) > 0 {
			n.Children = make([]*aria.Node, len(t.from.Children))
			for i, kid := range t.from.Children {
				n.Children[i] = &aria.Node{}
				todo = append(todo, step{kid, n.Children[i]})
			}
		}
	}
	s.root = out
	return out, s.active
}
