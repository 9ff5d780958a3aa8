package middleware

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"
)

// HeaderTraceparent is the W3C trace context header.
const HeaderTraceparent = "traceparent"

// A Trace is a W3C trace context: which trace, and which span is the parent of
// what comes next. The ids are lower-case hex, 32 and 16 characters.
type Trace struct {
	TraceID string
	SpanID  string
	Sampled bool
}

// Valid says whether the ids are well formed and not all zero.
func (t Trace) Valid() bool { return validID(t.TraceID, 32) && validID(t.SpanID, 16) }

func validID(s string, n int) bool {
	if len(s) != n || strings.Trim(s, "0") == "" {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// String is the traceparent header, or "" for an invalid trace.
func (t Trace) String() string {
	if !t.Valid() {
		return ""
	}
	flags := "00"
	if t.Sampled {
		flags = "01"
	}
	return "00-" + t.TraceID + "-" + t.SpanID + "-" + flags
}

// ParseTrace reads a traceparent header. Versions after 00 may carry more
// fields, which are ignored; version ff and anything malformed is refused.
func ParseTrace(s string) (Trace, bool) {
	p := strings.Split(s, "-")
	if len(p) < 4 || len(p[0]) != 2 || p[0] == "ff" || (p[0] == "00" && len(p) != 4) || len(p[3]) != 2 {
		return Trace{}, false
	}
	if _, err := hex.DecodeString(p[0]); err != nil {
		return Trace{}, false
	}
	flags, err := hex.DecodeString(p[3])
	if err != nil {
		return Trace{}, false
	}
	t := Trace{TraceID: p[1], SpanID: p[2], Sampled: flags[0]&1 == 1}
	return t, t.Valid()
}

type traceKey struct{}

// WithTrace returns a context in which t is the current trace.
func WithTrace(ctx context.Context, t Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceFrom returns the current trace, or an invalid one.
func TraceFrom(ctx context.Context) Trace {
	t, _ := ctx.Value(traceKey{}).(Trace)
	return t
}

// NewTrace returns the root of a new trace.
func NewTrace() Trace {
	return Trace{TraceID: randomHex(16), SpanID: randomHex(8), Sampled: true}
}

func (t Trace) child() Trace {
	if !t.Valid() {
		return NewTrace()
	}
	return Trace{TraceID: t.TraceID, SpanID: randomHex(8), Sampled: t.Sampled}
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails, by its documentation
	return hex.EncodeToString(b)
}

// A Span is one finished call, seen from one side.
type Span struct {
	Trace
	Parent  string // span id, "" at the root
	Name    string // the verb
	Serving bool
	Start   time.Time
	End     time.Time
	Err     error
}

// Tracing makes a span of every call and carries it in the traceparent header.
// On the serving side (serving true) the caller's span is the parent. sink may
// be nil: the context is propagated all the same. It must not block.
func Tracing(serving bool, sink func(Span)) Middleware {
	return func(next Handler) Handler {
		return func(ctx context.Context, m *Message) (*Message, error) {
			parent := TraceFrom(ctx)
			if serving {
				parent, _ = ParseTrace(m.Header.Get(HeaderTraceparent))
			}
			t := parent.child()
			ctx = WithTrace(ctx, t)
			if !serving {
				m = clone(m)
				m.Header.Set(HeaderTraceparent, t.String())
			}
			start := time.Now()
			r, err := next(ctx, m)
			if sink != nil {
				sink(Span{Trace: t, Parent: parent.SpanID, Name: m.Verb, Serving: serving, Start: start, End: time.Now(), Err: err})
			}
			return r, err
		}
	}
}
