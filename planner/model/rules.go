package model

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/llm"
)

// ref matches refs in reports and arguments.
var ref = regexp.MustCompile(`\b(?:f\d+)?e\d+\b`)

// seen are the refs of the current page that the model has been shown.
type seen struct{ refs map[string]bool }

func (s *seen) reset() { s.refs = map[string]bool{} }

func (s *seen) add(text string) {
	if s.refs == nil {
		s.refs = map[string]bool{}
	}
	for _, r := range ref.FindAllString(text, -1) {
		s.refs[r] = true
	}
}

// A failure is what must not be tried again with other words.
type failure struct {
	tool    string
	args    args
	version int
}

// failureOf is what the model's last call failed at, nil when it did not. Where
// the words contradicted the ref, other words are an answer.
func (p *Planner) failureOf(r *Result) *failure {
	if r.Verdict.Outcome == bus.Right || p.made == nil || r.Receipt.Refusal != nil && r.Receipt.Refusal.Code == bus.RefusedContradicts {
		return nil
	}
	f := *p.made
	f.version = p.version
	return &f
}

// same says whether two calls would do the same thing to the page, by whatever
// words.
func (a args) same(b args) bool {
	for _, x := range []*args{&a, &b} {
		x.Element, x.ToElement, x.Expect, x.Irreversible, x.Seconds = "", "", "", false, 0
	}
	return reflect.DeepEqual(a, b)
}

// houseRules says which rule a call breaks, in words for the model, or "".
func (p *Planner) houseRules(t tool, a args) string {
	for _, r := range []string{a.Ref, a.ToRef} {
		switch {
		case r == "":
		case !isRef(r):
			return fmt.Sprintf("%q is not a ref. Refs look like e12 or f2e5 and stand in the page report.", r)
		case !p.seen.refs[r]:
			return fmt.Sprintf("%s is not on the page as you have been shown it. Look at the page, or find the element, before you act on it.", r)
		}
	}
	f := p.failed
	if f == nil || f.version != p.version || t.name != f.tool || t.action == bus.ActionWait || !a.same(f.args) {
		return ""
	}
	return "This failed a moment ago, and the page has not changed since. Other words will not help: look at the page, find another element, or take another way."
}

// isRef says whether s is a ref and nothing else.
func isRef(s string) bool { return s != "" && ref.FindString(s) == s }

// hint explains bad arguments. Where a description stands in place of a ref it
// says which refs fit.
func (p *Planner) hint(ctx context.Context, eyes Eyes, t tool, a args, err error) string {
	why := capital(err.Error()) + "."
	if t.action == "" || a.Ref != "" || a.Element == "" || !slices.Contains(t.required, "ref") {
		return why
	}
	found, ferr := eyes.Find(ctx, a.Element)
	if ferr != nil || found.Text == "" {
		return why + " Take it from the page report."
	}
	p.seen.add(found.Text)
	return why + " Say it by ref. What fits your words:\n" + p.fenced("", found)
}

// bounce sends a call back.
func (p *Planner) bounce(why string) {
	p.bounces, p.why = p.bounces+1, why
	p.answer("Not carried out. " + why)
}

// modelError carries the decision: whatever a later session could mend asks a
// person, since the run itself is not at fault.
func modelError(err error) error {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind == llm.TimedOut {
		return err
	}
	switch e.Kind {
	case llm.Denied, llm.RateLimited, llm.Overloaded, llm.Unreachable:
		return bus.Errorf(bus.Ask, "model_"+string(e.Kind), "%w", err)
	}
	return bus.Errorf(bus.GiveUp, "model_"+string(e.Kind), "%w", err)
}
