package bus

import (
	"bytes"
	"encoding/json"
	"time"
)

// maxEvent bounds one journal entry, in bytes.
const maxEvent = MaxMessage

// An EventKind names what a journal entry records.
type EventKind string

// The kinds, with the types of their data.
const (
	EventSubmitted  EventKind = "submitted"  // Submission; the first entry, once
	EventOwned      EventKind = "owned"      // Owned
	EventSession    EventKind = "session"    // Session; the newest counts
	EventIntent     EventKind = "intent"     // Intent
	EventAttempt    EventKind = "attempt"    // Attempt
	EventReceipt    EventKind = "receipt"    // Receipt
	EventVerdict    EventKind = "verdict"    // Verdict
	EventSkipped    EventKind = "skipped"    // Skipped
	EventEscalation EventKind = "escalation" // Escalation, where no receipt or verdict carries it
	EventRemembered EventKind = "remembered" // Remembered
	EventUsage      EventKind = "usage"      // Usage
	EventNote       EventKind = "note"       // Note
	EventResumed    EventKind = "resumed"    // Resumed
	EventFinished   EventKind = "finished"   // Finished; the last entry, once
)

// An Event is one entry of a run's journal.
type Event struct {
	Seq  uint64          `json:"seq"` // of the stream, rising but not dense within a run
	Time time.Time       `json:"time"`
	Run  string          `json:"run"`
	Kind EventKind       `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// Owned says who drives the run from here on. Epoch rises by one with every
// owner; the first is 1.
type Owned struct {
	Owner string `json:"owner"`
	Epoch int    `json:"epoch"`
}

// Skipped ends an intent without an attempt, because its condition did not
// hold. With Intent "" a step was skipped of which no intent was made.
type Skipped struct {
	Intent string    `json:"intent,omitempty"`
	Step   int       `json:"step,omitempty"`
	Text   string    `json:"text,omitempty"`
	Reason string    `json:"reason"`
	Checks []Checked `json:"checks,omitempty"`
}

// Remembered is a variable that a step has set.
type Remembered struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Attempt string `json:"attempt,omitempty"`
}

// Usage is what a role has used since its last usage event; RunState adds up.
type Usage struct {
	Role         string  `json:"role"` // planner, observer, actor, verifier, vision
	Model        string  `json:"model,omitempty"`
	Calls        int     `json:"calls,omitempty"`
	InputTokens  int     `json:"input_tokens,omitempty"`
	CachedTokens int     `json:"cached_tokens,omitempty"` // of the input tokens
	OutputTokens int     `json:"output_tokens,omitempty"`
	Millis       int64   `json:"millis,omitempty"`
	USD          float64 `json:"usd,omitempty"`
}

// A Note is for people who read the journal.
type Note struct {
	Level string          `json:"level,omitempty"` // "", "warn"
	Text  string          `json:"text"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// Resumed says that an owner took up a run that another had begun.
type Resumed struct {
	Reason string `json:"reason"`
	// Attempt is the one that was open, and Found what observation told of it.
	Attempt string `json:"attempt,omitempty"`
	Found   string `json:"found,omitempty"`
	// Lost is set where the run goes on in a new browser. Intents is how many
	// there were then: those of its page have to be carried out again.
	Lost    bool `json:"lost,omitempty"`
	Intents int  `json:"intents,omitempty"`
}

// A Status is how a run ended.
type Status string

// The statuses.
const (
	Succeeded   Status = "succeeded"
	Failed      Status = "failed"
	NeedsPerson Status = "needs_person"
	// Closed is how a run ends whose moves came from a client: it claimed
	// nothing, so nothing was checked.
	Closed Status = "closed"
)

// Finished is the terminal event. Succeeded needs Final: the final checks on
// fresh evidence, at least one, all of which held.
type Finished struct {
	Status Status      `json:"status"`
	Reason string      `json:"reason"`
	Final  *CheckReply `json:"final,omitempty"`
	// Attempt and Screenshot show where it stopped, unless it succeeded.
	Attempt    string `json:"attempt,omitempty"`
	Screenshot string `json:"screenshot,omitempty"`
}

// envelope is an Event on the wire. Prev chains the entries of a run: the hash
// of the message before, so that a lost or changed entry is noticed.
type envelope struct {
	Schema int             `json:"v"`
	ID     string          `json:"id"` // unique; finds out whether an unanswered append was stored
	Run    string          `json:"run"`
	Kind   EventKind       `json:"kind"`
	Time   time.Time       `json:"time"`
	Prev   string          `json:"prev,omitempty"`
	Data   json.RawMessage `json:"data"`
}

const schemaVersion = 1

// chainHash is what the next entry carries as Prev.
func chainHash(message []byte) string { return hashKey(message)[:32] }

// DecodeEvent reads a journal message. It checks the form alone; whether the
// event is allowed is for RunState.Apply.
func DecodeEvent(seq uint64, message []byte) (Event, error) {
	_, e, err := decodeEnvelope(seq, message)
	return e, err
}

func decodeEnvelope(seq uint64, message []byte) (envelope, Event, error) {
	var w envelope
	d := json.NewDecoder(bytes.NewReader(message))
	if err := d.Decode(&w); err != nil {
		return w, Event{}, damaged(seq, "it is not JSON: %v", err)
	}
	if d.More() {
		return w, Event{}, damaged(seq, "something follows the JSON")
	}
	if w.Schema != schemaVersion {
		return w, Event{}, Errorf(GiveUp, ErrUnknownEvent.Code, "journal entry %d has version %d; this Quartet knows version %d", seq, w.Schema, schemaVersion)
	}
	if !isToken(w.Run) || w.Kind == "" || w.ID == "" || len(w.Data) == 0 {
		return w, Event{}, damaged(seq, "run, kind, id or data is missing")
	}
	return w, Event{Seq: seq, Time: w.Time, Run: w.Run, Kind: w.Kind, Data: w.Data}, nil
}

func damaged(seq uint64, format string, args ...any) *Error {
	return Errorf(Ask, ErrDamaged.Code, "the journal is damaged at entry %d: "+format, append([]any{seq}, args...)...)
}
