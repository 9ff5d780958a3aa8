package middleware

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestRetry(t *testing.T) {
	lost, fatal := errors.New("lost"), errors.New("fatal")
	for name, c := range map[string]struct {
		errs  []error // of each try; the last repeats
		want  error
		tries int
	}{
		"at once":      {[]error{nil}, nil, 1},
		"second try":   {[]error{lost, nil}, nil, 2},
		"never":        {[]error{lost}, lost, 3},
		"not retried":  {[]error{fatal, nil}, fatal, 1},
		"then a fatal": {[]error{lost, fatal, nil}, fatal, 2},
	} {
		tries := 0
		h := Retry(RetryOptions{Attempts: 3, Wait: time.Millisecond, If: func(_ *Message, err error) bool { return errors.Is(err, lost) }})(
			func(ctx context.Context, m *Message) (*Message, error) {
				tries++
				return m, c.errs[min(tries, len(c.errs))-1]
			})
		if _, err := h(t.Context(), &Message{}); !errors.Is(err, c.want) || tries != c.tries {
			t.Errorf("%s: %d tries and %v, want %d and %v", name, tries, err, c.tries, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	h := Retry(RetryOptions{Attempts: 3, Wait: time.Hour, If: func(*Message, error) bool { return true }})(
		func(context.Context, *Message) (*Message, error) {
			tries++
			time.AfterFunc(10*time.Millisecond, cancel)
			return nil, lost
		})
	if _, err := h(ctx, &Message{}); !errors.Is(err, lost) || tries != 1 {
		t.Errorf("when the caller gives up: %d tries, %v", tries, err)
	}
}

func TestRetryWaitsLongerEachTime(t *testing.T) {
	var at []time.Time
	h := Retry(RetryOptions{Attempts: 4, Wait: 20 * time.Millisecond, MaxWait: 40 * time.Millisecond, If: func(*Message, error) bool { return true }})(
		func(context.Context, *Message) (*Message, error) {
			at = append(at, time.Now())
			return nil, errors.New("x")
		})
	_, _ = h(t.Context(), &Message{}) // it fails four times
	for i, want := range []time.Duration{20, 40, 40} {
		if got := at[i+1].Sub(at[i]); got < want*time.Millisecond {
			t.Errorf("wait %d was %s, want at least %d ms", i, got, want)
		}
	}
}
