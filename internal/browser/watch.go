package browser

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"github.com/quartet-agents/quartet/bus"
)

// maxFacts bounds each list of a Watch; what is beyond is counted in Dropped.
const maxFacts = 2000

// A Watch gathers what happens in and around a tab from its making until Close.
type Watch struct {
	tab   *Tab
	facts Facts // guarded by tab.mu
	index map[network.RequestID]int
	files map[string]int // downloads by GUID
}

// Facts is what a Watch has seen.
type Facts struct {
	Dialogs     []bus.Dialog
	Requests    []bus.Request // of all frames; Status 0 while not answered
	Navigations []Navigation
	Downloads   []Download
	NewTabs     []bus.Tab // opened in the session, by any tab
	Blocked     []Blocked // documents that the origin policy refused, also of tabs that this one opened
	Crashed     bool      // the page's renderer died
	Closed      bool      // the tab was closed
	Dropped     int       // requests beyond what is kept

	open *bus.Dialog
}

// A Navigation is a document that a frame committed, or a change of its URL
// within the document.
type Navigation struct {
	Frame        cdp.FrameID
	Top          bool
	URL          string
	Loader       string // empty within the same document
	SameDocument bool
	Failed       bool // an error page: nothing could be loaded from URL
}

// A Download is a file on its way or arrived. Path is where this process finds
// it once State is "completed"; it may not be readable with a browser elsewhere
// (see WithDownloadDir).
type Download struct {
	Name  string
	URL   string
	Size  int64 // received so far
	State string
	Path  string
	guid  string
}

// Blocked is a document that was refused; Page tells those of a tab from those
// of a frame.
type Blocked struct {
	URL  string
	Page bool
}

func (f *Facts) block(b Blocked) {
	if len(f.Blocked) < maxFacts && !slices.Contains(f.Blocked, b) {
		f.Blocked = append(f.Blocked, b)
	}
}

// Watch begins to gather facts. The caller must Close it.
func (t *Tab) Watch() *Watch {
	w := &Watch{tab: t, index: map[network.RequestID]int{}, files: map[string]int{}}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dialogs.open != nil {
		// One that is open already can still be answered.
		w.facts.Dialogs, w.facts.open = []bus.Dialog{*t.dialogs.open}, t.dialogs.open
	}
	w.facts.Crashed, w.facts.Closed = t.crashed, t.gone
	t.watches[w] = struct{}{}
	return w
}

// Facts returns a copy of what was seen so far.
func (w *Watch) Facts() Facts {
	w.tab.mu.Lock()
	defer w.tab.mu.Unlock()
	return w.copy()
}

func (w *Watch) copy() Facts {
	f := w.facts
	f.Dialogs, f.Requests = slices.Clone(f.Dialogs), slices.Clone(f.Requests)
	f.Navigations, f.Downloads = slices.Clone(f.Navigations), slices.Clone(f.Downloads)
	f.NewTabs, f.Blocked = slices.Clone(f.NewTabs), slices.Clone(f.Blocked)
	return f
}

// Wait waits until cond holds for what was seen, and returns it; at ctx's end
// it returns what was seen so far with the error. It does not end by itself
// when the tab is closed: cond sees that in Facts.
func (w *Watch) Wait(ctx context.Context, cond func(Facts) bool) (Facts, error) {
	for {
		w.tab.mu.Lock()
		f, changed := w.copy(), w.tab.changed
		w.tab.mu.Unlock()
		if cond(f) {
			return f, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return f, ctx.Err()
		}
	}
}

// Close stops gathering; Facts still returns what was seen.
func (w *Watch) Close() {
	w.tab.mu.Lock()
	defer w.tab.mu.Unlock()
	delete(w.tab.watches, w)
}

// record writes a fact into every watch of the tab, and wakes the waits.
func (t *Tab) record(write func(*Facts)) {
	t.mu.Lock()
	for w := range t.watches {
		write(&w.facts)
	}
	t.mu.Unlock()
	t.notify()
}

// seeRequest notes requests and their outcomes; t.mu is held.
func (t *Tab) seeRequest(ev *network.EventRequestWillBeSent) {
	for w := range t.watches {
		if i, ok := w.index[ev.RequestID]; ok && ev.RedirectResponse != nil {
			w.facts.Requests[i].Status = int(ev.RedirectResponse.Status)
		}
		if len(w.facts.Requests) >= maxFacts {
			w.facts.Dropped++
			delete(w.index, ev.RequestID)
			continue
		}
		w.index[ev.RequestID] = len(w.facts.Requests)
		w.facts.Requests = append(w.facts.Requests, bus.Request{Method: ev.Request.Method, URL: ev.Request.URL, Type: string(ev.Type)})
	}
}

func (t *Tab) seeOutcome(id network.RequestID, write func(*bus.Request)) {
	for w := range t.watches {
		if i, ok := w.index[id]; ok {
			write(&w.facts.Requests[i])
		}
	}
}

func (t *Tab) seeNavigation(p *part, ev *page.EventFrameNavigated) {
	fr := ev.Frame
	n := Navigation{Frame: fr.ID, Top: fr.ParentID == "" && p.frame == "", URL: fr.URL + fr.URLFragment, Loader: string(fr.LoaderID)}
	if fr.UnreachableURL != "" {
		n.URL, n.Failed = fr.UnreachableURL, true
	}
	if n.Top {
		t.url = n.URL
	}
	t.addNavigation(n)
}

func (t *Tab) addNavigation(n Navigation) {
	for w := range t.watches {
		if len(w.facts.Navigations) < maxFacts {
			w.facts.Navigations = append(w.facts.Navigations, n)
		}
	}
}

// downloadBegins finds the session by the frame that caused the download: a
// frame of one of its tabs, or a tab that exists only for the download.
func (h *host) downloadBegins(ev *browser.EventDownloadWillBegin) {
	h.mu.Lock()
	var st *state
	for _, s := range h.states {
		for _, t := range s.tabs {
			if t.owns(ev.FrameID) {
				st = s
			}
		}
		if s.ids[frameTarget(ev.FrameID)] != "" {
			st = s
		}
	}
	if st == nil && len(h.states) == 1 {
		for _, s := range h.states {
			st = s
		}
	}
	if st == nil {
		h.mu.Unlock()
		return
	}
	h.downloads[ev.GUID] = st
	tabs := st.openTabs()
	h.mu.Unlock()
	for _, t := range tabs {
		t.mu.Lock()
		for w := range t.watches {
			w.files[ev.GUID] = len(w.facts.Downloads)
			w.facts.Downloads = append(w.facts.Downloads, Download{Name: ev.SuggestedFilename, URL: ev.URL, State: "inProgress", guid: ev.GUID})
		}
		t.mu.Unlock()
		t.notify()
	}
}

// downloading says whether a file of the session is on its way.
func (h *host) downloading(st *state) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.downloads {
		if s == st {
			return true
		}
	}
	return false
}

func (h *host) downloadProgress(ev *browser.EventDownloadProgress) {
	h.mu.Lock()
	st := h.downloads[ev.GUID]
	if st == nil {
		h.mu.Unlock()
		return
	}
	if ev.State != browser.DownloadProgressStateInProgress {
		delete(h.downloads, ev.GUID)
	}
	tabs := st.openTabs()
	h.mu.Unlock()
	dir, _ := h.downloadDirs(st.id)
	for _, t := range tabs {
		t.mu.Lock()
		for w := range t.watches {
			i, ok := w.files[ev.GUID]
			if !ok {
				continue
			}
			d := &w.facts.Downloads[i]
			d.Size, d.State = int64(ev.ReceivedBytes), string(ev.State)
			if ev.State == browser.DownloadProgressStateCompleted {
				d.Path = filepath.Join(dir, ev.GUID)
			}
		}
		t.mu.Unlock()
		t.notify()
	}
}

// Read returns the bytes of a completed download.
func (d Download) Read() ([]byte, error) { return os.ReadFile(d.Path) }
