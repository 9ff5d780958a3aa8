package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"

	"github.com/quartet-agents/quartet/bus"
)

// saved is the form of a session's state. It holds cookies, so it is a secret.
type saved struct {
	Cookies []*network.CookieParam       `json:"cookies,omitempty"`
	Storage map[string]map[string]string `json:"storage,omitempty"` // localStorage by origin
	Tabs    []bus.Tab                    `json:"tabs,omitempty"`
	Tab     string                       `json:"tab,omitempty"`
}

// SaveState returns what is needed to go on in another browser: the session's
// cookies, the localStorage of every origin that a tab shows now, and what the
// tabs show. The result holds credentials.
func (p *Pool) SaveState(ctx context.Context, s bus.Session) ([]byte, error) {
	st, err := p.session(ctx, s)
	if err != nil {
		return nil, err
	}
	res, err := cdp.Call(ctx, st.h.c.root, storage.GetCookies, storage.GetCookiesParams{BrowserContextID: st.context})
	if err != nil {
		return nil, fmt.Errorf("saving the session's state: %w", err)
	}
	out := saved{Storage: map[string]map[string]string{}, Tab: s.Tab}
	for _, c := range res.Cookies {
		param := &network.CookieParam{
			Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Secure: c.Secure,
			HTTPOnly: c.HTTPOnly, SameSite: c.SameSite, PartitionKey: c.PartitionKey,
		}
		if !c.Session {
			param.Expires = cdp.TimeSinceEpoch(c.Expires)
		}
		out.Cookies = append(out.Cookies, param)
	}
	if out.Tabs, err = st.list(ctx); err != nil {
		return nil, err
	}
	for _, tab := range out.Tabs {
		s.Tab, s.Tabs = tab.ID, out.Tabs
		t, err := p.Tab(ctx, s)
		if err != nil {
			continue
		}
		frames, err := t.Frames(ctx)
		if err != nil {
			continue // a hung page, or one with a dialog: its cookies are saved
		}
		for _, f := range frames {
			if f.Note != "" {
				continue
			}
			var got struct {
				Origin string            `json:"origin"`
				Items  map[string]string `json:"items"`
			}
			fctx, cancel := context.WithTimeout(ctx, frameTimeout)
			err := f.Call(fctx, &got, `() => ({origin: location.origin, items: {...localStorage}})`)
			cancel()
			if err == nil && len(got.Items) > 0 && st.origins.allow(got.Origin, true) {
				out.Storage[got.Origin] = got.Items
			}
		}
	}
	return json.Marshal(out)
}

// LoadState brings a saved state into a session whose current tab is blank: its
// cookies, localStorage of the allowed origins (without a request to them), and
// the URL of the tab that was current, which is loaded when it is allowed. Other
// tabs are not opened again.
func (p *Pool) LoadState(ctx context.Context, s bus.Session, data []byte) error {
	var in saved
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("loading the session's state: %w", err)
	}
	st, err := p.session(ctx, s)
	if err != nil {
		return err
	}
	if len(in.Cookies) > 0 {
		_, err := cdp.Call(ctx, st.h.c.root, storage.SetCookies, storage.SetCookiesParams{Cookies: in.Cookies, BrowserContextID: st.context})
		if err != nil {
			return fmt.Errorf("loading the session's state: cookies: %w", err)
		}
	}
	t, err := p.Tab(ctx, s)
	if err != nil {
		return err
	}
	for origin, items := range in.Storage {
		if !st.origins.allow(origin, true) || !strings.HasPrefix(origin, "http") {
			continue
		}
		if err := t.fill(ctx, origin, items); err != nil {
			return fmt.Errorf("loading the session's state: storage of %s: %w", origin, err)
		}
	}
	return t.Navigate(ctx, "about:blank") // away from the page that was made up
}

// fill puts items into the localStorage of an origin, on an empty page that
// is made up for it.
func (t *Tab) fill(ctx context.Context, origin string, items map[string]string) error {
	t.mu.Lock()
	t.stub = origin + "/"
	t.mu.Unlock()
	err := t.Navigate(ctx, origin+"/")
	t.mu.Lock()
	t.stub = ""
	t.mu.Unlock()
	if err != nil {
		return err
	}
	frames, err := t.Frames(ctx)
	if err != nil {
		return err
	}
	return frames[0].Call(ctx, nil, `(items) => { for (const k in items) localStorage.setItem(k, items[k]) }`, items)
}

// fulfil answers a paused request with an empty page.
func fulfil(ctx context.Context, s *session, id fetch.RequestID) error {
	_, err := cdp.Call(ctx, s, fetch.FulfillRequest, fetch.FulfillRequestParams{
		RequestID: id, ResponseCode: 200, Body: []byte("<!doctype html>"),
		ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/html"}},
	})
	return err
}
