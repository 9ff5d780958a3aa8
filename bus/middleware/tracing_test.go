package middleware

import (
	"context"
	"errors"
	"testing"
)

func TestParseTrace(t *testing.T) {
	const id, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for s, ok := range map[string]bool{
		"00-" + id + "-" + span + "-01":         true,
		"00-" + id + "-" + span + "-00":         true,
		"cc-" + id + "-" + span + "-01-later":   true,
		"00-" + id + "-" + span + "-01-x":       false,
		"ff-" + id + "-" + span + "-01":         false,
		"zz-" + id + "-" + span + "-01":         false,
		"00-" + id + "-0000000000000000-01":     false,
		"00-" + id[:31] + "-" + span + "-01":    false,
		"00-" + id[:31] + "G-" + span + "-01":   false,
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-x": false,
		"":                                      false,
	} {
		got, valid := ParseTrace(s)
		if valid != ok || ok && (got.TraceID != id || got.SpanID != span) {
			t.Errorf("%q: %+v, %v", s, got, valid)
		}
		if ok && s[:2] == "00" && got.String() != s {
			t.Errorf("%q is written %q", s, got)
		}
	}
	if n := NewTrace(); !n.Valid() || n == NewTrace() {
		t.Errorf("a new trace is %+v", n)
	}
	if s := (Trace{}).String(); s != "" {
		t.Errorf("no trace is written %q", s)
	}
}

func TestTracing(t *testing.T) {
	var spans []Span
	sink := func(s Span) { spans = append(spans, s) }
	boom := errors.New("boom")
	var inner Trace
	serve := Tracing(true, sink)(func(ctx context.Context, m *Message) (*Message, error) { inner = TraceFrom(ctx); return nil, boom })
	call := Tracing(false, sink)(func(_ context.Context, m *Message) (*Message, error) { return serve(context.Background(), m) })
	root := NewTrace()
	m := &Message{Verb: "actor.act", Header: Header{}}
	if _, err := call(WithTrace(t.Context(), root), m); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if len(spans) != 2 || len(m.Header) != 0 {
		t.Fatalf("spans %+v, header %v", spans, m.Header)
	}
	server, client := spans[0], spans[1]
	if client.Parent != root.SpanID || server.Parent != client.SpanID || server.TraceID != root.TraceID || client.TraceID != root.TraceID || inner != server.Trace {
		t.Errorf("client %+v, server %+v, inside %+v", client, server, inner)
	}
	if server.Err != boom || !server.Serving || client.Serving || server.Name != "actor.act" || server.End.Before(server.Start) {
		t.Errorf("server span is %+v", server)
	}
	// A header that is no trace begins a new one.
	if _, err := serve(t.Context(), &Message{Header: Header{HeaderTraceparent: {"junk"}}}); !errors.Is(err, boom) {
		t.Fatal(err)
	}
	if last := spans[2]; !last.Valid() || last.TraceID == root.TraceID || last.Parent != "" {
		t.Errorf("span is %+v", last)
	}
}
