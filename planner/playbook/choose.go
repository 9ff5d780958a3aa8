package playbook

import (
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// choose reads what select, choose and pick do: an option in a list, a date in
// a date control, a radio button or a checkbox, and else a click.
func (c *clause) choose() ([]bus.Intent, *problem) {
	at := c.i
	prep := func(i int) bool {
		return c.is(i, "from", "in", "on", "out", "for", "as", "within", "inside", "under", "at", "to", "of") || c.joins(i)
	}
	if intents, done, bad := c.chooseThing(); done || bad != nil {
		return intents, bad
	}
	c.i = at
	if c.takePhrase("date") || c.takePhrase("the date", "the day") {
		// A date control, unless a date follows.
		probe := c.i
		v := &val{from: c.i}
		if bad := c.dateValue(v, prep); bad != nil {
			return nil, bad
		}
		if v.date == nil && !(c.i < len(c.toks) && c.toks[c.i].literal() && isDateText(c.toks[c.i].text)) {
			c.i = at
		} else {
			c.i = probe
			dated, bad := c.plainValue(&val{from: at}, prep, true)
			if bad != nil {
				return nil, bad
			}
			return c.pickDate(at, dated)
		}
	}
	values, bad := c.chosen(prep)
	if bad != nil {
		return nil, bad
	}
	if len(values) == 1 && values[0].date != nil {
		return c.pickDate(at, values[0])
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.text
	}
	if c.end() {
		if c.dest != nil && !isPlace(c.dest) {
			return c.selectIn(at, texts, c.dest, true)
		}
		return c.clickChosen(at)
	}
	if _, l := c.nearAt(c.i); l > 0 || c.is(c.i, "of") {
		return c.clickChosen(at)
	}
	if !c.takePhrase("from", "in", "on", "out of", "for", "as", "within", "inside", "under", "at", "to", "from among", "in for") {
		return c.clickChosen(at)
	}
	t, bad := c.target(nil)
	if bad != nil {
		return nil, bad
	}
	if isPlace(t) {
		return c.clickChosen(at)
	}
	return c.selectIn(at, texts, t, false)
}

func isDateText(s string) bool { _, err := parseDate(s); return err != errNoDate }

// isPlace: choosing in a row, dialog, menu … is a click there; a list or an
// unnamed kind of control has options.
func isPlace(t *phrase) bool {
	if t.noun == nil {
		return false
	}
	switch t.noun.scope {
	case "", "list", "field", "date":
		return false
	case "group":
		return t.noun.word != "box"
	}
	return true
}

func (c *clause) selectIn(at int, texts []string, t *phrase, dest bool) ([]bus.Intent, *problem) {
	target := t.t
	if dest {
		c.dest = nil
	}
	if len(texts) == 1 && aboutDate(t) {
		if d, err := parseDate(texts[0]); err == nil {
			return one(bus.Intent{Action: bus.ActionPickDate, Target: &target, Value: d.value()}), nil
		} else if t.t.Kind == "date" && isCount(texts[0]) && !dest {
			return c.clickChosen(at) // 15 in the calendar: what is written there
		} else if t.t.Kind == "date" && !strings.HasPrefix(texts[0], "${") {
			return nil, c.wrong(at, len(c.toks), dateWhy(err))
		}
	}
	return one(bus.Intent{Action: bus.ActionSelect, Target: &target, Values: texts}), nil
}

func (c *clause) pickDate(at int, v *val) ([]bus.Intent, *problem) {
	in := bus.Intent{Action: bus.ActionPickDate, Value: v.text}
	if v.date != nil {
		in.Value = v.date.value()
	}
	if c.takePhrase("from", "in", "on", "for", "as", "within", "into", "with", "at", "using") {
		t, bad := c.target(nil)
		if bad != nil {
			return nil, bad
		}
		in.Target = &t.t
		return one(in), nil
	}
	if in.Target = c.useDest(); in.Target == nil {
		if !c.end() {
			return nil, c.wrong(c.i, len(c.toks), c.leftover())
		}
		return nil, c.wrong(at, len(c.toks), "in which date field?")
	}
	return one(in), nil
}

// chosen reads the options: "A", "B" and "C"; the option "A"; words.
func (c *clause) chosen(prep stopper) ([]*val, *problem) {
	var out []*val
	for {
		at := c.i
		c.articles()
		if n, l, _ := matchNoun(c.toks, c.i); n != nil && c.i+l < len(c.toks) && c.toks[c.i+l].literal() {
			c.i += l
		} else if k := c.i + 1; c.i > at && k < len(c.toks) && c.toks[k].kind == tokQuoted && c.toks[c.i].kind == tokWord && !prep(c.i) && !isLook(c.toks[c.i].low) && ordinalOf(c.toks[c.i].low) == 0 {
			c.i = k // the colour "Red"
		} else if !(c.i < len(c.toks) && c.toks[c.i].literal()) {
			c.i = at
		}
		v, bad := c.value(prep)
		if bad != nil {
			return nil, bad
		}
		if !v.quoted && v.date == nil {
			// unquoted words may carry an article and a kind: the option High
			sub := &clause{sentence: c.sentence, toks: c.toks[:v.to], i: v.from, verb: c.verb}
			sub.articles()
			if n, l, _ := matchNoun(sub.toks, sub.i); n != nil && sub.i+l < v.to {
				sub.i += l
			}
			if end := v.to; end > sub.i {
				if n, l, _ := matchNoun(c.toks, end-1); n != nil && n.weak && l == 1 && end-1 > sub.i {
					end--
				}
				v.text = c.raw(sub.i, end)
			}
		}
		if c.i < len(c.toks) && c.toks[c.i].kind == tokWord && !prep(c.i) {
			if n, l, _ := matchNoun(c.toks, c.i); n != nil && (n.weak || n.role == "option") {
				c.i += l
			}
		}
		if !v.quoted && ordinalOf(strings.ToLower(v.text)) != 0 {
			return nil, c.wrong(v.from, v.to, "an option is chosen by its label")
		}
		out = append(out, v)
		back := c.i
		if !(c.is(c.i, "and", "&") || !c.end() && c.toks[c.i].text == ",") {
			return out, nil
		}
		if !c.another() || prep(c.i) {
			c.i = back
			return out, nil
		}
		if !v.quoted && !c.toks[c.i].literal() && c.find(c.i, "from", "in") < 0 {
			c.i = back
			return out, nil
		}
	}
}

// chooseThing handles phrases whose kind says that no list is meant: the radio
// button, the checkbox, the row, the tab, the button.
func (c *clause) chooseThing() ([]bus.Intent, bool, *problem) {
	list, bad := c.targets(nil)
	if bad != nil || !c.end() || list[0].noun == nil {
		return nil, false, nil
	}
	switch list[0].t.Role {
	case "radio", "checkbox", "switch":
		return intentsFor(bus.Intent{Action: bus.ActionCheck}, list), true, nil
	case "button", "link", "tab", "menuitem", "img":
		return intentsFor(bus.Intent{Action: bus.ActionClick}, list), true, nil
	}
	switch list[0].t.Kind {
	case "row", "card", "icon", "toggle", "cell", "bar":
		return intentsFor(bus.Intent{Action: bus.ActionClick}, list), true, nil
	}
	return nil, false, nil
}

// clickChosen reads the phrase again, as something to be clicked.
func (c *clause) clickChosen(at int) ([]bus.Intent, *problem) {
	c.i = at
	list, bad := c.targets(nil)
	if bad != nil {
		return nil, bad
	}
	return intentsFor(bus.Intent{Action: bus.ActionClick}, list), nil
}
