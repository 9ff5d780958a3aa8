package aria

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// RenderDelta writes what changed, at a size that follows the change: new
// dialogs and alerts first, then the address, the focus, and the rest by
// place. Names and values are JSON strings, as in the compact form. Over the
// budget the last lines are folded and counted.
func RenderDelta(d *Delta, o RenderOptions) Rendering {
	// The writer crosses out what it has written, in a copy of its own.
	own := *d
	own.Changes = slices.Clone(d.Changes)
	w := deltaWriter{d: &own, compact: newCompact(&Tree{}, o)}
	head := "@" + strconv.Itoa(d.Next.Version) + " from @" + strconv.Itoa(d.Base.Version)
	w.write()
	if d.Next.Stale {
		head += " [stale: the page did not answer]"
	}
	if len(w.lines) == 0 {
		return rendered(head+": no change", false)
	}
	text := head + "\n" + strings.Join(w.lines, "\n")
	if tokens := Tokens(text); o.Budget <= 0 || tokens <= o.Budget {
		return Rendering{Text: text, Tokens: tokens}
	}
	return cut(strings.Split(text, "\n"), 1, o.Budget, func(int) string { return ", mode full has them" }, false)
}

type deltaWriter struct {
	d       *Delta
	compact *compact
	lines   []string
	done    []bool // changes that a line was written for
	// The last line's subtree, for one that follows it.
	lastAdded Change
	lastLines int
}

func (w *deltaWriter) add(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *deltaWriter) write() {
	w.done = make([]bool, len(w.d.Changes))
	for k := range w.d.Changes {
		w.done[k] = w.d.Changes[k].Quiet
	}
	for k, c := range w.d.Changes {
		if c.Kind == Added && !w.done[k] && (front(c.Node) || c.Live) {
			w.done[k] = true
			w.added(c, liveIn(c))
		}
	}
	for k, c := range w.d.Changes {
		if c.Kind == Changed && c.Live && !w.done[k] && slices.ContainsFunc(c.Fields, func(f Field) bool { return f.Name == "text" || f.Name == "name" }) {
			w.done[k] = true
			w.one(c, c.Place)
		}
	}
	for k, c := range w.d.Changes {
		if c.Kind == Removed && !w.done[k] && front(c.Node) {
			w.done[k] = true
			w.add("- removed %s", w.gone(c.Node))
		}
	}
	w.header()
	w.focus()
	w.rebound()
	w.shared()
	w.order()
	w.removed()
	w.rest()
}

// front holds for what comes up over the page and wants an answer.
func front(n *Node) bool {
	if n.Role == "status" || n.Role == "log" {
		return TextOf(n) != ""
	}
	if isOverlay(n) {
		return true
	}
	// A wrapper around nothing but a dialog.
	return n.Role == "generic" && len(n.Children) > 0 && len(n.Children) <= 2 && front(n.Children[len(n.Children)-1])
}

// liveIn is the place of something in a live region; what comes up over the
// page needs none.
func liveIn(c Change) string {
	if c.Live && !front(c.Node) {
		return c.Place
	}
	return ""
}

func (w *deltaWriter) header() {
	b, n := w.d.Base, w.d.Next
	if b.Document != n.Document {
		w.add("new document: earlier refs are stale")
	}
	if b.Tab != n.Tab {
		w.add("tab: %s", clean(n.Tab))
	}
	if b.URL != n.URL {
		w.add("url: %s", strings.ReplaceAll(shorten(n.URL, 200), " ", "%20"))
	}
	if b.Title != n.Title {
		w.add("title: %s", quote(shorten(n.Title, 120)))
	}
	if b.Viewport.ScrollY != n.Viewport.ScrollY || b.Viewport.ScrollX != n.Viewport.ScrollX {
		// Scrolling alone is no change, but with one it places it.
		for k := range w.done {
			if !w.done[k] {
				w.add("scrolled to %.0f of %.0f", n.Viewport.ScrollY, max(0, n.Viewport.PageH-n.Viewport.H))
				break
			}
		}
	}
	for _, note := range n.Notes {
		if !slices.Contains(b.Notes, note) {
			w.add("note: %s", shorten(note, 300))
		}
	}
}

// focus writes the move of the focus as one line and takes it out of the
// changes.
func (w *deltaWriter) focus() {
	var to *Node
	left := false
	for k, c := range w.d.Changes {
		if w.done[k] {
			if c.Kind == Added && to == nil {
				to = activeIn(c.Node)
			}
			continue
		}
		if c.Kind == Added {
			if n := activeIn(c.Node); n != nil {
				to = n
			}
		}
		if c.Kind != Changed && c.Kind != Rebound {
			continue
		}
		rest := visible(c.Fields)
		for _, f := range rest {
			if f.Name == "active" {
				if f.To == "true" {
					to = c.Node
				} else {
					left = true
				}
			}
		}
		if len(rest) == 1 && rest[0].Name == "active" {
			w.done[k] = true
		}
	}
	switch {
	case to != nil:
		w.add("focus: %s", w.title(to))
	case left:
		w.add("focus: nothing")
	}
}

func activeIn(n *Node) *Node {
	for _, k := range n.Children {
		if a := activeIn(k); a != nil {
			return a
		}
	}
	if n.Active {
		return n
	}
	return nil
}

// visible are the fields that a reader is told.
func visible(fields []Field) []Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool { return quietField(f.Name) })
}

// added are the blocks of a subtree that need not be a root.
func (c *compact) added(n *Node) []*block {
	return c.children(&Node{Role: "generic", Children: []*Node{n}}, "")
}
