package middleware

import (
	"context"
	"errors"
	"testing"
)

func TestDeadLetter(t *testing.T) {
	soft, hard := errors.New("soft"), errors.New("hard")
	for name, c := range map[string]struct {
		delivery uint64
		err      error
		ran, put bool
		want     error
	}{
		"fine":           {1, nil, true, false, nil},
		"comes again":    {1, soft, true, false, soft},
		"last delivery":  {3, soft, true, true, nil},
		"hopeless":       {1, hard, true, true, nil},
		"one too many":   {4, nil, false, true, nil},
		"fine at last":   {3, nil, true, false, nil},
		"far beyond max": {400, soft, false, true, nil},
	} {
		var letters []Letter
		ran := false
		h := DeadLetter(DeadLetterOptions{
			MaxDeliveries: 3, Delivery: func(context.Context) uint64 { return c.delivery },
			Final: func(err error) bool { return errors.Is(err, hard) },
			Put:   func(_ context.Context, l Letter) error { letters = append(letters, l); return nil },
		})(func(context.Context, *Message) (*Message, error) { ran = true; return nil, c.err })
		_, err := h(t.Context(), &Message{Verb: "runs.work", Data: []byte("x")})
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) || ran != c.ran || (len(letters) == 1) != c.put {
			t.Errorf("%s: ran %v, letters %v, %v; want %+v", name, ran, letters, err, c)
		}
		if c.put && (string(letters[0].Data) != "x" || letters[0].Reason == "" || letters[0].Deliveries != c.delivery || letters[0].Time.IsZero()) {
			t.Errorf("%s: letter is %+v", name, letters[0])
		}
	}
}

func TestDeadLetterIsNotLost(t *testing.T) {
	full := errors.New("full")
	ctx, cancel := context.WithCancel(t.Context())
	h := DeadLetter(DeadLetterOptions{
		MaxDeliveries: 1, Delivery: func(context.Context) uint64 { return 1 }, Final: func(error) bool { return true },
		Put: func(ctx context.Context, _ Letter) error { return errors.Join(full, ctx.Err()) },
	})(func(context.Context, *Message) (*Message, error) { return nil, errors.New("x") })
	if _, err := h(ctx, &Message{}); !errors.Is(err, full) {
		t.Errorf("a letter that was not stored gives %v; the message must come again", err)
	}
	// A handler that failed because this process stops has not failed the run.
	cancel()
	if _, err := h(ctx, &Message{}); err == nil || errors.Is(err, full) {
		t.Errorf("a stopped handler's message became a letter: %v", err)
	}
}
