package bus

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Errors of the journal, for errors.Is.
var (
	ErrFenced       = &Error{Code: "fenced", Decision: GiveUp, Message: "the journal has newer entries: another process owns the run"}
	ErrNoVerdict    = &Error{Code: "no_verdict", Decision: GiveUp, Message: "an attempt has no verdict yet"}
	ErrFinished     = &Error{Code: "finished", Decision: GiveUp, Message: "the run is finished"}
	ErrNotSubmitted = &Error{Code: "not_submitted", Decision: GiveUp, Message: "the run was not submitted"}
	ErrNotAllowed   = &Error{Code: "not_allowed", Decision: GiveUp, Message: "the event is not allowed here"}
	ErrUnknownEvent = &Error{Code: "unknown_event", Decision: Ask, Message: "the journal holds an event that this version does not know"}
	ErrDamaged      = &Error{Code: "damaged", Decision: Ask, Message: "the journal is damaged"}
)

// RunState is the fold over a run's journal: everything that is known of the
// run, and everything that a planner needs to take it up.
//
// Its state machine: submitted comes first and once. An intent is allowed when
// nothing is open: every earlier intent has a verdict for its last attempt, or
// was skipped. An attempt is allowed for the newest intent, when it was not
// skipped, no attempt of it lacks a verdict, and none was right; so an intent
// may be tried again, or given up by the next intent. A receipt belongs to the
// open attempt and comes once; a verdict comes after it and closes the attempt.
// A refused intent takes the same path: an attempt without target, a receipt
// with the refusal, a verdict. Finished comes last and once; succeeded only
// when nothing is open and the final checks held.
//
// A RunState got from the journal is a copy whose records are shared: read
// them, don't change them.
type RunState struct {
	Run        string     `json:"run"`
	LastSeq    uint64     `json:"last_seq"`  // what Append expects
	LastKind   EventKind  `json:"last_kind"` //
	Events     int        `json:"events"`
	Started    time.Time  `json:"started"`
	Updated    time.Time  `json:"updated"`
	Submission Submission `json:"submission"`
	Owner      string     `json:"owner,omitempty"`
	Epoch      int        `json:"epoch,omitempty"`
	Session    *Session   `json:"session,omitempty"`
	// Intents are in order; the last may be open.
	Intents   []*IntentRecord   `json:"intents,omitempty"`
	Skips     []Skipped         `json:"skips,omitempty"` // of steps without an intent
	Vars      map[string]string `json:"vars,omitempty"`  // remembered
	Downloads []Download        `json:"downloads,omitempty"`
	// Escalations are those of receipts, verdicts and escalation events, in order.
	Escalations []Escalation     `json:"escalations,omitempty"`
	Usage       map[string]Usage `json:"usage,omitempty"` // by role, added up
	Notes       []Note           `json:"notes,omitempty"`
	Resumes     []Resumed        `json:"resumes,omitempty"`
	Finished    *Finished        `json:"finished,omitempty"`
}

// An IntentRecord is an intent and what became of it.
type IntentRecord struct {
	Intent   Intent           `json:"intent"`
	Seq      uint64           `json:"seq"`
	Time     time.Time        `json:"time"`
	Attempts []*AttemptRecord `json:"attempts,omitempty"`
	Skipped  *Skipped         `json:"skipped,omitempty"`
}

// An AttemptRecord is an attempt with its receipt and verdict, where there are.
type AttemptRecord struct {
	Attempt    Attempt   `json:"attempt"`
	Seq        uint64    `json:"seq"`
	Time       time.Time `json:"time"`
	Receipt    *Receipt  `json:"receipt,omitempty"`
	ReceiptSeq uint64    `json:"receipt_seq,omitempty"`
	Verdict    *Verdict  `json:"verdict,omitempty"`
	VerdictSeq uint64    `json:"verdict_seq,omitempty"`
	Closed     time.Time `json:"closed,omitzero"` // time of the verdict
}

// Last is the newest attempt, or nil.
func (r *IntentRecord) Last() *AttemptRecord {
	if len(r.Attempts) == 0 {
		return nil
	}
	return r.Attempts[len(r.Attempts)-1]
}

// LastIntent is the newest intent, or nil.
func (s *RunState) LastIntent() *IntentRecord {
	if len(s.Intents) == 0 {
		return nil
	}
	return s.Intents[len(s.Intents)-1]
}

// OpenIntent is the intent that waits for an attempt or a verdict, or nil.
func (s *RunState) OpenIntent() *IntentRecord {
	r := s.LastIntent()
	if r == nil || r.Skipped != nil {
		return nil
	}
	if a := r.Last(); a != nil && a.Verdict != nil {
		return nil
	}
	return r
}

// OpenAttempt is the attempt that has no verdict yet, or nil.
func (s *RunState) OpenAttempt() *AttemptRecord {
	r := s.OpenIntent()
	if r == nil {
		return nil
	}
	return r.Last()
}

// AttemptByID finds an attempt, or nil.
func (s *RunState) AttemptByID(id string) *AttemptRecord {
	for _, r := range slices.Backward(s.Intents) {
		for _, a := range r.Attempts {
			if a.Attempt.ID == id {
				return a
			}
		}
	}
	return nil
}

// NewRunState is the state of a run before its first event.
func NewRunState(run string) *RunState { return &RunState{Run: run} }

// Apply folds the next event in. An event that is unknown, damaged or not
// allowed changes nothing and is an error that names its sequence.
func (s *RunState) Apply(e Event) error {
	p, err := s.check(e)
	if err != nil {
		return err
	}
	s.fold(e, p)
	return nil
}

// check decodes the event's data and asks the state machine.
func (s *RunState) check(e Event) (any, error) {
	p, err := decodeData(e)
	if err != nil {
		return nil, err
	}
	if e.Run != s.Run {
		return nil, damaged(e.Seq, "it belongs to run %q", e.Run)
	}
	if s.Finished != nil {
		return nil, Errorf(GiveUp, ErrFinished.Code, "run %s is finished (%s); %s%s is not allowed any more", s.Run, s.Finished.Status, e.Kind, at(e))
	}
	if (s.Events == 0) != (e.Kind == EventSubmitted) {
		if s.Events == 0 {
			return nil, Errorf(GiveUp, ErrNotSubmitted.Code, "run %s was not submitted; %s%s is not allowed before", s.Run, e.Kind, at(e))
		}
		return nil, notAllowed(e, "the run was submitted already")
	}
	switch p := p.(type) {
	case *Submission:
		if p.Run != s.Run {
			return nil, notAllowed(e, "it submits run %q", p.Run)
		}
	case *Owned:
		if p.Owner == "" || p.Epoch != s.Epoch+1 {
			return nil, notAllowed(e, "owner %q with epoch %d after epoch %d", p.Owner, p.Epoch, s.Epoch)
		}
	case *Intent:
		return p, s.checkIntent(e, p)
	case *Attempt:
		return p, s.checkAttempt(e, p)
	case *Receipt:
		a := s.OpenAttempt()
		if a == nil || a.Attempt.ID != p.Attempt {
			return nil, notAllowed(e, "attempt %q is not open", p.Attempt)
		}
		if a.Receipt != nil {
			return nil, notAllowed(e, "attempt %s has a receipt", p.Attempt)
		}
	case *Verdict:
		a := s.OpenAttempt()
		if a == nil || a.Attempt.ID != p.Attempt {
			return nil, notAllowed(e, "attempt %q is not open", p.Attempt)
		}
		if a.Receipt == nil {
			return nil, notAllowed(e, "attempt %s has no receipt", p.Attempt)
		}
		if !slices.Contains([]Outcome{Right, WrongTarget, NoEffect, WrongEffect, Unsure}, p.Outcome) {
			return nil, notAllowed(e, "%q is not an outcome", p.Outcome)
		}
	case *Skipped:
		return p, s.checkSkipped(e, p)
	case *Remembered:
		if p.Name == "" {
			return nil, notAllowed(e, "the variable has no name")
		}
	case *Usage:
		if p.Role == "" {
			return nil, notAllowed(e, "the usage has no role")
		}
	case *Finished:
		return p, s.checkFinished(e, p)
	}
	return p, nil
}

func (s *RunState) checkIntent(e Event, p *Intent) error {
	if a := s.OpenAttempt(); a != nil {
		return Errorf(GiveUp, ErrNoVerdict.Code, "attempt %s has no verdict; intent %s%s is not allowed before", a.Attempt.ID, p.ID, at(e))
	}
	if r := s.OpenIntent(); r != nil {
		return notAllowed(e, "intent %s is open", r.Intent.ID)
	}
	if p.ID == "" {
		return notAllowed(e, "the intent has no id")
	}
	for _, r := range s.Intents {
		if r.Intent.ID == p.ID {
			return notAllowed(e, "there was an intent %s before", p.ID)
		}
	}
	return nil
}

func (s *RunState) checkAttempt(e Event, p *Attempt) error {
	if a := s.OpenAttempt(); a != nil {
		return Errorf(GiveUp, ErrNoVerdict.Code, "attempt %s has no verdict; attempt %s%s is not allowed before", a.Attempt.ID, p.ID, at(e))
	}
	r := s.LastIntent()
	switch {
	case p.ID == "":
		return notAllowed(e, "the attempt has no id")
	case r == nil || r.Intent.ID != p.Intent || r.Skipped != nil:
		return notAllowed(e, "intent %q is not open", p.Intent)
	case s.AttemptByID(p.ID) != nil:
		return notAllowed(e, "there was an attempt %s before", p.ID)
	case r.Last() != nil && r.Last().Verdict.Outcome == Right:
		return notAllowed(e, "intent %s was carried out by attempt %s", p.Intent, r.Last().Attempt.ID)
	}
	return nil
}

func (s *RunState) checkSkipped(e Event, p *Skipped) error {
	r := s.OpenIntent()
	if a := s.OpenAttempt(); a != nil {
		return Errorf(GiveUp, ErrNoVerdict.Code, "attempt %s has no verdict; skipped%s is not allowed before", a.Attempt.ID, at(e))
	}
	switch {
	case p.Intent == "" && r != nil:
		return notAllowed(e, "intent %s is open", r.Intent.ID)
	case p.Intent != "" && (r == nil || r.Intent.ID != p.Intent):
		return notAllowed(e, "intent %q is not open", p.Intent)
	}
	return nil
}

func (s *RunState) checkFinished(e Event, p *Finished) error {
	switch p.Status {
	case Failed, NeedsPerson, Closed:
		return nil
	case Succeeded:
	default:
		return notAllowed(e, "%q is not a status", p.Status)
	}
	if a := s.OpenAttempt(); a != nil {
		return Errorf(GiveUp, ErrNoVerdict.Code, "attempt %s has no verdict; succeeded%s is not allowed", a.Attempt.ID, at(e))
	}
	if r := s.OpenIntent(); r != nil {
		return notAllowed(e, "intent %s is open", r.Intent.ID)
	}
	if p.Final == nil || !p.Final.Held || len(p.Final.Checks) == 0 {
		return notAllowed(e, "succeeded needs final checks that held")
	}
	for _, c := range p.Final.Checks {
		if !c.Held {
			return notAllowed(e, "succeeded, but a final check did not hold: %s", c.Fact)
		}
	}
	return nil
}

// fold changes the state by an event that check has allowed. Records are
// replaced and not changed, so that copies stay as they were.
func (s *RunState) fold(e Event, p any) {
	if s.Events == 0 {
		s.Started = e.Time
	}
	s.LastSeq, s.LastKind, s.Updated = e.Seq, e.Kind, e.Time
	s.Events++
	switch p := p.(type) {
	case *Submission:
		s.Submission = *p
	case *Owned:
		s.Owner, s.Epoch = p.Owner, p.Epoch
	case *Session:
		s.Session = p
	case *Intent:
		s.Intents = push(s.Intents, &IntentRecord{Intent: *p, Seq: e.Seq, Time: e.Time})
	case *Attempt:
		s.change(func(r *IntentRecord) {
			r.Attempts = push(r.Attempts, &AttemptRecord{Attempt: *p, Seq: e.Seq, Time: e.Time})
		})
	case *Receipt:
		s.changeAttempt(func(a *AttemptRecord) { a.Receipt, a.ReceiptSeq = p, e.Seq })
		for _, d := range p.Downloads {
			if d.State == "completed" {
				s.Downloads = push(s.Downloads, d)
			}
		}
		s.Escalations = push(s.Escalations, p.Escalations...)
	case *Verdict:
		s.changeAttempt(func(a *AttemptRecord) { a.Verdict, a.VerdictSeq, a.Closed = p, e.Seq, e.Time })
		s.Escalations = push(s.Escalations, p.Escalations...)
	case *Skipped:
		if p.Intent == "" {
			s.Skips = push(s.Skips, *p)
			return
		}
		s.change(func(r *IntentRecord) { r.Skipped = p })
	case *Escalation:
		s.Escalations = push(s.Escalations, *p)
	case *Remembered:
		s.Vars = put(s.Vars, p.Name, p.Value)
	case *Usage:
		u := s.Usage[p.Role]
		u.Role, u.Model = p.Role, orDefault(p.Model, u.Model)
		u.Calls += p.Calls
		u.InputTokens += p.InputTokens
		u.CachedTokens += p.CachedTokens
		u.OutputTokens += p.OutputTokens
		u.Millis += p.Millis
		u.USD += p.USD
		s.Usage = put(s.Usage, p.Role, u)
	case *Note:
		s.Notes = push(s.Notes, *p)
	case *Resumed:
		s.Resumes = push(s.Resumes, *p)
	case *Finished:
		s.Finished = p
	default: // check knows the same kinds
		panic(fmt.Sprintf("bus: event %T has a check but no fold", p))
	}
}

// change replaces the newest intent's record.
func (s *RunState) change(f func(*IntentRecord)) {
	i := len(s.Intents) - 1
	r := *s.Intents[i]
	f(&r)
	s.Intents = slices.Clone(s.Intents)
	s.Intents[i] = &r
}

// changeAttempt replaces the newest attempt's record.
func (s *RunState) changeAttempt(f func(*AttemptRecord)) {
	s.change(func(r *IntentRecord) {
		i := len(r.Attempts) - 1
		a := *r.Attempts[i]
		f(&a)
		r.Attempts = slices.Clone(r.Attempts)
		r.Attempts[i] = &a
	})
}

// push appends without ever writing into an array that a copy shares.
func push[T any](s []T, v ...T) []T { return append(slices.Clip(s), v...) }

func put[V any](m map[string]V, k string, v V) map[string]V {
	m = maps.Clone(m)
	if m == nil {
		m = map[string]V{}
	}
	m[k] = v
	return m
}

// copyState is cheap: the records are shared, and never changed.
func (s *RunState) copyState() *RunState {
	c := *s
	return &c
}

// decodeData reads an event's data into the type of its kind.
func decodeData(e Event) (any, error) {
	var p any
	switch e.Kind {
	case EventSubmitted:
		p = &Submission{}
	case EventOwned:
		p = &Owned{}
	case EventSession:
		p = &Session{}
	case EventIntent:
		p = &Intent{}
	case EventAttempt:
		p = &Attempt{}
	case EventReceipt:
		p = &Receipt{}
	case EventVerdict:
		p = &Verdict{}
	case EventSkipped:
		p = &Skipped{}
	case EventEscalation:
		p = &Escalation{}
	case EventRemembered:
		p = &Remembered{}
	case EventUsage:
		p = &Usage{}
	case EventNote:
		p = &Note{}
	case EventResumed:
		p = &Resumed{}
	case EventFinished:
		p = &Finished{}
	default:
		return nil, Errorf(Ask, ErrUnknownEvent.Code, "journal entry%s of run %s is of the unknown kind %q; a newer Quartet may have written it", at(e), e.Run, e.Kind)
	}
	if len(e.Data) == 0 || e.Data[0] != '{' {
		return nil, damaged(e.Seq, "%s has no data", e.Kind)
	}
	if err := json.Unmarshal(e.Data, p); err != nil {
		return nil, damaged(e.Seq, "%s does not decode: %v", e.Kind, err)
	}
	return p, nil
}

// at names the sequence of an event that is in the journal already.
func at(e Event) string {
	if e.Seq == 0 {
		return ""
	}
	return fmt.Sprintf(" at entry %d", e.Seq)
}

func notAllowed(e Event, format string, args ...any) *Error {
	return Errorf(GiveUp, ErrNotAllowed.Code, "%s%s is not allowed: "+format, append([]any{e.Kind, at(e)}, args...)...)
}
