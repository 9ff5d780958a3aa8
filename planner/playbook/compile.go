package playbook

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/workflow"
)

// A Book is a workflow that was understood as a whole.
type Book struct {
	Steps    []Step
	DoneWhen []bus.Expect
}

// A Step is one step of the workflow with its commands, at least one.
type Step struct {
	Number   int // from 1
	Text     string
	Line     int
	Commands []Command
}

// Compile reads all steps, expectations and final checks. Variables are put in;
// ${secret:NAME} and ${NAME} of what a step remembers are left for the run. The
// error joins one *Unreadable for each sentence that can't be read.
//
// A workflow with a goal has no steps; only its final checks are read.
func Compile(w *workflow.Workflow) (*Book, error) {
	if w == nil {
		return nil, errors.New("playbook: there is no workflow to compile")
	}
	b := &Book{}
	var errs []error
	known := map[string]bool{}
	for i, ws := range w.Steps {
		src := Source{Text: numbers(w, ws.Text), File: w.File, Line: ws.At}
		step := Step{Number: i + 1, Text: w.Expand(ws.Text), Line: ws.At}
		commands, err := Read(src)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for k := range commands {
			in := &commands[k].Intent
			if err := checkNames(src, w, known, names(*in, commands[k].If)); err != nil {
				errs = append(errs, err)
			}
			if in.Action == bus.ActionRemember {
				if _, taken := w.Vars[in.As]; taken {
					errs = append(errs, &Unreadable{Source: src, Words: in.As, Why: "the workflow has a variable of that name already", Nearest: []string{"Remember … as another name"}})
				}
				known[in.As] = true
			}
		}
		var expect []bus.Expect
		for _, line := range ws.Expect {
			esrc := Source{Text: numbers(w, line.Text), File: w.File, Line: line.At}
			es, err := readChecks(esrc)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			if err := checkNames(esrc, w, known, names(bus.Intent{Expect: es}, nil)); err != nil {
				errs = append(errs, err)
			}
			expect = append(expect, es...)
		}
		last := &commands[len(commands)-1].Intent
		last.Expect = append(last.Expect, expect...)
		for k := range commands {
			commands[k] = expandCommand(commands[k], func(name string) (string, bool) { v, ok := w.Vars[name]; return v, ok })
			commands[k].Intent.Step = step.Number
			commands[k].Intent.Risk = GuessRisk(commands[k].Intent) // with the variables put in
			if ws.Risk != "" {
				commands[k].Intent.Risk = ws.Risk
			}
		}
		step.Commands = commands
		b.Steps = append(b.Steps, step)
	}
	for _, line := range w.DoneWhen {
		src := Source{Text: numbers(w, line.Text), File: w.File, Line: line.At}
		es, err := readChecks(src)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if err := checkNames(src, w, known, names(bus.Intent{Expect: es}, nil)); err != nil {
			errs = append(errs, err)
		}
		c := expandCommand(Command{Intent: bus.Intent{Expect: es}}, func(name string) (string, bool) { v, ok := w.Vars[name]; return v, ok })
		b.DoneWhen = append(b.DoneWhen, c.Intent.Expect...)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return b, nil
}

// numbers puts in the variables that are whole numbers before the sentence is
// read, so that "there are ${n} rows" can be counted. Digits can't change what
// a sentence says; other variables are put in after it has been read.
func numbers(w *workflow.Workflow, text string) string {
	return referenceForm.ReplaceAllStringFunc(text, func(ref string) string {
		m := referenceForm.FindStringSubmatch(ref)
		value, ok := w.Vars[m[2]]
		if !ok || m[1] != "" || value == "" || len(value) > 9 || strings.Trim(value, "0123456789") != "" {
			return ref
		}
		return value
	})
}

var referenceForm = regexp.MustCompile(`\$\{(secret:)?([A-Za-z_][A-Za-z0-9_-]*)\}`)

// names are the references in an intent and its condition.
func names(in bus.Intent, cond *Condition) []string {
	var out []string
	collect := func(s string) string {
		for _, m := range referenceForm.FindAllStringSubmatch(s, -1) {
			out = append(out, m[1]+m[2])
		}
		return s
	}
	in.Text = ""
	mapIntent(in, collect)
	if cond != nil {
		mapExpects(cond.Checks, collect)
	}
	return out
}

// checkNames holds for the spoken forms what the loader holds for ${…}, and
// that a name is remembered before it is used.
func checkNames(src Source, w *workflow.Workflow, known map[string]bool, refs []string) error {
	for _, r := range refs {
		if secret, ok := strings.CutPrefix(r, "secret:"); ok {
			found := false
			for _, s := range w.Secrets {
				found = found || s == secret
			}
			if !found {
				return &Unreadable{Source: src, Words: secret, Why: "the workflow lists no secret of this name; add it to secrets", Nearest: []string{}}
			}
			continue
		}
		if _, ok := w.Vars[r]; !ok && !known[r] {
			return &Unreadable{Source: src, Words: r, Why: "no variable has this name, and no step before remembers it", Nearest: []string{}}
		}
	}
	return nil
}

// holdsSecret returns the words of an intent that name a secret, or "".
func holdsSecret(in bus.Intent) string {
	found := ""
	in.Text = ""
	mapIntent(in, func(s string) string {
		if strings.Contains(s, "${secret:") && found == "" {
			found = s
		}
		return s
	})
	return found
}

// ExpandIntent puts what steps have remembered into an intent, just before it
// is carried out. Secrets are left to the actor. A value from a page that looks
// like a reference is refused: a page must not get a secret typed.
func ExpandIntent(in bus.Intent, lookup func(name string) (string, bool)) (bus.Intent, error) {
	var err error
	out := mapIntent(in, expander(lookup, &err))
	if err != nil {
		return bus.Intent{}, err
	}
	return out, nil
}

// ExpandChecks is ExpandIntent for expectations.
func ExpandChecks(checks []bus.Expect, lookup func(name string) (string, bool)) ([]bus.Expect, error) {
	var err error
	out := mapExpects(checks, expander(lookup, &err))
	if err != nil {
		return nil, err
	}
	return out, nil
}

func expander(lookup func(string) (string, bool), err *error) func(string) string {
	return func(s string) string {
		return referenceForm.ReplaceAllStringFunc(s, func(ref string) string {
			m := referenceForm.FindStringSubmatch(ref)
			if m[1] != "" {
				return ref
			}
			value, ok := lookup(m[2])
			switch {
			case !ok && *err == nil:
				*err = fmt.Errorf("playbook: nothing has been remembered as %q yet", m[2])
			case strings.Contains(value, "${") && *err == nil:
				*err = fmt.Errorf("playbook: what was remembered as %q holds “${”, which is not put into a step", m[2])
			}
			return value
		})
	}
}

// expandCommand puts variables into a command; unknown names stay.
func expandCommand(c Command, lookup func(string) (string, bool)) Command {
	f := func(s string) string {
		return referenceForm.ReplaceAllStringFunc(s, func(ref string) string {
			m := referenceForm.FindStringSubmatch(ref)
			if value, ok := lookup(m[2]); ok && m[1] == "" {
				return value
			}
			return ref
		})
	}
	c.Intent = mapIntent(c.Intent, f)
	c.Text = f(c.Text)
	if c.If != nil {
		cond := *c.If
		cond.Checks = mapExpects(cond.Checks, f)
		c.If = &cond
	}
	return c
}

// mapIntent copies an intent with f applied to each text in it.
func mapIntent(in bus.Intent, f func(string) string) bus.Intent {
	in.Text, in.Value, in.Find, in.PromptText = f(in.Text), f(in.Value), f(in.Find), f(in.PromptText)
	values := make([]string, len(in.Values))
	for i, v := range in.Values {
		values[i] = f(v)
	}
	if in.Values != nil {
		in.Values = values
	}
	in.Target, in.To = mapTarget(in.Target, f), mapTarget(in.To, f)
	in.Expect = mapExpects(in.Expect, f)
	return in
}

func mapTarget(t *bus.Target, f func(string) string) *bus.Target {
	if t == nil {
		return nil
	}
	out := *t
	out.Words, out.Name = f(t.Words), f(t.Name)
	out.Within = append([]bus.Scope(nil), t.Within...)
	for i := range out.Within {
		out.Within[i].Name = f(out.Within[i].Name)
	}
	if t.Near != nil {
		out.Near = &bus.Near{Relation: t.Near.Relation, Of: *mapTarget(&t.Near.Of, f)}
	}
	return &out
}

func mapExpects(list []bus.Expect, f func(string) string) []bus.Expect {
	if list == nil {
		return nil
	}
	out := make([]bus.Expect, len(list))
	for i, e := range list {
		e.Target = mapTarget(e.Target, f)
		want := f
		if e.Op == "matches" { // a value is a text also inside a pattern
			want = func(s string) string {
				return referenceForm.ReplaceAllStringFunc(s, func(ref string) string {
					if value := f(ref); value != ref {
						return regexp.QuoteMeta(value)
					}
					return ref
				})
			}
		}
		e.Want, e.Text = want(e.Want), f(e.Text)
		out[i] = e
	}
	return out
}
