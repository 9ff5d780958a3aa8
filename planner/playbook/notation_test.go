package playbook

import (
	"fmt"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// notation writes commands on one line, so that a table of sentences can be
// read: click(button "Save" in row "Acme"); fill(field "Name" = "A").
func notation(cs []Command) string {
	parts := make([]string, len(cs))
	for i, c := range cs {
		parts[i] = noteIntent(c.Intent)
		if c.If != nil {
			word := "if"
			if c.If.Negate {
				word = "unless"
			}
			parts[i] += fmt.Sprintf(" %s[%s]", word, noteChecks(c.If.Checks))
		}
	}
	return strings.Join(parts, "; ")
}

func noteIntent(in bus.Intent) string {
	var a []string
	if in.Target != nil {
		a = append(a, noteTarget(*in.Target))
	}
	if in.To != nil {
		a = append(a, "to "+noteTarget(*in.To))
	}
	if in.Find != "" {
		a = append(a, fmt.Sprintf("%q ->", in.Find))
	}
	if in.Value != "" || in.Action == bus.ActionFill {
		a = append(a, fmt.Sprintf("= %q", in.Value))
	}
	for _, v := range in.Values {
		a = append(a, fmt.Sprintf("= %q", v))
	}
	if in.Of != "" {
		a = append(a, "of "+in.Of)
	}
	if in.As != "" {
		a = append(a, "as "+in.As)
	}
	if in.Button != "" {
		a = append(a, in.Button)
	}
	if in.Count != 0 {
		a = append(a, fmt.Sprintf("x%d", in.Count))
	}
	for _, m := range in.Modifiers {
		a = append(a, "+"+m)
	}
	if in.PromptText != "" {
		a = append(a, fmt.Sprintf("prompt %q", in.PromptText))
	}
	if in.DialogAnswer != "" && in.Action != bus.ActionAccept && in.Action != bus.ActionDismiss {
		a = append(a, "dialog "+in.DialogAnswer)
	}
	if in.TimeoutMS != 0 {
		a = append(a, fmt.Sprintf("%dms", in.TimeoutMS))
	}
	if len(in.Expect) > 0 {
		a = append(a, noteChecks(in.Expect))
	}
	return string(in.Action) + "(" + strings.Join(a, " ") + ")"
}

func noteTarget(t bus.Target) string {
	var a []string
	if t.Focused {
		a = append(a, "focused")
	}
	if t.Ordinal != 0 {
		a = append(a, fmt.Sprintf("#%d", t.Ordinal))
	}
	if t.Role != "" {
		a = append(a, t.Role)
	}
	if t.Kind != "" {
		a = append(a, t.Kind+"~")
	}
	if t.Name != "" {
		a = append(a, fmt.Sprintf("%q", t.Name))
	}
	if t.Near != nil {
		a = append(a, t.Near.Relation+" ("+noteTarget(t.Near.Of)+")")
	}
	for i := len(t.Within) - 1; i >= 0; i-- {
		w := t.Within[i]
		s := "in"
		if w.Ordinal != 0 {
			s += fmt.Sprintf(" #%d", w.Ordinal)
		}
		if w.Kind != "" {
			s += " " + w.Kind
		}
		if w.Name != "" {
			s += fmt.Sprintf(" %q", w.Name)
		}
		a = append(a, s)
	}
	return strings.Join(a, " ")
}

func noteChecks(es []bus.Expect) string {
	parts := make([]string, len(es))
	for i, e := range es {
		a := []string{string(e.Kind)}
		if e.Not {
			a = []string{"not " + string(e.Kind)}
		}
		if e.Target != nil {
			a = append(a, noteTarget(*e.Target))
		}
		if e.Op != "" {
			a = append(a, e.Op)
		}
		if e.Kind == bus.ExpectCount {
			op := "="
			if e.CountOp != "" {
				op = e.CountOp
			}
			a = append(a, fmt.Sprintf("%s %d", op, e.Count))
		}
		if e.Want != "" {
			a = append(a, fmt.Sprintf("= %q", e.Want))
		}
		parts[i] = strings.Join(a, " ")
	}
	return strings.Join(parts, " & ")
}
