package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/quartet-agents/quartet/bus"
)

// setupTimeout bounds what is done to a new target on nobody's behalf.
const setupTimeout = 30 * time.Second

// A host is one browser that this process is connected to.
type host struct {
	pool     *Pool
	endpoint string

	ready chan struct{} // closed when connected, or failed with err
	err   error
	proc  *process // of an own browser
	c     *conn
	lost  atomic.Bool // the browser is gone

	spare chan cdp.BrowserContextID // of an own browser: one context, for the first session

	mu        sync.Mutex
	states    map[cdp.BrowserContextID]*state
	ended     map[cdp.BrowserContextID]bool // of sessions that were closed
	downloads map[string]*state             // by GUID, while running
	changed   chan struct{}                 // closed and replaced when tabs come or go
}

func newHost(p *Pool, endpoint string) *host {
	return &host{
		pool: p, endpoint: endpoint, ready: make(chan struct{}),
		states: map[cdp.BrowserContextID]*state{}, ended: map[cdp.BrowserContextID]bool{}, downloads: map[string]*state{},
		changed: make(chan struct{}), spare: make(chan cdp.BrowserContextID, 1),
	}
}

// connect sets err or c, and closes ready.
func (h *host) connect(ctx context.Context) {
	defer close(h.ready)
	var tr chromedp.Transport
	var err error
	if h.endpoint == pipeEndpoint {
		if h.proc, err = launch(&h.pool.o); err != nil {
			h.err = err
			return
		}
		tr = h.proc.tr
	} else if tr, err = dial(ctx, h.endpoint); err != nil {
		h.err = err
		return
	}
	h.c = newConn(tr, h.pool.o.log, h.handle)
	// Every page of the browser is held at its start until it was looked
	// at: ours get the policy and the scripts, others are let go.
	steps := []step{
		{method: target.SetDiscoverTargets.Method, params: target.SetDiscoverTargetsParams{Discover: true, Filter: only("page")}},
		{method: target.SetAutoAttach.Method, params: target.SetAutoAttachParams{
			AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true), Filter: only("page"),
		}},
	}
	if h.proc != nil {
		// A fresh browser is slow to answer: what is needed next is asked at once.
		var spare target.CreateBrowserContextResult
		err = h.proc.firstAnswer(ctx, h.c, append(steps, step{
			method: target.CreateBrowserContext.Method, params: newContext(), result: &spare,
		}))
		h.spare <- spare.BrowserContextID
	} else {
		err = h.c.root.all(ctx, steps)
	}
	if err != nil {
		h.err = errors.Join(err, h.close())
	}
}

// newContext asks for a context that stays when the client that made it goes.
func newContext() target.CreateBrowserContextParams {
	return target.CreateBrowserContextParams{DisposeOnDetach: new(false)}
}

// context returns a browser context that nobody uses yet.
func (h *host) context(ctx context.Context) (cdp.BrowserContextID, error) {
	select {
	case id := <-h.spare:
		return id, nil
	default:
	}
	made, err := cdp.Call(ctx, h.c.root, target.CreateBrowserContext, newContext())
	if err != nil {
		return "", err
	}
	return made.BrowserContextID, nil
}

// only is a filter that lets targets of one type pass.
func only(kind string) target.Filter {
	return target.Filter{{Type: kind}, {Exclude: true}}
}

func (h *host) close() error {
	if h.c == nil {
		return nil
	}
	var err error
	if h.proc != nil {
		err = h.proc.stop()
	}
	h.c.close()
	return err
}

// handle gets the events of the browser's own session.
func (h *host) handle(method string, params jsonv2.Value) {
	switch method {
	case "":
		h.lost.Store(true)
		if h.proc == nil {
			h.pool.forget(h)
		}
		h.notify()
	case target.AttachedToTarget.Method:
		if ev, ok := decode[target.EventAttachedToTarget](params); ok {
			h.attached(&ev)
		}
	case target.TargetInfoChanged.Method:
		if ev, ok := decode[target.EventTargetInfoChanged](params); ok {
			if t := h.tab(ev.TargetInfo); t != nil {
				t.shows(ev.TargetInfo)
			}
		}
	case browser.DownloadWillBegin.Method:
		if ev, ok := decode[browser.EventDownloadWillBegin](params); ok {
			h.downloadBegins(&ev)
		}
	case browser.DownloadProgress.Method:
		if ev, ok := decode[browser.EventDownloadProgress](params); ok {
			h.downloadProgress(&ev)
		}
	}
}

// attached takes in a page of one of our sessions, and lets go of any other.
func (h *host) attached(ev *target.EventAttachedToTarget) {
	s := h.c.session(ev.SessionID)
	if s == nil {
		return
	}
	info := ev.TargetInfo
	h.mu.Lock()
	st := h.states[info.BrowserContextID]
	if st == nil || info.Type != "page" || st.tabs[info.TargetID] != nil {
		h.mu.Unlock()
		s.serve(func(string, jsonv2.Value) {})
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
			defer cancel()
			_ = s.all(ctx, []step{{method: runtime.RunIfWaitingForDebugger.Method}})
			_, _ = cdp.Call(ctx, h.c.root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.id})
		}()
		return
	}
	t := newTab(st, info, s)
	st.tabs[info.TargetID] = t
	st.number(info.TargetID)
	peers := st.openTabs()
	h.mu.Unlock()
	t.start()
	desc := t.describe()
	for _, p := range peers {
		if p != t {
			p.record(func(f *Facts) { f.NewTabs = append(f.NewTabs, desc) })
		}
	}
	h.notify()
}

// tab returns the tab of a target, nil when it is not ours.
func (h *host) tab(info *target.Info) *Tab {
	h.mu.Lock()
	defer h.mu.Unlock()
	if st := h.states[info.BrowserContextID]; st != nil {
		return st.tabs[info.TargetID]
	}
	return nil
}

func (h *host) notify() {
	h.mu.Lock()
	close(h.changed)
	h.changed = make(chan struct{})
	h.mu.Unlock()
}

// A state is what this process knows of one session. It is guarded by host.mu.
type state struct {
	h       *host
	id      string
	context cdp.BrowserContextID
	origins origins

	tabs    map[target.ID]*Tab
	ids     map[target.ID]string // also of tabs that are gone
	last    int
	closing bool
}

// register makes the state of a session that this process has opened.
func (h *host) register(s bus.Session, o origins) (*state, error) {
	st, _, err := h.take(s, o)
	return st, err
}

// adopt returns the state of s, fresh when this process had not seen it. A session
// of an own browser it has seen, unless it is one of a browser that is gone.
func (h *host) adopt(s bus.Session, o origins) (st *state, fresh bool, err error) {
	h.mu.Lock()
	known, ended := h.states[cdp.BrowserContextID(s.Context)] != nil, h.ended[cdp.BrowserContextID(s.Context)]
	h.mu.Unlock()
	switch {
	case h.proc == nil || known:
	case ended:
		return nil, false, fmt.Errorf("session %s was closed: %w", s.ID, ErrTabGone)
	default:
		return nil, false, fmt.Errorf("session %s: %w", s.ID, ErrGone)
	}
	return h.take(s, o)
}

// take takes a session in; the tab ids in s win over our own.
func (h *host) take(s bus.Session, o origins) (st *state, fresh bool, err error) {
	if s.Context == "" {
		return nil, false, fmt.Errorf("session %s has no browser context: %w", s.ID, ErrGone)
	}
	id := cdp.BrowserContextID(s.Context)
	h.mu.Lock()
	defer h.mu.Unlock()
	st = h.states[id]
	if st == nil {
		st = &state{h: h, id: s.ID, context: id, tabs: map[target.ID]*Tab{}, ids: map[target.ID]string{}}
		h.states[id] = st
		fresh = true
	}
	st.origins = o
	for _, t := range s.Tabs {
		st.ids[target.ID(t.Target)] = t.ID
		st.last = max(st.last, tabNumber(t.ID))
	}
	return st, fresh, nil
}

func (h *host) closing(id cdp.BrowserContextID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if st := h.states[id]; st != nil {
		st.closing = true
	}
}

func (h *host) drop(id cdp.BrowserContextID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.states, id)
	h.ended[id] = true
}

func tabNumber(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "t"))
	if err != nil {
		return 0
	}
	return n
}

// number gives a target its tab id, once; host.mu is held.
func (st *state) number(id target.ID) string {
	if st.ids[id] == "" {
		st.last++
		st.ids[id] = "t" + strconv.Itoa(st.last)
	}
	return st.ids[id]
}

// openTabs lists the attached tabs; host.mu is held.
func (st *state) openTabs() []*Tab {
	out := make([]*Tab, 0, len(st.tabs))
	for _, t := range st.tabs {
		out = append(out, t)
	}
	return out
}

// idOf returns a target's tab id, "" when it has none.
func (st *state) idOf(id target.ID) string {
	st.h.mu.Lock()
	defer st.h.mu.Unlock()
	return st.ids[id]
}

// removed forgets a tab that is gone.
func (st *state) removed(t *Tab) {
	st.h.mu.Lock()
	if st.tabs[t.target] == t {
		delete(st.tabs, t.target)
	}
	st.h.mu.Unlock()
	st.h.notify()
}

// open makes a blank tab and waits until it is ready.
func (st *state) open(ctx context.Context) (*Tab, error) {
	made, err := cdp.Call(ctx, st.h.c.root, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: st.context, NewWindow: new(true),
		Width: st.h.pool.o.width, Height: st.h.pool.o.height,
	})
	if err != nil {
		return nil, fmt.Errorf("opening a tab: %w", err)
	}
	return st.await(ctx, made.TargetID)
}

// attach returns the tab of the target, attaching to it when need be.
func (st *state) attach(ctx context.Context, id target.ID) (*Tab, error) {
	st.h.mu.Lock()
	t := st.tabs[id]
	st.h.mu.Unlock()
	if t == nil {
		_, err := cdp.Call(ctx, st.h.c.root, target.AttachToTarget, target.AttachToTargetParams{TargetID: id, Flatten: new(true)})
		if protocolError(err) != nil {
			return nil, fmt.Errorf("%w: %w", ErrTabGone, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return st.await(ctx, id)
}

// await waits until the target is attached and set up.
func (st *state) await(ctx context.Context, id target.ID) (*Tab, error) {
	ctx, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	for {
		st.h.mu.Lock()
		t, changed := st.tabs[id], st.h.changed
		st.h.mu.Unlock()
		if t != nil {
			return t, t.awaitReady(ctx)
		}
		select {
		case <-changed:
		case <-st.h.c.done:
			return nil, ErrGone
		case <-ctx.Done():
			return nil, fmt.Errorf("attaching to the tab: %w", ctx.Err())
		}
	}
}

// list asks the browser for the session's tabs.
func (st *state) list(ctx context.Context) ([]bus.Tab, error) {
	res, err := cdp.Call(ctx, st.h.c.root, target.GetTargets, target.GetTargetsParams{Filter: only("page")})
	if err != nil {
		return nil, fmt.Errorf("listing tabs: %w", err)
	}
	var missing []target.ID
	st.h.mu.Lock()
	tabs := []bus.Tab{}
	// The browser lists the newest first.
	for _, info := range slices.Backward(res.TargetInfos) {
		if info.BrowserContextID != st.context || info.Type != "page" || info.Subtype != "" {
			continue
		}
		if st.tabs[info.TargetID] == nil {
			missing = append(missing, info.TargetID)
		}
		tabs = append(tabs, bus.Tab{
			ID: st.number(info.TargetID), Target: string(info.TargetID),
			URL: info.URL, Title: info.Title, Opener: st.ids[info.OpenerID],
		})
	}
	st.h.mu.Unlock()
	for _, id := range missing {
		if _, err := st.attach(ctx, id); err != nil && !errors.Is(err, ErrTabGone) {
			st.h.pool.o.log.Debug("attaching to a tab", "target", id, "error", err)
		}
	}
	slices.SortFunc(tabs, func(a, b bus.Tab) int { return tabNumber(a.ID) - tabNumber(b.ID) })
	return tabs, nil
}

func (st *state) closeTab(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var targetID target.ID
	st.h.mu.Lock()
	for tid, name := range st.ids {
		if name == id {
			targetID = tid
		}
	}
	t := st.tabs[targetID]
	st.h.mu.Unlock()
	if targetID == "" {
		return fmt.Errorf("closing %s: %w", id, ErrTabGone)
	}
	_, err := cdp.Call(ctx, st.h.c.root, target.CloseTarget, target.CloseTargetParams{TargetID: targetID})
	if protocolError(err) != nil {
		return fmt.Errorf("closing %s: %w: %w", id, ErrTabGone, err)
	}
	if err != nil {
		return fmt.Errorf("closing %s: %w", id, err)
	}
	if t == nil {
		return nil
	}
	select {
	case <-t.main.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("closing %s: %w", id, ctx.Err())
	}
}
