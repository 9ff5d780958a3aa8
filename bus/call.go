package bus

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/quartet-agents/quartet/bus/middleware"
)

const (
	headerBeat = "Quartet-Beat" // set on a reply message that only says "alive"
	headerErr  = "Nats-Service-Error-Code"
)

// Errors of a call, for errors.Is.
var (
	errNoAgent     = &Error{Code: CodeNoAgent, Decision: Retry, Message: "no agent is up"}
	errBusy        = &Error{Code: CodeBusy, Decision: Retry, Message: "the agent has too much to do"}
	errReplicaLost = &Error{Code: CodeReplicaLost, Decision: Retry, Message: "the replica went silent"}
)

// Call asks an agent and waits for its answer. With a session that belongs to
// a node the request goes to that node, otherwise to any replica. Without a
// deadline in ctx it may take 30 s. An error that the agent returned arrives
// as an *Error with its code and decision.
//
// A replica from which neither an answer nor a sign of life came for 3 s is
// given up: an idempotent verb is repeated on another replica, the others
// return CodeReplicaLost, and the caller must find out what was done. When ctx
// ends, the serving side's context ends too.
func Call[Req, Resp any](ctx context.Context, b *Bus, v Verb, s *Session, req Req) (Resp, error) {
	var resp Resp
	data, err := json.Marshal(req)
	if err != nil {
		return resp, Errorf(GiveUp, CodeBadMessage, "request %s cannot be encoded: %w", v, err)
	}
	m := &middleware.Message{Verb: string(v), Header: middleware.Header{}, Data: data}
	if s != nil {
		m.Node = s.Node
	}
	reply, err := b.call(ctx, m)
	if err != nil {
		return resp, AsError(err)
	}
	if len(reply.Data) == 0 {
		return resp, nil
	}
	if err := json.Unmarshal(reply.Data, &resp); err != nil {
		return resp, Errorf(GiveUp, CodeBadMessage, "the reply of %s cannot be decoded (do all agents have the same version?): %w", v, err)
	}
	return resp, nil
}

// roundTrip sends one request to one replica.
func (b *Bus) roundTrip(ctx context.Context, m *middleware.Message) (*middleware.Message, error) {
	v := Verb(m.Verb)
	if !v.valid() {
		return nil, Errorf(GiveUp, CodeBadArgument, "%q is not a verb", m.Verb)
	}
	if len(m.Data) > MaxMessage {
		return nil, tooLarge("the request "+m.Verb, len(m.Data))
	}
	inbox := b.nc.NewInbox()
	// Room for beats that come while the caller is not scheduled; the reply is
	// the last message, so nothing is lost but beats.
	ch := make(chan *nats.Msg, 64)
	sub, err := b.nc.ChanSubscribe(inbox, ch)
	if err != nil {
		return nil, Errorf(Retry, CodeUnreachable, "NATS: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only when the connection is closed
	if err := b.nc.PublishMsg(&nats.Msg{Subject: v.subject(m.Node), Reply: inbox, Header: nats.Header(m.Header), Data: m.Data}); err != nil {
		return nil, Errorf(Retry, CodeUnreachable, "%s was not sent, NATS is away: %w", v, err)
	}
	silent := time.NewTimer(b.lost)
	defer silent.Stop()
	for {
		select {
		case r := <-ch:
			if r.Header.Get(headerBeat) != "" {
				silent.Reset(b.lost)
				continue
			}
			return b.reply(m, r)
		case <-silent.C:
			b.cancelCall(inbox) // it may be cut off rather than dead
			if !b.nc.IsConnected() {
				return nil, Errorf(Retry, CodeReplicaLost, "NATS went away while %s was served", v)
			}
			return nil, Errorf(Retry, CodeReplicaLost, "the %s agent that served %s was silent for %s", v.Agent(), v, b.lost)
		case <-ctx.Done():
			b.cancelCall(inbox)
			return nil, callEnded(ctx, v)
		case <-b.closed:
			return nil, Errorf(GiveUp, CodeUnreachable, "the connection to NATS was closed during %s", v)
		}
	}
}

// reply turns the last message of a call into a reply or an error.
func (b *Bus) reply(m *middleware.Message, r *nats.Msg) (*middleware.Message, error) {
	v := Verb(m.Verb)
	if len(r.Data) == 0 && r.Header.Get("Status") == "503" {
		if m.Node != "" {
			return nil, Errorf(GiveUp, CodeNodeGone, "no %s agent is up on node %s, which owns the session's browser", v.Agent(), m.Node)
		}
		return nil, Errorf(Retry, CodeNoAgent, "no %s agent is up; start one with: quartet agent %s", v.Agent(), v.Agent())
	}
	if code := r.Header.Get(headerErr); code != "" {
		e := &Error{}
		if json.Unmarshal(r.Data, e) != nil || e.Code == "" {
			e = Errorf(GiveUp, CodeInternal, "%s failed: %s", v, r.Header.Get("Nats-Service-Error"))
		}
		return nil, e
	}
	return &middleware.Message{Verb: m.Verb, Header: middleware.Header(r.Header), Data: r.Data}, nil
}

// cancelCall tells whoever serves the call that nobody waits for it. Every
// replica hears it; calls given up are rare.
func (b *Bus) cancelCall(inbox string) {
	if err := b.nc.Publish(cancelSubject, []byte(inbox)); err != nil {
		b.log.Debug("bus: cancellation was not sent", "error", err)
	}
}

func callEnded(ctx context.Context, v Verb) error {
	if context.Cause(ctx) == context.DeadlineExceeded || ctx.Err() == context.DeadlineExceeded {
		return Errorf(Retry, CodeDeadline, "%s did not answer in time: %w", v, ctx.Err())
	}
	return Errorf(GiveUp, CodeCanceled, "%s was given up: %w", v, ctx.Err())
}

func tooLarge(what string, n int) *Error {
	return Errorf(GiveUp, CodeTooLarge, "%s has %d bytes, more than the %d that a message may have; put it into a store and send its key", what, n, MaxMessage)
}
