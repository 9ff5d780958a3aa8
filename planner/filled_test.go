package planner

import (
	"slices"
	"testing"

	"github.com/quartet-agents/quartet/bus"
)

// TestFilled: what the verifier hears of earlier attempts is what still ought to
// stand: filled in, rightly, with nothing done to it since, and no secret.
func TestFilled(t *testing.T) {
	var state bus.RunState
	did := func(a bus.Action, o bus.Outcome, ref, before, after string, masked bool) {
		state.Intents = append(state.Intents, &bus.IntentRecord{Intent: bus.Intent{Action: a}, Attempts: []*bus.AttemptRecord{{
			Receipt: &bus.Receipt{Target: &bus.Element{Ref: ref}, ValueBefore: before, ValueAfter: after, Masked: masked},
			Verdict: &bus.Verdict{Outcome: o},
		}}})
	}
	did(bus.ActionFill, bus.Right, "e1", "", "Ann", false)
	did(bus.ActionFill, bus.Right, "e2", "5", "99", false)
	did(bus.ActionFill, bus.Right, "e3", "", "••••••", true)
	did(bus.ActionFill, bus.WrongEffect, "e4", "", "x", false)
	did(bus.ActionCheck, bus.Right, "e5", "false", "true", false)
	did(bus.ActionFill, bus.Right, "e1", "Ann", "Bea", false)
	did(bus.ActionFill, bus.Right, "e6", "", "Oslo", false)
	did(bus.ActionClick, bus.Right, "e6", "", "", false)
	want := []bus.Filled{{Ref: "e1", Before: "Ann", After: "Bea"}, {Ref: "e2", Before: "5", After: "99"}}
	if got := filled(&state); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
