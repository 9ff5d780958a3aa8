package bus

import (
	"context"
	"errors"
	"fmt"
)

// A Decision is what an error asks its receiver to do.
type Decision string

// The decisions.
const (
	Retry  Decision = "retry"   // the same call may succeed later
	GiveUp Decision = "give_up" // it will not
	Ask    Decision = "ask"     // a person has to decide
)

// An Error is what the bus and the agents report. It crosses the wire whole,
// so that errors.As and errors.Is work on the caller's side. Two Errors are
// the same for errors.Is when their codes are.
type Error struct {
	Code     string   `json:"code"`    // stable, snake_case
	Message  string   `json:"message"` // for people
	Decision Decision `json:"decision"`
	cause    error
}

// Codes that the bus itself gives; agents have their own besides.
const (
	CodeNoAgent     = "no_agent"     // no replica of the agent is up
	CodeNodeGone    = "node_gone"    // the process that owns the session's browser is gone
	CodeReplicaLost = "replica_lost" // the replica that served the call went silent
	CodeDeadline    = "deadline"     // the caller's time was up
	CodeCanceled    = "canceled"     // the caller gave up
	CodeTooLarge    = "too_large"    // a message over MaxMessage
	CodeBusy        = "busy"         // the replica's queue is full
	CodePanic       = "panic"        // the handler panicked
	CodeInternal    = "internal"     // an error without a code of its own
	CodeBadMessage  = "bad_message"  // a payload that does not decode
	CodeBadArgument = "bad_argument" // an option or name that is not allowed
	CodeUnreachable = "unreachable"  // NATS cannot be reached
	CodeNoJetStream = "no_jetstream" // NATS without JetStream, or too old
	CodeNotFound    = "not_found"    // no such key
	CodeStoreBusy   = "store_in_use" // another process holds the store's folder
	CodeStore       = "store"        // JetStream refused or lost a write or read
)

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, which does not cross the wire.
func (e *Error) Unwrap() error { return e.cause }

// Is says whether target is an *Error with the same code, or the context error
// that the code stands for.
func (e *Error) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded:
		return e.Code == CodeDeadline
	case context.Canceled:
		return e.Code == CodeCanceled
	}
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Errorf returns an Error with a formatted message; a %w in format is its cause.
func Errorf(d Decision, code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Decision: d, Message: err.Error(), cause: errors.Unwrap(err)}
}

// AsError returns err as an *Error; nil for nil. Deadlines and cancellations
// get their codes, anything else is CodeInternal and GiveUp.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Errorf(Retry, CodeDeadline, "the time was up: %w", err)
	case errors.Is(err, context.Canceled):
		return Errorf(GiveUp, CodeCanceled, "given up by the caller: %w", err)
	}
	return Errorf(GiveUp, CodeInternal, "%w", err)
}

// DecisionOf returns what err asks for; GiveUp for an error without a decision.
func DecisionOf(err error) Decision {
	if e := AsError(err); e != nil && e.Decision != "" {
		return e.Decision
	}
	return GiveUp
}
