package page

import (
	"context"
	"sync"
	"time"
)

// perThousand is how long a walk may take in all for each thousand elements,
// beside the deadline, as long as the page says that it is at it.
const perThousand = 200 * time.Millisecond

// An allowance is a deadline that a page can win more time for: one that is
// large is not busy. It is safe for concurrent use.
type allowance struct {
	of       *allowance // that this one lies within, or nil
	mu       sync.Mutex
	timer    *time.Timer
	deadline time.Duration // until the next sign of life
	until    time.Time     // as things stand
	most     time.Time     // in all; zero while nothing was granted
	began    time.Time
}

// allow returns a context that ends after d unless more is granted, which then
// holds for the allowance around it as well.
func allow(ctx context.Context, d time.Duration, of *allowance) (context.Context, *allowance, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	now := time.Now()
	a := &allowance{of: of, deadline: d, until: now.Add(d), began: now}
	a.timer = time.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	return allowed{ctx, a}, a, func() { a.timer.Stop(); cancel(nil) }
}

// allowed tells those who share out their time when it ends as things stand.
type allowed struct {
	context.Context
	a *allowance
}

func (c allowed) Deadline() (time.Time, bool) {
	c.a.mu.Lock()
	defer c.a.mu.Unlock()
	if d, ok := c.Context.Deadline(); ok && d.Before(c.a.until) {
		return d, true
	}
	return c.a.until, true
}

// grant is called at every sign that a walk of so many elements goes on: the
// context lives on for the deadline from now, within what they may take in all.
// Without a number, what was granted last holds.
func (a *allowance) grant(elements int) {
	if a.of != nil {
		a.of.grant(elements)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if elements > 0 {
		a.most = a.began.Add(a.deadline + time.Duration(elements)*perThousand/1000)
	}
	until := time.Now().Add(a.deadline)
	if until.After(a.most) {
		until = a.most
	}
	if until.After(a.until) && a.timer.Stop() {
		a.until = until
		a.timer.Reset(time.Until(until))
	}
}
