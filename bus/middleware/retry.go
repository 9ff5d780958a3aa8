package middleware

import (
	"context"
	"time"
)

// RetryOptions say what is tried again and when.
type RetryOptions struct {
	// Attempts counts the first try too; below 2 nothing is retried.
	Attempts int
	// Wait before the second try; it doubles up to MaxWait (0: no limit).
	Wait, MaxWait time.Duration
	// If decides by the message and the error of the try that failed.
	If func(m *Message, err error) bool
}

// Retry repeats a failed call while o.If says so and the context lasts. The
// error returned is that of the last try.
func Retry(o RetryOptions) Middleware {
	return func(next Handler) Handler {
		return func(ctx context.Context, m *Message) (*Message, error) {
			wait := o.Wait
			for try := 1; ; try++ {
				r, err := next(ctx, m)
				if err == nil || try >= o.Attempts || ctx.Err() != nil || o.If == nil || !o.If(m, err) {
					return r, err
				}
				t := time.NewTimer(wait)
				select {
				case <-t.C:
				case <-ctx.Done():
					t.Stop()
					return r, err
				}
				if wait *= 2; o.MaxWait > 0 && wait > o.MaxWait {
					wait = o.MaxWait
				}
			}
		}
	}
}
