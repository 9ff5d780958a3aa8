package middleware

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"
)

func TestDeadline(t *testing.T) {
	left := func(ctx context.Context) time.Duration {
		at, ok := ctx.Deadline()
		if !ok {
			t.Fatal("there is no deadline")
		}
		return time.Until(at)
	}
	near := func(got, want time.Duration) bool { return got <= want && got > want-time.Second }
	var header string
	send := Chain(func(ctx context.Context, m *Message) (*Message, error) {
		header = m.Header.Get(HeaderDeadline)
		return m, nil
	}, Deadline(10*time.Second), StampDeadline())
	m := &Message{Header: Header{}}
	if _, err := send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if ms, err := strconv.Atoi(header); err != nil || !near(time.Duration(ms)*time.Millisecond, 10*time.Second) {
		t.Errorf("the header says %q", header)
	}
	if len(m.Header) != 0 {
		t.Error("the caller's message was changed")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	if _, err := send(ctx, m); err != nil {
		t.Fatal(err)
	}
	if ms, err := strconv.Atoi(header); err != nil || !near(time.Duration(ms)*time.Millisecond, 4*time.Second) {
		t.Errorf("with 4 s left the header says %q", header)
	}
	over, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	header = "unsent"
	if _, err := send(over, m); !errors.Is(err, context.DeadlineExceeded) || header != "unsent" {
		t.Errorf("a call whose time is up was sent (%q), %v", header, err)
	}
	for value, want := range map[string]time.Duration{
		"3000": 3 * time.Second, "": 20 * time.Second, "junk": 20 * time.Second, "-5": 20 * time.Second,
		"99999999999": 20 * time.Second, "9223372036854775807": 20 * time.Second,
	} {
		serve := HonorDeadline(20 * time.Second)(func(ctx context.Context, m *Message) (*Message, error) {
			if got := left(ctx); !near(got, want) {
				t.Errorf("header %q leaves %s, want %s", value, got, want)
			}
			return nil, nil
		})
		if _, err := serve(t.Context(), &Message{Header: Header{HeaderDeadline: {value}}}); err != nil {
			t.Fatal(err)
		}
	}
}
