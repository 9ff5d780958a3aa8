package verifier

import (
	"context"
	"fmt"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

const (
	// settleMS bounds how long a look waits for the page to be quiet. The
	// observer ends the wait as soon as it is.
	firstSettleMS = 400
	laterSettleMS = 150
	lastSettleMS  = 1000
	// Between looks at a quiet page the pause grows, so that a late effect of
	// a third of a second is seen and an idle page costs little.
	firstPause = 30 * time.Millisecond
	maxPause   = 240 * time.Millisecond
	// lookLimit bounds one observation.
	lookLimit = 10 * time.Second
)

// A look is one fresh observation. Tree is nil, and err says why, when the
// page could not be observed.
type look struct {
	tree *aria.Tree
	obs  bus.Observation
	err  error
}

// dialog is the dialog that is open now, or nil.
func (l look) dialog() *bus.Dialog {
	if d := l.obs.Dialog; d != nil && d.Answer == "" {
		return d
	}
	return nil
}

// look observes the page now, when it is quiet or settleMS is over.
func (a *Agent) look(ctx context.Context, s bus.Session, settleMS int, part bool) look {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	obs, err := bus.Call[bus.ObserveRequest, bus.Observation](ctx, a.bus, bus.VerbObserve, &s,
		bus.ObserveRequest{Session: s, Mode: "full", Format: "none", SettleMS: settleMS, Part: part})
	if err != nil {
		return look{err: fmt.Errorf("verifier: observe: %w", err)}
	}
	t, err := a.tree(ctx, obs.Scene)
	if err != nil {
		return look{obs: obs, err: err}
	}
	if obs.Stale && !t.Stale {
		stale := *t // scenes are shared
		stale.Stale = true
		t = &stale
	}
	return look{tree: t, obs: obs}
}

// tree fetches a scene's tree; nil without error for a scene that has none.
func (a *Agent) tree(ctx context.Context, s bus.Scene) (*aria.Tree, error) {
	if s.Tree == "" {
		return nil, nil
	}
	t, err := bus.GetScene[aria.Tree](ctx, a.bus, s.Tree)
	if err != nil {
		return nil, fmt.Errorf("verifier: the tree of @%d: %w", s.Version, err)
	}
	return t, nil
}

// reopenedHorizon is how long a page that was opened anew is given to show what
// an earlier attempt did: nothing is on its way any more.
const reopenedHorizon = 1500 * time.Millisecond

// watch looks again and again until settled says that it has seen enough, or
// the horizon is over; then, when more is true, once more with patience. It
// returns ctx's error only when not even one look was possible. With part, the
// first part of a large page is enough to look at.
func (a *Agent) watch(ctx context.Context, s bus.Session, horizon time.Duration, part bool, settled func(look) bool, more func() bool) error {
	start := time.Now()
	pause := firstPause
	for settle := firstSettleMS; ; settle = laterSettleMS {
		if left := horizon - time.Since(start); settle > int(left.Milliseconds()) {
			settle = max(int(left.Milliseconds()), 0)
		}
		if settled(a.look(ctx, s, settle, part)) {
			return nil
		}
		left := horizon - time.Since(start)
		if left <= 0 {
			break
		}
		t := time.NewTimer(min(pause, left))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
		pause = min(pause*3/2, maxPause)
	}
	if more() {
		settled(a.look(ctx, s, lastSettleMS, part))
	}
	return nil
}

// within bounds a horizon by what is left of the caller's patience, with room
// for the last look and the answer.
func within(ctx context.Context, horizon time.Duration) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		horizon = min(horizon, time.Until(deadline)-2*time.Second)
	}
	return max(horizon, 0)
}
