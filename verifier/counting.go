package verifier

import (
	"strings"
	"time"
	"unicode"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// watchIdle is how long a text of which only numbers changed is watched before
// its change counts as an effect: a clock that shows seconds moves within it.
const watchIdle = 1200 * time.Millisecond

// A counted is a change of numbers in a text that stays the same otherwise: a
// total that an act changed, or a clock, a queue, a price that moves by itself.
type counted struct{ key, ref, fact string }

// settleCounting takes the counting changes for effects that are the target's
// own, or that kept still while they were watched.
func (e *effects) settleCounting(idle map[string]bool, watched bool, meant *bus.Element) {
	for _, c := range e.counting {
		own := meant != nil && c.ref != "" && c.ref == meant.Ref
		if own || watched && !idle[c.key] {
			e.seen = append(e.seen, c.fact)
		}
	}
}

// noteIdle adds the texts whose numbers changed between two looks, both after
// the act.
func noteIdle(idle map[string]bool, before, after *aria.Tree) {
	if before == nil || after == nil || before.Version == after.Version {
		return
	}
	for _, c := range effectsOf(before, after).counting {
		idle[c.key] = true
	}
}

// idleKey names a text by where it stands and what it says besides numbers.
func idleKey(c *aria.Change, f aria.Field) string {
	return c.Place + "|" + c.Node.Role + "|" + c.Node.Ref + "|" + numberless(f.To)
}

// numberless is a text without its digits and what joins them.
func numberless(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.IsSpace(r) || strings.ContainsRune(".,:'’", r)
	}), " ")
}
