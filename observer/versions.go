package observer

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/observer/aria"
)

// stateKey is the session state that all observer replicas share.
const stateKey = "observer"

// kept is how many versions stay known as bases of a diff; renewAfter is the
// age at which an unchanged tree is stored again, before the store forgets it.
const (
	kept       = 8
	renewAfter = 10 * time.Minute
)

// versions is the session's state: the last version, and where the last trees are.
type versions struct {
	Version int       `json:"version"`
	Key     string    `json:"key"` // of the last tree in the scene store
	Stored  time.Time `json:"stored"`
	Known   []known   `json:"known"` // oldest first
}

type known struct {
	Version int    `json:"version"`
	Key     string `json:"key"`
}

// before is the newest known version below v; 0 when there is none.
func (s *versions) before(v int) int {
	for _, k := range slices.Backward(s.Known) {
		if k.Version < v {
			return k.Version
		}
	}
	return 0
}

// version counts: a tree that equals the last one keeps its version and key,
// any other gets the next version and is kept. It sets tree.Version and calls
// then, while the version is stored; again, when another observer was faster.
// early brings the session's entry as it was read before, elements is how large
// the tree is, about.
func (a *Agent) version(ctx context.Context, session string, tree *aria.Tree, elements int, early <-chan read, then func(*versions) error) error {
	at := <-early
	for {
		if at.err != nil {
			return at.err
		}
		now, err := a.next(ctx, session, at.entry.Data, tree, elements)
		if err != nil {
			return err
		}
		data, err := json.Marshal(now)
		if err != nil {
			return err
		}
		var moved bool
		stored := make(chan error, 1)
		go func() {
			var err error
			moved, err = at.entry.Replace(ctx, data)
			stored <- err
		}()
		written := then(now)
		if err := <-stored; err != nil {
			return err
		}
		if !moved {
			return written
		}
		at.entry, at.err = a.bus.ReadSessionState(ctx, session, stateKey)
	}
}

// A read is the session's entry, or why it could not be read.
type read struct {
	entry *bus.SessionEntry
	err   error
}

// readEarly reads the session's entry while something else is done.
func (a *Agent) readEarly(ctx context.Context, session string) <-chan read {
	out := make(chan read, 1)
	go func() {
		e, err := a.bus.ReadSessionState(ctx, session, stateKey)
		out <- read{e, err}
	}()
	return out
}

// next is the state with the tree in it, given what it was. It stores the tree.
func (a *Agent) next(ctx context.Context, session string, data []byte, tree *aria.Tree, elements int) (*versions, error) {
	old, err := versionsOf(session, data)
	if err != nil {
		return nil, err
	}
	last := a.base(ctx, old, old.Version)
	same := last != nil && aria.Same(last, tree)
	tree.Version = old.Version
	if same && time.Since(old.Stored) < renewAfter {
		return old, nil
	}
	if !same {
		tree.Version++
	}
	key, err := bus.PutScene(ctx, a.bus, tree, max(1, elements))
	if err != nil {
		return nil, err
	}
	now := &versions{Version: tree.Version, Key: key, Stored: time.Now().UTC(), Known: slices.Clone(old.Known)}
	if same && len(now.Known) > 0 {
		now.Known = now.Known[:len(now.Known)-1]
	}
	now.Known = append(now.Known, known{tree.Version, key})
	if len(now.Known) > kept {
		now.Known = now.Known[len(now.Known)-kept:]
	}
	return now, nil
}

func (a *Agent) versions(ctx context.Context, session string) (*versions, error) {
	data, err := a.bus.GetSessionState(ctx, session, stateKey)
	if err != nil {
		return nil, err
	}
	return versionsOf(session, data)
}

func versionsOf(session string, data []byte) (*versions, error) {
	var v versions
	if len(data) > 0 {
		if err := json.Unmarshal(data, &v); err != nil {
			return nil, bus.Errorf(bus.GiveUp, bus.CodeBadMessage, "the observer's state of session %s is damaged: %w", session, err)
		}
	}
	return &v, nil
}

// base fetches the tree of an earlier version; nil when it is forgotten.
func (a *Agent) base(ctx context.Context, s *versions, version int) *aria.Tree {
	for _, k := range s.Known {
		if k.Version != version {
			continue
		}
		t, err := bus.GetScene[aria.Tree](ctx, a.bus, k.Key)
		if err != nil {
			a.o.Logger.DebugContext(ctx, "base of a diff is gone", "version", version, "error", err)
			return nil
		}
		return t
	}
	return nil
}

// lastKnown returns the last tree of the session, marked stale, with a note
// that says why. A document that was not seen before gives an empty tree, and
// seen is false.
func (a *Agent) lastKnown(ctx context.Context, s bus.Session, tab *browser.Tab, why string) (_ *aria.Tree, _ *versions, seen bool, _ error) {
	state, err := a.versions(ctx, s.ID)
	if err != nil {
		return nil, nil, false, err
	}
	tree := &aria.Tree{}
	if state.Key != "" {
		if last, err := bus.GetScene[aria.Tree](ctx, a.bus, state.Key); err == nil {
			copied := *last
			tree = &copied
		} else {
			tree.Version = state.Version
		}
	}
	// A stale tree in the store is of a document that could not be read then either.
	seen = tree.Root != nil && !tree.Stale && tree.Tab == tab.ID() && tree.URL == tab.URL()
	if !seen {
		tree = &aria.Tree{URL: tab.URL(), Title: tab.Title(), Tab: tab.ID(), Root: &aria.Node{Role: "document"}}
		why += ", and this document was not seen before."
	} else {
		why += "; this is the page as it was last seen."
	}
	tree.Stale = true
	tree.Notes = append(slices.Clone(tree.Notes), why)
	return tree, state, seen, nil
}
