package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/quartet-agents/quartet/bus"
)

// longRequest is the age from which a request in flight no longer holds up
// Settle: a stream, a long poll, or a server that hangs.
const longRequest = 2 * time.Second

// activity is what a tab is busy with, over all its processes; guarded by Tab.mu.
type activity struct {
	loading  map[cdp.FrameID]bool
	requests map[network.RequestID]time.Time // in flight, since
	last     time.Time                       // of the last event that counts

	// coming is the request for the top frame's next document, until its answer
	// is there or it is given up; comingURL is where it went.
	coming    network.RequestID
	comingURL string
}

func (a *activity) reset() {
	a.loading, a.requests = map[cdp.FrameID]bool{}, map[network.RequestID]time.Time{}
	a.last = time.Now()
	a.coming, a.comingURL = "", ""
}

// busyUntil returns the time at which the tab will have been quiet for quiet
// if nothing more happens; false when that cannot be said yet.
func (a *activity) busyUntil(now time.Time, quiet time.Duration) (time.Time, bool) {
	if len(a.loading) > 0 {
		return time.Time{}, false
	}
	until := a.last.Add(quiet)
	for _, began := range a.requests {
		// Until then it counts as an event; afterwards not even as one.
		if old := began.Add(longRequest); old.After(now) && old.After(until) {
			until = old
		}
	}
	return until, true
}

// came ends the wait for a document; the id of another request does nothing.
func (a *activity) came(id network.RequestID) {
	if id == a.coming {
		a.coming, a.comingURL = "", ""
	}
}

// Coming is the address of the top frame's next document while the server has
// not answered, else "".
func (t *Tab) Coming() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.activity.comingURL
}

// Arrive waits until no document of the top frame is on its way: the server has
// answered, or the navigation has ended otherwise. Until then Chromium holds
// back every call to the page. At ctx's end it returns the address that has not
// answered; "" in every other case.
func (t *Tab) Arrive(ctx context.Context) (waitsFor string) {
	if t.waitFor(ctx, func() bool { return t.activity.coming == "" || t.crashed }) == nil {
		return ""
	}
	return t.Coming()
}

// StopLoading gives up whatever the page is loading, as Esc does. The document
// that is there stays.
func (t *Tab) StopLoading(ctx context.Context) error {
	_, err := cdp.Call(ctx, t.main, page.StopLoading, cdp.Empty{})
	return err
}

// trackActivity follows loading, requests and navigations.
func (t *Tab) trackActivity(p *part, method string, params jsonv2.Value) {
	t.mu.Lock()
	defer t.notify()
	defer t.mu.Unlock()
	a := &t.activity
	switch method {
	case page.FrameStartedLoading.Method:
		if ev, ok := decode[page.EventFrameStartedLoading](params); ok {
			a.loading[ev.FrameID], a.last = true, time.Now()
		}
	case page.FrameStoppedLoading.Method:
		if ev, ok := decode[page.EventFrameStoppedLoading](params); ok {
			delete(a.loading, ev.FrameID)
			a.last = time.Now()
			if string(ev.FrameID) == string(t.target) {
				a.came(a.coming)
			}
		}
	case page.FrameDetached.Method:
		ev, ok := decode[page.EventFrameDetached](params)
		if ok && ev.Reason != page.FrameDetachedReasonSwap {
			delete(a.loading, ev.FrameID)
			delete(t.blocked, ev.FrameID)
			delete(p.worlds, ev.FrameID)
			delete(p.owners, ev.FrameID)
			a.last = time.Now()
		}
	case page.FrameNavigated.Method:
		if ev, ok := decode[page.EventFrameNavigated](params); ok {
			a.last = time.Now()
			if ev.Frame.ParentID == "" && p.frame == "" {
				clear(a.requests) // what the last document began
				clear(a.loading)
				a.loading[ev.Frame.ID] = true
				a.came(a.coming)
			}
			t.seeNavigation(p, &ev)
		}
	case page.NavigatedWithinDocument.Method:
		if ev, ok := decode[page.EventNavigatedWithinDocument](params); ok {
			top := string(ev.FrameID) == string(t.target)
			if top {
				t.url = ev.URL
			}
			a.last = time.Now()
			t.addNavigation(Navigation{Frame: ev.FrameID, Top: top, URL: ev.URL, SameDocument: true})
		}
	case network.RequestWillBeSent.Method:
		if ev, ok := decode[network.EventRequestWillBeSent](params); ok && ev.Request != nil {
			a.last = time.Now()
			if ev.Type == network.ResourceTypeDocument && p.frame == "" && string(ev.FrameID) == string(t.target) {
				a.coming, a.comingURL = ev.RequestID, ev.Request.URL
			}
			if ev.Type != network.ResourceTypeEventSource && ev.Type != network.ResourceTypeWebSocket && ev.Type != network.ResourceTypePing {
				a.requests[ev.RequestID] = a.last
			}
			t.seeRequest(&ev)
		}
	case network.ResponseReceived.Method:
		if ev, ok := decode[network.EventResponseReceived](params); ok && ev.Response != nil {
			if ev.Response.MimeType == "text/event-stream" {
				delete(a.requests, ev.RequestID)
			}
			a.came(ev.RequestID)
			t.seeOutcome(ev.RequestID, func(r *bus.Request) { r.Status = int(ev.Response.Status) })
		}
	case network.LoadingFinished.Method:
		if ev, ok := decode[network.EventLoadingFinished](params); ok {
			delete(a.requests, ev.RequestID)
			a.last = time.Now()
		}
	case network.LoadingFailed.Method:
		if ev, ok := decode[network.EventLoadingFailed](params); ok {
			delete(a.requests, ev.RequestID)
			a.came(ev.RequestID)
			a.last = time.Now()
			t.seeOutcome(ev.RequestID, func(r *bus.Request) { r.Error = ev.ErrorText })
		}
	}
}

// owns says whether the frame is one of the tab's.
func (t *Tab) owns(id cdp.FrameID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if string(id) == string(t.target) {
		return true
	}
	for _, p := range t.parts {
		if p.frame == id || p.worlds[id] != nil {
			return true
		}
	}
	return false
}

// frameTarget is the target of a page by its top frame, which has the same id.
func frameTarget(id cdp.FrameID) target.ID { return target.ID(id) }

const quietCall = `(ms, max) => (globalThis.__quartet && typeof globalThis.__quartet.quiet === 'function' ? globalThis.__quartet.quiet : globalThis.__quartetQuiet)(ms, max)`

// Settle waits until nothing has happened for quiet: no document is loading,
// no request is in flight (streams and those older than 2 s do not count), no
// DOM changed in any frame that answers. It never takes longer than max, and
// returns nil then too: that the page did not settle is no failure. Errors are
// ctx's end, ErrTabGone, and ErrDialogOpen.
func (t *Tab) Settle(ctx context.Context, quiet, max time.Duration) error {
	ctx, end, err := t.unlessDialog(ctx)
	if err != nil {
		return err
	}
	defer end()
	sctx, cancel := context.WithTimeout(ctx, max)
	defer cancel()
	deadline := time.Now().Add(max)
	for {
		// Both at once; again, when the network stirred in the meantime.
		began := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { t.stillFrames(sctx, quiet, time.Until(deadline)) })
		err := t.networkQuiet(sctx, quiet)
		wg.Wait()
		if ctx.Err() != nil {
			return because(ctx, ctx.Err())
		}
		if sctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		t.mu.Lock()
		still := len(t.activity.loading) == 0 && !t.activity.last.After(began)
		until, ok := t.activity.busyUntil(time.Now(), quiet)
		t.mu.Unlock()
		if still || ok && !until.After(time.Now()) {
			return nil
		}
	}
}

// Calm says that as far as loading and requests go, Settle would not wait.
func (t *Tab) Calm(quiet time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	until, ok := t.activity.busyUntil(now, quiet)
	return ok && !until.After(now)
}

// networkQuiet waits until loading and requests have been quiet.
func (t *Tab) networkQuiet(ctx context.Context, quiet time.Duration) error {
	for {
		t.mu.Lock()
		now := time.Now()
		until, ok := t.activity.busyUntil(now, quiet)
		changed, gone := t.changed, t.gone
		t.mu.Unlock()
		if gone {
			return ErrTabGone
		}
		if ok && !until.After(now) {
			return nil
		}
		var timer <-chan time.Time
		if ok {
			timer = time.After(until.Sub(now))
		}
		select {
		case <-changed:
		case <-timer:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stillFrames waits until no frame's DOM has changed for quiet. A frame that
// cannot be asked, or goes away, is not waited for.
func (t *Tab) stillFrames(ctx context.Context, quiet, max time.Duration) {
	frames, err := t.Frames(ctx)
	if err != nil {
		return
	}
	var wg sync.WaitGroup
	for _, f := range frames {
		if f.Note != "" {
			continue
		}
		wg.Go(func() {
			err := f.Call(ctx, nil, quietCall, quiet.Milliseconds(), max.Milliseconds())
			var script *ScriptError
			if errors.As(err, &script) {
				t.st.h.pool.o.log.Debug("waiting for a frame's quiet", "frame", f.ID, "error", fmt.Sprint(err))
			}
		})
	}
	wg.Wait()
}
