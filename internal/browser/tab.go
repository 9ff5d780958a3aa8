package browser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/quartet-agents/quartet/bus"
)

// A Tab is a page that this process is attached to. It is safe for concurrent
// use, and stays valid through navigations until the page is closed.
type Tab struct {
	st     *state
	target target.ID
	main   *session

	ready    chan struct{} // closed when the page is set up, or failed with readyErr
	readyErr error

	mu      sync.Mutex
	opener  target.ID
	url     string
	title   string
	parts   map[*session]*part
	blocked map[cdp.FrameID]string // frames whose last document was refused
	watches map[*Watch]struct{}
	crashed bool
	gone    bool
	stub    string        // the URL that is answered with an empty page, see fill
	changed chan struct{} // closed and replaced at every event that a wait may look for

	dialogs  dialogs
	activity activity
	alone    *Frame // the page's one frame, as long as it is current
}

// A part is one process of the page: the top one, or a cross-site frame with
// the frames of its own site. Guarded by Tab.mu.
type part struct {
	s      *session
	frame  cdp.FrameID // the frame at its root, "" for the page's own
	parent *part
	worlds map[cdp.FrameID]*world
	owners map[cdp.FrameID]cdp.BackendNodeID
	marked map[mark]bool // what MarkListeners has handed over
	ready  chan struct{} // closed when set up
}

func newTab(st *state, info *target.Info, s *session) *Tab {
	t := &Tab{
		st: st, target: info.TargetID, main: s, ready: make(chan struct{}),
		opener: info.OpenerID, url: info.URL, title: info.Title,
		parts: map[*session]*part{}, blocked: map[cdp.FrameID]string{},
		watches: map[*Watch]struct{}{}, changed: make(chan struct{}),
	}
	t.dialogs.calls = map[*context.CancelCauseFunc]struct{}{}
	t.activity.reset()
	return t
}

// Session is the CDP session of the page's top process, for commands that this
// package has no function for.
func (t *Tab) Session() cdp.Session { return t.main }

// Target is the page's CDP target id.
func (t *Tab) Target() target.ID { return t.target }

// ID is the tab's id in its session, "t1".
func (t *Tab) ID() string { return t.st.idOf(t.target) }

// URL is what the tab shows, as last reported by the browser.
func (t *Tab) URL() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.url
}

// Title is the document's title, as last reported by the browser.
func (t *Tab) Title() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.title
}

// Gone is true when the page was closed.
func (t *Tab) Gone() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}

// Crashed is true while the page's renderer is dead.
func (t *Tab) Crashed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.crashed
}

func (t *Tab) describe() bus.Tab {
	t.mu.Lock()
	url, title, opener := t.url, t.title, t.opener
	t.mu.Unlock()
	d := bus.Tab{ID: t.ID(), Target: string(t.target), URL: url, Title: title}
	if opener != "" {
		d.Opener = t.st.idOf(opener)
	}
	return d
}

func (t *Tab) shows(info *target.Info) {
	t.mu.Lock()
	t.url, t.title = info.URL, info.Title
	t.mu.Unlock()
}

func (t *Tab) awaitReady(ctx context.Context) error {
	select {
	case <-t.ready:
		return t.readyErr
	case <-ctx.Done():
		return fmt.Errorf("attaching to the tab: %w", ctx.Err())
	}
}

// start sets the page up, without waiting.
func (t *Tab) start() {
	p := &part{s: t.main, ready: t.ready}
	t.add(p)
	go func() {
		defer close(t.ready)
		t.readyErr = t.setup(p)
	}()
}

func (t *Tab) add(p *part) {
	p.worlds, p.owners = map[cdp.FrameID]*world{}, map[cdp.FrameID]cdp.BackendNodeID{}
	p.marked = map[mark]bool{}
	t.mu.Lock()
	t.parts[p.s] = p
	t.mu.Unlock()
	p.s.serve(func(method string, params jsonv2.Value) { t.handle(p, method, params) })
}

// setup sends everything that a new page or cross-site frame needs in one go,
// letting it run at the end: a page that waits for its debugger answers some
// commands only when it runs.
func (t *Tab) setup(p *part) error {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	o := &t.st.h.pool.o
	steps := []step{
		{method: fetch.Enable.Method, params: fetch.EnableParams{Patterns: []*fetch.RequestPattern{{
			URLPattern: "*", ResourceType: network.ResourceTypeDocument, RequestStage: fetch.RequestStageRequest,
		}}}},
		{method: page.Enable.Method, params: page.EnableParams{}},
		{method: inspector.Enable.Method, may: true},
		{method: network.Enable.Method, params: network.EnableParams{
			MaxTotalBufferSize: new(int64(1 << 20)), MaxResourceBufferSize: new(int64(1 << 18)), MaxPostDataSize: new(int64(0)),
		}},
		{method: target.SetAutoAttach.Method, params: target.SetAutoAttachParams{
			AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true), Filter: only("iframe"),
		}},
		{method: runtime.Enable.Method},
	}
	for _, sc := range o.scripts {
		steps = append(steps, step{method: page.AddScriptToEvaluateOnNewDocument.Method, params: page.AddScriptToEvaluateOnNewDocumentParams{
			Source: sc.marked(), WorldName: worldName, RunImmediately: new(true),
		}})
	}
	steps = append(steps, step{method: emulation.SetFocusEmulationEnabled.Method, params: emulation.SetFocusEmulationEnabledParams{Enabled: true}, may: true})
	if p.frame == "" {
		steps = append(steps, step{method: emulation.SetDeviceMetricsOverride.Method, may: true, params: emulation.SetDeviceMetricsOverrideParams{
			Width: o.width, Height: o.height, DeviceScaleFactor: 1,
		}})
	}
	steps = append(steps, step{method: runtime.RunIfWaitingForDebugger.Method})
	if err := p.s.all(ctx, steps); err != nil {
		return fmt.Errorf("attaching to %s: %w", t.target, err)
	}
	return nil
}

// handle gets the events of one part of the page, in order.
func (t *Tab) handle(p *part, method string, params jsonv2.Value) {
	switch method {
	case "":
		t.partEnded(p)
	case target.AttachedToTarget.Method:
		if ev, ok := decode[target.EventAttachedToTarget](params); ok {
			t.frameAttached(p, &ev)
		}
	case inspector.TargetReloadedAfterCrash.Method:
		t.revived(p)
	case inspector.TargetCrashed.Method:
		p.s.crash(true)
		t.mu.Lock()
		t.crashed = t.crashed || p.frame == ""
		t.mu.Unlock()
		t.record(func(f *Facts) { f.Crashed = f.Crashed || p.frame == "" })
	case fetch.RequestPaused.Method:
		if ev, ok := decode[fetch.EventRequestPaused](params); ok {
			t.judge(p, &ev)
		}
	case runtime.ExecutionContextCreated.Method, runtime.ExecutionContextDestroyed.Method, runtime.ExecutionContextsCleared.Method:
		t.trackWorlds(p, method, params)
	case page.JavascriptDialogOpening.Method:
		if ev, ok := decode[page.EventJavascriptDialogOpening](params); ok {
			t.dialogOpens(p, &ev)
		}
	case page.JavascriptDialogClosed.Method:
		if ev, ok := decode[page.EventJavascriptDialogClosed](params); ok {
			t.dialogCloses(&ev)
		}
	default:
		t.trackActivity(p, method, params)
	}
}

// revived takes note that a part has a renderer again.
func (t *Tab) revived(p *part) {
	p.s.crash(false)
	if p.frame == "" {
		t.mu.Lock()
		t.crashed = false
		t.mu.Unlock()
	}
}

// Revive takes it that the page gets a new renderer, where the old one has died:
// it is for who is about to navigate. A renderer that dies again is noticed.
func (t *Tab) Revive() {
	t.mu.Lock()
	p, dead := t.parts[t.main], t.crashed
	t.mu.Unlock()
	if dead && p != nil {
		t.revived(p)
	}
}

// frameAttached takes in a cross-site frame.
func (t *Tab) frameAttached(parent *part, ev *target.EventAttachedToTarget) {
	s := t.main.c.session(ev.SessionID)
	if s == nil {
		return
	}
	p := &part{s: s, frame: cdp.FrameID(ev.TargetInfo.TargetID), parent: parent, ready: make(chan struct{})}
	t.add(p)
	go func() {
		defer close(p.ready)
		if err := t.setup(p); err != nil && !errors.Is(err, ErrTabGone) {
			t.st.h.pool.o.log.Debug("setting up a frame", "frame", p.frame, "error", err)
		}
		t.notify()
	}()
	t.notify()
}

func (t *Tab) partEnded(p *part) {
	t.mu.Lock()
	delete(t.parts, p.s)
	delete(t.activity.loading, p.frame)
	if p.s == t.main {
		t.gone = true
	}
	// What was attached through it went with it; nobody tells.
	var inner []*session
	for s, q := range t.parts {
		if q.parent == p {
			inner = append(inner, s)
		}
	}
	t.mu.Unlock()
	for _, s := range inner {
		t.main.c.drop(s)
	}
	if p.s == t.main {
		t.releaseCalls(ErrTabGone)
		t.record(func(f *Facts) { f.Closed = true })
		t.st.removed(t)
	} else {
		t.notify()
	}
}

// notify wakes every wait on the tab.
func (t *Tab) notify() {
	t.mu.Lock()
	close(t.changed)
	t.changed = make(chan struct{})
	t.mu.Unlock()
}

// judge lets a document request through or refuses it. A refused one ends as
// aborted, so that the page stays where it is.
func (t *Tab) judge(p *part, ev *fetch.EventRequestPaused) {
	t.st.h.mu.Lock()
	allowed := t.st.origins
	t.st.h.mu.Unlock()
	top := p.frame == "" && string(ev.FrameID) == string(t.target)
	ok := allowed.allow(ev.Request.URL, top)
	t.mu.Lock()
	stub := t.stub != "" && t.stub == ev.Request.URL
	if ok {
		delete(t.blocked, ev.FrameID)
	} else {
		t.blocked[ev.FrameID] = ev.Request.URL
	}
	t.mu.Unlock()
	if !ok {
		t.refused(Blocked{URL: ev.Request.URL, Page: top})
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
		defer cancel()
		var err error
		if ok && stub {
			err = fulfil(ctx, p.s, ev.RequestID)
		} else if ok {
			_, err = cdp.Call(ctx, p.s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: ev.RequestID})
		} else {
			_, err = cdp.Call(ctx, p.s, fetch.FailRequest, fetch.FailRequestParams{RequestID: ev.RequestID, ErrorReason: network.ErrorReasonAborted})
		}
		if err != nil && protocolError(err) == nil && !errors.Is(err, ErrTabGone) && !errors.Is(err, ErrGone) {
			t.st.h.pool.o.log.Warn("answering a document request", "url", ev.Request.URL, "error", err)
		}
	}()
}

// refused notes a refusal for the tab and for those that it was opened by.
func (t *Tab) refused(b Blocked) {
	for range maxOpeners {
		t.record(func(f *Facts) { f.block(b) })
		t.mu.Lock()
		opener := t.opener
		t.mu.Unlock()
		t.st.h.mu.Lock()
		by := t.st.tabs[opener]
		t.st.h.mu.Unlock()
		if by == nil {
			return
		}
		t = by
	}
}

// maxOpeners bounds how far a refusal is reported.
const maxOpeners = 4

// Blocked lists the documents of the tab's frames that were refused.
func (t *Tab) Blocked() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Values(t.blocked))
}

// Navigate loads a URL in the top frame and returns when the document is
// committed (Settle waits for the rest). It returns ErrOrigin for a URL outside
// the allowed origins, a *LoadError when nothing could be loaded.
func (t *Tab) Navigate(ctx context.Context, rawURL string) error {
	t.st.h.mu.Lock()
	allowed := t.st.origins
	t.st.h.mu.Unlock()
	if !allowed.allow(rawURL, true) {
		t.refused(Blocked{URL: rawURL, Page: true})
		return fmt.Errorf("%s: %w", rawURL, ErrOrigin)
	}
	ctx, end, err := t.unlessDialog(ctx)
	if err != nil {
		return err
	}
	defer end()
	res, err := cdp.Call(ctx, t.main, page.Navigate, page.NavigateParams{URL: rawURL})
	if err != nil {
		return because(ctx, err)
	}
	if res.ErrorText == "" {
		return nil
	}
	t.mu.Lock()
	refused := t.blocked[res.FrameID]
	t.mu.Unlock()
	if refused != "" && res.ErrorText == "net::ERR_ABORTED" {
		return fmt.Errorf("%s leads to %s: %w", rawURL, refused, ErrOrigin)
	}
	if res.IsDownload {
		return nil
	}
	return &LoadError{URL: rawURL, Reason: res.ErrorText}
}

// because names the cause of a context's end, where one was given.
func because(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if ctx.Err() == nil || cause == nil || errors.Is(cause, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", cause, err)
}

// waitFor waits until cond (called with t.mu held) is true.
func (t *Tab) waitFor(ctx context.Context, cond func() bool) error {
	for {
		t.mu.Lock()
		ok, changed, gone := cond(), t.changed, t.gone
		t.mu.Unlock()
		switch {
		case ok:
			return nil
		case gone:
			return ErrTabGone
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return because(ctx, ctx.Err())
		}
	}
}
