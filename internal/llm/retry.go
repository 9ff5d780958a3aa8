package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// patience is the longest pause that a provider may ask for; whoever is to wait
// longer decides that himself.
const patience = 2 * time.Minute

// retrying repeats temporary failures with growing pauses, or the pause that
// the provider asked for, as long as the caller's deadline allows.
type retrying struct {
	Model
	tries int
	pause time.Duration // before the second try
}

// Generate returns the last error when every try failed.
func (r retrying) Generate(ctx context.Context, q Request) (Reply, error) {
	pause := r.pause
	for try := 1; ; try++ {
		reply, err := r.Model.Generate(ctx, q)
		var e *Error
		if err == nil || try >= r.tries || !errors.As(err, &e) || !e.Temporary() {
			return reply, err
		}
		wait := pause + rand.N(pause/2+1)
		if e.After > 0 {
			wait = e.After
		}
		if deadline, ok := ctx.Deadline(); wait > patience || ok && time.Now().Add(wait).After(deadline) {
			return reply, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return reply, err
		case <-timer.C:
		}
		pause *= 2
	}
}
