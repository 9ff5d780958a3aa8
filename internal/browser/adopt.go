package browser

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"
)

//go:embed js/mark.js
var markScript string

// maxAdopted bounds how many elements one call brings into the world.
const maxAdopted = 2000

// AdoptClosedRoots hands the page's closed shadow roots to the world: listFn
// (() => Element[]) names the suspect hosts, and adoptFn ((host, root) => any)
// is called for each that has a closed root, user agent roots excepted. It
// returns how many; the first 2000 hosts are looked at.
func (f *Frame) AdoptClosedRoots(ctx context.Context, listFn, adoptFn string) (int, error) {
	n := 0
	err := f.retry(ctx, func(ctx context.Context, w world) error {
		n = 0
		hosts, release, err := f.elements(ctx, w, listFn)
		if err != nil {
			return err
		}
		defer release()
		roots := make([]cdp.BackendNodeID, len(hosts))
		inParallel(len(hosts), func(i int) {
			res, err := cdp.Call(ctx, f.part.s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: hosts[i], Depth: new(int64(1)), Pierce: new(true)})
			if err != nil || res.Node == nil {
				return
			}
			for _, r := range res.Node.ShadowRoots {
				if r.ShadowRootType == cdp.ShadowRootTypeClosed {
					roots[i] = r.BackendNodeID
				}
			}
		})
		objects := f.resolve(ctx, w, roots)
		defer f.Release(context.WithoutCancel(ctx), objects...)
		for i, root := range objects {
			if root == "" {
				continue
			}
			if err := f.callIn(ctx, w, nil, nil, adoptFn, []any{hosts[i], root}); err != nil {
				return err
			}
			n++
		}
		return ctx.Err()
	})
	return n, err
}

// elements evaluates listFn and returns the objects of the array that it gives.
func (f *Frame) elements(ctx context.Context, w world, listFn string) ([]runtime.RemoteObjectID, func(), error) {
	var list runtime.RemoteObject
	if err := f.callIn(ctx, w, nil, &list, listFn, nil); err != nil {
		return nil, nil, err
	}
	if list.ObjectID == "" {
		return nil, func() {}, nil
	}
	res, err := cdp.Call(ctx, f.part.s, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: list.ObjectID, OwnProperties: new(true)})
	if err != nil {
		return nil, nil, err
	}
	all := []runtime.RemoteObjectID{list.ObjectID}
	var out []runtime.RemoteObjectID
	for _, p := range res.Result {
		if p.Value == nil || p.Value.ObjectID == "" {
			continue
		}
		all = append(all, p.Value.ObjectID)
		if p.Value.Subtype == runtime.RemoteObjectSubtypeNode && len(out) < maxAdopted {
			out = append(out, p.Value.ObjectID)
		}
	}
	return out, func() { f.Release(context.WithoutCancel(ctx), all...) }, nil
}

// A Listener is a node with event listeners of the page that a pointer or a
// key could set off.
type Listener struct {
	Node   cdp.BackendNodeID // in the frame's session
	Events []string
}

// A mark is a node that was handed to a frame's world.
type mark struct {
	frame cdp.FrameID
	node  cdp.BackendNodeID
}

// operable are the events that make an element something to operate.
func operable(event string) bool {
	switch event {
	case "click", "dblclick", "auxclick", "contextmenu", "mousedown", "mouseup", "pointerdown", "pointerup",
		"touchstart", "touchend", "keydown", "keyup", "keypress", "dragstart", "drop":
		return true
	}
	return false
}

// Listeners returns the nodes below the roots that rootsFn names on which the
// page listens for clicks and the like, in no order. rootsFn is evaluated in the
// world and returns an array of documents and shadow roots. The cost follows the
// number of listeners: about 10 ms per thousand.
//
// Roots are asked one by one, each by its handle in the page's own world: only
// from there a call tells the page's listeners without piercing shadow roots.
// Piercing reaches into the browser's own roots (inside text fields), and after
// a few such calls Chromium 156 crashes the page's renderer.
func (f *Frame) Listeners(ctx context.Context, rootsFn string) ([]Listener, error) {
	var out []Listener
	err := f.retry(ctx, func(ctx context.Context, w world) (err error) {
		out, err = f.listeners(ctx, w, rootsFn)
		return err
	})
	return out, err
}

func (f *Frame) listeners(ctx context.Context, w world, rootsFn string) ([]Listener, error) {
	roots, release, err := f.elements(ctx, w, rootsFn)
	if err != nil {
		return nil, err
	}
	defer release()
	var all []*domdebugger.EventListener
	for _, root := range roots {
		found, err := f.listenersBelow(ctx, root)
		if err != nil {
			return nil, fmt.Errorf("listeners: %w", err)
		}
		all = append(all, found...)
	}
	at := map[cdp.BackendNodeID]int{}
	var out []Listener
	for _, l := range all {
		if !operable(l.Type) || l.BackendNodeID == 0 {
			continue
		}
		i, ok := at[l.BackendNodeID]
		if !ok {
			i = len(out)
			at[l.BackendNodeID] = i
			out = append(out, Listener{Node: l.BackendNodeID})
		}
		if !slices.Contains(out[i].Events, l.Type) {
			out[i].Events = append(out[i].Events, l.Type)
		}
	}
	return out, nil
}

// listenersBelow asks for one root, whose handle is of the isolated world.
func (f *Frame) listenersBelow(ctx context.Context, root runtime.RemoteObjectID) ([]*domdebugger.EventListener, error) {
	node, err := cdp.Call(ctx, f.part.s, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: root})
	if err != nil {
		return nil, err
	}
	own, err := cdp.Call(ctx, f.part.s, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.Node.BackendNodeID})
	if err != nil {
		return nil, err
	}
	defer f.Release(context.WithoutCancel(ctx), own.Object.ObjectID)
	res, err := cdp.Call(ctx, f.part.s, domdebugger.GetEventListeners, domdebugger.GetEventListenersParams{ObjectID: own.Object.ObjectID, Depth: new(int64(-1))})
	return res.Listeners, err
}

// MarkListeners calls markFn ((node, events) => any) in the world for each node
// that Listeners finds below the roots and that this process has not handed over before in
// this document. It returns for how many; at most 2000 a call, the rest comes
// with the next. markFn decides itself which nodes it cares for (node may be the
// document). Bringing in a node costs about 0.1 ms.
func (f *Frame) MarkListeners(ctx context.Context, rootsFn, markFn string) (int, error) {
	n := 0
	err := f.retry(ctx, func(ctx context.Context, w world) error {
		n = 0
		found, err := f.listeners(ctx, w, rootsFn)
		if err != nil {
			return err
		}
		f.tab.mu.Lock()
		fresh := found[:0]
		for _, l := range found {
			if !f.part.marked[mark{f.ID, l.Node}] && len(fresh) < maxAdopted {
				fresh = append(fresh, l)
			}
		}
		f.tab.mu.Unlock()
		if len(fresh) == 0 {
			return nil
		}
		nodes := make([]cdp.BackendNodeID, len(fresh))
		for i, l := range fresh {
			nodes[i] = l.Node
		}
		objects := f.resolve(ctx, w, nodes)
		defer f.Release(context.WithoutCancel(ctx), objects...)
		// One call for all: the objects, then their events in the same order.
		args := make([]any, 0, 1+len(objects))
		var events [][]string
		for i, id := range objects {
			if id != "" {
				args = append(args, id)
				events = append(events, fresh[i].Events)
			}
		}
		args = append(args, events)
		if err := f.callIn(ctx, w, &n, nil, strings.Replace(markScript, "MARK", markFn, 1), args); err != nil {
			return err
		}
		f.tab.mu.Lock()
		for _, l := range fresh {
			f.part.marked[mark{f.ID, l.Node}] = true
		}
		f.tab.mu.Unlock()
		return ctx.Err()
	})
	return n, err
}
