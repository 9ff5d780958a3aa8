package playbook

import (
	"testing"

	"github.com/quartet-agents/quartet/bus"
)

func TestGuessRiskOfLabels(t *testing.T) {
	for label, want := range map[string]bus.Risk{
		"Pay now":                  bus.RiskIrreversible,
		"Place order":              bus.RiskIrreversible,
		"Edit order":               bus.RiskReversible,
		"Order history":            bus.RiskReversible,
		"Sign in":                  bus.RiskReversible,
		"Sign contract":            bus.RiskIrreversible,
		"Accept offer":             bus.RiskIrreversible,
		"Accept cookies":           bus.RiskReversible,
		"Accept all cookies":       bus.RiskReversible,
		"Reject all cookies":       bus.RiskReversible,
		"Confirm cookie choices":   bus.RiskReversible,
		"Delete all cookies":       bus.RiskIrreversible,
		"Accept":                   bus.RiskIrreversible,
		"Invite a colleague":       bus.RiskIrreversible,
		"Filter by payment method": bus.RiskReversible,
	} {
		if got := GuessRisk(bus.Intent{Action: bus.ActionClick, Target: &bus.Target{Role: "button", Name: label}}); got != want {
			t.Errorf("%q: %s, want %s", label, got, want)
		}
	}
}
