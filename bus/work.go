package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quartet-agents/quartet/bus/middleware"
)

const (
	plannerConsumer = "planner"
	verbWork        = "runs.work"
	// pullFor is how long one request for a run waits at the server; shorter
	// than 10 s needs no heartbeats.
	pullFor = 5 * time.Second
)

// ErrQueued says that the run waits for a planner already, or has one.
var ErrQueued = &Error{Code: "queued", Decision: GiveUp, Message: "the run is queued already"}

// A Submission is a run that waits for a planner. It is also the data of the
// run's first journal entry, which the planner writes.
type Submission struct {
	Run  string `json:"run"`
	Name string `json:"name,omitempty"` // of the workflow
	// Workflow is the workflow as the planner understands it; the bus does not.
	Workflow json.RawMessage `json:"workflow,omitempty"`
	// Dir is the folder that upload paths are relative to.
	Dir string `json:"dir,omitempty"`
	// Options are the run's settings: vision, limits, model.
	Options json.RawMessage `json:"options,omitempty"`
	// Resume asks for a run that was begun before; its journal says the rest.
	Resume    bool      `json:"resume,omitempty"`
	Submitted time.Time `json:"submitted"`
}

// Submit queues a run for any planner. A run that is queued, or is being
// worked on, is refused with ErrQueued; with Resume it is taken from its
// planner, which the journal's fence then stops.
func (b *Bus) Submit(ctx context.Context, s Submission) error {
	if !isToken(s.Run) {
		return Errorf(GiveUp, CodeBadArgument, "%q cannot be a run's id: letters, digits, - and _, at most 64", s.Run)
	}
	if s.Submitted.IsZero() {
		s.Submitted = time.Now().UTC().Truncate(time.Microsecond)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return Errorf(GiveUp, CodeBadMessage, "the submission cannot be encoded: %w", err)
	}
	data = b.redact.JSON(data)
	// The first journal entry wraps these bytes and has the same limit.
	if len(data) > maxEvent-1024 {
		return tooLarge("the submission", len(data))
	}
	subject := "quartet.runs." + s.Run
	var last uint64
	if s.Resume {
		switch m, err := b.runs.GetLastMsgForSubject(ctx, subject); {
		case err == nil:
			if err := b.runs.DeleteMsg(ctx, m.Sequence); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) && !errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
				return storeError(err, "taking run "+s.Run+" from its planner")
			}
		case !errors.Is(err, jetstream.ErrMsgNotFound):
			return storeError(err, "queueing run "+s.Run)
		}
	}
	_, err = b.js.Publish(ctx, subject, data, jetstream.WithExpectStream(StreamRuns), jetstream.WithExpectLastSequencePerSubject(last))
	if isWrongSequence(err) {
		return Errorf(GiveUp, ErrQueued.Code, "run %s is queued or running already", s.Run)
	}
	return storeError(err, "queueing run "+s.Run)
}

// A WorkOption changes Work.
type WorkOption func(*workOptions)

type workOptions struct {
	slots int
	dead  func(ctx context.Context, s Submission, l middleware.Letter)
}

// WithRuns sets how many runs this planner works on at once; default 1.
func WithRuns(n int) WorkOption {
	return func(o *workOptions) { o.slots = max(1, n) }
}

// WithDead is called for each run that became a dead letter: its planner must
// end the journal (finished, failed), since nobody works on the run any more.
func WithDead(f func(ctx context.Context, s Submission, l middleware.Letter)) WorkOption {
	return func(o *workOptions) { o.dead = f }
}

// Work takes submitted runs and hands them to handler, until ctx ends; then it
// waits for the handlers, whose context ends too, and gives their runs back.
//
// A run belongs to the handler as long as this process lives: the queue hears
// from it every third of AckWait. When the process dies another one gets the
// run, and appends to the journal fence the first if it was not dead after all.
// A handler that returns nil is done with the run. ErrFenced leaves the run, and
// the queue's message of it, to its new owner. An error with decision Retry
// brings the run again, any other error makes it a dead letter, as does the
// delivery after MaxDeliver. A panic counts as an error.
func (b *Bus) Work(ctx context.Context, handler func(ctx context.Context, s Submission) error, opts ...WorkOption) error {
	o := workOptions{slots: 1}
	for _, f := range opts {
		f(&o)
	}
	cons, err := b.runs.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: plannerConsumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: b.ackWait,
		MaxDeliver:    -1, // counted here, see middleware.DeadLetterOptions
		MaxAckPending: 1000,
	})
	if err != nil {
		return storeError(err, "the queue of runs")
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	slots := make(chan struct{}, o.slots)
	for {
		select {
		case slots <- struct{}{}: // a message is taken only when it can be worked on
		case <-ctx.Done():
			return nil
		}
		// One pull a slot: a message fetched ahead would lose its AckWait in a buffer.
		pull, cancel := context.WithTimeout(ctx, pullFor)
		m, err := cons.Next(jetstream.FetchContext(pull))
		early := pull.Err() == nil
		cancel()
		if ctx.Err() != nil {
			if err == nil {
				_ = m.Nak() // it comes again after AckWait if this is lost
			}
			return nil
		}
		if err != nil {
			<-slots
			if !isPullOver(err) {
				return storeError(err, "the queue of runs")
			}
			if early { // the server is away
				pause(ctx, 200*time.Millisecond)
			}
			continue
		}
		wg.Go(func() {
			defer func() { <-slots }()
			b.workOn(ctx, m, handler, o)
		})
	}
}

// pause waits for d or ctx's end.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// isPullOver recognises a pull that ended without a message: its time was up,
// or the server was away for a moment and the client reconnects by itself.
func isPullOver(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoHeartbeat) ||
		errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrDisconnected) || errors.Is(err, jetstream.ErrNoMessages)
}

type deliveryKey struct{}

// workOn runs the handler for one delivery and answers the queue.
func (b *Bus) workOn(ctx context.Context, m jetstream.Msg, handler func(context.Context, Submission) error, o workOptions) {
	meta, err := m.Metadata()
	if err != nil {
		b.log.Error("bus: a queued run has no metadata", "error", err)
		return
	}
	stop := b.keepAlive(m)
	defer stop()
	ctx = context.WithValue(ctx, deliveryKey{}, meta.NumDelivered)
	var sub Submission
	fenced := false
	h := middleware.Chain(func(ctx context.Context, msg *middleware.Message) (r *middleware.Message, err error) {
		defer func() {
			if p := recover(); p != nil {
				b.log.Error("bus: work on a run panicked", "run", sub.Run, "panic", b.clean(fmt.Sprint(p)), "stack", string(debug.Stack()))
				err = Errorf(Retry, CodePanic, "the planner failed: %v", p)
			}
		}()
		if err := json.Unmarshal(msg.Data, &sub); err != nil {
			return nil, Errorf(GiveUp, CodeBadMessage, "the submission does not decode: %w", err)
		}
		if err = handler(ctx, sub); errors.Is(err, ErrFenced) {
			fenced = true
			return nil, nil
		}
		return nil, err
	}, b.meter(true), middleware.DeadLetter(middleware.DeadLetterOptions{
		MaxDeliveries: uint64(b.maxDeliver),
		Delivery:      func(ctx context.Context) uint64 { n, _ := ctx.Value(deliveryKey{}).(uint64); return n },
		Final:         func(err error) bool { return DecisionOf(err) != Retry },
		Put: func(ctx context.Context, l middleware.Letter) error {
			return b.putDead(ctx, m, l, o)
		},
	}))
	_, err = h(ctx, &middleware.Message{Verb: verbWork, Data: m.Data()})
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	switch {
	case fenced: // an answer from here would be taken for the new owner's
		err = nil
	case err == nil:
		err = m.DoubleAck(end)
	case ctx.Err() != nil:
		err = m.Nak()
	default:
		b.log.Warn("bus: a run comes again", "run", sub.Run, "error", b.clean(err.Error()), "delivery", meta.NumDelivered)
		err = m.NakWithDelay(min(30*time.Second, time.Duration(meta.NumDelivered)*b.ackWait/3))
	}
	if err != nil {
		b.log.Warn("bus: the queue did not hear how a run went", "run", sub.Run, "error", err)
	}
}

// putDead stores the letter, then tells the caller's hook.
func (b *Bus) putDead(ctx context.Context, m jetstream.Msg, l middleware.Letter, o workOptions) error {
	l.Reason = b.clean(l.Reason)
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	run := m.Subject()[len("quartet.runs."):]
	if _, err := b.js.Publish(ctx, "quartet.dead."+run, data, jetstream.WithExpectStream(StreamDead)); err != nil {
		return storeError(err, "dead letter of run "+run)
	}
	b.log.Error("bus: a run became a dead letter", "run", run, "reason", l.Reason, "deliveries", l.Deliveries)
	if o.dead == nil {
		return nil
	}
	sub := Submission{}
	if json.Unmarshal(l.Data, &sub) != nil || sub.Run == "" {
		sub = Submission{Run: run}
	}
	o.dead(ctx, sub, l)
	return nil
}

// keepAlive tells the queue that the run is being worked on.
func (b *Bus) keepAlive(m jetstream.Msg) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		t := time.NewTicker(b.ackWait / 3)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				if err := m.InProgress(); err != nil {
					b.log.Debug("bus: the queue was not told that work goes on", "error", err)
				}
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}
