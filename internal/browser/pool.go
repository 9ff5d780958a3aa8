package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/quartet-agents/quartet/bus"
)

// pipeEndpoint is bus.Session.Endpoint of an own browser.
const pipeEndpoint = "pipe"

// A Pool holds the browsers that this process is connected to: its own one,
// started at the first OpenSession, and those of the sessions it is asked
// about. It is safe for concurrent use.
type Pool struct {
	o options

	mu     sync.Mutex
	hosts  map[string]*host // by endpoint
	closed bool
}

// NewPool checks the options; it neither starts nor connects to a browser yet.
func NewPool(opts ...Option) (*Pool, error) {
	o := defaults()
	for _, opt := range opts {
		if err := opt(&o); err != nil {
			return nil, err
		}
	}
	o.scripts = append([]script{{"quiet", quietScript}}, o.scripts...)
	return &Pool{o: o, hosts: map[string]*host{}}, nil
}

// Start starts (or connects to) the browser in which sessions are opened, so
// that the first OpenSession needs not wait for it.
func (p *Pool) Start(ctx context.Context) error {
	_, err := p.host(ctx, p.endpoint())
	return err
}

func (p *Pool) endpoint() string {
	if p.o.endpoint != "" {
		return p.o.endpoint
	}
	return pipeEndpoint
}

// host returns the connected browser of the endpoint. One caller connects, the
// others wait for it.
func (p *Pool) host(ctx context.Context, endpoint string) (*host, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	h := p.hosts[endpoint]
	if h == nil {
		h = newHost(p, endpoint)
		p.hosts[endpoint] = h
		p.mu.Unlock()
		// The connection outlives ctx; a caller that gives up early must not
		// leave a half-started browser to the next one.
		h.connect(context.WithoutCancel(ctx))
		if h.err != nil {
			p.forget(h)
		}
	} else {
		p.mu.Unlock()
	}
	select {
	case <-h.ready:
		return h, h.err
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the browser: %w", ctx.Err())
	}
}

// renew forgets an own browser that is gone, so that the next session gets another.
// The sessions of the old one are gone with it: the new one does not know them.
func (p *Pool) renew() {
	p.mu.Lock()
	h := p.hosts[pipeEndpoint]
	gone := h != nil && h.lost.Load() && !p.closed
	if gone {
		delete(p.hosts, pipeEndpoint)
	}
	p.mu.Unlock()
	if gone {
		if err := h.close(); err != nil {
			p.o.log.Warn("what a lost browser left was not removed", "error", err)
		}
	}
}

// forget drops a host whose browser is gone, so that a debugging port can be
// dialled again. An own browser is started again by renew.
func (p *Pool) forget(h *host) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts[h.endpoint] == h && !p.closed {
		delete(p.hosts, h.endpoint)
	}
}

// Close ends every connection. Its own browser dies with all that belongs to
// it; sessions on a debugging port stay open, unless CloseSession closed them.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	hosts := p.hosts
	p.hosts, p.closed = map[string]*host{}, true
	p.mu.Unlock()
	var errs []error
	for _, h := range hosts {
		select {
		case <-h.ready:
			errs = append(errs, h.close())
		case <-ctx.Done():
			// Still starting; the guard or this goroutine ends it.
			go func() { <-h.ready; _ = h.close() }()
			errs = append(errs, ctx.Err())
		}
	}
	return errors.Join(errs...)
}

// OpenSession makes a browser context with one blank tab, "t1", from which
// documents of the allowed origins can be reached and no others. The context
// outlives this process when the browser does.
func (p *Pool) OpenSession(ctx context.Context, id string, allowedOrigins []string) (bus.Session, error) {
	if id == "" {
		return bus.Session{}, errors.New("opening a session: it has no id")
	}
	origins, err := parseOrigins(allowedOrigins)
	if err != nil {
		return bus.Session{}, err
	}
	p.renew()
	h, err := p.host(ctx, p.endpoint())
	if err != nil {
		return bus.Session{}, err
	}
	made, err := h.context(ctx)
	if err != nil {
		return bus.Session{}, fmt.Errorf("opening a session: %w", err)
	}
	s := bus.Session{ID: id, Endpoint: h.endpoint, Context: string(made), AllowedOrigins: allowedOrigins}
	if h.endpoint == pipeEndpoint {
		s.Node = p.o.node
	}
	st, err := h.register(s, origins)
	if err == nil {
		dir, _ := h.downloadDirs(id)
		err = os.MkdirAll(dir, 0o777)
		if err == nil && p.o.hostDir != "" {
			err = os.Chmod(dir, 0o777) // a browser in another container may be another user
		}
	}
	var tab *Tab
	if err == nil {
		downloads := make(chan error, 1)
		go func() { downloads <- h.allowDownloads(ctx, st) }()
		tab, err = st.open(ctx)
		err = errors.Join(err, <-downloads)
	}
	if err != nil {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return bus.Session{}, errors.Join(fmt.Errorf("opening a session: %w", err), p.CloseSession(cctx, s))
	}
	s.Tabs = []bus.Tab{tab.describe()}
	s.Tab = s.Tabs[0].ID
	return s, nil
}

// CloseSession closes the session's tabs, whatever state they are in, without
// their beforeunload dialogs, and removes its downloads. Closing a session that
// is gone already is no error.
func (p *Pool) CloseSession(ctx context.Context, s bus.Session) error {
	h, err := p.of(ctx, s)
	if errors.Is(err, ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	id := cdp.BrowserContextID(s.Context)
	h.closing(id)
	_, err = cdp.Call(ctx, h.c.root, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: id})
	if pe := protocolError(err); pe != nil || errors.Is(err, ErrGone) {
		err = nil // there is no such context any more
	}
	h.drop(id)
	if host, _ := h.downloadDirs(s.ID); host != "" {
		err = errors.Join(err, os.RemoveAll(host))
		if p.o.hostDir == "" {
			_ = os.Remove(filepath.Dir(host)) // when this was the last session
		}
	}
	if err != nil {
		return fmt.Errorf("closing session %s: %w", s.ID, err)
	}
	return nil
}

// of returns the browser of a session.
func (p *Pool) of(ctx context.Context, s bus.Session) (*host, error) {
	if s.Endpoint != pipeEndpoint {
		return p.host(ctx, s.Endpoint)
	}
	if s.Node != p.o.node {
		return nil, fmt.Errorf("%w: %s", ErrWrongNode, s.Node)
	}
	p.mu.Lock()
	h, closed := p.hosts[pipeEndpoint], p.closed
	p.mu.Unlock()
	switch {
	case closed:
		return nil, ErrClosed
	case h == nil:
		return nil, fmt.Errorf("session %s: %w", s.ID, ErrGone)
	}
	return p.host(ctx, pipeEndpoint)
}

// Tab returns the session's current tab, attached and ready. The same Tab is
// returned for the same target until it is gone (ErrTabGone).
func (p *Pool) Tab(ctx context.Context, s bus.Session) (*Tab, error) {
	cur, ok := s.Current()
	if !ok {
		return nil, fmt.Errorf("session %s has no current tab: %w", s.ID, ErrTabGone)
	}
	st, err := p.session(ctx, s)
	if err != nil {
		return nil, err
	}
	return st.attach(ctx, target.ID(cur.Target))
}

// session returns what this process knows of s, taking over what s knows.
func (p *Pool) session(ctx context.Context, s bus.Session) (*state, error) {
	h, err := p.of(ctx, s)
	if err != nil {
		return nil, err
	}
	origins, err := parseOrigins(s.AllowedOrigins)
	if err != nil {
		return nil, err
	}
	st, fresh, err := h.adopt(s, origins)
	if err != nil {
		return nil, err
	}
	// On a shared browser any client that goes away takes the setting with it,
	// so it is renewed there, unless that could disturb a running download.
	if fresh || h.proc == nil && !h.downloading(st) {
		if err := h.allowDownloads(ctx, st); err != nil {
			if protocolError(err) != nil { // there is no such context any more
				h.drop(st.context)
				return nil, fmt.Errorf("session %s: %w: %w", s.ID, ErrTabGone, err)
			}
			return nil, err
		}
	}
	return st, nil
}

// Tabs lists the session's open tabs in order of opening, also those that the
// page opened, with what they show now.
func (p *Pool) Tabs(ctx context.Context, s bus.Session) ([]bus.Tab, error) {
	st, err := p.session(ctx, s)
	if err != nil {
		return nil, err
	}
	return st.list(ctx)
}

// OpenTab opens another blank tab in the session.
func (p *Pool) OpenTab(ctx context.Context, s bus.Session) (bus.Tab, error) {
	st, err := p.session(ctx, s)
	if err != nil {
		return bus.Tab{}, err
	}
	tab, err := st.open(ctx)
	if err != nil {
		return bus.Tab{}, err
	}
	return tab.describe(), nil
}

// CloseTab closes one tab of the session without its beforeunload dialog, and
// waits until it is gone.
func (p *Pool) CloseTab(ctx context.Context, s bus.Session, id string) error {
	st, err := p.session(ctx, s)
	if err != nil {
		return err
	}
	return st.closeTab(ctx, id)
}

// downloadDirs returns where a session's downloads go, for us and for the browser.
func (h *host) downloadDirs(session string) (host, browser string) {
	o := &h.pool.o
	name := fileName(session)
	switch {
	case o.hostDir != "":
		return filepath.Join(o.hostDir, name), filepath.Join(o.browserDir, name)
	case h.proc != nil:
		dir := filepath.Join(h.proc.root, "downloads", name)
		return dir, dir
	}
	dir := filepath.Join(os.TempDir(), "quartet-downloads", name)
	return dir, dir
}

// allowDownloads lets files arrive in the session's own directory, each named
// by its GUID.
func (h *host) allowDownloads(ctx context.Context, st *state) error {
	_, inBrowser := h.downloadDirs(st.id)
	_, err := cdp.Call(ctx, h.c.root, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior:         browser.SetDownloadBehaviorBehaviorAllowAndName,
		BrowserContextID: st.context,
		DownloadPath:     inBrowser,
		EventsEnabled:    new(true),
	})
	if err != nil {
		return fmt.Errorf("downloads: %w", err)
	}
	return nil
}

// fileName makes one path element of a session id.
func fileName(id string) string {
	out := []byte(id)
	for i, c := range out {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			out[i] = '_'
		}
	}
	return "s-" + string(out)
}
