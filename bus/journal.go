package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// maxCached is how many runs' states are kept in memory.
const maxCached = 64

// A Journal is the record of every run. It is safe for concurrent use.
type Journal struct {
	b      *Bus
	stream jetstream.Stream

	mu   sync.Mutex
	runs map[string]*cachedRun
}

// cachedRun is a state that only grows, and the hash of its last message. The
// lock is a channel so that whoever waits for it can give up.
type cachedRun struct {
	lock  chan struct{}
	state *RunState
	prev  string
	used  time.Time
}

// A RunSummary is a line in the list of runs.
type RunSummary struct {
	Run     string    `json:"run"`
	Name    string    `json:"name,omitempty"` // of the workflow
	Status  Status    `json:"status"`         // "" while the run goes on
	Reason  string    `json:"reason,omitempty"`
	Events  uint64    `json:"events"`
	Started time.Time `json:"started"`
	Updated time.Time `json:"updated"`
}

// Journal returns the journal.
func (b *Bus) Journal() *Journal { return b.journal }

func newJournal(b *Bus, s jetstream.Stream) *Journal {
	return &Journal{b: b, stream: s, runs: map[string]*cachedRun{}}
}

func journalSubject(run string) string { return "quartet.journal." + run }

// cached returns the run's cache, locked; unlock gives it back.
func (j *Journal) cached(ctx context.Context, run string) (c *cachedRun, unlock func(), err error) {
	if !isToken(run) {
		return nil, nil, Errorf(GiveUp, CodeBadArgument, "%q cannot be a run's id: letters, digits, - and _, at most 64", run)
	}
	j.mu.Lock()
	c = j.runs[run]
	if c == nil {
		if len(j.runs) >= maxCached {
			j.evict()
		}
		c = &cachedRun{lock: make(chan struct{}, 1), state: NewRunState(run)}
		j.runs[run] = c
	}
	c.used = time.Now()
	j.mu.Unlock()
	select {
	case c.lock <- struct{}{}:
		return c, func() { <-c.lock }, nil
	case <-ctx.Done():
		return nil, nil, storeError(ctx.Err(), "journal of run "+run)
	}
}

// evict drops the cache that was not used for longest. Whoever holds it goes
// on with it; the next one reads the journal again.
func (j *Journal) evict() {
	var oldest string
	for run, c := range j.runs {
		if oldest == "" || c.used.Before(j.runs[oldest].used) {
			oldest = run
		}
	}
	delete(j.runs, oldest)
}

// State returns the run's state as of now: the journal is read on from where
// the last call ended, one round trip when nothing is new. A run without
// entries has Events 0. An unknown or damaged entry is an error that says
// which; the run must not go on then.
func (j *Journal) State(ctx context.Context, run string) (*RunState, error) {
	c, unlock, err := j.cached(ctx, run)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := j.catchUp(ctx, c); err != nil {
		return nil, err
	}
	return c.state.copyState(), nil
}

// catchUp reads what is new. The caller holds c's lock.
func (j *Journal) catchUp(ctx context.Context, c *cachedRun) error {
	subject := jetstream.WithGetMsgSubject(journalSubject(c.state.Run))
	for {
		m, err := j.stream.GetMsg(ctx, c.state.LastSeq+1, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return storeError(err, "reading the journal of run "+c.state.Run)
		}
		if err := c.apply(m.Sequence, m.Data); err != nil {
			return err
		}
	}
}

// apply folds one message in, after checking that it follows the last one.
func (c *cachedRun) apply(seq uint64, message []byte) error {
	w, e, err := decodeEnvelope(seq, message)
	if err != nil {
		return err
	}
	if w.Prev != c.prev {
		return damaged(seq, "it does not follow entry %d: one between them is lost or was changed", c.state.LastSeq)
	}
	if err := c.state.Apply(e); err != nil {
		return err
	}
	c.prev = chainHash(message)
	return nil
}

// Append adds an event to the run's journal and returns its sequence, once it
// is stored. expected is the sequence of the run's last entry as the caller
// knows it, 0 before the first: whoever is behind does not own the run and gets
// ErrFenced. An event that the state machine does not allow is refused before
// anything is sent (ErrNoVerdict, ErrFinished, ErrNotSubmitted, ErrNotAllowed).
// After an error with decision Retry the event may or may not be stored; State
// tells.
func (j *Journal) Append(ctx context.Context, run string, expected uint64, kind EventKind, data any) (uint64, error) {
	c, unlock, err := j.cached(ctx, run)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if c.state.LastSeq < expected || expected == 0 && c.state.Events == 0 {
		if err := j.catchUp(ctx, c); err != nil {
			return 0, err
		}
	}
	if c.state.LastSeq != expected {
		return 0, j.fenced(run, expected, c.state.LastSeq)
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return 0, Errorf(GiveUp, CodeBadMessage, "event %s cannot be encoded: %w", kind, err)
	}
	w := envelope{
		Schema: schemaVersion, ID: nuid.Next(), Run: run, Kind: kind,
		Time: time.Now().UTC().Truncate(time.Microsecond), Prev: c.prev, Data: j.b.redact.JSON(raw),
	}
	message, err := json.Marshal(w)
	if err != nil {
		return 0, Errorf(GiveUp, CodeBadMessage, "event %s cannot be encoded: %w", kind, err)
	}
	if len(message) > maxEvent {
		return 0, tooLarge("journal entry "+string(kind), len(message))
	}
	// What is checked is what a reader will decode, redaction included.
	if _, err := c.state.check(Event{Run: run, Kind: kind, Time: w.Time, Data: w.Data}); err != nil {
		return 0, err
	}
	seq, err := j.publish(ctx, w, message, expected)
	if err != nil {
		return 0, err
	}
	if err := c.apply(seq, message); err != nil {
		return 0, err
	}
	return seq, nil
}

// publish stores a message behind the expected one. An append without an
// answer, and one that was sent twice, are looked up by their id.
func (j *Journal) publish(ctx context.Context, w envelope, message []byte, expected uint64) (uint64, error) {
	ack, err := j.b.js.Publish(ctx, journalSubject(w.Run), message,
		jetstream.WithExpectStream(StreamJournal), jetstream.WithExpectLastSequencePerSubject(expected))
	if err == nil {
		return ack.Sequence, nil
	}
	// The caller's time may be up; whether the entry is stored is still to be known.
	look, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	last, lookErr := j.stream.GetLastMsgForSubject(look, journalSubject(w.Run))
	if lookErr == nil && last.Sequence > expected {
		if lw, _, derr := decodeEnvelope(last.Sequence, last.Data); derr == nil && lw.ID == w.ID {
			return last.Sequence, nil
		}
		return 0, j.fenced(w.Run, expected, last.Sequence)
	}
	if isWrongSequence(err) {
		return 0, j.fenced(w.Run, expected, 0)
	}
	return 0, storeError(err, "appending to the journal of run "+w.Run)
}

func (j *Journal) fenced(run string, expected, last uint64) *Error {
	return Errorf(GiveUp, ErrFenced.Code, "run %s: entry %d is not the journal's last (%d): another process owns the run", run, expected, last)
}

// Watch yields the run's events from the first one, then those that come,
// until the run is finished or ctx ends; ctx's end is yielded as its error. It
// also begins before the first entry is there. The events are not checked.
func (j *Journal) Watch(ctx context.Context, run string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if !isToken(run) {
			yield(Event{}, Errorf(GiveUp, CodeBadArgument, "%q cannot be a run's id", run))
			return
		}
		cons, err := j.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{journalSubject(run)}, DeliverPolicy: jetstream.DeliverAllPolicy,
			InactiveThreshold: 30 * time.Second,
		})
		if err != nil {
			yield(Event{}, storeError(err, "watching run "+run))
			return
		}
		it, err := cons.Messages()
		if err != nil {
			yield(Event{}, storeError(err, "watching run "+run))
			return
		}
		defer it.Stop()
		for {
			m, err := it.Next(jetstream.NextContext(ctx))
			if errors.Is(err, jetstream.ErrNoHeartbeat) && ctx.Err() == nil {
				continue // the server is away for a moment; the consumer goes on by itself
			}
			if err != nil {
				if ctx.Err() != nil {
					err = ctx.Err()
				}
				yield(Event{}, storeError(err, "watching run "+run))
				return
			}
			meta, err := m.Metadata()
			if err != nil {
				yield(Event{}, storeError(err, "watching run "+run))
				return
			}
			e, err := DecodeEvent(meta.Sequence.Stream, m.Data())
			if !yield(e, err) || err != nil || e.Kind == EventFinished {
				return
			}
		}
	}
}

// Runs lists every run in the journal, the newest first. It reads two entries
// a run.
func (j *Journal) Runs(ctx context.Context) ([]RunSummary, error) {
	info, err := j.stream.Info(ctx, jetstream.WithSubjectFilter(journalSubjects))
	if err != nil {
		return nil, storeError(err, "listing runs")
	}
	var out []RunSummary
	for subject, n := range info.State.Subjects {
		s := RunSummary{Run: strings.TrimPrefix(subject, journalSubject("")), Events: n}
		first, err := j.stream.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(subject))
		if err != nil {
			return nil, storeError(err, "listing runs")
		}
		last, err := j.stream.GetLastMsgForSubject(ctx, subject)
		if err != nil {
			return nil, storeError(err, "listing runs")
		}
		// A damaged run must not hide the others.
		if e, err := DecodeEvent(first.Sequence, first.Data); err != nil {
			s.Reason = err.Error()
		} else if p, err := decodeData(e); err != nil {
			s.Reason = err.Error()
		} else if sub, ok := p.(*Submission); ok {
			s.Name, s.Started = sub.Name, e.Time
		}
		if e, err := DecodeEvent(last.Sequence, last.Data); err != nil {
			s.Reason = err.Error()
		} else {
			s.Updated = e.Time
			if p, err := decodeData(e); err != nil {
				s.Reason = err.Error()
			} else if f, ok := p.(*Finished); ok {
				s.Status, s.Reason = f.Status, f.Reason
			}
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b RunSummary) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(a.Run, b.Run))
	})
	return out, nil
}
