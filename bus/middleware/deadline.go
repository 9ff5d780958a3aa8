package middleware

import (
	"context"
	"strconv"
	"time"
)

// HeaderDeadline carries the milliseconds that the caller still has. It is a
// duration, not a time of day, so that clocks need not agree.
const HeaderDeadline = "Quartet-Deadline-Ms"

// Deadline is the calling side: a call whose context has no deadline gets one
// of d, and the serving side is told what is left.
func Deadline(d time.Duration) Middleware {
	return func(next Handler) Handler {
		return func(ctx context.Context, m *Message) (*Message, error) {
			if _, ok := ctx.Deadline(); !ok {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, d)
				defer cancel()
			}
			return next(ctx, m)
		}
	}
}

// StampDeadline writes what is left of ctx into the header; it sits just
// before the transport, so that a retry sends a smaller number.
func StampDeadline() Middleware {
	return func(next Handler) Handler {
		return func(ctx context.Context, m *Message) (*Message, error) {
			at, ok := ctx.Deadline()
			if !ok {
				return next(ctx, m)
			}
			left := time.Until(at)
			if left <= 0 {
				return nil, context.DeadlineExceeded
			}
			c := clone(m)
			c.Header.Set(HeaderDeadline, strconv.FormatInt(max(1, left.Milliseconds()), 10))
			return next(ctx, c)
		}
	}
}

// HonorDeadline is the serving side: the handler's context ends when the
// caller's does, or after limit where the caller named no time or a longer one.
func HonorDeadline(limit time.Duration) Middleware {
	return func(next Handler) Handler {
		return func(ctx context.Context, m *Message) (*Message, error) {
			d := limit
			if ms, err := strconv.ParseInt(m.Header.Get(HeaderDeadline), 10, 64); err == nil && ms > 0 && ms < limit.Milliseconds() {
				d = time.Duration(ms) * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(ctx, d)
			defer cancel()
			return next(ctx, m)
		}
	}
}
