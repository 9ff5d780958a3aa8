package middleware

import (
	"context"
	"fmt"
	"time"
)

// A Letter is a message that nobody could handle, kept for a person.
type Letter struct {
	Verb       string    `json:"verb"`
	Data       []byte    `json:"data"`
	Reason     string    `json:"reason"`
	Deliveries uint64    `json:"deliveries"`
	Time       time.Time `json:"time"`
}

// DeadLetterOptions say when a message is given up and where it goes.
type DeadLetterOptions struct {
	// MaxDeliveries is how often a message may be tried. The count is ours and
	// not an advisory of the server's: advisories are not stored, so one that
	// is sent while nobody listens would strand the message for ever.
	MaxDeliveries uint64
	// Delivery returns which delivery of the message this is, from 1.
	Delivery func(ctx context.Context) uint64
	// Final says that an error will not go away by another try.
	Final func(err error) bool
	// Put stores the letter; its error makes the message come again.
	Put func(ctx context.Context, l Letter) error
}

// DeadLetter gives up a message that was delivered too often (without running
// the handler once more: it may be what kills the process), whose handler
// failed for good, or failed at the last delivery. A message that was put away
// counts as handled: the error is nil then.
func DeadLetter(o DeadLetterOptions) Middleware {
	return func(next Handler) Handler {
		return func(ctx context.Context, m *Message) (*Message, error) {
			n := o.Delivery(ctx)
			put := func(reason string) (*Message, error) {
				// The handler's context may have ended; the letter must not be lost with it.
				ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
				defer cancel()
				return nil, o.Put(ctx, Letter{Verb: m.Verb, Data: m.Data, Reason: reason, Deliveries: n, Time: time.Now().UTC()})
			}
			if n > o.MaxDeliveries {
				return put(fmt.Sprintf("delivered %d times and never finished", n-1))
			}
			r, err := next(ctx, m)
			if err == nil || ctx.Err() != nil {
				return r, err
			}
			if o.Final(err) || n >= o.MaxDeliveries {
				return put(err.Error())
			}
			return r, err
		}
	}
}
