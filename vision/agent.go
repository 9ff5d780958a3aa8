// Package vision is the agent that looks at pixels, when text cannot answer
// (DESIGN 8): something drawn on a canvas, a date picker without a structure, a
// question of place that boxes do not settle. Every look is an escalation with
// its size, its cost and its outcome. It also takes the report's screenshots,
// with secrets painted over; nothing reads those.
//
// The agent sends no input to the page. What a picture says is data.
package vision

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/observer/aria"
)

// Options configures an Agent. The zero value is ready to use.
type Options struct {
	// Reader reads the pictures; nil is the tesseract program.
	Reader Reader
	// Fallback is asked where Reader found nothing or could not look; nil is
	// nobody.
	Fallback Reader
	// Timeout bounds one look; 0 is 20 s.
	Timeout time.Duration
	// Logger is where looks are told; nil is slog.Default().
	Logger *slog.Logger
}

func (o *Options) validate() error {
	if o.Timeout < 0 {
		return fmt.Errorf("vision: the timeout %v is negative", o.Timeout)
	}
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	if o.Reader == nil {
		o.Reader = NewTextReader("", "")
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return nil
}

// An Agent serves vision.look and vision.screenshot. Its methods are safe for
// concurrent use.
type Agent struct {
	bus     *bus.Bus
	pool    *browser.Pool
	service *bus.Service
	o       Options
}

// New returns an agent on the bus that sees through the pool's browser. It
// neither owns nor closes either of them.
func New(b *bus.Bus, pool *browser.Pool, o Options) (*Agent, error) {
	if b == nil || pool == nil {
		return nil, errors.New("vision: an agent needs a bus and a browser pool")
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	a := &Agent{bus: b, pool: pool, o: o, service: bus.NewService(b, "vision")}
	bus.Handle(a.service, bus.VerbLook, a.look)
	bus.Handle(a.service, bus.VerbScreenshot, a.screenshot)
	return a, nil
}

// Start begins to serve, and returns when requests can be answered.
func (a *Agent) Start(ctx context.Context) error { return a.service.Start(ctx) }

// Stop ends serving, and waits for the looks that are under way.
func (a *Agent) Stop(ctx context.Context) error { return a.service.Stop(ctx) }

// observe returns the page's tree as it is now.
func (a *Agent) observe(ctx context.Context, s bus.Session) (*aria.Tree, bus.Observation, error) {
	obs, err := bus.Call[bus.ObserveRequest, bus.Observation](ctx, a.bus, bus.VerbObserve, &s,
		bus.ObserveRequest{Session: s, Mode: "full", Format: "none"})
	if err != nil {
		return nil, obs, fmt.Errorf("vision: observe: %w", err)
	}
	t, err := bus.GetScene[aria.Tree](ctx, a.bus, obs.Tree)
	if err != nil {
		return nil, obs, fmt.Errorf("vision: the observation's tree: %w", err)
	}
	return t, obs, nil
}

// picturable tells why no picture of the page can be taken now, or nil.
func picturable(obs bus.Observation) error {
	switch {
	case obs.Dialog != nil && obs.Dialog.Answer == "":
		return &bus.Error{Code: "dialog_open", Decision: bus.Retry,
			Message: fmt.Sprintf("a dialog is open (%q), and while it is the page can't be pictured", obs.Dialog.Message)}
	case obs.Stale:
		return &bus.Error{Code: "stale", Decision: bus.Retry,
			Message: "the page does not answer, so that nobody knows where its secrets are; no picture was taken"}
	}
	return nil
}
