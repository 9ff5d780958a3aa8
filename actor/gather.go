package actor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// How long the page must be quiet after input, and how long that is waited for.
const (
	settleQuiet = 90 * time.Millisecond
	settleMax   = 3 * time.Second
	// downloadMax bounds the bytes of one download that are kept.
	downloadMax = 256 << 20
	maxRequests = 50
	// gatherMax bounds everything that is done after the input.
	gatherMax  = 8 * time.Second
	newTabWait = 1500 * time.Millisecond
	// fileBegins is how long a link that seems to lead nowhere may take to begin
	// a download.
	fileBegins = 600 * time.Millisecond
	stopMax    = 2 * time.Second
)

// settle waits until the page is quiet, within the attempt's time and a little.
func (h *hand) settle(ctx context.Context, tab *browser.Tab) {
	err := tab.Settle(ctx, settleQuiet, min(settleMax, max(time.Until(h.until), 2*settleQuiet)))
	if err != nil && !errors.Is(err, browser.ErrTabGone) && !errors.Is(err, browser.ErrDialogOpen) && !errors.Is(err, context.DeadlineExceeded) {
		h.note("settling: %v", err)
	}
}

// arrive waits for a document that the input has set out for, as long as the
// attempt has time; then it gives up, as a person would with Esc: a page that
// waits for an answer can't be looked at. It says whether one was on its way.
func (h *hand) arrive(ctx context.Context, tab *browser.Tab) bool {
	if tab.Coming() == "" || h.leftOpen() {
		return false // behind a dialog nothing arrives
	}
	actx, cancel := context.WithDeadline(context.WithoutCancel(ctx), h.until)
	defer cancel()
	url := tab.Arrive(actx)
	if url == "" {
		return true
	}
	h.note("%s had not answered when the time for the attempt was up; its loading was stopped", url)
	sctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopMax)
	defer cancel()
	if err := tab.StopLoading(sctx); err != nil {
		h.note("loading could not be stopped: %v", err)
		return true
	}
	tab.Arrive(sctx)
	return true
}

// gather lets the page settle after input, then takes what the watch saw into
// the receipt. It reports facts only, and never fails: what cannot be told is
// noted. A page that took the whole time is not asked again.
func (h *hand) gather(ctx context.Context, w *browser.Watch, ok bool) {
	if h.probe != nil {
		defer h.probe.disarm()
	}
	answers := false
	if h.rec.Sent {
		h.askPending(ctx)
		stopKeeping := h.keepSoFar(ctx, w)
		if answers = time.Now().Before(h.until); answers {
			h.settle(ctx, h.tab)
		}
		if h.arrive(ctx, h.tab) {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), gatherMax)
			defer cancel()
			h.settle(ctx, h.tab)
		}
		answers = time.Now().Before(h.until)
		stopKeeping() // before the receipt that replaces it
	}
	if answers {
		h.outlast(ctx)
		h.takeTraces(ctx)
	}
	f := w.Facts()
	if ok && answers && h.rec.Sent && h.leadsNowhere(f) {
		// A file's coming is told by the browser alone, and may be told late.
		wctx, cancel := context.WithTimeout(ctx, fileBegins)
		f, _ = w.Wait(wctx, func(f browser.Facts) bool { return !h.leadsNowhere(f) }) // what was seen so far is as good
		cancel()
	}
	if ok && (h.in.Action == bus.ActionDownload || len(f.Downloads) > 0) {
		f = h.awaitDownloads(ctx, w)
	}
	h.takeFacts(ctx, f)
	h.afterTabs(ctx, f)
	h.rec.Blocked, h.rec.BlockedPages = blocked(w.Facts())
	if answers {
		h.readBack(ctx)
	}
}

// leadsNowhere holds for a click on a link of which nothing is seen to come.
func (h *hand) leadsNowhere(f browser.Facts) bool {
	t := h.rec.Target
	return h.in.Action == bus.ActionClick && t != nil && t.Role == "link" &&
		len(f.Downloads)+len(f.NewTabs)+len(f.Navigations)+len(f.Requests)+len(f.Dialogs) == 0
}

// keepSoFar keeps what is known right after the input, in the background until
// stop is called: that it was sent and what it hit; then, as soon as they are
// seen, the requests that may have changed something on a server, and where the
// page went. Should this process die while the page settles, nobody has to
// wonder about these.
func (h *hand) keepSoFar(ctx context.Context, w *browser.Watch) (stop func()) {
	r := bus.Receipt{Attempt: h.rec.Attempt, Lost: true, Sent: true, Started: h.rec.Started, URLBefore: h.a.mask(h.rec.URLBefore)}
	if h.rec.Hit != nil {
		hit := *h.rec.Hit
		hit.Name = h.a.mask(hit.Name)
		r.Hit = &hit
	}
	wctx, end := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var err error
		f := w.Facts()
		for err == nil {
			r.Requests, r.URLAfter = h.posted(f), h.a.mask(wentTo(f))
			if err = h.a.keep(ctx, h.sess.ID, r); err != nil {
				h.a.log.Warn("what was hit was not kept", "attempt", r.Attempt, "error", err)
				return
			}
			f, err = w.Wait(wctx, func(f browser.Facts) bool {
				return len(h.posted(f)) > len(r.Requests) || h.a.mask(wentTo(f)) != r.URLAfter
			})
		}
	}()
	return func() { end(); <-done }
}

// posted are the requests that may have changed something on a server.
func (h *hand) posted(f browser.Facts) []bus.Request {
	var out []bus.Request
	for _, q := range f.Requests {
		if q.Posts() && len(out) < maxRequests {
			q.URL = h.a.mask(q.URL)
			out = append(out, q)
		}
	}
	return out
}

// wentTo is the last address to which the page went, "" for none.
func wentTo(f browser.Facts) (url string) {
	for _, n := range f.Navigations {
		if n.Top && !n.Failed {
			url = n.URL
		}
	}
	return url
}

// awaitDownloads waits until every download that began has ended; for a
// download intent also until one begins.
func (h *hand) awaitDownloads(ctx context.Context, w *browser.Watch) browser.Facts {
	limit := h.a.o.Timeout
	if h.in.TimeoutMS > 0 {
		limit = time.Duration(h.in.TimeoutMS) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	f, err := w.Wait(ctx, func(f browser.Facts) bool {
		if len(f.Downloads) == 0 {
			return f.Closed
		}
		for _, d := range f.Downloads {
			if d.State == "inProgress" {
				return false
			}
		}
		return true
	})
	if err != nil && len(f.Downloads) == 0 {
		h.note("no download began within %s", limit)
	} else if err != nil {
		h.note("a download had not ended after %s", limit)
	}
	return f
}

// blocked lists what the origin policy refused, and which of it was to be a
// page: in the tab itself or in one that it opened.
func blocked(f browser.Facts) (all, pages []string) {
	for _, b := range f.Blocked {
		all = append(all, b.URL)
		if b.Page {
			pages = append(pages, b.URL)
		}
	}
	return all, pages
}

func (h *hand) takeFacts(ctx context.Context, f browser.Facts) {
	h.rec.Dialogs = f.Dialogs
	h.rec.Crashed = f.Crashed && !h.dead
	for _, r := range f.Requests {
		if (r.Method != "GET" && r.Method != "OPTIONS" || r.Type == "Document") && len(h.rec.Requests) < maxRequests {
			h.rec.Requests = append(h.rec.Requests, r)
		}
	}
	for _, d := range f.Downloads {
		h.rec.Downloads = append(h.rec.Downloads, h.download(ctx, d))
	}
}

// download hashes a file that arrived and keeps its bytes.
func (h *hand) download(ctx context.Context, d browser.Download) bus.Download {
	out := bus.Download{Name: d.Name, URL: d.URL, Size: d.Size, State: d.State}
	if d.State != "completed" || d.Path == "" {
		return out
	}
	f, err := os.Open(d.Path)
	if err != nil {
		h.note("the download %s is not readable here: %v", d.Name, err)
		return out
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, downloadMax+1))
	if err != nil || len(data) > downloadMax {
		h.note("the download %s was not kept: it is larger than %d MiB, or not readable", d.Name, downloadMax>>20)
		return out
	}
	sum := sha256.Sum256(data)
	out.Size, out.SHA256 = int64(len(data)), hex.EncodeToString(sum[:])
	if out.Blob, err = h.a.bus.Blobs().Put(ctx, data); err != nil {
		h.note("the download %s was not kept: %v", d.Name, err)
	}
	return out
}

// afterTabs reports the tabs as they are now. A tab that the act opened becomes
// the current one, as in a person's browser; one that closed gives way to its
// opener, else to the last one left.
func (h *hand) afterTabs(ctx context.Context, f browser.Facts) {
	h.rec.URLAfter = h.tab.URL()
	tabs, err := h.a.pool.Tabs(ctx, h.sess)
	if err != nil {
		h.note("the tabs could not be listed: %v", err)
		return
	}
	h.rec.Tabs = tabs
	open := map[string]bus.Tab{}
	for _, t := range tabs {
		open[t.ID] = t
	}
	known := map[string]bool{}
	for _, t := range h.sess.Tabs {
		known[t.ID] = true
	}
	cur := h.rec.Tab
	for _, t := range tabs {
		if known[t.ID] {
			continue
		}
		h.rec.NewTabs = append(h.rec.NewTabs, t)
		if h.rec.Sent {
			cur = t.ID
		}
	}
	if _, ok := open[cur]; !ok {
		cur = ""
		for _, t := range h.sess.Tabs {
			if t.ID == h.rec.Tab && t.Opener != "" {
				if _, ok := open[t.Opener]; ok {
					cur = t.Opener
				}
			}
		}
		if cur == "" && len(tabs) > 0 {
			cur = tabs[len(tabs)-1].ID
		}
	}
	h.rec.Tab = cur
	if t, ok := open[cur]; ok && cur != h.sess.Tab {
		h.settleOther(ctx, tabs, t)
	}
}

// settleOther waits for a tab that has become the current one to load.
func (h *hand) settleOther(ctx context.Context, tabs []bus.Tab, t bus.Tab) {
	s := h.sess
	s.Tabs, s.Tab = tabs, t.ID
	tab, err := h.a.pool.Tab(ctx, s)
	if err != nil {
		return
	}
	if u := tab.URL(); (u == "" || u == "about:blank") && len(tab.Blocked()) == 0 && h.in.Action != bus.ActionNewTab {
		// It was opened just now; its document is on the way.
		w := tab.Watch()
		wctx, cancel := context.WithTimeout(ctx, newTabWait)
		_, _ = w.Wait(wctx, func(f browser.Facts) bool {
			u := tab.URL()
			return len(f.Navigations) > 0 || f.Closed || u != "" && u != "about:blank"
		})
		cancel()
		w.Close()
	}
	h.settle(ctx, tab)
	if h.arrive(ctx, tab) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), gatherMax)
		defer cancel()
		h.settle(ctx, tab)
	}
	h.rec.URLAfter = tab.URL()
	if now, err := h.a.pool.Tabs(ctx, s); err == nil {
		h.rec.Tabs = now
		for i := range h.rec.NewTabs {
			for _, n := range now {
				if n.ID == h.rec.NewTabs[i].ID {
					h.rec.NewTabs[i] = n
				}
			}
		}
	}
}
