package bus

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// GetSessionState returns what is stored under one of the session's keys
// ("refs", "tabs", "receipt.<attempt>"); nil when there is nothing.
func (b *Bus) GetSessionState(ctx context.Context, session, key string) ([]byte, error) {
	e, err := b.ReadSessionState(ctx, session, key)
	if err != nil {
		return nil, err
	}
	return e.Data, nil
}

// UpdateSessionState changes one of the session's facts: update gets the value
// as it is (nil when there is none) and returns the new one. When somebody else
// was faster it is called again with their value, so it must not have effects.
// An error of update's is returned as it is and nothing is changed; so is
// nothing written when it returns the same bytes.
func (b *Bus) UpdateSessionState(ctx context.Context, session, key string, update func(old []byte) ([]byte, error)) error {
	wait := time.Millisecond
	for {
		e, err := b.ReadSessionState(ctx, session, key)
		if err != nil {
			return err
		}
		next, err := update(bytes.Clone(e.Data))
		if err != nil {
			return err
		}
		moved, err := e.Replace(ctx, next)
		if !moved {
			return err
		}
		pause(ctx, wait+rand.N(wait))
		if ctx.Err() != nil {
			return storeError(ctx.Err(), "session state "+e.name)
		}
		wait = min(2*wait, 50*time.Millisecond)
	}
}

// PutSessionState sets one of the session's facts, whatever it was.
func (b *Bus) PutSessionState(ctx context.Context, session, key string, data []byte) error {
	e, err := b.sessionEntryAt(session, key)
	if err != nil {
		return err
	}
	if data, err = e.fit(data); err != nil {
		return err
	}
	_, err = b.sessions.Put(ctx, e.name, data)
	return storeError(err, "session state "+e.name)
}

// CreateSessionState sets one of the session's facts if there is none. If there
// is one it returns that, and changes nothing.
func (b *Bus) CreateSessionState(ctx context.Context, session, key string, data []byte) (old []byte, err error) {
	e, err := b.sessionEntryAt(session, key)
	if err != nil {
		return nil, err
	}
	for {
		moved, err := e.Replace(ctx, data)
		if !moved {
			return nil, err
		}
		if old, err := b.GetSessionState(ctx, session, key); err != nil || old != nil {
			return old, err
		}
	}
}

// A SessionEntry is one of a session's facts as it was read. For those who have
// something to do while it is stored; others use UpdateSessionState.
type SessionEntry struct {
	Data []byte // nil when there is nothing; not to be changed

	b    *Bus
	name string
	rev  uint64
}

// ReadSessionState reads one of the session's facts.
func (b *Bus) ReadSessionState(ctx context.Context, session, key string) (*SessionEntry, error) {
	e, err := b.sessionEntryAt(session, key)
	if err != nil {
		return nil, err
	}
	got, err := b.sessions.Get(ctx, e.name)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return e, nil
	}
	if err != nil {
		return nil, storeError(err, "session state "+e.name)
	}
	e.Data, e.rev = got.Value(), got.Revision()
	return e, nil
}

// Replace stores data in the entry's place. moved says that somebody else was
// faster: nothing was stored, and the entry has to be read anew. The same bytes
// are not stored again.
func (e *SessionEntry) Replace(ctx context.Context, data []byte) (moved bool, err error) {
	if data, err = e.fit(data); err != nil {
		return false, err
	}
	if e.rev > 0 && bytes.Equal(e.Data, data) {
		return false, nil
	}
	if e.rev == 0 {
		_, err = e.b.sessions.Create(ctx, e.name, data)
	} else {
		_, err = e.b.sessions.Update(ctx, e.name, data, e.rev)
	}
	if isWrongSequence(err) {
		return true, nil
	}
	return false, storeError(err, "session state "+e.name)
}

// fit is data as it may be stored.
func (e *SessionEntry) fit(data []byte) ([]byte, error) {
	data = e.b.redact.JSON(data)
	if len(data) > MaxMessage {
		return nil, tooLarge("session state "+e.name, len(data))
	}
	return data, nil
}

// DropSessionState forgets everything stored about a session. Only when the
// session is over: its ref counter goes too.
func (b *Bus) DropSessionState(ctx context.Context, session string) error {
	if !isToken(session) {
		return badSession(session)
	}
	keys, err := b.sessions.ListKeysFiltered(ctx, session+".>")
	if err != nil {
		return storeError(err, "session state "+session)
	}
	defer func() { _ = keys.Stop() }() // the list is short and read to its end
	for k := range keys.Keys() {
		if err := b.sessions.Purge(ctx, k); err != nil {
			return storeError(err, "session state "+k)
		}
	}
	return nil
}

// sessionEntryAt is an entry of which nothing was read.
func (b *Bus) sessionEntryAt(session, key string) (*SessionEntry, error) {
	if !isToken(session) {
		return nil, badSession(session)
	}
	for p := range strings.SplitSeq(key, ".") {
		if !isToken(p) {
			return nil, Errorf(GiveUp, CodeBadArgument, "%q cannot be a key of session state", key)
		}
	}
	return &SessionEntry{b: b, name: session + "." + key}, nil
}

func badSession(id string) *Error {
	return Errorf(GiveUp, CodeBadArgument, "%q cannot be a session's id: letters, digits, - and _, at most 64", id)
}

// isWrongSequence recognises a lost race: 10071, and 10164 on replicated streams.
func isWrongSequence(err error) bool {
	var api jetstream.JetStreamError
	if !errors.As(err, &api) || api.APIError() == nil {
		return false
	}
	switch api.APIError().ErrorCode {
	case jetstream.JSErrCodeStreamWrongLastSequence, jetstream.JSErrCodeStreamWrongLastSequenceConstant:
		return true
	}
	return false
}
