package observer

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/page"
)

// refsKey is the session state with the counters that make refs unique.
const refsKey = "refs"

// counters never go back. Documents remembers which number a child frame's
// document has, so that every replica gives it the same prefix; the oldest are
// forgotten, and one that is asked about again then gets a new number: what it
// handed out before stays valid.
type counters struct {
	Next      int           `json:"next"`  // next number of the top frame
	Frame     int           `json:"frame"` // last number given to a child document
	Documents []numberedDoc `json:"documents,omitempty"`
}

type numberedDoc struct {
	Doc string `json:"doc"`
	N   int    `json:"n"`
}

const maxNumbered = 500

// prefixes caches the prefixes of documents, in this process.
type prefixes struct {
	mu sync.Mutex
	m  map[string]string
}

// sessionRefs is page.Refs over the session's state.
type sessionRefs struct {
	bus     *bus.Bus
	session string
	known   *prefixes
}

var _ page.Refs = (*sessionRefs)(nil)

// Reserve implements page.Refs.
func (r *sessionRefs) Reserve(ctx context.Context, n int) (int, error) {
	var start int
	err := r.update(ctx, func(c *counters) {
		start = max(1, c.Next)
		c.Next = start + n
	})
	return start, err
}

// FramePrefix implements page.Refs.
func (r *sessionRefs) FramePrefix(ctx context.Context, document string) (string, error) {
	id := r.session + "/" + document
	r.known.mu.Lock()
	p, ok := r.known.m[id]
	r.known.mu.Unlock()
	if ok {
		return p, nil
	}
	var n int
	err := r.update(ctx, func(c *counters) {
		for _, d := range c.Documents {
			if d.Doc == document {
				n = d.N
				return
			}
		}
		c.Frame++
		n = c.Frame
		c.Documents = append(c.Documents, numberedDoc{document, n})
		if len(c.Documents) > maxNumbered {
			c.Documents = c.Documents[len(c.Documents)-maxNumbered:]
		}
	})
	if err != nil {
		return "", err
	}
	p = "f" + strconv.Itoa(n) + "e"
	r.known.mu.Lock()
	defer r.known.mu.Unlock()
	if r.known.m == nil || len(r.known.m) > 4096 {
		r.known.m = map[string]string{}
	}
	r.known.m[id] = p
	return p, nil
}

func (r *sessionRefs) update(ctx context.Context, f func(*counters)) error {
	return r.bus.UpdateSessionState(ctx, r.session, refsKey, func(old []byte) ([]byte, error) {
		var c counters
		if len(old) > 0 {
			if err := json.Unmarshal(old, &c); err != nil {
				return nil, bus.Errorf(bus.GiveUp, bus.CodeBadMessage, "the ref counters of session %s are damaged: %w", r.session, err)
			}
		}
		f(&c)
		return json.Marshal(c)
	})
}
