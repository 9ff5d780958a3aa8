package playbook

import (
	"slices"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// isIrreversible holds for words on a control that promise something which
// can't be taken back by the same person in the same place.
func isIrreversible(word string) bool {
	switch word {
	// Money leaves.
	case "pay", "payment", "buy", "purchase", "checkout", "charge", "refund", "donate", "transfer", "withdraw", "bid", "subscribe", "renew":
		return true
	// Something is ordered from, or promised to, another party.
	case "order", "book", "reserve", "sign", "approve", "reject", "authorise", "authorize", "accept", "agree", "confirm", "submit", "commit", "finalise", "finalize", "hire", "fire":
		return true
	// Something is gone.
	case "delete", "remove", "erase", "destroy", "purge", "wipe", "discard", "drop", "terminate", "revoke", "void", "unsubscribe", "deactivate", "overwrite", "uninstall", "close account":
		return true
	// Other people get to see it.
	case "send", "publish", "post", "invite", "reply", "forward", "share", "release", "broadcast", "notify", "deploy", "merge":
		return true
	}
	return false
}

// GuessRisk says what a repetition of the intent would cost, from its action
// and the words on its target. A step's own risk overrides it.
func GuessRisk(in bus.Intent) bus.Risk {
	switch in.Action {
	case bus.ActionHover, bus.ActionScroll, bus.ActionWait, bus.ActionExpectation, bus.ActionRemember, bus.ActionDownload:
		return bus.RiskRead
	case bus.ActionAccept:
		return bus.RiskIrreversible // nothing asks "are you sure?" for less
	}
	if in.DialogAnswer == "accept" {
		return bus.RiskIrreversible
	}
	switch in.Action {
	case bus.ActionFill, bus.ActionClear, bus.ActionSelect, bus.ActionPickDate, bus.ActionCheck, bus.ActionUncheck, bus.ActionOpen, bus.ActionSwitchTab, bus.ActionDismiss:
		return bus.RiskIdempotent
	case bus.ActionReplace:
		if strings.Contains(in.Value, in.Find) {
			return bus.RiskReversible // a second time would find it again
		}
		return bus.RiskIdempotent
	case bus.ActionClick:
		if in.Target != nil && irreversibleLabel(in.Target) {
			return bus.RiskIrreversible
		}
	}
	return bus.RiskReversible
}

func consentWord(w string) bool {
	return w == "accept" || w == "reject" || w == "agree" || w == "confirm"
}

func irreversibleLabel(t *bus.Target) bool {
	switch t.Role {
	case "tab", "heading", "columnheader", "img", "checkbox", "radio":
		return false // these show or choose, they don't carry out
	}
	words := strings.FieldsFunc(strings.ToLower(t.Name), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 0x80)
	})
	for i, w := range words {
		switch {
		case w == "sign" && i+1 < len(words) && (words[i+1] == "in" || words[i+1] == "out" || words[i+1] == "up"):
		case consentWord(w) && slices.ContainsFunc(words, func(x string) bool { return x == "cookie" || x == "cookies" }):
			// Consent to cookies can be changed, and a second time changes nothing.
		case (w == "order" || w == "post" || w == "book" || w == "payment") && i > 0 && (words[i-1] == "edit" || words[i-1] == "view" || words[i-1] == "show" || words[i-1] == "open" || words[i-1] == "new"):
		case (w == "order" || w == "payment" || w == "post") && i+1 < len(words) && (words[i+1] == "history" || words[i+1] == "details" || words[i+1] == "list" || words[i+1] == "methods" || words[i+1] == "method"):
		case isIrreversible(w):
			return true
		}
	}
	return false
}
