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

// ErrRestless is returned when a frame has not been calm for Options.Calm.
var ErrRestless = errors.New("the page changed just now")

// errTopFrame is why a capture cannot begin yet.
var errTopFrame = errors.New("the top frame cannot be looked into")

// Options of a capture; zero values mean the defaults.
type Options struct {
	Deadline time.Duration // for the whole page; 1.3 s, and more for a large one
	Nodes    int           // elements walked in a frame at most; 150,000
	// Fresh walks everything anew, whatever is known: what an incremental walk
	// is measured by.
	Fresh bool
	// First is how many elements of a large page are walked where most of it is
	// seen for the first time, so that a reader need not wait for all; 0 is all.
	First int
	// Calm is for how long no frame may have changed; 0 asks for nothing.
	Calm time.Duration
	// Slice is for how long at once a walk holds up the page; 0 means 40 ms.
	Slice time.Duration
}

// A Capturer captures pages. It remembers, per document, which listeners and
// shadow roots were looked at already; it is safe for concurrent use.
type Capturer struct {
	log  *slog.Logger
	mu   sync.Mutex
	docs map[string]*memo
	tabs map[string]*tabKnown // by target
	tick int
}

// NewCapturer returns a Capturer that logs to log.
func NewCapturer(log *slog.Logger) *Capturer {
	return &Capturer{log: log, docs: map[string]*memo{}, tabs: map[string]*tabKnown{}}
}

// A Capture is one look at a page.
type Capture struct {
	Tree    *aria.Tree // Version is 0: the caller counts
	Rebound []string   // refs that moved to an equivalent element
	// Partial is set where only the first elements were walked (Options.First).
	Partial bool
	// Elements is how many elements there are, Walked how many of them had to
	// be walked again.
	Elements, Walked int
	// Millis is the time that the walks took of the page's thread, summed up.
	Millis float64
}

// A frameWalk is one frame's part of a capture.
type frameWalk struct {
	frame *browser.Frame
	k     *known
	p     *patch // nil where the frame did not answer
	owner string // ref of the iframe in the parent
	note  string
}

// Capture walks every frame of the tab and assembles the tree. A child frame
// that does not answer in time is left out with a note; when the top frame does
// not, the error is ErrBusy. A navigation in between starts the walk anew.
func (c *Capturer) Capture(ctx context.Context, tab *browser.Tab, refs Refs, o Options) (*Capture, error) {
	if o.Deadline <= 0 {
		o.Deadline = 1300 * time.Millisecond
	}
	if o.Nodes <= 0 {
		o.Nodes = 150000
	}
	// Who looks already looks for a bounded time, and leaves less to look at.
	tk, err := c.take(ctx, string(tab.Target()))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBusy, err)
	}
	defer tk.give()
	deadline := time.Now().Add(o.Deadline)
	ctx, more, cancel := allow(ctx, o.Deadline, nil)
	defer cancel()
	for try := 0; ; try++ {
		got, moved, err := c.once(ctx, more, tab, tk, refs, o)
		switch {
		case err == nil && moved && try < 3 && time.Until(deadline) > o.Deadline/2:
			// A child frame was navigating; there is time to see where to.
		case err == nil:
			return got, nil
		case errors.Is(err, browser.ErrDialogOpen):
			return nil, fmt.Errorf("%w: %w", ErrBusy, err)
		case ctx.Err() != nil, tab.Crashed():
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

// once captures the frames as they are listed now. moved says that one of the
// child frames was navigating meanwhile and is missing.
func (c *Capturer) once(ctx context.Context, more *allowance, tab *browser.Tab, tk *tabKnown, refs Refs, o Options) (_ *Capture, moved bool, _ error) {
	// Most looks are at the document that was there the last time: its walk
	// begins while the frames are listed.
	ahead := c.ahead(ctx, tk, refs, more, o)
	frames, err := tab.Frames(ctx)
	first, firstErr := ahead()
	if err == nil && !tab.Current(frames) {
		frames, err = tab.Frames(ctx)
	}
	if err != nil {
		return nil, false, err
	}
	tk.top = frames[0]
	walks := make([]*frameWalk, len(frames))
	errs := make([]error, len(frames))
	// Child frames get most of the time, so that one that hangs leaves enough
	// to put the rest together.
	childCtx, children, cancel := allow(ctx, o.Deadline*7/10, more)
	defer cancel()
	var wg sync.WaitGroup
	for i, f := range frames {
		walks[i] = &frameWalk{frame: f, k: tk.frame(string(f.ID)), note: f.Note}
		if f.Note == browser.NoteUnreachable || f.Note == browser.NoteRefused {
			if f.Parent == nil {
				return nil, false, fmt.Errorf("%w: it is %s", errTopFrame, f.Note)
			}
			continue
		}
		if f.Parent == nil && first != nil && first.frame.Session == f.Session && first.frame.ID == f.ID {
			walks[i].p, errs[i] = first.p, firstErr
			continue
		}
		wg.Go(func() {
			wctx, wmore := ctx, more
			if f.Parent != nil {
				wctx, wmore = childCtx, children
			}
			walks[i].p, errs[i] = c.frame(wctx, f, walks[i].k, refs, wmore, o)
		})
	}
	wg.Wait()
	if errs[0] != nil {
		return nil, false, errs[0]
	}
	if slices.ContainsFunc(errs, func(err error) bool { return errors.Is(err, ErrRestless) }) {
		return nil, false, ErrRestless
	}
	if !walks[0].k.of(frames[0].Loader) {
		return nil, false, fmt.Errorf("%w while its frames were listed", browser.ErrNavigated)
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
		if p == nil || p.p == nil || w.frame.OwnerNode == 0 {
			continue
		}
		wg.Go(func() { w.owner = ownerRef(ctx, p.frame, w.frame) })
	}
	wg.Wait()
	tk.keep(walks)

	top := walks[0]
	shown := assemble(walks)
	out := &Capture{Tree: &aria.Tree{
		Document: top.frame.Loader, URL: top.p.URL, Title: top.p.Title, Tab: tab.ID(),
		Viewport: top.p.Viewport, Root: shown[top],
	}}
	if n := top.p.Of; n > 0 {
		out.Partial, out.Tree.Partial = true, true
		out.Tree.Notes = append(out.Tree.Notes, fmt.Sprintf("The page has %d elements; these are the first %d. Look again for all.", n, top.p.Elements))
	}
	for _, w := range walks { // parents come first
		if shown[w] == nil || w.p == nil {
			continue
		}
		out.Elements += w.p.Elements
		out.Walked += w.p.Walked
		out.Millis += w.p.Millis
		out.Rebound = append(out.Rebound, w.p.Rebound...)
		for _, n := range w.p.Notes {
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

// ahead begins the walk of the top frame as it was when last listed. The result
// waits for it; it is nil where there was none.
func (c *Capturer) ahead(ctx context.Context, tk *tabKnown, refs Refs, more *allowance, o Options) (result func() (*frameWalk, error)) {
	f := tk.top
	if f == nil || f.Note != "" || o.Fresh {
		return func() (*frameWalk, error) { return nil, nil }
	}
	w := &frameWalk{frame: f, k: tk.frame(string(f.ID))}
	done := make(chan error, 1)
	go func() {
		var err error
		w.p, err = c.frame(ctx, f, w.k, refs, more, o)
		done <- err
	}()
	return func() (*frameWalk, error) { return w, <-done }
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
