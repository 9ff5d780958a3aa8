// Package verifier is the agent that proves that the right thing was touched.
//
// It judges one attempt at a time on facts: the receipt of what was hit, two
// observations, and what happened beside the page. It never sees the planner's
// reasoning or anybody's opinion (DESIGN 2.2), touches nothing, and says right
// only on an observation that it asked for itself.
package verifier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/quartet-agents/quartet/bus"
)

// Options configures an Agent. The zero value is ready to use.
type Options struct {
	// Horizon is how long a late effect is waited for where a request does not
	// say; 0 is 3 s.
	Horizon time.Duration
	// NoScreenshots leaves out the picture of what went wrong.
	NoScreenshots bool
	// Logger is where verdicts are told; nil is slog.Default().
	Logger *slog.Logger
}

func (o *Options) validate() error {
	if o.Horizon < 0 || o.Horizon > maxHorizon {
		return fmt.Errorf("verifier: the horizon %v is not between 0 and %v", o.Horizon, maxHorizon)
	}
	if o.Horizon == 0 {
		o.Horizon = 3 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return nil
}

// maxHorizon bounds every wait for an effect.
const maxHorizon = 10 * time.Minute

// An Agent serves verifier.judge and verifier.check. Its methods are safe for
// concurrent use.
type Agent struct {
	bus     *bus.Bus
	service *bus.Service
	o       Options
}

// New returns an agent on the bus, which it neither owns nor closes.
func New(b *bus.Bus, o Options) (*Agent, error) {
	if b == nil {
		return nil, errors.New("verifier: an agent needs a bus")
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	a := &Agent{bus: b, o: o, service: bus.NewService(b, "verifier")}
	bus.Handle(a.service, bus.VerbJudge, a.judge)
	bus.Handle(a.service, bus.VerbCheck, a.check)
	return a, nil
}

// Start begins to serve, and returns when requests can be answered.
func (a *Agent) Start(ctx context.Context) error { return a.service.Start(ctx) }

// Stop ends serving, and waits for the judgements that are under way.
func (a *Agent) Stop(ctx context.Context) error { return a.service.Stop(ctx) }
