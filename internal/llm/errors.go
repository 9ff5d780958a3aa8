package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A Kind says what a failed call means for the caller.
type Kind string

// The kinds of failure. RateLimited, Overloaded, Unreachable and Garbled are
// worth another try with the same request.
const (
	RateLimited Kind = "rate_limited"
	Overloaded  Kind = "overloaded"
	Unreachable Kind = "unreachable"
	TimedOut    Kind = "timed_out" // the caller's deadline
	Denied      Kind = "denied"    // key missing, wrong or without credit
	BadRequest  Kind = "bad_request"
	TooLong     Kind = "too_long" // the context does not fit the model
	Garbled     Kind = "garbled"  // an answer that is not the provider's format
)

// An Error is a failed call of a model.
type Error struct {
	Kind    Kind
	Model   string
	Status  int           // HTTP status, 0 where there was no answer
	After   time.Duration // asked for by the provider before another try
	Message string
	cause   error
}

// Error says which model failed, how, and what the provider said.
func (e *Error) Error() string {
	s := fmt.Sprintf("model %s: %s", e.Model, strings.ReplaceAll(string(e.Kind), "_", " "))
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Kind == Denied {
		s += "; check the provider's API key in the environment"
	}
	return s
}

// Unwrap returns the cause, a context error for TimedOut.
func (e *Error) Unwrap() error { return e.cause }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	return e.Kind == RateLimited || e.Kind == Overloaded || e.Kind == Unreachable || e.Kind == Garbled
}

// classify makes an *Error of what langchaingo returned and what the transport
// recorded. The record comes first: langchaingo's errors are plain strings, and
// its openai client hides context errors.
func classify(ctx context.Context, model string, rec *record, err error) *Error {
	e := &Error{Model: model, cause: err}
	if rec != nil {
		e.Status, e.After, e.Message = rec.status, rec.after, rec.message()
	}
	if e.Message == "" && err != nil {
		e.Message = err.Error()
	}
	low := strings.ToLower(e.Message)
	switch {
	case ctx.Err() != nil:
		e.Kind, e.cause, e.Message = TimedOut, ctx.Err(), ctx.Err().Error()
	case e.Status == 0:
		e.Kind = Unreachable
		if rec != nil && rec.err != nil {
			e.Message, e.cause = rec.err.Error(), rec.err
		}
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden, e.Status == http.StatusPaymentRequired:
		e.Kind = Denied
	case e.Status == http.StatusTooManyRequests:
		e.Kind = RateLimited
		if strings.Contains(low, "insufficient_quota") {
			e.Kind = Denied
		}
	case e.Status >= 500:
		e.Kind = Overloaded
	case e.Status == http.StatusRequestEntityTooLarge, strings.Contains(low, "context_length"), strings.Contains(low, "prompt is too long"), strings.Contains(low, "maximum context"):
		e.Kind = TooLong
	case e.Status >= 400:
		e.Kind = BadRequest
	default:
		e.Kind = Garbled
	}
	return e
}

// ErrNoModel is returned by Open for an empty name.
var ErrNoModel = errors.New("no model configured")
