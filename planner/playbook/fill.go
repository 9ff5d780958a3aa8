package playbook

import (
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// find looks for one of the words outside quotes from i on, or -1.
func (c *clause) find(from int, words ...string) int {
	for i := from; i < len(c.toks); i++ {
		if c.is(i, words...) {
			return i
		}
	}
	return -1
}

// fillIntent types a value into a target; a date for a date control becomes
// pick_date, which handles any kind of picker.
func (c *clause) fillIntent(t *phrase, v *val, typed bool) bus.Intent {
	target := t.t
	in := bus.Intent{Action: bus.ActionFill, Target: &target, Value: v.text}
	if v.date != nil {
		in.Action, in.Value = bus.ActionPickDate, v.date.value()
	} else if d, err := parseDate(v.text); err == nil && !typed && aboutDate(t) {
		in.Action, in.Value = bus.ActionPickDate, d.value()
	}
	return in
}

func aboutDate(t *phrase) bool {
	if t.t.Kind == "date" {
		return true
	}
	for _, w := range strings.Fields(strings.ToLower(t.t.Name)) {
		switch strings.Trim(w, ":*") {
		case "date", "day", "due", "deadline", "birthday", "from", "until":
			return true
		}
	}
	return false
}

// fill reads: fill [in] FIELD with VALUE {and FIELD with VALUE}; and, without
// "with", what type reads.
func (c *clause) fill() ([]bus.Intent, *problem) {
	at := c.i
	sep := c.find(at, "with", "using", ":", "=", "by")
	if sep < 0 {
		if as := c.find(at, "as"); as > 0 && as+1 < len(c.toks) && c.toks[as+1].literal() && !c.toks[at].literal() {
			sep = as
		} else if as > 0 && c.toks[at].literal() && as+1 < len(c.toks) && c.toks[as+1].literal() {
			return nil, c.wrong(at, len(c.toks), "which of the two is the field?")
		}
	}
	if sep < 0 {
		out, bad := c.typeInto()
		if bad == nil && len(out) > 0 && out[0].Action == bus.ActionType {
			return nil, c.wrong(at, len(c.toks), "fill which field with what?")
		}
		return out, bad
	}
	if at := c.i; !c.takePhrase("the form", "in the form", "this form", "the following", "the following fields", "these fields", "the fields") || !c.is(c.i, ":") {
		c.i = at // fill in the form: "A" with …
	} else {
		c.i++
	}
	var out []bus.Intent
	for {
		in, bad := c.fillPair()
		if bad != nil {
			return nil, bad
		}
		out = append(out, in...)
		if !c.another() {
			return out, nil
		}
	}
}

// another passes "and" or a comma before a further item.
func (c *clause) another() bool {
	at := c.i
	for c.is(c.i, "and", "&", "then") || !c.end() && c.toks[c.i].text == "," {
		c.i++
	}
	if c.end() || c.i == at {
		c.i = at
		return false
	}
	return true
}

func (c *clause) fillPair() ([]bus.Intent, *problem) {
	sep := func(i int) bool {
		return c.is(i, "using", "as", ":", "=", "by") || c.is(i, "with") && !c.rowBefore(i)
	}
	var list []*phrase
	if c.dest != nil && c.i < len(c.toks) && sep(c.i) {
		list = []*phrase{c.dest}
		c.dest = nil
	} else {
		var bad *problem
		if list, bad = c.targets(sep); bad != nil {
			return nil, bad
		}
	}
	if !c.takePhrase("with", "using", "as", ":", "=", "by typing", "by entering", "with the value", "by writing") {
		return nil, c.wrong(list[0].from, len(c.toks), "with what? fill … with …")
	}
	if len(list) > 1 && !list[0].plural && !list[len(list)-1].plural {
		return nil, c.wrong(list[0].from, c.i, "one value for all of them? Write “the fields …”, or fill each with its own")
	}
	v, bad := c.value(func(i int) bool { return c.joins(i) || c.scopeAt(i) > 0 })
	if bad != nil {
		return nil, bad
	}
	if l := c.scopeAt(c.i); l > 0 && len(list) > 0 {
		// fill "Name" with "A" in the row "B"
		c.i += l
		outer, bad := c.target(nil)
		if bad != nil {
			return nil, bad
		}
		scopes, bad := c.scopes(outer)
		if bad != nil {
			return nil, bad
		}
		for _, p := range list {
			p.t.Within = append(append([]bus.Scope(nil), scopes...), p.t.Within...)
		}
	}
	var out []bus.Intent
	for _, p := range list {
		out = append(out, c.fillIntent(p, v, true))
	}
	return out, nil
}

// rowBefore: the "with" of "the row with "Acme"" is not the one of "fill … with".
func (c *clause) rowBefore(i int) bool {
	if i == 0 {
		return false
	}
	n, _, _ := matchNoun(c.toks, i-1)
	if n == nil || (n.scope != "row" && n.scope != "card" && n.scope != "dialog" && n.scope != "section" && n.scope != "table" && n.scope != "form") {
		return false
	}
	return c.find(i+1, "with", "using", "to", "and") > 0
}

func isInto(c *clause, i int) bool {
	return c.is(i, "into", "in", "inside", "to", "onto", "on", "at", "for", "as", "under", "within")
}

// typeInto reads: type VALUE into FIELD {and VALUE into FIELD}, type VALUE.
func (c *clause) typeInto() ([]bus.Intent, *problem) {
	at := c.i
	if with := c.find(at, "with", "using"); with > at && !c.toks[at].literal() && c.find(at, "into", "in", "to") < 0 {
		return c.fill()
	}
	var out []bus.Intent
	for {
		stop := func(i int) bool { return isInto(c, i) || c.joins(i) }
		start := c.i
		// A date may begin with a preposition: in 3 days.
		v, bad := c.value(stop)
		if bad != nil {
			return nil, bad
		}
		if c.end() && len(out) == 0 && !v.quoted && v.date == nil && c.dest == nil && !isArticle(c.toks[start].low) {
			// "type hello": into what has the focus.
			return one(bus.Intent{Action: bus.ActionType, Target: &bus.Target{Focused: true}, Value: v.text}), nil
		}
		intents, bad := c.typeTarget(v, start)
		if bad != nil {
			return nil, bad
		}
		out = append(out, intents...)
		if !c.another() {
			return out, nil
		}
	}
}

func (c *clause) typeTarget(v *val, start int) ([]bus.Intent, *problem) {
	if c.takePhrase("into", "in", "inside", "to", "onto", "on", "at", "for", "as", "under", "within", "in for", "in to", "as the value of", "as the value for") {
		if c.takePhrase("the prompt", "the dialog box", "the prompt dialog", "the prompt box") && (c.end() || c.is(c.i, "and")) && c.is(c.i-1, "prompt") {
			return one(bus.Intent{Action: bus.ActionAccept, PromptText: v.text, DialogAnswer: "accept"}), nil
		}
		list, bad := c.typeTargets()
		if bad != nil {
			return nil, bad
		}
		var out []bus.Intent
		for _, t := range list {
			if t.bareKind && t.noun.kind == "page" {
				return nil, c.wrong(t.from, t.to, "into which field?")
			}
			out = append(out, c.fillIntent(t, v, v.quoted))
		}
		return out, nil
	}
	if t := c.useDest(); t != nil {
		return one(c.fillIntent(&phrase{t: *t}, v, v.quoted)), nil
	}
	if !v.quoted {
		// enter the email "a@b.c": words, then the value
		if !c.end() && c.toks[c.i].literal() && v.date == nil {
			c.i = start
			t, bad := c.target(func(i int) bool { return c.toks[i].literal() })
			if bad != nil {
				return nil, bad
			}
			w, bad := c.value(func(i int) bool { return c.joins(i) })
			if bad != nil {
				return nil, bad
			}
			if isInto(c, c.i) && w.quoted && !t.quoted {
				return c.typeTarget(w, start) // enter the code "1" in the field "A"
			}
			if t.t.Name != "" && !t.quoted {
				if c.end() || c.joins(c.i) {
					return one(c.fillIntent(t, w, true)), nil
				}
			}
			return nil, c.wrong(start, len(c.toks), "into which field?")
		}
		return nil, c.wrong(start, len(c.toks), "into which field?")
	}
	return one(bus.Intent{Action: bus.ActionType, Target: &bus.Target{Focused: true}, Value: v.text}), nil
}

// typeTargets reads one target, or several where they are clearly fields and
// no further value follows ("the fields "A" and "B"").
func (c *clause) typeTargets() ([]*phrase, *problem) {
	at := c.i
	t, bad := c.target(nil)
	if bad != nil {
		return nil, bad
	}
	if t.plural {
		c.i = at
		return c.targets(nil)
	}
	return []*phrase{t}, nil
}

// appendTo reads: append VALUE to FIELD, add VALUE to the field.
func (c *clause) appendTo() ([]bus.Intent, *problem) {
	at := c.i
	adds := c.verbIs("add")
	v, bad := c.value(func(i int) bool { return c.is(i, "to", "at", "in", "into", "after") || c.joins(i) })
	if bad != nil {
		return nil, bad
	}
	c.takePhrase("to", "at the end of", "to the end of", "in", "into", "after the text in", "at the end in", "to the text in", "to the end in", "to the contents of")
	if c.end() {
		if t := c.useDest(); t != nil {
			return one(bus.Intent{Action: bus.ActionType, Target: t, Value: v.text}), nil
		}
		return nil, &problem{words: c.raw(0, len(c.toks)), why: "to which field, or what button does it?", forms: []string{`Append "!" to the field "Notes"`, `Click the button "Add"`}}
	}
	t, bad := c.target(nil)
	if bad != nil {
		return nil, bad
	}
	if adds && t.t.Kind != "field" && t.t.Kind != "box" || adds && !v.quoted {
		return nil, &problem{words: c.raw(at, len(c.toks)), why: "is text added to a field, or a button clicked?", forms: []string{`Append "!" to the field "Notes"`, `Click the button "Add to cart"`}}
	}
	return one(bus.Intent{Action: bus.ActionType, Target: &t.t, Value: v.text}), nil
}

// give reads: give FIELD the value VALUE.
func (c *clause) give() ([]bus.Intent, *problem) {
	t, bad := c.target(func(i int) bool { return c.is(i, "the", "a") && c.is(i+1, "value", "text") })
	if bad != nil {
		return nil, bad
	}
	if !c.takePhrase("the value", "the text", "a value of", "the value of") {
		return nil, c.wrong(0, len(c.toks), "give what? give the field … the value …")
	}
	v, bad := c.value(func(i int) bool { return c.joins(i) })
	if bad != nil {
		return nil, bad
	}
	return one(c.fillIntent(t, v, false)), nil
}

// set reads: set X to V {and X to V}; change X from A to V; change "a" to "b" in X.
func (c *clause) set(v verb) ([]bus.Intent, *problem) {
	if v == vChange && !c.end() && c.toks[c.i].literal() {
		if in := c.find(c.i, "in", "inside", "within"); in > c.i+2 && c.is(c.i+1, "to", "into") && c.is(in-2, "to", "into") {
			return c.replace()
		}
	}
	var out []bus.Intent
	for {
		to := func(i int) bool {
			if c.is(i, "to", "from", "as", "=", ":") || c.is(i, "back") && c.is(i+1, "to") {
				_, l := c.nearAt(i)
				return l == 0
			}
			return c.is(i, "on", "off") && i == len(c.toks)-1
		}
		at := c.i
		c.articles()
		if !c.takePhrase("value of", "text of", "content of", "contents of", "value in", "date of", "date in") {
			c.i = at
		}
		var list []*phrase
		if c.dest != nil && !c.end() && to(c.i) {
			list = []*phrase{c.dest}
			c.dest = nil
		} else {
			var bad *problem
			if list, bad = c.targets(to); bad != nil {
				return nil, bad
			}
		}
		c.take("back")
		if c.take("from") {
			was, bad := c.value(func(i int) bool { return c.is(i, "to") })
			if bad != nil {
				return nil, bad
			}
			if v == vSet && was.date != nil {
				return nil, c.wrong(at, len(c.toks), "one value or a range? Set the beginning and the end each by itself")
			}
		}
		if c.end() || !c.takePhrase("to", "as", "=", ":", "to be", "to the value", "equal to") && !c.is(c.i, "on", "off") {
			return nil, c.wrong(at, len(c.toks), "to what? set … to …")
		}
		intents, bad := c.setValue(list)
		if bad != nil {
			return nil, bad
		}
		out = append(out, intents...)
		if !c.another() {
			return out, nil
		}
	}
}

func (c *clause) setValue(list []*phrase) ([]bus.Intent, *problem) {
	base := bus.Intent{}
	switch {
	case c.is(c.i, "on", "checked", "ticked", "off", "unchecked", "unticked", "enabled", "disabled") && (c.i+1 == len(c.toks) || c.joins(c.i+1)):
		base.Action = bus.ActionCheck
		if c.is(c.i, "off", "unchecked", "unticked", "disabled") {
			base.Action = bus.ActionUncheck
		}
		c.i++
		return intentsFor(base, list), nil
	case c.is(c.i, "empty", "nothing", "blank") && c.i+1 == len(c.toks):
		c.i++
		return intentsFor(bus.Intent{Action: bus.ActionClear}, list), nil
	}
	v, bad := c.value(func(i int) bool { return c.joins(i) || c.scopeAt(i) > 0 })
	if bad != nil {
		return nil, bad
	}
	if l := c.scopeAt(c.i); l > 0 {
		c.i += l
		outer, bad := c.target(nil)
		if bad != nil {
			return nil, bad
		}
		scopes, bad := c.scopes(outer)
		if bad != nil {
			return nil, bad
		}
		for _, p := range list {
			p.t.Within = append(append([]bus.Scope(nil), scopes...), p.t.Within...)
		}
	}
	var out []bus.Intent
	for _, p := range list {
		if _, err := parseDate(v.text); err != nil && p.t.Kind == "date" && !strings.HasPrefix(v.text, "${") {
			return nil, c.wrong(v.from, v.to, dateWhy(err))
		}
		in := c.fillIntent(p, v, false)
		if in.Action == bus.ActionFill && p.t.Kind == "list" {
			in.Action, in.Values, in.Value = bus.ActionSelect, []string{v.text}, ""
		}
		out = append(out, in)
	}
	return out, nil
}

// contents passes words for what a field holds: the text in, everything from.
func (c *clause) contents() bool {
	c.articles()
	c.takePhrase("all the", "all of the", "all", "whole", "entire", "existing", "current", "old")
	return c.takePhrase("text", "contents", "content", "value", "entry", "words", "input", "everything", "characters", "all") && c.takePhrase("in", "of", "from", "inside", "that is in", "out of") ||
		c.takePhrase("what is in", "what is inside")
}

func (c *clause) clear() ([]bus.Intent, *problem) {
	at := c.i
	if !c.contents() {
		c.i = at
	}
	if c.end() {
		if t := c.useDest(); t != nil {
			return one(bus.Intent{Action: bus.ActionClear, Target: t}), nil
		}
	}
	list, bad := c.targets(nil)
	if bad != nil {
		return nil, bad
	}
	for _, p := range list {
		if p.t.Role == "checkbox" {
			return intentsFor(bus.Intent{Action: bus.ActionUncheck}, list), nil
		}
	}
	return intentsFor(bus.Intent{Action: bus.ActionClear}, list), nil
}

// replace reads: replace A with B in FIELD, change A to B in FIELD.
func (c *clause) replace() ([]bus.Intent, *problem) {
	swapped := c.verbIs("substitute")
	at := c.i
	c.articles()
	if !c.takePhrase("value of", "contents of", "content of", "text of", "value in", "text in", "content in") {
		c.i = at
	} else {
		// replace the value of "Name" with "B": all of it
		t, bad := c.target(func(i int) bool { return c.is(i, "with", "by") })
		if bad != nil {
			return nil, bad
		}
		if !c.take("with", "by") {
			return nil, c.wrong(at, len(c.toks), "with what?")
		}
		v, bad := c.value(func(i int) bool { return c.joins(i) })
		if bad != nil {
			return nil, bad
		}
		return one(c.fillIntent(t, v, true)), nil
	}
	between := func(i int) bool { return c.is(i, "with", "by", "to", "into", "for", "in") }
	a, bad := c.value(between)
	if bad != nil {
		return nil, bad
	}
	var field *bus.Target
	if c.is(c.i, "in") || c.is(c.i, "inside", "within") { // replace "a" in FIELD with "b"
		c.i++
		t, bad := c.target(func(i int) bool { return c.is(i, "with", "by") })
		if bad != nil {
			return nil, bad
		}
		field = &t.t
	}
	if !c.take("with", "by", "to", "for", "into") {
		return nil, c.wrong(at, len(c.toks), "replace what with what?")
	}
	b, bad := c.value(func(i int) bool { return c.is(i, "in", "inside", "within", "on") })
	if bad != nil {
		return nil, bad
	}
	if field == nil {
		if c.take("in", "inside", "within", "on") {
			t, bad := c.target(nil)
			if bad != nil {
				return nil, bad
			}
			field = &t.t
		} else if field = c.useDest(); field == nil {
			return nil, c.wrong(at, len(c.toks), "in which field?")
		}
	}
	if swapped {
		a, b = b, a
	}
	if a.text == "" {
		return nil, c.wrong(at, len(c.toks), "nothing can't be replaced; append to the field instead")
	}
	return one(bus.Intent{Action: bus.ActionReplace, Target: field, Find: a.text, Value: b.text}), nil
}
