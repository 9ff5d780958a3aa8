package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/quartet-agents/quartet/bus/middleware"
)

const (
	defaultSlots = 16
	queuePerSlot = 16
	// serveLimit ends a handler whose caller named no deadline.
	serveLimit = 5 * time.Minute
)

// A Service offers an agent's verbs. Make it with NewService, add verbs with
// Handle, then Start it. Requests run concurrently, as many at once as there
// are slots; more wait, and beyond 16 a slot they are refused as busy.
type Service struct {
	b     *Bus
	agent string
	slots chan struct{}

	mu       sync.Mutex
	verbs    map[Verb]middleware.Handler
	svc      micro.Service
	cancels  *nats.Subscription
	calls    map[string]context.CancelFunc // by reply inbox
	draining bool                          // Stop was called
	stopped  bool                          // nothing is taken any more
	end      context.CancelFunc            // of every handler
	wg       sync.WaitGroup
}

// A ServiceOption changes a Service.
type ServiceOption func(*Service)

// WithSlots sets how many requests run at once; default 16.
func WithSlots(n int) ServiceOption {
	return func(s *Service) {
		if n > 0 {
			s.slots = make(chan struct{}, n)
		}
	}
}

// NewService makes a service for the agent "observer", "actor", "verifier", "vision".
func NewService(b *Bus, agent string, o ...ServiceOption) *Service {
	s := &Service{
		b: b, agent: agent, slots: make(chan struct{}, defaultSlots),
		verbs: map[Verb]middleware.Handler{}, calls: map[string]context.CancelFunc{},
	}
	for _, f := range o {
		f(s)
	}
	return s
}

// Handle adds a verb; before Start only. h's context ends when the caller's
// does, when the caller gives up, or when Stop runs out of patience. A panic
// in h becomes an error reply.
func Handle[Req, Resp any](s *Service, v Verb, h func(context.Context, Req) (Resp, error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verbs[v] = func(ctx context.Context, m *middleware.Message) (*middleware.Message, error) {
		var req Req
		if err := json.Unmarshal(m.Data, &req); err != nil {
			return nil, Errorf(GiveUp, CodeBadMessage, "the request %s cannot be decoded (do all agents have the same version?): %w", v, err)
		}
		resp, err := h(ctx, req)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(resp)
		if err != nil {
			return nil, Errorf(GiveUp, CodeBadMessage, "the reply of %s cannot be encoded: %w", v, err)
		}
		return &middleware.Message{Verb: string(v), Data: data}, nil
	}
}

// Start begins to serve; when it returns, calls find the service. It serves
// until Stop: ctx is only for starting, and for the values in it.
func (s *Service) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.svc != nil {
		return Errorf(GiveUp, CodeBadArgument, "the %s service was started already", s.agent)
	}
	if !isToken(s.agent) {
		return Errorf(GiveUp, CodeBadArgument, "%q cannot be an agent's name", s.agent)
	}
	base, end := context.WithCancel(context.WithoutCancel(ctx))
	svc, err := micro.AddService(s.b.nc, micro.Config{
		Name: s.agent, Version: "1.0.0", Description: "Quartet " + s.agent,
		Metadata: map[string]string{"node": s.b.node, "host": hostName()},
	})
	if err != nil {
		end()
		return Errorf(GiveUp, CodeInternal, "service %s: %w", s.agent, err)
	}
	fail := func(err error) error {
		end()
		_ = svc.Stop() // the first error is the one to report
		return Errorf(GiveUp, CodeInternal, "service %s: %w", s.agent, err)
	}
	// Cancellations are subscribed first, so that none can come too early.
	cancels, err := s.b.nc.Subscribe(cancelSubject, func(m *nats.Msg) { s.cancelCall(string(m.Data)) })
	if err != nil {
		return fail(err)
	}
	i := 0
	for v, h := range s.verbs {
		if !v.valid() {
			return fail(fmt.Errorf("%q is not a verb", v))
		}
		h := micro.HandlerFunc(s.serve(base, v, s.wrap(v, h)))
		// The same verb twice: for any replica, and for this node alone.
		for _, node := range []string{"", s.b.node} {
			i++
			if err := svc.AddEndpoint(fmt.Sprintf("e%d", i), h, micro.WithEndpointSubject(v.subject(node))); err != nil {
				_ = cancels.Unsubscribe() // the first error is the one to report
				return fail(err)
			}
		}
	}
	if err := s.b.flush(ctx); err != nil {
		_ = cancels.Unsubscribe() // the first error is the one to report
		return fail(err)
	}
	s.svc, s.cancels, s.end = svc, cancels, end
	return nil
}

// wrap puts the serving side's middleware around a handler.
func (s *Service) wrap(v Verb, h middleware.Handler) middleware.Handler {
	return middleware.Chain(h,
		s.b.meter(true),
		middleware.Tracing(true, s.b.spans),
		middleware.HonorDeadline(serveLimit),
		middleware.Redact(s.b.redact, true),
		s.recoverPanic(v),
	)
}

func (s *Service) recoverPanic(v Verb) middleware.Middleware {
	return func(next middleware.Handler) middleware.Handler {
		return func(ctx context.Context, m *middleware.Message) (r *middleware.Message, err error) {
			defer func() {
				if p := recover(); p != nil {
					s.b.log.Error("bus: handler panicked", "verb", string(v), "panic", s.b.clean(fmt.Sprint(p)), "stack", string(debug.Stack()))
					r, err = nil, Errorf(GiveUp, CodePanic, "the %s agent failed on %s: %v", s.agent, v, p)
				}
			}()
			return next(ctx, m)
		}
	}
}

// serve returns the NATS side of a handler. It never blocks the subscription.
func (s *Service) serve(base context.Context, v Verb, h middleware.Handler) func(micro.Request) {
	return func(req micro.Request) {
		inbox := req.Reply()
		ctx, cancel := context.WithCancel(base)
		s.mu.Lock()
		if len(s.calls) >= cap(s.slots)*(1+queuePerSlot) {
			s.mu.Unlock()
			cancel()
			s.fail(req, v, Errorf(Retry, CodeBusy, "the %s agent has %d requests waiting", s.agent, cap(s.slots)*queuePerSlot))
			return
		}
		if s.stopped {
			s.mu.Unlock()
			cancel()
			s.fail(req, v, Errorf(Retry, CodeBusy, "the %s agent is stopping", s.agent))
			return
		}
		s.calls[inbox] = cancel
		s.wg.Add(1)
		s.mu.Unlock()
		go func() {
			defer s.wg.Done()
			defer func() {
				s.mu.Lock()
				delete(s.calls, inbox)
				s.mu.Unlock()
				cancel()
			}()
			stop := s.beats(ctx, inbox)
			reply, err := s.run(ctx, req, v, h)
			stop() // so that no beat follows the reply
			if err == nil && len(reply.Data) > MaxMessage {
				err = tooLarge("the reply of "+string(v), len(reply.Data))
			}
			if err != nil && base.Err() != nil {
				// Not the caller's doing; another replica may finish it.
				err = Errorf(Retry, CodeReplicaLost, "the %s agent was stopped while it served %s", s.agent, v)
			}
			if err != nil {
				s.fail(req, v, err)
				return
			}
			if err := s.answer(inbox, nil, reply.Data); err != nil {
				s.b.log.Warn("bus: reply was not sent", "verb", string(v), "error", err)
			}
		}()
	}
}

// run waits for a slot and runs the handler in it.
func (s *Service) run(ctx context.Context, req micro.Request, v Verb, h middleware.Handler) (*middleware.Message, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return h(ctx, &middleware.Message{Verb: string(v), Header: middleware.Header(req.Headers()), Data: req.Data()})
}

// beats tells the caller every half second that its request is being served.
func (s *Service) beats(ctx context.Context, inbox string) (stop func()) {
	if inbox == "" {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(s.b.beat)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				m := nats.NewMsg(inbox)
				m.Header.Set(headerBeat, "1")
				if err := s.b.nc.PublishMsg(m); err != nil {
					s.b.log.Debug("bus: beat was not sent", "error", err)
				}
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}

// answer sends the last message of a call. Not by the request's own methods:
// they note the outcome in it, which micro reads as soon as its handler, that
// only begins the work, has returned.
func (s *Service) answer(inbox string, head nats.Header, data []byte) error {
	return s.b.nc.PublishMsg(&nats.Msg{Subject: inbox, Header: head, Data: data})
}

func (s *Service) fail(req micro.Request, v Verb, err error) {
	e := *AsError(err)
	e.Message = s.b.clean(e.Message)
	if len(e.Message) > 8<<10 {
		e.Message = e.Message[:8<<10] + "… (shortened)"
	}
	data, merr := json.Marshal(&e)
	if merr != nil { // three strings always marshal
		data = nil
	}
	head := nats.Header{micro.ErrorCodeHeader: {orDefault(e.Code, CodeInternal)}, micro.ErrorHeader: {"see the body"}}
	if rerr := s.answer(req.Reply(), head, data); rerr != nil {
		s.b.log.Warn("bus: error reply was not sent", "verb", string(v), "error", rerr, "reply", e.Message)
	}
}

func (s *Service) cancelCall(inbox string) {
	s.mu.Lock()
	cancel := s.calls[inbox]
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// Stop takes no more requests, waits for those that run, and returns when the
// last has answered. When ctx ends first, their contexts are cancelled and
// Stop waits for the handlers to return.
func (s *Service) Stop(ctx context.Context) error {
	s.mu.Lock()
	if s.svc == nil || s.draining {
		s.mu.Unlock()
		return nil
	}
	s.draining = true
	svc, cancels, end := s.svc, s.cancels, s.end
	s.mu.Unlock()
	err := svc.Stop()
	// What the server had sent before it saw the drain is still delivered; a
	// round trip later it is.
	if ferr := s.b.flush(ctx); err == nil {
		err = ferr
	}
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		end()
		<-done
		if err == nil {
			err = ctx.Err()
		}
	}
	end()
	if uerr := cancels.Unsubscribe(); err == nil && uerr != nil {
		err = uerr
	}
	if ferr := s.b.flush(context.WithoutCancel(ctx)); err == nil {
		err = ferr
	}
	if err != nil {
		return fmt.Errorf("stopping the %s service: %w", s.agent, err)
	}
	return nil
}
