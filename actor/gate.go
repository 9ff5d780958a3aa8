package actor

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/quartet-agents/quartet/bus"
)

// gate is DESIGN 2.1 and 2.4 on the actor's side: it asks the journal itself,
// and refuses unless the attempt is the run's last entry (written, on disk,
// before any input), the entry is the attempt as it was sent, and no earlier
// attempt waits for its verdict. A new owner of the run appends an entry when
// it takes over, so an attempt of a stale owner is never the last one.
func (a *Agent) gate(ctx context.Context, req bus.ActRequest) *bus.Refusal {
	st, err := a.bus.Journal().State(ctx, req.Run)
	if err != nil {
		return &bus.Refusal{Code: bus.RefusedNoVerdict, Message: fmt.Sprintf("the journal of run %q cannot be read: %v", req.Run, err)}
	}
	return permit(st, req)
}

// permit decides on the run's state alone.
func permit(st *bus.RunState, req bus.ActRequest) *bus.Refusal {
	no := func(format string, args ...any) *bus.Refusal {
		return &bus.Refusal{Code: bus.RefusedNoVerdict, Message: fmt.Sprintf(format, args...)}
	}
	for _, r := range st.Intents {
		for _, at := range r.Attempts {
			if at.Verdict == nil && at.Attempt.ID != req.Attempt.ID {
				return no("attempt %s has no verdict yet", at.Attempt.ID)
			}
		}
	}
	rec := st.AttemptByID(req.Attempt.ID)
	switch {
	case st.Finished != nil:
		return no("run %s is finished", req.Run)
	case rec == nil:
		return no("the journal does not hold attempt %q", req.Attempt.ID)
	case rec.Verdict != nil:
		return no("attempt %s has a verdict already", req.Attempt.ID)
	case rec.Receipt != nil:
		return no("attempt %s has a receipt already", req.Attempt.ID)
	case rec.Seq != req.Seq:
		return no("attempt %s is journal entry %d, not %d", req.Attempt.ID, rec.Seq, req.Seq)
	case st.LastSeq != req.Seq:
		return no("the journal has gone on to entry %d since attempt %s: another process owns the run", st.LastSeq, req.Attempt.ID)
	case !sameJSON(rec.Attempt, req.Attempt):
		return no("attempt %s differs from the one in the journal", req.Attempt.ID)
	}
	last := st.LastIntent()
	if last == nil || last.Intent.ID != req.Attempt.Intent || !sameJSON(last.Intent, req.Intent) {
		return no("the intent of attempt %s differs from the one in the journal", req.Attempt.ID)
	}
	return nil
}

func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
