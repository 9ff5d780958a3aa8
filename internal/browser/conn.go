package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// callTimeout bounds a command whose caller gave no deadline.
const callTimeout = 30 * time.Second

var _ cdp.Session = (*session)(nil)

// A conn is a connection to a browser. One goroutine reads it for its life.
type conn struct {
	tr  chromedp.Transport
	log *slog.Logger

	root *session // the browser's own session

	wmu sync.Mutex // one writer at a time; never held with mu

	mu       sync.Mutex
	next     int64
	sessions map[target.SessionID]*session
	err      error // why the connection ended
	done     chan struct{}
}

// newConn starts to read tr. The browser's session gets its events in handle.
func newConn(tr chromedp.Transport, log *slog.Logger, handle func(method string, params jsonv2.Value)) *conn {
	c := &conn{tr: tr, log: log, sessions: map[target.SessionID]*session{}, done: make(chan struct{})}
	c.root = newSession(c, "")
	c.root.serve(handle)
	go c.read()
	return c
}

// close ends the connection; pending calls fail with ErrGone.
func (c *conn) close() {
	_ = c.tr.Close()
	<-c.done
}

func (c *conn) read() {
	var err error
	for {
		msg := new(cdproto.Message)
		if err = c.tr.Read(context.Background(), msg); err != nil {
			var syntax *jsonv2.SyntacticError
			if errors.As(err, &syntax) {
				c.log.Warn("browser sent a broken message", "error", err)
				continue
			}
			break
		}
		c.route(msg)
	}
	if errors.Is(err, io.EOF) {
		err = ErrGone
	} else {
		err = fmt.Errorf("%w: %w", ErrGone, err)
	}
	c.mu.Lock()
	c.err = err
	all := make([]*session, 0, len(c.sessions)+1)
	for _, s := range c.sessions {
		all = append(all, s)
	}
	c.sessions = nil
	c.mu.Unlock()
	for _, s := range append(all, c.root) {
		s.end(err)
	}
	close(c.done)
}

// route hands one message to its session. A child session exists from the
// attached event on, so that none of its messages is lost.
func (c *conn) route(msg *cdproto.Message) {
	s := c.root
	if msg.SessionID != "" {
		c.mu.Lock()
		s = c.sessions[msg.SessionID]
		c.mu.Unlock()
		if s == nil {
			return // of a session that ended
		}
	}
	if msg.Method == "" {
		s.reply(msg)
		return
	}
	method := string(msg.Method)
	switch method {
	case target.AttachedToTarget.Method:
		if ev, ok := decode[target.EventAttachedToTarget](msg.Params); ok {
			c.mu.Lock()
			if c.sessions != nil {
				c.sessions[ev.SessionID] = newSession(c, ev.SessionID)
			}
			c.mu.Unlock()
		}
	case target.DetachedFromTarget.Method:
		if ev, ok := decode[target.EventDetachedFromTarget](msg.Params); ok {
			c.mu.Lock()
			child := c.sessions[ev.SessionID]
			delete(c.sessions, ev.SessionID)
			c.mu.Unlock()
			if child != nil {
				child.end(ErrTabGone)
			}
		}
	}
	s.event(method, msg.Params)
}

// drop ends a session of which the browser does not say that it has ended.
func (c *conn) drop(s *session) {
	c.mu.Lock()
	delete(c.sessions, s.id)
	c.mu.Unlock()
	s.end(ErrTabGone)
}

// session returns the session with the id, nil when it has ended.
func (c *conn) session(id target.SessionID) *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

func (c *conn) nextID() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	return c.next
}

func (c *conn) write(msg *cdproto.Message) error {
	c.wmu.Lock()
	defer c.wmu.Unlock()
	return c.tr.Write(context.Background(), msg)
}

type event struct {
	method string
	params jsonv2.Value
}

// A session is one CDP session. Calls are safe from any goroutine; events are
// handled in order by one goroutine of the session.
type session struct {
	c  *conn
	id target.SessionID

	mu      sync.Mutex
	pending map[int64]chan *cdproto.Message
	queue   []event
	subs    map[*subscription]struct{}
	err     error // why it ended
	crashed bool  // the renderer is dead; it answers nothing until it is reloaded
	wake    chan struct{}
	done    chan struct{}

	reframed atomic.Int64 // how often it told of frames
}

func newSession(c *conn, id target.SessionID) *session {
	return &session{
		c: c, id: id,
		pending: map[int64]chan *cdproto.Message{},
		subs:    map[*subscription]struct{}{},
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
}

// serve starts the event loop; events that came before it are not lost. The
// handler must not wait for the browser. At the session's end it is called once
// more, with an empty method.
func (s *session) serve(handle func(method string, params jsonv2.Value)) {
	go func() {
		for {
			s.mu.Lock()
			queue := s.queue
			s.queue = nil
			ended := s.err != nil
			s.mu.Unlock()
			for _, e := range queue {
				handle(e.method, e.params)
			}
			if len(queue) > 0 {
				continue
			}
			if ended {
				handle("", nil)
				return
			}
			<-s.wake
		}
	}()
}

func (s *session) event(method string, params jsonv2.Value) {
	if tellsOfFrames(method) {
		s.reframed.Add(1)
	}
	s.mu.Lock()
	s.queue = append(s.queue, event{method, params})
	for sub := range s.subs {
		if sub.method == method {
			sub.push(params)
		}
	}
	s.mu.Unlock()
	s.ping()
}

func (s *session) ping() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *session) reply(msg *cdproto.Message) {
	s.mu.Lock()
	ch := s.pending[msg.ID]
	delete(s.pending, msg.ID)
	s.mu.Unlock()
	if ch != nil {
		ch <- msg
	}
}

// end fails what is pending and stops the event loop after what is queued.
func (s *session) end(err error) {
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return
	}
	s.err = err
	for sub := range s.subs {
		sub.finish()
	}
	s.subs = nil
	s.mu.Unlock()
	close(s.done)
	s.ping()
}

// send puts a command on the wire and returns the channel of its reply.
func (s *session) send(method string, params any) (int64, chan *cdproto.Message, error) {
	raw := jsonv2.Value("{}")
	if params != nil {
		b, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
		if err != nil {
			return 0, nil, fmt.Errorf("%s: %w", method, err)
		}
		raw = b
	}
	id, ch := s.c.nextID(), make(chan *cdproto.Message, 1)
	s.mu.Lock()
	if s.err != nil {
		defer s.mu.Unlock()
		return 0, nil, s.err
	}
	if s.crashed && needsRenderer(method) {
		s.mu.Unlock()
		return 0, nil, ErrCrashed
	}
	s.pending[id] = ch
	s.mu.Unlock()
	err := s.c.write(&cdproto.Message{ID: id, SessionID: s.id, Method: cdproto.MethodType(method), Params: raw})
	if err != nil {
		s.forget(id)
		return 0, nil, fmt.Errorf("%w: %w", ErrGone, err)
	}
	return id, ch, nil
}

// needsRenderer says whether a command is answered by the page's own process.
func needsRenderer(method string) bool {
	domain, _, _ := strings.Cut(method, ".")
	switch domain {
	case "Runtime", "DOM", "DOMDebugger", "CSS", "Accessibility", "Input":
		return true
	}
	return method == page.GetFrameTree.Method || method == page.CreateIsolatedWorld.Method || method == page.CaptureScreenshot.Method
}

// crash ends the calls that a dead renderer will never answer, or with false
// takes note that the page has a new one.
func (s *session) crash(dead bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crashed = dead
	if !dead {
		return
	}
	for id, ch := range s.pending {
		delete(s.pending, id)
		ch <- &cdproto.Message{ID: id, Error: &cdproto.Error{Code: crashedCode, Message: ErrCrashed.Error()}}
	}
}

// crashedCode marks the replies that crash makes up.
const crashedCode = -32999

func (s *session) forget(id int64) {
	s.mu.Lock()
	delete(s.pending, id)
	s.mu.Unlock()
}

// Call sends a command and waits for its reply, until ctx ends, or for 30 s
// when ctx has no deadline. An error of the browser is a *cdproto.Error.
func (s *session) Call(ctx context.Context, method string, params, result any) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callTimeout)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	id, ch, err := s.send(method, params)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return s.await(ctx, method, id, ch, result)
}

func (s *session) await(ctx context.Context, method string, id int64, ch chan *cdproto.Message, result any) error {
	var msg *cdproto.Message
	select {
	case msg = <-ch:
	case <-ctx.Done():
		s.forget(id)
		return fmt.Errorf("%s: %w", method, ctx.Err())
	case <-s.done:
		select {
		case msg = <-ch: // the reply came just before the end
		default:
			return fmt.Errorf("%s: %w", method, s.err)
		}
	}
	if msg.Error != nil {
		if msg.Error.Code == crashedCode {
			return fmt.Errorf("%s: %w", method, ErrCrashed)
		}
		return fmt.Errorf("%s: %w", method, msg.Error)
	}
	if result == nil {
		return nil
	}
	if err := jsonv2.Unmarshal(msg.Result, result, chromedp.DefaultUnmarshalOptions); err != nil {
		return fmt.Errorf("decoding the result of %s: %w", method, err)
	}
	return nil
}

// A step is a command of a pipeline.
type step struct {
	method string
	params any
	result any  // where the reply goes; nil drops it
	may    bool // may fail
}

// all sends the steps without waiting in between, then waits for every reply.
// It returns the first error of a step that may not fail.
func (s *session) all(ctx context.Context, steps []step) error {
	type sent struct {
		id int64
		ch chan *cdproto.Message
	}
	out := make([]sent, 0, len(steps))
	for _, st := range steps {
		id, ch, err := s.send(st.method, st.params)
		if err != nil {
			return fmt.Errorf("%s: %w", st.method, err)
		}
		out = append(out, sent{id, ch})
	}
	var first error
	for i, o := range out {
		err := s.await(ctx, steps[i].method, o.id, o.ch, steps[i].result)
		if err != nil && !steps[i].may && first == nil {
			first = err
		}
	}
	return first
}

// Subscribe satisfies cdp.Session: it buffers the events of the method from
// now on. The caller must call cancel.
func (s *session) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	sub := &subscription{method: method, out: make(chan jsonv2.Value), wake: make(chan struct{}, 1), stop: make(chan struct{})}
	s.mu.Lock()
	if s.err != nil {
		sub.ended = true
	} else {
		s.subs[sub] = struct{}{}
	}
	s.mu.Unlock()
	go sub.pump()
	var once sync.Once
	return sub.out, func() {
		once.Do(func() {
			s.mu.Lock()
			delete(s.subs, sub)
			s.mu.Unlock()
			close(sub.stop)
		})
	}
}

type subscription struct {
	method string
	out    chan jsonv2.Value
	wake   chan struct{}
	stop   chan struct{}

	mu    sync.Mutex
	queue []jsonv2.Value
	ended bool
}

func (s *subscription) push(v jsonv2.Value) {
	s.mu.Lock()
	s.queue = append(s.queue, v)
	s.mu.Unlock()
	s.ping()
}

func (s *subscription) finish() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.ping()
}

func (s *subscription) ping() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *subscription) pump() {
	defer close(s.out)
	for {
		s.mu.Lock()
		queue, ended := s.queue, s.ended
		s.queue = nil
		s.mu.Unlock()
		for _, v := range queue {
			select {
			case s.out <- v:
			case <-s.stop:
				return
			}
		}
		if len(queue) > 0 {
			continue
		}
		if ended {
			return
		}
		select {
		case <-s.wake:
		case <-s.stop:
			return
		}
	}
}

// decode reads an event's parameters; false when they are not of that shape.
func decode[E any](raw jsonv2.Value) (E, bool) {
	var e E
	err := jsonv2.Unmarshal(raw, &e, chromedp.DefaultUnmarshalOptions)
	return e, err == nil
}

// protocolError returns the browser's answer within err, or nil.
func protocolError(err error) *cdproto.Error {
	var e *cdproto.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}
