// Package observer is the agent that says what is on the page, as cheaply as
// can be.
//
// In: observer.observe and observer.find over the bus, each with its session.
// It decides: how long to wait for the page to settle, whether the tree has
// changed since the last version, and whether a diff serves the reader better
// than the whole. Out: an observation, its text within the budget, and its full
// tree in the scene store, from which any agent can fetch it.
//
// It never touches the page. What a version was is in the session's state on
// the bus, so that any replica can answer the next request.
package observer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/observer/aria"
	"github.com/quartet-agents/quartet/observer/page"
)

// Options of the agent; zero values mean the defaults.
type Options struct {
	Deadline time.Duration // of one capture; 1.3 s
	Budget   int           // tokens of a text where the request sets none; 1,500
	Nodes    int           // elements walked in a frame at most; 150,000
	Logger   *slog.Logger  // slog.Default()
}

// quiet is how long nothing may happen for a page to count as settled.
const quiet = 120 * time.Millisecond

func (o *Options) defaults() error {
	if o.Deadline < 0 || o.Budget < 0 || o.Nodes < 0 {
		return errors.New("observer: a deadline, budget or node limit below zero")
	}
	if o.Deadline == 0 {
		o.Deadline = 1300 * time.Millisecond
	}
	if o.Budget == 0 {
		o.Budget = 1500
	}
	if o.Nodes == 0 {
		o.Nodes = 150000
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return nil
}

// An Agent serves observations. It is safe for concurrent use.
type Agent struct {
	bus      *bus.Bus
	pool     *browser.Pool
	o        Options
	service  *bus.Service
	capturer *page.Capturer
	prefixes prefixes

	behind  sync.WaitGroup // looks that nobody waits for
	stopped chan struct{}
	stop    sync.Once
}

// New makes an agent that looks at the pool's pages. The pool must have been
// made with browser.WithScript(page.ScriptName, page.Script).
func New(b *bus.Bus, pool *browser.Pool, o Options) (*Agent, error) {
	if b == nil || pool == nil {
		return nil, errors.New("observer: a bus and a browser pool are needed")
	}
	if err := o.defaults(); err != nil {
		return nil, err
	}
	a := &Agent{stopped: make(chan struct{}), bus: b, pool: pool, o: o, service: bus.NewService(b, "observer"), capturer: page.NewCapturer(o.Logger)}
	bus.Handle(a.service, bus.VerbObserve, a.observe)
	bus.Handle(a.service, bus.VerbFind, a.find)
	return a, nil
}

// Start serves until Stop. It returns when the agent can be called.
func (a *Agent) Start(ctx context.Context) error { return a.service.Start(ctx) }

// Stop ends the service after the requests that it is serving.
func (a *Agent) Stop(ctx context.Context) error {
	a.stop.Do(func() { close(a.stopped) })
	defer a.behind.Wait()
	return a.service.Stop(ctx)
}

func (a *Agent) observe(ctx context.Context, req bus.ObserveRequest) (bus.Observation, error) {
	start := time.Now()
	if req.At != nil {
		return a.shown(ctx, req, start)
	}
	brief := a.brief(req)
	first := 0
	if brief || req.Part {
		first = firstElements // what it would show of the rest is a number
	}
	settle := time.Duration(req.SettleMS) * time.Millisecond
	write := func(out *bus.Observation, tree *aria.Tree, state *versions) error {
		return a.write(ctx, out, tree, state, req)
	}
	out, tree, err := a.look(ctx, req.Session, settle, first, write)
	if err != nil {
		return bus.Observation{}, err
	}
	if req.ChangeMS > 0 && req.Base > 0 && out.Version == req.Base && out.Dialog == nil && !out.Stale {
		if a.changed(ctx, req.Session, time.Duration(req.ChangeMS)*time.Millisecond) {
			if out, tree, err = a.look(ctx, req.Session, settle, 0, write); err != nil {
				return bus.Observation{}, err
			}
		}
	}
	if tree.Partial && brief {
		a.rest(ctx, req.Session)
	}
	if err := out.KeepText(ctx, a.bus); err != nil {
		return bus.Observation{}, err
	}
	out.Millis = time.Since(start).Milliseconds()
	return out, nil
}

// shown writes the text of a scene that was observed already.
func (a *Agent) shown(ctx context.Context, req bus.ObserveRequest, start time.Time) (bus.Observation, error) {
	tree, err := bus.GetScene[aria.Tree](ctx, a.bus, req.At.Tree)
	if err != nil {
		return bus.Observation{}, err
	}
	state, err := a.versions(ctx, req.Session.ID)
	if err != nil {
		return bus.Observation{}, err
	}
	out := bus.Observation{Scene: *req.At, Notes: tree.Notes, Stale: tree.Stale}
	if err := a.write(ctx, &out, tree, state, req); err != nil {
		return bus.Observation{}, err
	}
	if tree.Partial && a.brief(req) {
		a.rest(ctx, req.Session)
	}
	if err := out.KeepText(ctx, a.bus); err != nil {
		return bus.Observation{}, err
	}
	out.Millis = time.Since(start).Milliseconds()
	return out, nil
}

// changed waits for the page to change, at most d, and says whether it may have:
// a page that goes elsewhere meanwhile has.
func (a *Agent) changed(ctx context.Context, s bus.Session, d time.Duration) bool {
	tab, err := a.pool.Tab(ctx, s)
	if err != nil {
		return false
	}
	frames, err := tab.Frames(ctx)
	if err != nil || len(frames) == 0 {
		return true
	}
	var did bool
	if err := frames[0].Call(ctx, &did, "(ms) => __quartet.change(ms)", d.Milliseconds()); err != nil {
		return true
	}
	return did
}

func (a *Agent) find(ctx context.Context, req bus.FindRequest) (bus.Observation, error) {
	start := time.Now()
	out, _, err := a.look(ctx, req.Session, 0, 0, func(out *bus.Observation, tree *aria.Tree, _ *versions) error {
		if err := given(req.Ref, tree); err != nil {
			return err
		}
		r := aria.Find(tree, req.Query, aria.FindOptions{Context: req.Context, Budget: a.budget(req.Budget), Ref: req.Ref})
		out.Kind, out.Text, out.Tokens, out.Truncated = "full", r.Text, r.Tokens, r.Truncated
		return fits(r, a.budget(req.Budget))
	})
	if err != nil {
		return bus.Observation{}, err
	}
	out.Millis = time.Since(start).Milliseconds()
	return out, nil
}

// A text of at most briefBudget tokens shows of a large page little more than
// where it begins: for a first one, firstElements are walked at once, and the
// rest while the reader reads.
const (
	briefBudget   = 4000
	firstElements = 2000
	restDeadline  = time.Minute
)

// brief says whether a request's text shows of a large page little more than its
// beginning.
func (a *Agent) brief(req bus.ObserveRequest) bool {
	return req.Ref == "" && req.Mode != "diff" && (req.Format == "" || req.Format == "compact") && a.budget(req.Budget) <= briefBudget
}

// rest walks the rest of a large page, so that the next look has it.
func (a *Agent) rest(ctx context.Context, s bus.Session) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restDeadline)
	done := make(chan struct{})
	a.behind.Go(func() {
		select {
		case <-a.stopped:
		case <-done:
		}
		cancel()
	})
	a.behind.Go(func() {
		defer close(done)
		tab, err := a.pool.Tab(ctx, s)
		if err != nil {
			return // gone: there is nothing to walk
		}
		refs := &sessionRefs{bus: a.bus, session: s.ID, known: &a.prefixes}
		if _, err := a.capturer.Capture(ctx, tab, refs, page.Options{Deadline: a.o.Deadline, Nodes: a.o.Nodes}); err != nil {
			a.o.Logger.DebugContext(ctx, "the rest of a large page was not walked", "error", err)
		}
	})
}

// look captures the page, gives the tree its version, and has it written: then
// gets an observation without text, its tree and the versions known. Where the
// page does not answer the tree is the last known one, marked stale. first is of
// a large page, see page.Options.
func (a *Agent) look(ctx context.Context, s bus.Session, settle time.Duration, first int, then func(*bus.Observation, *aria.Tree, *versions) error) (bus.Observation, *aria.Tree, error) {
	fail := func(err error) (bus.Observation, *aria.Tree, error) {
		return bus.Observation{}, nil, err
	}
	tab, err := a.pool.Tab(ctx, s)
	if err != nil {
		return fail(err)
	}
	settled := func() error {
		if err := tab.Settle(ctx, min(quiet, settle), settle); err != nil && ctx.Err() != nil {
			return err
		}
		return nil
	}
	var out bus.Observation
	refs := &sessionRefs{bus: a.bus, session: s.ID, known: &a.prefixes}
	o := page.Options{Deadline: a.o.Deadline, Nodes: a.o.Nodes, First: first}
	if settle > 0 && tab.Dialog() == nil {
		// Mostly it is calm, and one way to the page is enough to see both.
		if tab.Calm(min(quiet, settle)) {
			o.Calm = min(quiet, settle)
		} else if err := settled(); err != nil {
			return fail(err)
		}
	}
	early := a.readEarly(ctx, s.ID)
	written := func(tree *aria.Tree, state *versions) error {
		scene := bus.Scene{Version: tree.Version, Tree: state.Key, URL: tree.URL, Title: tree.Title}
		out = bus.Observation{Scene: scene, Dialog: out.Dialog, Stale: tree.Stale, Notes: slices.Clone(tree.Notes)}
		return then(&out, tree, state)
	}
	got, err := a.capturer.Capture(ctx, tab, refs, o)
	if errors.Is(err, page.ErrRestless) || err == nil && o.Calm > 0 && !tab.Calm(o.Calm) {
		if err := settled(); err != nil {
			return fail(err)
		}
		o.Calm = 0
		got, err = a.capturer.Capture(ctx, tab, refs, o)
	}
	if out.Dialog = tab.Dialog(); errors.Is(err, page.ErrBusy) && ctx.Err() == nil {
		why := fmt.Sprintf("The page did not answer within %d ms", o.Deadline.Milliseconds())
		if tab.Crashed() {
			why = "The page's process has died, and nothing can be done in it before an address is opened"
		}
		if out.Dialog != nil {
			why = "A dialog is open and blocks the page"
		}
		tree, state, seen, lerr := a.lastKnown(ctx, s, tab, why)
		if lerr != nil {
			return fail(lerr)
		}
		if !seen && out.Dialog == nil && !tab.Crashed() {
			// Nothing to fall back on: a slow first look beats an empty one.
			o.Deadline *= 4
			got, err = a.capturer.Capture(ctx, tab, refs, o)
			out.Dialog = tab.Dialog()
		}
		if errors.Is(err, page.ErrBusy) && ctx.Err() == nil {
			if seen {
				err = written(tree, state)
			} else { // a document of its own has a version of its own
				err = a.version(ctx, s.ID, tree, 1, early, func(state *versions) error { return written(tree, state) })
			}
			if err != nil {
				return fail(err)
			}
			return out, tree, nil
		}
	}
	if err != nil {
		return fail(err)
	}
	tree := got.Tree
	if err := a.version(ctx, s.ID, tree, got.Elements, early, func(state *versions) error { return written(tree, state) }); err != nil {
		return fail(err)
	}
	return out, tree, nil
}

// write renders the text: a diff where the request wants one and the base is
// known and of the same document, else the whole.
func (a *Agent) write(ctx context.Context, out *bus.Observation, tree *aria.Tree, state *versions, req bus.ObserveRequest) error {
	format := aria.Compact
	switch req.Format {
	case "", "compact":
	case "playwright":
		format = aria.Playwright
	case "json":
		format = aria.JSON
	case "none":
		out.Kind = "full"
		return nil
	default:
		return bus.Errorf(bus.GiveUp, bus.CodeBadArgument, "format %q: it is compact, playwright or json", req.Format)
	}
	if err := given(req.Ref, tree); err != nil {
		return err
	}
	o := aria.RenderOptions{Budget: a.budget(req.Budget), Ref: req.Ref, From: req.From}
	if len(req.Focus) > 0 {
		o.Focus = req.Focus[len(req.Focus)-1]
	}
	var base *aria.Tree
	var asked int
	switch req.Mode {
	case "", "auto":
		if format != aria.JSON { // a program wants the tree, and JSON that it can read
			asked = req.Base
		}
	case "diff":
		if format == aria.JSON {
			return bus.Errorf(bus.GiveUp, bus.CodeBadArgument, "mode diff has no json form: ask for the format compact or playwright, or for json in mode full")
		}
		if asked = req.Base; asked == 0 {
			asked = state.before(tree.Version)
		}
		if asked == 0 {
			out.Notes = append(out.Notes, "There is no earlier version to compare with; this is the whole page.")
		}
	case "full":
	default:
		return bus.Errorf(bus.GiveUp, bus.CodeBadArgument, "mode %q: it is auto, diff or full", req.Mode)
	}
	if asked > 0 && req.Ref == "" {
		base = a.base(ctx, state, asked)
		switch {
		case base == nil:
			out.Notes = append(out.Notes, fmt.Sprintf("Version @%d is no longer known; this is the whole page.", asked))
		case base.Document != tree.Document:
			out.Notes = append(out.Notes, fmt.Sprintf("This is another document than in @%d; this is the whole page.", asked))
			base = nil
		}
	}
	var r aria.Rendering
	full := true
	if base != nil {
		r, full = aria.RenderChange(base, tree, format, o)
	} else {
		r = aria.Render(tree, format, o)
	}
	out.Kind, out.Text, out.Tokens, out.Truncated = "full", r.Text, r.Tokens, r.Truncated
	if !full {
		out.Kind, out.Base = "diff", asked
	}
	return fits(r, o.Budget)
}

// fits is the error for a budget in which nothing can be said.
func fits(r aria.Rendering, budget int) error {
	if r.Least == 0 {
		return nil
	}
	return bus.Errorf(bus.GiveUp, bus.CodeBadArgument, "a budget of %d tokens is too small: the shortest answer takes %d; ask with that or more", budget, r.Least)
}

// given is nil where a request may name the ref: none, the page, or an element
// that it shows now.
func given(ref string, t *aria.Tree) error {
	if ref == "" || ref == aria.PageRef || t.ByRef(ref) != nil {
		return nil
	}
	return bus.Errorf(bus.GiveUp, bus.CodeNotFound, "%s is stale or was never given: no element of @%d has it; look again", ref, t.Version)
}

func (a *Agent) budget(asked int) int {
	if asked > 0 {
		return asked
	}
	return a.o.Budget
}
