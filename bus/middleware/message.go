// Package middleware holds what the bus does to every message, one concern a
// file: deadline, retry, dead letter, redaction, tracing and metrics. It knows
// nothing of NATS; package bus puts the pieces around its transport, and both
// the calling and the serving side are chains of the same type.
package middleware

import (
	"context"
	"strings"
)

// A Message is a request or a reply as the middleware sees it.
type Message struct {
	Verb   string // "observer.observe", "runs.work"
	Node   string // the process that must serve it; "" any replica
	Header Header
	Data   []byte // JSON
}

// Header holds the message's headers; keys are compared as they are written.
type Header map[string][]string

// Get returns the first value of key, or "".
func (h Header) Get(key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Set replaces the values of key.
func (h Header) Set(key, value string) { h[key] = []string{value} }

// A Handler answers a message. On the calling side it sends the request and
// returns the reply; on the serving side it is the agent.
type Handler func(ctx context.Context, m *Message) (*Message, error)

// A Middleware wraps a Handler. It must be safe for concurrent use.
type Middleware func(next Handler) Handler

// Chain puts the middlewares around h; the first is the outermost. Nil ones
// are left out.
func Chain(h Handler, m ...Middleware) Handler {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i] != nil {
			h = m[i](h)
		}
	}
	return h
}

// clone copies a message so that a middleware can change headers for one try.
func clone(m *Message) *Message {
	c := *m
	c.Header = make(Header, len(m.Header)+1)
	for k, v := range m.Header {
		c.Header[k] = v
	}
	return &c
}

// agentOf returns the part of a verb before the dot.
func agentOf(verb string) string {
	a, _, _ := strings.Cut(verb, ".")
	return a
}
