package planner

import (
	"regexp"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/planner/playbook"
)

// variable matches ${name}; ${secret:NAME} does not match and stays for the
// actor's keystrokes.
var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_-]*)\}`)

// expander puts variables in place. It works on understood intents, so that a
// value can never change what a sentence says.
type expander struct {
	vars map[string]string
	now  time.Time
}

func (x expander) text(s string) string {
	return variable.ReplaceAllStringFunc(s, func(m string) string {
		if v, ok := x.vars[m[2:len(m)-1]]; ok {
			return v
		}
		return m
	})
}

func (x expander) texts(list []string) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = x.text(s)
	}
	return out
}

func (x expander) target(t *bus.Target) *bus.Target {
	if t == nil {
		return nil
	}
	c := *t
	c.Words, c.Name = x.text(t.Words), x.text(t.Name)
	if t.Within != nil {
		c.Within = make([]bus.Scope, len(t.Within))
		for i, s := range t.Within {
			s.Name = x.text(s.Name)
			c.Within[i] = s
		}
	}
	if t.Near != nil {
		c.Near = &bus.Near{Relation: t.Near.Relation, Of: *x.target(&t.Near.Of)}
	}
	return &c
}

func (x expander) expect(e bus.Expect) bus.Expect {
	e.Target, e.Want, e.Text = x.target(e.Target), x.text(e.Want), x.text(e.Text)
	return e
}

func (x expander) expects(list []bus.Expect) []bus.Expect {
	if list == nil {
		return nil
	}
	out := make([]bus.Expect, len(list))
	for i, e := range list {
		out[i] = x.expect(e)
	}
	return out
}

// intent returns the intent with variables in place; a relative date ("in
// three days") becomes an ISO date of today's reckoning.
func (x expander) intent(i bus.Intent) (bus.Intent, error) {
	i.Text, i.Value, i.Find, i.PromptText = x.text(i.Text), x.text(i.Value), x.text(i.Find), x.text(i.PromptText)
	i.Values = x.texts(i.Values)
	i.Target, i.To = x.target(i.Target), x.target(i.To)
	i.Expect = x.expects(i.Expect)
	if i.Action == bus.ActionPickDate {
		iso, err := playbook.ResolveDate(i.Value, x.now)
		if err != nil {
			return i, bus.Errorf(bus.GiveUp, "bad_date", "%s: %w", i.Text, err)
		}
		i.Value = iso
	}
	return i, nil
}
