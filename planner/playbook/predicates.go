package playbook

import (
	"regexp"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// isState holds for words that say how an element is.
func (c *clause) isState(i int) bool {
	return c.is(i, "visible", "hidden", "gone", "shown", "displayed", "checked", "unchecked", "ticked", "unticked", "enabled", "disabled", "empty", "blank", "selected", "focused", "focussed", "present", "absent", "invisible")
}

// predicate reads what is said about s.
func (c *clause) predicate(s *subject, from int) ([]bus.Expect, *problem) {
	start := c.i
	neg := c.auxiliaries()
	if able := c.find(start, "can", "cannot", "can't"); able >= 0 && able < c.i && s.kind == "target" && c.closing("clicked", "pressed", "used", "edited", "changed", "filled in", "modified") {
		t := s.target.t
		return []bus.Expect{{Kind: bus.ExpectEnabled, Target: &t, Not: neg, Text: c.raw(from, c.i)}}, nil
	}
	e, bad := c.claim(s, neg)
	if bad != nil {
		return nil, bad
	}
	for i := range e {
		if e[i].Text == "" {
			e[i].Text = c.raw(from, c.i)
		}
	}
	return e, nil
}

// auxiliaries passes is, should, has been …, and counts the negations.
func (c *clause) auxiliaries() (neg bool) {
	for !c.end() && c.toks[c.i].kind == tokWord {
		switch c.toks[c.i].low {
		case "is", "are", "was", "were", "be", "been", "being", "should", "must", "will", "can", "does", "do", "did", "to", "now", "still", "already", "also", "becomes", "become", "gets", "got", "both", "ought", "finally", "all", "remains", "stays", "looks", "it", "remain", "stay", "which", "currently", "again", "turns", "that", "really":
			if c.is(c.i, "is") && c.is(c.i+1, "there") && c.i+2 < len(c.toks) && !c.joins(c.i+2) {
				return neg
			}
			c.i++
		case "has", "have", "had":
			if !c.is(c.i+1, "been", "not", "disappeared", "appeared", "vanished", "gone", "arrived", "finished", "opened", "closed", "become", "completed", "loaded", "now", "downloaded", "started", "popped", "come", "changed") {
				return neg
			}
			c.i++
		case "isn't", "aren't", "wasn't", "weren't", "shouldn't", "mustn't", "won't", "can't", "cannot", "doesn't", "don't", "didn't", "hasn't", "haven't", "not", "never":
			neg = !neg
			c.i++
		case "no":
			if !c.is(c.i+1, "longer", "more") {
				return neg
			}
			neg = !neg
			c.i += 2
		default:
			return neg
		}
	}
	return neg
}

func (c *clause) claim(s *subject, neg bool) ([]bus.Expect, *problem) {
	switch s.kind {
	case "url", "title":
		return c.claimText(s, neg)
	case "download":
		return c.claimDownload(s, neg)
	case "dialog":
		return c.claimDialog(s, neg)
	case "tab":
		c.takePhrase("open", "opened", "opens", "opened up", "in the browser")
		return []bus.Expect{{Kind: bus.ExpectTab, Want: s.want, Not: neg}}, nil
	case "focus":
		c.takePhrase("in", "on", "inside", "within", "at")
		p, bad := c.target(nil)
		if bad != nil {
			return nil, bad
		}
		return []bus.Expect{{Kind: bus.ExpectFocused, Target: &p.t, Not: neg}}, nil
	case "count":
		n, op, ok := c.quantity()
		if !ok && !c.end() {
			if n, ok = number(c.toks[c.i].text); ok {
				c.i++
			}
		}
		if !ok {
			return nil, c.wrong(c.i, len(c.toks), "how many?")
		}
		e := countExpect(s.target, n, op, "")
		e.Not = neg
		return []bus.Expect{e}, nil
	case "page":
		return c.claimPage(s, neg)
	}
	return c.claimTarget(s, neg)
}

// comparison reads how a text is compared; "" is the kind's own way.
func (c *clause) comparison() string {
	switch {
	case c.takePhrase("contains", "contain", "includes", "include", "containing", "has in it", "mentions", "mention", "has", "have", "shows", "show", "displays", "display", "contained"):
		c.takePhrase("the text", "the words", "the word", "the value", "the path")
		return "contains"
	case c.takePhrase("starts with", "start with", "begins with", "begin with", "starting with", "beginning with"):
		return "starts"
	case c.takePhrase("ends with", "end with", "ends in", "end in", "ending with", "ending in"):
		return "ends"
	case c.takePhrase("matches", "match", "matches the pattern", "match the pattern", "matching", "matches the regular expression"):
		return "matches"
	case c.takePhrase("equals", "equal", "equal to", "exactly", "the same as", "reads exactly", "equals to", "equaling"):
		return "equals"
	}
	return ""
}

func compared(e bus.Expect, op, want string) bus.Expect {
	switch op {
	case "starts":
		e.Op, e.Want = "matches", "^"+quoteExcept(want)
	case "ends":
		e.Op, e.Want = "matches", quoteExcept(want)+"$"
	default:
		e.Op, e.Want = op, want
	}
	return e
}

func (c *clause) badPattern(op, want string) *problem {
	if op != "matches" {
		return nil
	}
	if _, err := regexp.Compile(placeholders.ReplaceAllString(want, "x")); err != nil {
		return &problem{words: want, why: "this is no regular expression: " + err.Error(), verb: vExpect}
	}
	return nil
}

func (c *clause) claimText(s *subject, neg bool) ([]bus.Expect, *problem) {
	kind := bus.ExpectURL
	if s.kind == "title" {
		kind = bus.ExpectTitle
	}
	if s.want != "" {
		return []bus.Expect{isAt(kind, s.want, neg)}, nil
	}
	c.takePhrase("changes to", "changed to", "set to")
	op := c.comparison()
	v, bad := c.value(func(i int) bool { return c.joins(i) })
	if bad != nil {
		return nil, bad
	}
	if bad := c.badPattern(op, v.text); bad != nil {
		return nil, bad
	}
	if op == "" {
		return []bus.Expect{isAt(kind, v.text, neg)}, nil
	}
	return []bus.Expect{compared(bus.Expect{Kind: kind, Not: neg}, op, v.text)}, nil
}

// isAt is what "the title is …" and "the URL is …" mean: all of it. An address
// without its origin is the end of the URL, up to a query or fragment.
func isAt(kind bus.ExpectKind, want string, neg bool) bus.Expect {
	e := bus.Expect{Kind: kind, Want: want, Op: "equals", Not: neg}
	if kind == bus.ExpectURL && !strings.Contains(want, "://") && !strings.HasPrefix(want, "${") && !strings.HasPrefix(want, "about:") {
		e.Op, e.Want = "matches", quoteExcept(want)+"$"
		if !strings.ContainsAny(want, "?#") {
			e.Want = quoteExcept(want) + "([?#].*)?$"
		}
	}
	return e
}

func (c *clause) claimDownload(s *subject, neg bool) ([]bus.Expect, *problem) {
	c.takePhrase("downloaded", "arrived", "arrives", "arrive", "complete", "finished", "finishes", "finish", "downloads", "download", "completed", "saved", "received", "started", "starts", "start", "there", "done", "completes", "available", "finish downloading", "appear", "appears", "arriving", "exists", "finishes downloading", "of the file", "begins", "begin")
	if s.want == "" && c.takePhrase("of", "named", "called", "with the name", "whose name contains", "whose name is") {
		v, bad := c.value(func(i int) bool { return c.joins(i) })
		if bad != nil {
			return nil, bad
		}
		s.want = v.text
	}
	c.takePhrase("to finish", "to complete", "to arrive", "to start")
	return []bus.Expect{{Kind: bus.ExpectDownload, Want: s.want, Not: neg}}, nil
}

func (c *clause) claimDialog(s *subject, neg bool) ([]bus.Expect, *problem) {
	c.takePhrase("said", "says", "saying", "asked", "asks", "asking", "say", "ask", "mentioned", "shows", "showed", "with the text", "with the message", "with", "contains", "contained", "shown", "reads", "read", "that says", "that said", "that asks", "that asked", "appears saying", "appeared saying", "containing", "which says", "display", "displays", "show", "contain")
	e := bus.Expect{Kind: bus.ExpectDialog, Want: s.want, Not: neg}
	if !c.end() && c.toks[c.i].literal() {
		e.Want = c.toks[c.i].text
		c.i++
	}
	c.auxiliaries()
	c.takePhrase("appeared", "appears", "shown", "opened", "opens", "raised", "came up", "comes up", "appear", "popped up", "pops up", "visible", "open", "come up", "pop up", "displayed", "seen", "was shown", "raised by the page")
	return []bus.Expect{e}, nil
}

// claimPage: the page shows "A" and "B"; the page has 3 rows; the page is "/x".
func (c *clause) claimPage(s *subject, neg bool) ([]bus.Expect, *problem) {
	if c.takePhrase("titled", "called") {
		v, bad := c.value(func(i int) bool { return c.joins(i) })
		if bad != nil {
			return nil, bad
		}
		return []bus.Expect{isAt(bus.ExpectTitle, v.text, neg)}, nil
	}
	if !c.takePhrase("shows", "show", "contains", "contain", "says", "say", "displays", "display", "has", "have", "reads", "includes", "include", "lists", "mentions", "mention", "read", "list", "holds") {
		if !c.end() && (c.toks[c.i].literal() || looksLikeAddress(c.toks[c.i].text)) && looksLikeAddress(c.toks[c.i].text) {
			c.i++
			return []bus.Expect{isAt(bus.ExpectURL, c.toks[c.i-1].text, neg)}, nil
		}
		return nil, c.wrong(c.i, len(c.toks), "what about the page? It shows …, its title is …, its URL contains …")
	}
	return c.holds(nil, neg)
}

// holds reads what a page or a container shows: texts, elements, counts.
func (c *clause) holds(in []bus.Scope, neg bool) ([]bus.Expect, *problem) {
	from := c.i
	within := func(es []bus.Expect) []bus.Expect {
		for i := range es {
			if len(in) == 0 {
				continue
			}
			if es[i].Target == nil {
				if es[i].Kind != bus.ExpectVisible && es[i].Kind != bus.ExpectGone {
					continue
				}
				es[i].Target, es[i].Want = &bus.Target{Name: es[i].Want, Words: es[i].Want}, ""
			}
			es[i].Target.Within = append(append([]bus.Scope(nil), in...), es[i].Target.Within...)
		}
		return es
	}
	if n, op, ok := c.quantity(); ok {
		p, bad := c.target(nil)
		if bad != nil {
			return nil, bad
		}
		e := countExpect(p, n, op, "")
		e.Not = neg
		return within([]bus.Expect{e}), nil
	}
	if c.take("no") {
		neg = !neg
	}
	if c.takePhrase("neither") {
		return nil, c.wrong(from, len(c.toks), "say “does not show …”")
	}
	list, bad := c.checkTargets()
	if bad != nil {
		return nil, bad
	}
	var out []bus.Expect
	for _, p := range list {
		out = append(out, presence(p, neg, ""))
	}
	return within(out), nil
}

// isField: kinds whose text is a value.
func (s *subject) isField() bool {
	if s.kind == "value" {
		return true
	}
	switch s.target.t.Kind {
	case "field", "box", "list", "date", "file":
		return true
	}
	return s.target.t.Role == "slider"
}

// isContainer: kinds that contain other elements rather than a text.
func (s *subject) isContainer() bool {
	switch s.target.t.Kind {
	case "table", "dialog", "section", "form", "menu", "frame", "group", "navigation", "footer", "header", "main", "sidebar", "toolbar", "list", "column":
		return true
	}
	return false
}

func (c *clause) claimTarget(s *subject, neg bool) ([]bus.Expect, *problem) {
	t := s.target.t
	make1 := func(kind bus.ExpectKind, not bool) []bus.Expect {
		target := t
		return []bus.Expect{{Kind: kind, Target: &target, Not: not}}
	}
	if s.kind == "target" {
		if c.end() || c.joins(c.i) {
			return []bus.Expect{presence(s.target, neg, "")}, nil
		}
		switch {
		case c.takePhrase("visible", "shown", "displayed", "present", "there", "on the page", "on the screen", "appears", "appear", "appeared", "exists", "exist", "shows up", "show up", "pops up", "pop up", "comes up", "come up", "on screen", "visible on the page", "shown on the page", "displayed on the page", "listed", "in view", "visible on the screen", "appears on the page", "open", "opens", "opened", "come into view", "found", "appearing", "showing", "rendered", "loaded", "loads", "shown again", "popped up", "visible again"):
			return c.inPlace([]bus.Expect{presence(s.target, neg, "")}, s)
		case c.takePhrase("gone", "hidden", "invisible", "absent", "disappears", "disappear", "disappeared", "vanishes", "vanish", "vanished", "goes away", "go away", "went away", "removed", "closed", "closes", "close", "missing", "gone from the page", "not visible", "not shown", "not there", "not displayed", "deleted", "going away", "gone away"):
			return c.inPlace([]bus.Expect{presence(s.target, !neg, "")}, s)
		}
	}
	at := c.i
	if s.kind == "target" && c.is(c.i, "in", "inside", "within", "on", "part", "contained", "among") {
		if c.takePhrase("part of", "contained in", "among") {
			c.i-- // its last word is the preposition
		}
		if l := c.scopeAt(c.i); l > 0 { // "Acme" is in the table
			if n := c.placeAt(c.i + l); n {
				return c.inPlace([]bus.Expect{presence(s.target, neg, "")}, s)
			}
		}
		c.i = at
	}
	if r := t.Role; r == "button" || r == "link" || r == "menuitem" {
		switch {
		case c.closing("active"):
			return make1(bus.ExpectEnabled, neg), nil
		case c.closing("inactive"):
			return make1(bus.ExpectEnabled, !neg), nil
		}
	}
	if c.takePhrase("selected", "chosen", "checked", "ticked") && c.scopeAt(c.i) > 0 {
		return c.inPlace(make1(bus.ExpectChecked, neg), s)
	}
	c.i = at
	switch {
	case c.closing("checked", "ticked", "on", "selected", "pressed", "switched on", "turned on", "activated", "chosen", "active", "marked", "set", "enabled and checked"):
		return make1(bus.ExpectChecked, neg), nil
	case c.closing("unchecked", "unticked", "off", "deselected", "unselected", "switched off", "turned off", "inactive", "clear", "unmarked"):
		return make1(bus.ExpectChecked, !neg), nil
	case c.closing("enabled", "clickable", "editable", "usable", "available"):
		return make1(bus.ExpectEnabled, neg), nil
	case c.closing("disabled", "greyed out", "grayed out", "inactive", "unavailable", "grey", "locked"):
		return make1(bus.ExpectEnabled, !neg), nil
	case c.closing("empty", "blank", "cleared", "without a value", "without text"):
		return make1(bus.ExpectEmpty, neg), nil
	case c.closing("has no value", "have no value", "has no text", "contains nothing", "has nothing in it", "contains no text", "holds nothing"):
		return make1(bus.ExpectEmpty, neg), nil
	case c.closing("filled", "filled in", "filled out"):
		return make1(bus.ExpectEmpty, !neg), nil
	case c.closing("focused", "focussed", "has the focus", "has focus", "have the focus", "has the keyboard focus", "have focus", "in focus"):
		return make1(bus.ExpectFocused, neg), nil
	}
	return c.claimValue(s, neg)
}

// isChange: words that compare with what was before, which nobody has kept.
func isChange(s string) bool {
	switch w, _, _ := strings.Cut(strings.ToLower(s), " "); w {
	case "changed", "unchanged", "updated", "increased", "decreased", "correct", "right", "wrong", "valid", "invalid", "different", "higher", "lower", "greater", "bigger", "smaller", "more", "less", "larger", "between", "reset", "saved":
		return true
	}
	return false
}

// placeAt: a container is named at i.
func (c *clause) placeAt(i int) bool {
	for k := i; k < len(c.toks) && k < i+6 && !c.joins(k); k++ {
		if n, _, _ := matchNoun(c.toks, k); n != nil && n.scope != "" && n.scope != "field" {
			return true
		}
	}
	return false
}

// closing is takePhrase for words that end a check.
func (c *clause) closing(phrases ...string) bool {
	at := c.i
	if c.takePhrase(phrases...) {
		c.takePhrase("yet", "anymore", "any more", "any longer", "already", "again", "now", "at the moment", "by default")
		if c.end() || c.joins(c.i) {
			return true
		}
	}
	c.i = at
	return false
}

// inPlace reads "is shown in the dialog" behind a state.
func (c *clause) inPlace(es []bus.Expect, s *subject) ([]bus.Expect, *problem) {
	c.takePhrase("anywhere", "anywhere on the page", "anywhere on the screen", "anymore", "any more", "on the page", "on the screen", "any longer", "to you", "to the user", "again", "from the page", "at the top", "now", "from the screen")
	l := c.scopeAt(c.i)
	if l == 0 || c.end() {
		return es, nil
	}
	c.i += l
	outer, bad := c.target(nil)
	if bad != nil {
		return nil, bad
	}
	scopes, bad := c.scopes(outer)
	if bad != nil {
		return nil, bad
	}
	for i := range es {
		if es[i].Target == nil && len(scopes) > 0 {
			es[i].Target, es[i].Want = &bus.Target{Name: es[i].Want, Words: s.target.t.Words}, ""
		}
		if es[i].Target != nil {
			es[i].Target.Within = append(append([]bus.Scope(nil), scopes...), es[i].Target.Within...)
		}
	}
	return es, nil
}

func (c *clause) claimValue(s *subject, neg bool) ([]bus.Expect, *problem) {
	at := c.i
	saysText := c.is(c.i, "shows", "show", "says", "say", "reads", "read", "displays", "display", "contains", "contain", "includes", "mentions", "lists", "include", "mention", "list", "said", "has", "have", "having", "with")
	op := ""
	valued := false
	switch {
	case c.takePhrase("has the value", "have the value", "has value", "set to", "filled with", "filled in with", "with the value", "have value", "has a value of", "has the content", "having the value", "has the option", "shows the value", "contains the value", "has the date", "shows the date", "have a value of", "has been set to", "has the selected option", "set on", "showing the value", "has the contents", "hold the value", "holds the value", "shows the option", "changed to", "changes to", "change to"):
		valued = true
	case c.takePhrase("has the text", "have the text", "has text", "shows the text", "contains the text", "displays the text", "contain the text", "show the text", "says the text", "has the words", "contains the words", "contains the word", "has the label", "has the title", "has the message"):
		op = ""
		saysText = true
	case c.takePhrase("shows", "show", "says", "say", "reads", "read", "displays", "display", "holds", "hold", "said", "showing", "saying", "reading"):
	default:
		op = c.comparison()
	}
	if s.kind == "target" && saysText && s.isContainer() && s.target.t.Kind != "list" || s.kind == "target" && saysText && c.countAhead() || s.kind == "target" && saysText && (c.is(c.i, "a", "an", "the", "no") && !valued && c.nounAhead()) {
		if s.isField() && s.target.t.Kind != "list" && s.target.t.Kind != "box" {
			return nil, c.wrong(at, len(c.toks), "a field holds a value; what is shown near it is checked by itself")
		}
		scopes, bad := c.scopes(s.target)
		if bad != nil {
			return nil, bad
		}
		return c.holds(scopes, neg)
	}
	if c.end() {
		return nil, c.wrong(at-1, len(c.toks), "what is said about it?")
	}
	v, bad := c.value(func(i int) bool { return c.joins(i) })
	if bad != nil {
		return nil, bad
	}
	if v.quoted && s.isField() {
		c.takePhrase("selected", "chosen", "as its value")
	}
	if !v.quoted && v.date == nil {
		if p := s.target; p != nil && p.noun == nil && !p.quoted && s.kind == "target" && strings.Trim(v.text, "0123456789.,") != "" {
			return nil, c.wrong(v.from, v.to, "put the text that is expected into quotes")
		}
		if w := strings.Fields(v.text); len(w) > 3 || len(w) > 0 && (isPredicate(strings.ToLower(w[0])) || isAdverb(strings.ToLower(w[0]))) {
			return nil, c.wrong(v.from, v.to, "put the text that is expected into quotes")
		}
	}
	if bad := c.badPattern(op, v.text); bad != nil {
		return nil, bad
	}
	t := s.target.t
	if !v.quoted && v.date == nil && op == "" && !saysText && !valued && (s.kind == "target" || isChange(v.text)) && strings.ToLower(v.text) == v.text && strings.Trim(v.text, "0123456789.,%€$£- ") != "" {
		return nil, c.wrong(v.from, v.to, "a state that is not known; if it is a text, put it into quotes")
	}
	kind := bus.ExpectValue
	if s.kind == "text" || !s.isField() && (saysText || t.Kind != "" && t.Kind != "page" || t.Role != "") && !valued {
		kind = bus.ExpectText
	}
	if kind == bus.ExpectText && op == "contains" {
		op = ""
	}
	want := v.text
	if v.date != nil && v.date.iso == "" {
		return nil, c.wrong(v.from, v.to, "a relative date can't be compared, because it is not known how the page writes dates")
	} else if v.date != nil {
		want = c.raw(v.from, v.to)
	}
	out := []bus.Expect{compared(bus.Expect{Kind: kind, Target: &t, Not: neg}, op, want)}
	// the row shows "A" and "B"
	for saysText {
		back := c.i
		if !c.another() || !c.toks[c.i].literal() || c.i+1 < len(c.toks) && !c.joins(c.i+1) {
			c.i = back
			break
		}
		target := t
		out = append(out, compared(bus.Expect{Kind: kind, Target: &target, Not: neg}, op, c.toks[c.i].text))
		c.i++
	}
	return out, nil
}

func (c *clause) countAhead() bool {
	at := c.i
	_, _, ok := c.quantity()
	n, _, _ := matchNoun(c.toks, c.i)
	if ok && n == nil && !c.end() && c.toks[c.i].literal() {
		n, _, _ = matchNoun(c.toks, c.i+1)
	}
	c.i = at
	return ok && n != nil
}

// nounAhead: … has a row with "X": an element, not a text.
func (c *clause) nounAhead() bool {
	for k := c.i + 1; k < len(c.toks) && k < c.i+5 && !c.joins(k); k++ {
		if n, _, _ := matchNoun(c.toks, k); n != nil && n.kind != "text" {
			return true
		}
	}
	return false
}
