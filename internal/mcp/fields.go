package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
)

// maxFields bounds the fields of one form.
const maxFields = 100

type typeArgs struct {
	onElement
	Text   string `json:"text" jsonschema:"what the field is to hold; empty clears it"`
	Submit bool   `json:"submit,omitempty" jsonschema:"press Enter afterwards"`
	Slowly bool   `json:"slowly,omitempty" jsonschema:"type key by key, after what the field holds"`
	hope
}

type selectArgs struct {
	onElement
	Values []string `json:"values" jsonschema:"the options by their labels; all that are to be selected"`
	hope
}

type formArgs struct {
	Fields []formField `json:"fields" jsonschema:"the fields in order; the first that fails ends it"`
	hope
}

type formField struct {
	onElement
	Name  string `json:"name,omitempty" jsonschema:"the field in words; the same as element"`
	Type  string `json:"type" jsonschema:"textbox, checkbox, radio, combobox or slider"`
	Value string `json:"value" jsonschema:"what it is to hold; true or false for a checkbox or a radio button, the option's label for a combobox"`
}

// fields adds the tools that fill in.
func (s *Server) fields() {
	moving(s, &mcp.Tool{Name: "browser_type", Description: "Write a text into a field, in place of what it holds. Answers with the verdict (the value is read back) and what changed."}, s.typed)
	moving(s, &mcp.Tool{Name: "browser_select_option", Description: "Select options of a list, native or custom, by their labels. Answers with the verdict and what changed."}, func(ctx context.Context, in selectArgs) (*reply, error) {
		t, err := in.target("select_option")
		if err != nil {
			return nil, err
		}
		if len(in.Values) == 0 {
			return nil, errNothing("browser_select_option", "values, the labels of the options to select")
		}
		return s.act(ctx, bus.Intent{Action: bus.ActionSelect, Target: t, Values: in.Values, DialogAnswer: bus.DialogLeave, Risk: bus.RiskIdempotent,
			Text: "Select " + strings.Join(in.Values, ", ") + " in " + describe(in.Element, t.Ref)}, in.hope)
	})
	moving(s, &mcp.Tool{Name: "browser_fill_form", Description: "Fill in several fields, each with a verdict of its own. The first that is not right ends it; the answer says what was done and what not."}, s.form)
}

func (s *Server) typed(ctx context.Context, in typeArgs) (*reply, error) {
	t, err := in.target("type")
	if err != nil {
		return nil, err
	}
	i := bus.Intent{Action: bus.ActionFill, Target: t, Value: in.Text, DialogAnswer: bus.DialogLeave, Risk: bus.RiskIdempotent, Text: "Fill in " + describe(in.Element, t.Ref)}
	switch {
	case in.Slowly && in.Text == "":
		return nil, errNothing("browser_type", "a text to type slowly; without slowly an empty one clears the field")
	case in.Slowly:
		i.Action, i.Risk, i.Text = bus.ActionType, bus.RiskReversible, "Type into "+describe(in.Element, t.Ref)
	case in.Text == "":
		i.Action, i.Text = bus.ActionClear, "Clear "+describe(in.Element, t.Ref)
	}
	if !in.Submit {
		return s.act(ctx, i, in.hope)
	}
	enter := bus.Intent{Action: bus.ActionPress, Target: t, Value: "Enter", DialogAnswer: bus.DialogLeave, Risk: bus.RiskReversible, Text: "Press Enter in " + describe(in.Element, t.Ref)}
	return s.sequence(ctx, []step{{i, "the text"}, {enter, "Enter"}}, in.hope)
}

func (s *Server) form(ctx context.Context, in formArgs) (*reply, error) {
	if len(in.Fields) == 0 || len(in.Fields) > maxFields {
		return nil, errNothing("browser_fill_form", fmt.Sprintf("1 to %d fields", maxFields))
	}
	var steps []step
	for n, f := range in.Fields {
		st, err := f.step()
		if err != nil {
			return nil, fmt.Errorf("field %d of %d: %w; nothing was done", n+1, len(in.Fields), err)
		}
		steps = append(steps, st)
	}
	return s.sequence(ctx, steps, in.hope)
}

// step is the move that brings a field to its value.
func (f formField) step() (step, error) {
	words := cmp.Or(f.Element, f.Name)
	f.Element = words
	t, err := f.target("fill_form")
	if err != nil {
		return step{}, err
	}
	i := bus.Intent{Target: t, DialogAnswer: bus.DialogLeave, Risk: bus.RiskIdempotent}
	name := describe(words, t.Ref)
	switch f.Type {
	case "textbox", "slider":
		i.Action, i.Value, i.Text = bus.ActionFill, f.Value, "Fill in "+name
		if f.Value == "" {
			i.Action, i.Text = bus.ActionClear, "Clear "+name
		}
	case "checkbox", "radio":
		switch f.Value {
		case "true":
			i.Action, i.Text = bus.ActionCheck, "Check "+name
		case "false":
			i.Action, i.Text = bus.ActionUncheck, "Uncheck "+name
		default:
			return step{}, fmt.Errorf("the value of a %s is true or false, not %q", f.Type, short(f.Value))
		}
	case "combobox":
		i.Action, i.Values, i.Text = bus.ActionSelect, []string{f.Value}, "Select "+short(f.Value)+" in "+name
	default:
		return step{}, fmt.Errorf("type %q: it is textbox, checkbox, radio, combobox or slider", short(f.Type))
	}
	return step{i, name}, nil
}

// A step is a move of a sequence.
type step struct {
	intent bus.Intent
	name   string
}

// sequence makes several moves. The first that is not right ends it: what comes
// after was meant for a page on which it worked. The expectation is for the last.
func (s *Server) sequence(ctx context.Context, steps []step, h hope) (*reply, error) {
	checks, err := h.checks()
	if err != nil {
		return nil, err
	}
	var done []string
	var facts []bus.Evidence
	var reasons []string
	tabs := false
	for n, st := range steps {
		if n == len(steps)-1 {
			st.intent.Expect = checks
		}
		out, others, err := s.do(ctx, st.intent)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; done before: %s", st.name, err, listed(done))
		}
		tabs = tabs || others
		last := n == len(steps)-1 || out.Verdict.Outcome != bus.Right
		for _, e := range out.Verdict.Evidence {
			e.ID = fmt.Sprintf("v%d", len(facts)+1) // each verdict counts from 1
			facts = append(facts, e)
		}
		for _, why := range out.Verdict.Reasons {
			reasons = append(reasons, st.name+": "+why)
		}
		if out.Verdict.Outcome == bus.Right {
			done = append(done, st.name)
		}
		if !last {
			continue
		}
		r := s.begun(ctx, out)
		a := r.answer
		a.Evidence, a.Reasons, a.Done = facts, reasons, done
		r.lines[0] = "verdict: " + string(a.Verdict) + ": " + strings.Join(reasons, " ")
		if a.Verdict != bus.Right {
			for _, left := range steps[n:] {
				a.NotDone = append(a.NotDone, left.name)
			}
			r.lines = slices.Insert(r.lines, 1, "done: "+listed(done), "not done: "+listed(a.NotDone))
		}
		s.ended(ctx, r, out, tabs)
		return r, nil
	}
	return nil, errNothing("a sequence", "steps")
}

func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
