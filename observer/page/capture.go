package page

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/observer/aria"
)

// Refs hands out what makes refs unique in a session.
type Refs interface {
	// Reserve reserves n numbers for the top frame, start to start+n-1.
	Reserve(ctx context.Context, n int) (start int, err error)
	// FramePrefix returns the prefix ("f2e") for a child frame's document;
	// always the same for the same document.
	FramePrefix(ctx context.Context, document string) (string, error)
}

// ErrBusy is returned when the top frame did not answer in time: its thread is
// busy, or a dialog is open.
var ErrBusy = errors.New("the page did not answer in time")

// errTopFrame is why a capture cannot begin yet.
var errTopFrame = errors.New("the top frame cannot be looked into")

// Options of a capture; zero values mean the defaults.
type Options struct {
	Deadline time.Duration // for the whole page; 1.5 s, and more for a large one
	Nodes    int           // elements walked in a frame at most; 150,000
}

// A Capturer captures pages. It remembers, per document, which listeners and
// shadow roots were looked at already; it is safe for concurrent use.
type Capturer struct {
	log  *slog.Logger
	mu   sync.Mutex
	docs map[string]*memo
	tick int
}

// NewCapturer returns a Capturer that logs to log.
func NewCapturer(log *slog.Logger) *Capturer {
	return &Capturer{log: log, docs: map[string]*memo{}}
}

// A Capture is one look at a page.
type Capture struct {
	Tree    *aria.Tree // Version is 0: the caller counts
	Rebound []string   // refs that moved to an equivalent element
}

// frameWalk is one frame's part of a capture.
type frameWalk struct {
	frame *browser.Frame
	root  *aria.Node
	holes map[string]hole // iframe nodes by ref
	doc   walked
	owner string // ref of the iframe in the parent
	note  string
}

// Capture walks every frame of the tab and assembles the tree. A child frame
// that does not answer in time is left out with a note; when the top frame does
// not, the error is ErrBusy. A navigation in between starts the walk anew.
func (c *Capturer) Capture(ctx context.Context, tab *browser.Tab, refs Refs, o Options) (*Capture, error) {
	if o.Deadline <= 0 {
		o.Deadline = 1500 * time.Millisecond
	}
	if o.Nodes <= 0 {
		o.Nodes = 150000
	}
	deadline := time.Now().Add(o.Deadline)
	whole := ctx
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	for try := 0; ; try++ {
		got, moved, err := c.once(ctx, whole, tab, refs, o)
		switch {
		case err == nil && moved && try < 3 && time.Until(deadline) > o.Deadline/2:
			// A child frame was navigating; there is time to see where to.
		case err == nil:
			return got, nil
		case errors.Is(err, browser.ErrDialogOpen):
			return nil, fmt.Errorf("%w: %w", ErrBusy, err)
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%w: %w", ErrBusy, err)
		case !errors.Is(err, browser.ErrNavigated) && !errors.Is(err, browser.ErrFrameGone) && !errors.Is(err, errTopFrame):
			return nil, err
		}
		// The document went while it was walked, or its process does not answer
		// yet. Look again, but let it come.
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", ErrBusy, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// A page that answers at once but is large is not busy: it gets perThousand for
// each thousand elements over smallPage.
const (
	smallPage   = 10_000
	perThousand = 200 * time.Millisecond
)

// size is the number of elements in the frame, 0 where it does not say.
func size(ctx context.Context, f *browser.Frame) int {
	var n int
	if err := f.Call(ctx, &n, "() => __quartet.size()"); err != nil {
		return 0 // the walk will meet the same error and tell
	}
	return n
}

// once captures the frames as they are listed now. moved says that one of the
// child frames was navigating meanwhile and is missing. whole is ctx without the
// deadline.
func (c *Capturer) once(ctx, whole context.Context, tab *browser.Tab, refs Refs, o Options) (_ *Capture, moved bool, _ error) {
	frames, err := tab.Frames(ctx)
	if err != nil {
		return nil, false, err
	}
	if more := min(size(ctx, frames[0]), o.Nodes) - smallPage; more > 0 {
		o.Deadline += time.Duration(more) * perThousand / 1000
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(whole, o.Deadline)
		defer cancel()
	}
	walks := make([]*frameWalk, len(frames))
	errs := make([]error, len(frames))
	// Child frames get most of the time, so that one that hangs leaves enough
	// to put the rest together.
	childCtx, cancel := context.WithTimeout(ctx, o.Deadline*7/10)
	defer cancel()
	var wg sync.WaitGroup
	for i, f := range frames {
		walks[i] = &frameWalk{frame: f, note: f.Note}
		if f.Note == browser.NoteUnreachable || f.Note == browser.NoteRefused {
			if f.Parent == nil {
				return nil, false, fmt.Errorf("%w: it is %s", errTopFrame, f.Note)
			}
			continue
		}
		wg.Go(func() {
			wctx := ctx
			if f.Parent != nil {
				wctx = childCtx
			}
			errs[i] = c.frame(wctx, walks[i], refs, o)
		})
	}
	wg.Wait()
	if errs[0] != nil {
		return nil, false, errs[0]
	}
	for i, err := range errs[1:] {
		if err == nil {
			continue
		}
		w := walks[i+1]
		c.log.DebugContext(ctx, "frame not captured", "frame", w.frame.URL, "error", err)
		if errors.Is(err, browser.ErrNavigated) || errors.Is(err, browser.ErrFrameGone) {
			moved = true
			w.note = browser.NoteLoading
		}
		if w.note == "" {
			w.note = browser.NoteUnreachable
		}
	}
	byFrame := map[string]*frameWalk{}
	for _, w := range walks {
		byFrame[string(w.frame.ID)] = w
	}
	for i := range walks[1:] {
		w := walks[i+1]
		p := byFrame[string(w.frame.Parent.ID)]
		if p == nil || p.root == nil || w.frame.OwnerNode == 0 {
			continue
		}
		wg.Go(func() { w.owner = ownerRef(ctx, p.frame, w.frame) })
	}
	wg.Wait()

	top := walks[0]
	out := &Capture{Tree: &aria.Tree{
		Document: top.frame.Loader, URL: top.doc.URL, Title: top.doc.Title, Tab: tab.ID(),
		Viewport: top.doc.Viewport, Root: top.root,
	}}
	for _, w := range walks { // parents come first
		if w != top {
			p := byFrame[string(w.frame.Parent.ID)]
			if p == nil || !splice(p, w) {
				continue // not shown
			}
		}
		out.Rebound = append(out.Rebound, w.doc.Rebound...)
		for _, n := range w.doc.Notes {
			if w != top {
				n = "Frame " + w.owner + ": " + n
			}
			if !slices.Contains(out.Tree.Notes, n) {
				out.Tree.Notes = append(out.Tree.Notes, n)
			}
		}
	}
	return out, moved, nil
}

// ownerRef asks the parent for the ref of the child's iframe; "" when it is
// not shown.
func ownerRef(ctx context.Context, parent, child *browser.Frame) string {
	id, err := parent.Node(ctx, child.OwnerNode)
	if err != nil {
		return ""
	}
	defer parent.Release(context.WithoutCancel(ctx), id)
	var ref *string
	if err := parent.Call(ctx, &ref, "(el) => __quartet.refOf(el)", id); err != nil || ref == nil {
		return ""
	}
	return *ref
}

// splice puts the child's tree below its iframe node, in the top frame's
// coordinates, and says whether there is such a node.
func splice(p, w *frameWalk) bool {
	h, ok := p.holes[w.owner]
	if !ok || w.owner == "" {
		return false
	}
	if w.root == nil {
		h.node.FrameNote = w.note
		return true
	}
	if len(w.root.Children) == 0 && w.note != "" {
		h.node.FrameNote = w.note
	}
	h.node.Children = w.root.Children
	active := false
	for n := range nodes(w.root) {
		if n.Box != nil {
			n.Box.X += h.at.X
			n.Box.Y += h.at.Y
		}
		if n.Active && !h.node.Active {
			n.Active = false // the frame's own, but the focus is elsewhere
		}
		active = active || n.Active
		if n.Ref == "" {
			continue
		}
		n.Inert = n.Inert || h.node.Inert
		switch {
		case n.Unreachable:
		case h.node.Unreachable:
			n.Unreachable, n.Offscreen = true, false
		case h.node.Offscreen:
			n.Offscreen = true
		}
	}
	if active {
		h.node.Active = false
	}
	for ref, in := range w.holes {
		in.at.X += h.at.X
		in.at.Y += h.at.Y
		w.holes[ref] = in
	}
	return true
}
