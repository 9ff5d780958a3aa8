package page

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quartet-agents/quartet/internal/browser"
)

// What script cannot see, the browser tells: who listens for clicks, and what
// is in closed shadow roots. It is asked about new elements when there are any,
// and now and then about the whole document, less often as that grows old:
// listeners come without any change of the tree.
const (
	youngEvery = 400 * time.Millisecond
	youngFor   = 20 * time.Second
	maxDocs    = 128 // documents remembered
	maxDepth   = 4   // closed roots within closed roots

	suspectsFn  = "() => __quartet.suspects(40, %t)"
	adoptFn     = "(host, root) => __quartet.adopt(host, root)"
	listeningFn = "() => __quartet.listening(%t)"
	markFn      = "(node, events) => __quartet.mark(node, events)"
)

// memo is what is known about a document. mu serialises looking.
type memo struct {
	mu        sync.Mutex
	asked     time.Time     // when last about the whole; zero: never
	age       time.Duration // of the document then
	additions int
	used      int
}

func (c *Capturer) memo(doc string) *memo {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tick++
	m := c.docs[doc]
	if m == nil {
		forgetOldest(c.docs, maxDocs, func(m *memo) int { return m.used })
		m = &memo{}
		c.docs[doc] = m
	}
	m.used = c.tick
	return m
}

// forgetOldest makes room in a map that may hold most entries.
func forgetOldest[T any](m map[string]T, most int, used func(T) int) {
	if len(m) < most {
		return
	}
	oldest, first := "", true
	for k, v := range m {
		if first || used(v) < used(m[oldest]) {
			oldest, first = k, false
		}
	}
	delete(m, oldest)
}

// due says whether a document has to be asked again, by what a walk of it told.
func (c *Capturer) due(p *patch) bool {
	m := c.memo(p.Doc)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.additions != p.Additions || m.wholeDue()
}

// wholeDue says whether the whole document has to be asked about: never asked, or
// twice as old as then. m.mu is held.
func (m *memo) wholeDue() bool {
	return m.asked.IsZero() || m.age < youngFor && time.Since(m.asked) > max(youngEvery, m.age)
}

// reveal adopts closed shadow roots and marks what listens for clicks, and says
// whether it found any. What fails here makes the tree poorer, not wrong: only
// errors that end the walk anyway are returned.
func (c *Capturer) reveal(ctx context.Context, f *browser.Frame) (found bool, _ error) {
	var prep struct {
		Doc       string  `json:"doc"`
		Additions int     `json:"additions"`
		Age       float64 `json:"age"`  // milliseconds
		Part      bool    `json:"part"` // only the first elements were walked: closed roots are looked for there
	}
	if err := f.Call(ctx, &prep, "() => __quartet.prep()"); err != nil {
		return false, err
	}
	m := c.memo(prep.Doc)
	m.mu.Lock()
	defer m.mu.Unlock()
	whole := m.wholeDue()
	for range maxDepth {
		n, err := f.AdoptClosedRoots(ctx, fmt.Sprintf(suspectsFn, whole), adoptFn)
		if ends(ctx, err) {
			return found, err
		}
		if err != nil || n == 0 {
			break
		}
		found = true
	}
	n, err := f.MarkListeners(ctx, fmt.Sprintf(listeningFn, whole), markFn)
	if err != nil && !whole {
		m.asked = time.Time{} // what was to be asked about is not known any more
	}
	if ends(ctx, err) {
		return found, err
	}
	if err != nil {
		c.log.DebugContext(ctx, "listeners not read", "frame", f.URL, "error", err)
	}
	m.additions = prep.Additions
	if prep.Part {
		m.asked = time.Time{} // of the rest when it is walked
	} else if whole {
		m.asked, m.age = time.Now(), time.Duration(prep.Age)*time.Millisecond
	}
	return found || n > 0, nil
}

func ends(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.Is(err, browser.ErrNavigated) || errors.Is(err, browser.ErrFrameGone) || errors.Is(err, browser.ErrDialogOpen) || errors.Is(err, browser.ErrTabGone))
}
