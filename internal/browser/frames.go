package browser

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
)

//go:embed js/order.js
var orderScript string

// frameTimeout is how long Frames waits for one process of the page.
const frameTimeout = time.Second

// The reasons why a frame cannot be looked into (now).
const (
	NoteLoading     = "loading"     // its document has not come yet
	NoteUnreachable = "unreachable" // its process does not answer
	NoteRefused     = "refused"     // its first document was outside the allowed origins
)

// A Frame is one frame as it was when Tab.Frames was called. Its document may
// change under it: Loader tells documents apart.
type Frame struct {
	ID     cdp.FrameID
	Parent *Frame // nil for the top frame
	Loader string // the document's loader id
	URL    string
	Name   string
	// Session is the CDP session of the frame's process. For an unreachable
	// frame it is the one that does not answer.
	Session cdp.Session
	// OwnerNode is the <iframe>, in the parent's session; 0 for the top frame
	// and where it could not be asked for.
	OwnerNode cdp.BackendNodeID
	Note      string // "", or one of the Note constants

	tab  *Tab
	part *part
	seen int64 // of Tab.alone: what its session had told of frames then
}

// Tab is the frame's tab.
func (f *Frame) Tab() *Tab { return f.tab }

// Frames lists the frames of the page, the top one first, in document order
// (depth first), across processes. A process that does not answer within a
// second is listed as one unreachable frame. Of a page that has one frame, and
// told of no other since, the browser is not asked again.
func (t *Tab) Frames(ctx context.Context) ([]*Frame, error) {
	ctx, end, err := t.unlessDialog(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	seen := t.main.reframed.Load()
	t.mu.Lock()
	if f := t.alone; f != nil && f.seen == seen && !t.gone && !t.crashed {
		t.mu.Unlock()
		return []*Frame{f}, nil
	}
	parts := make([]*part, 0, len(t.parts))
	for _, p := range t.parts {
		parts = append(parts, p)
	}
	gone := t.gone
	t.mu.Unlock()
	if gone {
		return nil, ErrTabGone
	}
	trees := make([]*page.FrameTree, len(parts))
	var wg sync.WaitGroup
	for i, p := range parts {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, frameTimeout)
			defer cancel()
			// A new process answers before it is set up; but only then are
			// its own cross-site frames known.
			select {
			case <-p.ready:
			case <-ctx.Done():
				return
			}
			if res, err := cdp.Call(ctx, p.s, page.GetFrameTree, cdp.Empty{}); err == nil {
				trees[i] = res.FrameTree
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, because(ctx, err)
	}
	out, err := t.assemble(ctx, parts, trees)
	if len(out) == 1 && out[0].Note == "" {
		f := *out[0]
		f.seen = seen
		t.mu.Lock()
		t.alone = &f
		t.mu.Unlock()
		out[0] = &f
	}
	return out, err
}

// Current says whether a list of frames still holds, as far as what the browser
// has told since tells: it tells of a frame before it answers what is asked
// later. Lists of several frames are taken for current.
func (t *Tab) Current(list []*Frame) bool {
	return len(list) != 1 || list[0].seen == t.main.reframed.Load()
}

// tellsOfFrames holds for the events after which the frames of a page, or their
// documents, may be others.
func tellsOfFrames(method string) bool {
	return strings.HasPrefix(method, "Page.frame") || method == page.NavigatedWithinDocument.Method || method == target.AttachedToTarget.Method || method == target.DetachedFromTarget.Method
}

// assemble joins the trees of the processes into one list.
func (t *Tab) assemble(ctx context.Context, parts []*part, trees []*page.FrameTree) ([]*Frame, error) {
	children := map[cdp.FrameID][]*Frame{} // by parent
	all := map[cdp.FrameID]*Frame{}
	var top *Frame
	t.mu.Lock()
	for i, p := range parts {
		if trees[i] == nil {
			if _, still := t.parts[p.s]; !still && p.s != t.main {
				continue // it went meanwhile
			}
			f := &Frame{ID: p.frame, Session: p.s, Note: NoteUnreachable, tab: t, part: p}
			if p.s == t.main {
				f.ID, f.URL = cdp.FrameID(t.target), t.url
				top = f
			}
			all[f.ID] = f
			continue
		}
		var walk func(tree *page.FrameTree)
		walk = func(tree *page.FrameTree) {
			fr := tree.Frame
			f := &Frame{
				ID: fr.ID, Loader: string(fr.LoaderID), URL: fr.URL + fr.URLFragment, Name: fr.Name,
				Session: p.s, tab: t, part: p,
			}
			switch {
			case t.blocked[fr.ID] != "" && fr.ParentID != "" && isBlank(fr.URL):
				f.Note = NoteRefused
			case fr.UnreachableURL != "":
				f.URL = fr.UnreachableURL
			case t.activity.loading[fr.ID] && isBlank(fr.URL):
				f.Note = NoteLoading
			}
			if prev := all[fr.ID]; prev != nil && prev.part.frame == fr.ID {
				return // the frame's own process knows better than its parent's
			}
			all[fr.ID] = f
			if fr.ParentID != "" {
				f.Parent = &Frame{ID: fr.ParentID} // resolved below
			} else if p.s == t.main {
				top = f
			}
			for _, c := range tree.ChildFrames {
				walk(c)
			}
		}
		walk(trees[i])
	}
	t.mu.Unlock()
	if top == nil {
		return nil, ErrTabGone
	}
	for _, f := range all {
		if f == top {
			continue
		}
		parent := top
		if f.Parent != nil && all[f.Parent.ID] != nil {
			parent = all[f.Parent.ID]
		} else if f.Parent == nil && f.part.parent != nil && f.part.parent.frame != "" && all[f.part.parent.frame] != nil {
			parent = all[f.part.parent.frame] // an unreachable frame: its parent's process is all we know
		}
		f.Parent = parent
		children[parent.ID] = append(children[parent.ID], f)
	}
	t.owners(ctx, all, top)
	var out []*Frame
	var walk func(f *Frame)
	walk = func(f *Frame) {
		out = append(out, f)
		kids := children[f.ID]
		if len(kids) > 1 {
			f.order(ctx, kids)
		}
		for _, k := range kids {
			walk(k)
		}
	}
	walk(top)
	return out, nil
}

// isBlank holds for the document that a frame has before its first one comes. A
// frame whose navigation was refused keeps the document that it had.
func isBlank(url string) bool { return url == "" || url == "about:blank" || url == ":" }

// owners finds the frames' owner elements, all at once.
func (t *Tab) owners(ctx context.Context, all map[cdp.FrameID]*Frame, top *Frame) {
	ctx, cancel := context.WithTimeout(ctx, frameTimeout)
	defer cancel()
	var wg sync.WaitGroup
	for _, f := range all {
		if f == top || f.Parent.Note == NoteUnreachable {
			continue
		}
		p := f.Parent.part
		t.mu.Lock()
		f.OwnerNode = p.owners[f.ID]
		t.mu.Unlock()
		if f.OwnerNode != 0 {
			continue
		}
		wg.Go(func() {
			res, err := cdp.Call(ctx, p.s, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: f.ID})
			if err != nil {
				return
			}
			f.OwnerNode = res.BackendNodeID
			t.mu.Lock()
			p.owners[f.ID] = res.BackendNodeID
			t.mu.Unlock()
		})
	}
	wg.Wait()
}

// order sorts the frame's children into document order. On failure they stay
// sorted by id, so that the order is at least stable.
func (f *Frame) order(ctx context.Context, kids []*Frame) {
	slices.SortFunc(kids, func(a, b *Frame) int { return strings.Compare(string(a.ID), string(b.ID)) })
	if f.Note == NoteUnreachable {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, frameTimeout)
	defer cancel()
	w, err := f.world(ctx)
	if err != nil {
		return
	}
	nodes := make([]cdp.BackendNodeID, len(kids))
	for i, k := range kids {
		nodes[i] = k.OwnerNode
	}
	ids := f.resolve(ctx, w, nodes)
	defer f.Release(context.WithoutCancel(ctx), ids...)
	args := make([]any, len(kids))
	for i, id := range ids {
		if args[i] = id; id == "" {
			args[i] = nil
		}
	}
	var at []int
	if err := f.callIn(ctx, w, &at, nil, orderScript, args); err != nil || len(at) != len(kids) {
		return
	}
	sorted := make([]*Frame, 0, len(kids))
	for _, i := range at {
		sorted = append(sorted, kids[i])
	}
	copy(kids, sorted)
}

// resolve brings nodes into the world, pipelined; "" where it is not possible.
func (f *Frame) resolve(ctx context.Context, w world, nodes []cdp.BackendNodeID) []runtime.RemoteObjectID {
	out := make([]runtime.RemoteObjectID, len(nodes))
	inParallel(len(nodes), func(i int) {
		if nodes[i] == 0 {
			return
		}
		res, err := cdp.Call(ctx, f.part.s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: nodes[i], ExecutionContextID: w.id})
		if err == nil && res.Object != nil {
			out[i] = res.Object.ObjectID
		}
	})
	return out
}

// inParallel calls fn for 0…n-1, at most 32 at a time.
func inParallel(n int, fn func(i int)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, 32)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			fn(i)
		})
	}
	wg.Wait()
}

// Node brings the element with the backend node id into the frame's world.
func (f *Frame) Node(ctx context.Context, id cdp.BackendNodeID) (runtime.RemoteObjectID, error) {
	var out runtime.RemoteObjectID
	err := f.retry(ctx, func(ctx context.Context, w world) error {
		res, err := cdp.Call(ctx, f.part.s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: w.id})
		if err == nil {
			out = res.Object.ObjectID
		}
		return err
	})
	return out, err
}
