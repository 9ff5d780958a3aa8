// Package playbook reads plain-language steps by rules: no model, no key, and
// the same sentence always means the same.
//
// A sentence is split into words and quotations, cut into clauses where a joining
// word is followed by a verb, and each clause is read by its verb: the arguments,
// then the phrases that say which element is meant. Whatever is left over is an
// error that names the words; so is a sentence that can be read in two ways.
//
// docs/playbook.md is the reference, and its examples are tested. All functions
// are pure and safe for concurrent use.
package playbook

import (
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// A Source is a sentence and where it stands.
type Source struct {
	Text string
	File string
	Line int // from 1; 0 unknown
}

// A Command is one intent and the condition on which it is carried out.
type Command struct {
	// Intent has no ID and, from Read, no Step: whoever runs it gives them.
	Intent bus.Intent `json:"intent"`
	// If is nil for a command that is always carried out.
	If *Condition `json:"if,omitempty"`
	// Text is the part of the sentence that the command was read from.
	Text string `json:"text"`
}

// A Condition decides whether commands are carried out.
type Condition struct {
	// Checks must all hold, or with Negate (unless, otherwise) not all.
	Checks []bus.Expect `json:"checks"`
	Negate bool         `json:"negate,omitempty"`
	// Group numbers the conditions of a step from 1. Conditions of one step
	// with the same Group have the same Checks, which must be looked at once,
	// before the first of their commands: an "otherwise" must not see what the
	// "if" has done.
	Group int `json:"group"`
}

// Read understands one step. It returns at least one command, or an error that
// is an *Unreadable. ${…} is left in the intents as it is.
func Read(step Source) ([]Command, error) {
	s, bad := newSentence(step.Text)
	if bad == nil {
		var out []Command
		if out, bad = s.commands(); bad == nil {
			return out, nil
		}
	}
	return nil, unreadable(step, bad)
}

// ReadChecks understands a sentence of done_when or expect: one or more
// expectations that must all hold. A text that begins with "- " is a partial tree
// in the playwright form. The error is an *Unreadable.
func ReadChecks(text string) ([]bus.Expect, error) { return readChecks(Source{Text: text}) }

func readChecks(src Source) ([]bus.Expect, error) {
	if t := strings.TrimSpace(src.Text); strings.HasPrefix(t, "- ") {
		if err := aria.CheckTemplate(t); err != nil {
			return nil, &Unreadable{Source: src, Why: err.Error(), Nearest: []string{`- heading "Orders"`, `- list "Tasks": …, with its items in the lines below, further in`}}
		}
		return []bus.Expect{{Kind: bus.ExpectAria, Want: t, Text: t}}, nil
	}
	s, bad := newSentence(src.Text)
	if bad == nil {
		var out []bus.Expect
		if out, bad = s.statement(); bad == nil {
			return out, nil
		}
	}
	return nil, unreadable(src, bad)
}
