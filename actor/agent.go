// Package actor is the agent that touches the page, it alone.
//
// What comes in: an intent to prepare (actor.prepare), an attempt to carry out
// (actor.act), a receipt to look up (actor.receipt), a session to open, save or
// close.
//
// What it decides: which element an intent's words mean, or that they mean
// none or several; whether the element is ready and would itself receive the
// event; how the control is operated. It never decides whether the attempt
// succeeded: that is the verifier's.
//
// What goes out: the target or a refusal with candidates and a diagnosis, and
// a receipt of facts: what was hit, what the control holds, what the browser
// reported meanwhile.
//
// Files: gate.go the journal's permission, resolve.go words to element, ready.go
// and act.js readiness and aiming, probe.go and probe.js what received the
// event, pointer.go and keys.go input, then one file per kind of action.
package actor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/internal/secret"
)

// Default bounds of a whole attempt, where the intent names none.
const (
	DefaultTimeout     = 10 * time.Second
	DefaultOpenTimeout = 20 * time.Second
)

// Options configure an Agent. The zero value is usable: no secrets, no
// uploads, pixels where an escalation calls for them.
type Options struct {
	// Secrets gives the values of ${secret:NAME}; nil knows none.
	Secrets secret.Source
	// FilesRoot is the folder from which files may be uploaded, absolute; ""
	// allows no upload.
	FilesRoot string
	// Look is "never", "auto" (default) or "always", for requests that don't say.
	Look string
	// Input is InputBrowser (default) or InputPage.
	Input string
	// Timeout and OpenTimeout bound an attempt; 0 is the default.
	Timeout     time.Duration
	OpenTimeout time.Duration
	Logger      *slog.Logger
}

// An Agent serves the actor's verbs. It keeps no state of a session beyond the
// values of secrets that it has typed, so any replica can serve any request. It
// is safe for concurrent use.
type Agent struct {
	bus  *bus.Bus
	pool *browser.Pool
	o    Options
	log  *slog.Logger
	svc  *bus.Service

	mu    sync.Mutex
	typed []string // values of secrets used, to be masked in receipts
	bound map[cdp.Session]bool
}

// New makes an agent; Start lets it serve.
func New(b *bus.Bus, pool *browser.Pool, o Options) (*Agent, error) {
	if b == nil || pool == nil {
		return nil, errors.New("actor: a bus and a browser pool are needed")
	}
	switch o.Look {
	case "":
		o.Look = "auto"
	case "never", "auto", "always":
	default:
		return nil, fmt.Errorf("actor: look %q: want never, auto or always", o.Look)
	}
	switch o.Input {
	case "":
		o.Input = InputBrowser
	case InputBrowser, InputPage:
	default:
		return nil, fmt.Errorf("actor: input %q: want %s or %s", o.Input, InputBrowser, InputPage)
	}
	if o.FilesRoot != "" {
		if !filepath.IsAbs(o.FilesRoot) {
			return nil, fmt.Errorf("actor: the files' folder %q is not absolute", o.FilesRoot)
		}
		root, err := filepath.EvalSymlinks(o.FilesRoot)
		if err != nil {
			return nil, fmt.Errorf("actor: the files' folder: %w", err)
		}
		o.FilesRoot = root
	}
	if o.Timeout < 0 || o.OpenTimeout < 0 {
		return nil, errors.New("actor: a timeout is negative")
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.OpenTimeout == 0 {
		o.OpenTimeout = DefaultOpenTimeout
	}
	if o.Secrets == nil {
		o.Secrets = secret.None
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	a := &Agent{bus: b, pool: pool, o: o, bound: map[cdp.Session]bool{}, log: o.Logger.With("agent", "actor")}
	a.svc = bus.NewService(b, "actor")
	bus.Handle(a.svc, bus.VerbOpen, a.open)
	bus.Handle(a.svc, bus.VerbClose, a.close)
	bus.Handle(a.svc, bus.VerbSave, a.save)
	bus.Handle(a.svc, bus.VerbPrepare, a.prepare)
	bus.Handle(a.svc, bus.VerbAct, a.act)
	bus.Handle(a.svc, bus.VerbReceipt, a.receipt)
	return a, nil
}

// Start begins to serve; when it returns, calls find the agent.
func (a *Agent) Start(ctx context.Context) error { return a.svc.Start(ctx) }

// Stop takes no more requests and waits for those that run, at most until ctx
// ends.
func (a *Agent) Stop(ctx context.Context) error { return a.svc.Stop(ctx) }

// mask hides the secrets that this agent has typed.
func (a *Agent) mask(s string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return secret.Mask(s, a.typed)
}

// expand writes the secrets into a text, at the last moment.
func (a *Agent) expand(text string) (value string, used bool, err error) {
	for _, n := range secret.Names(text) {
		if v, ok := a.o.Secrets(n); ok {
			a.mu.Lock()
			a.typed = appendOnce(a.typed, v)
			a.mu.Unlock()
		}
	}
	value, used, err = secret.Expand(text, a.o.Secrets)
	if err != nil {
		return "", used, refuse(bus.RefusedSecret, "%v", err)
	}
	return value, used, nil
}
