package actor

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// navigate opens the intent's URL, relative to what the tab shows. A URL
// outside the allowed origins is refused before anything is sent.
func (h *hand) navigate(ctx context.Context) error {
	target, _, err := h.a.expand(strings.TrimSpace(h.in.Value))
	if err != nil {
		return err
	}
	to, err := resolveURL(h.tab.URL(), target)
	if err != nil {
		return err
	}
	if !browser.Allowed(to, h.sess.AllowedOrigins) {
		return refuse(bus.RefusedOrigin, "%s is not within the allowed origins %s", to, strings.Join(h.sess.AllowedOrigins, ", "))
	}
	h.rec.Sent = true
	err = h.tab.Navigate(ctx, to)
	if le, ok := errors.AsType[*browser.LoadError](err); ok {
		return refuse(bus.RefusedUnreachable, "%s did not load: %s", to, le.Reason)
	}
	switch {
	case errors.Is(err, browser.ErrOrigin):
		return refuse(bus.RefusedOrigin, "%v", err)
	case errors.Is(err, context.DeadlineExceeded) || (err != nil && ctx.Err() != nil):
		return refuse(bus.RefusedUnreachable, "%s did not answer in time", to)
	}
	return err
}

// resolveURL makes an absolute URL of what a person writes: absolute, relative
// to base, or a host without a scheme.
func resolveURL(base, to string) (string, error) {
	if to == "" {
		return "", refuse(bus.RefusedUnsupported, "no URL is given")
	}
	u, err := url.Parse(to)
	if err != nil {
		return "", refuse(bus.RefusedUnsupported, "%q is not a URL: %v", to, err)
	}
	if u.IsAbs() && (u.Host != "" || u.Opaque != "" && u.Scheme == "about") {
		return u.String(), nil
	}
	b, err := url.Parse(base)
	if err == nil && b.Host != "" && (u.Scheme == "" || u.Host == "" && u.Opaque == "") {
		return b.ResolveReference(u).String(), nil
	}
	if w, werr := url.Parse("http://" + to); werr == nil && w.Host != "" && !strings.HasPrefix(to, "/") && (strings.Contains(w.Hostname(), ".") || w.Hostname() == "localhost") {
		return w.String(), nil
	}
	return "", refuse(bus.RefusedUnsupported, "%q is relative, and the tab shows no page to which it could be", to)
}

// history goes one entry back or forward.
func (h *hand) history(ctx context.Context) error {
	s := h.tab.Session()
	hist, err := cdp.Call(ctx, s, page.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return err
	}
	i := hist.CurrentIndex - 1
	if h.in.Action == bus.ActionForward {
		i = hist.CurrentIndex + 1
	}
	if i < 0 || i >= int64(len(hist.Entries)) {
		return refuse(bus.RefusedUnsupported, "there is no page to go %s to", h.in.Action)
	}
	to := hist.Entries[i]
	if !browser.Allowed(to.URL, h.sess.AllowedOrigins) {
		return refuse(bus.RefusedOrigin, "%s is not within the allowed origins", to.URL)
	}
	w := h.tab.Watch()
	defer w.Close()
	h.rec.Sent = true
	if _, err := cdp.Call(ctx, s, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: to.ID}); err != nil {
		return err
	}
	_, err = w.Wait(ctx, func(f browser.Facts) bool {
		for _, n := range f.Navigations {
			if n.Top {
				return true
			}
		}
		// A beforeunload dialog that was dismissed keeps the page.
		for _, d := range f.Dialogs {
			if d.Answer == "dismissed" {
				return true
			}
		}
		return f.Closed
	})
	if err != nil {
		return refuse(bus.RefusedUnreachable, "%s did not answer in time", to.URL)
	}
	return nil
}
