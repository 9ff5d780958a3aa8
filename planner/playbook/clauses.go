package playbook

import (
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// intro passes what may stand before a verb without meaning anything.
func (c *clause) intro() {
	for c.i < len(c.toks)-1 {
		switch {
		case isFiller(c.toks[c.i].low) && c.toks[c.i].low != "to" && c.toks[c.i].low != "step",
			c.toks[c.i].kind == tokPunct:
			c.i++
		case c.is(c.i, "i", "we", "you", "user") && c.is(c.i+1, "should", "must", "can") && c.is(c.i+2, "not", "see", "be", "no", "still", "land", "find"):
			return // a claim, not an instruction
		case c.takePhrase("after that", "go ahead and", "let's", "let us", "you should", "you can", "you may", "you must", "you need to", "you have to", "we have to", "i have to", "we need to", "i need to", "the user has to", "the user needs to", "try to", "be so kind as to", "could you", "can you", "would you", "proceed to", "make sure to", "don't forget to", "remember to", "be sure to", "once again", "i want to", "i want you to", "we want to", "it is time to", "next up", "the user should", "the user must", "the user can", "i would like to", "i'd like to", "continue to", "i should", "we should", "start by", "begin by"):
		case c.is(c.i, "i", "we", "you", "user", "he", "she", "they") && c.verbHere(c.i+1):
			c.i++
		case c.is(c.i, "the") && c.is(c.i+1, "user") && c.verbHere(c.i+2):
			c.i += 2
		case c.is(c.i, "make", "do", "perform", "execute") && c.is(c.i+1, "a", "one", "another") && c.clickHere(c.i+2):
			c.i += 2 // make a click on
		default:
			return
		}
	}
}

func (c *clause) clickHere(i int) bool {
	v, _ := matchVerb(c.toks, i)
	return v == vClick || v == vDouble || v == vRight || v == vMiddle
}

func (c *clause) verbHere(i int) bool {
	v, _ := matchVerbForm(c.toks, i)
	return v != ""
}

// matchVerbForm is matchVerb that knows "clicks" and "clicking" too.
func matchVerbForm(toks []token, i int) (verb, int) {
	if v, n := matchVerb(toks, i); n > 0 {
		return v, n
	}
	if i >= len(toks) || toks[i].kind != tokWord {
		return "", 0
	}
	w := toks[i].low
	for _, cut := range [...]struct{ suffix, add string }{{"s", ""}, {"es", ""}, {"ing", ""}, {"ing", "e"}, {"ping", ""}, {"ting", ""}} {
		stem, ok := strings.CutSuffix(w, cut.suffix)
		if !ok || len(stem) < 2 {
			continue
		}
		changed := append([]token(nil), toks[i:min(len(toks), i+8)]...)
		changed[0].low = stem + cut.add
		if v, n := matchVerb(changed, 0); n > 0 && v != vNo {
			return v, n
		}
	}
	return "", 0
}

// verbAt tells whether a clause can begin at i (within to), and with which verb.
func (s *sentence) verbAt(i, to int) verb {
	c := s.part(i, to)
	c.intro()
	v, n := matchVerb(c.toks, c.i)
	if n == 0 {
		if c.i > 0 {
			v, n = matchVerbForm(c.toks, c.i)
		} else if w := c.toks; len(w) > 1 && (w[0].low == "accepting" || w[0].low == "dismissing") {
			v, n = matchVerbForm(c.toks, 0)
		}
		if n == 0 {
			return ""
		}
	}
	at, after := c.i, c.i+n
	// A capital in mid-sentence is a label's (Save and Close), unless what a
	// verb needs comes after it.
	if c.capital(at) && !s.sentenceStart(i+at) {
		if after >= len(c.toks) || !c.toks[after].literal() && !isArticle(c.toks[after].low) {
			return ""
		}
	}
	if after >= len(c.toks) {
		switch v {
		case vBack, vForward, vReload, vAccept, vDismiss, vConfirm:
			return v
		case vNo:
			if n > 1 || c.capital(at) {
				return ""
			}
			return v
		}
		return ""
	}
	if c.is(after, "is", "are", "was", "has", "should", "button", "link", "box", "field", "buttons", "boxes") && n == 1 && !isPressKey(v) {
		return "" // "… and check boxes", "and the search is done"
	}
	return v
}

func isPressKey(v verb) bool { return v == vPress || v == vKey }

func (s *sentence) sentenceStart(i int) bool {
	return i == 0 || s.toks[i-1].text == "." || s.toks[i-1].text == ";" || s.toks[i-1].text == "!" || s.toks[i-1].text == ":"
}

// A prefix is a phrase before the verb: in the row with "Acme", click …
type prefix struct {
	p    *phrase
	verb int // token at which the verb stands
}

func (s *sentence) prefixAt(i, to int) *prefix {
	c := s.part(i, to)
	c.intro()
	if !c.takePhrase("in", "inside", "within", "on", "under", "from", "at", "for", "into", "with the mouse over", "below", "out of", "of") || c.end() {
		return nil
	}
	start := i + c.i
	if s.nested > 1 {
		return nil
	}
	s.nested++
	defer func() { s.nested-- }()
	for k := start + 1; k < min(to, start+30); k++ {
		verbPos := k
		if s.isJoin(k) {
			if s.toks[k].text != "," && s.toks[k].low != "then" {
				continue
			}
			verbPos = s.skipJoin(k, to)
		}
		if verbPos >= to {
			break
		}
		if s.verbAt(verbPos, to) == "" && !(s.toks[k].text == "," && (s.isStatement(verbPos, to) || s.prefixAt(verbPos, to) != nil)) &&
			!(isArticle(s.toks[k].low) && s.toks[k-1].literal() && s.isStatement(k, to)) {
			continue
		}
		inner := s.part(start, k)
		p, bad := inner.target(nil)
		if bad != nil || !inner.end() {
			continue
		}
		return &prefix{p, verbPos}
	}
	return nil
}

// isStatement: what follows says what should be, without a verb of ours.
func (s *sentence) isStatement(i, to int) bool {
	for k := i; k < to; k++ {
		if isPredicate(s.toks[k].low) {
			return true
		}
		if s.isJoin(k) {
			return false
		}
	}
	return false
}

// A span is a clause's tokens, and the phrase before its verb.
type span struct {
	begin    int // of the clause with the phrase before its verb
	from, to int // from the verb on
	dest     *phrase
}

// split cuts where a joining word is followed by a verb.
func (s *sentence) split(from, to int) []span {
	var out []span
	i := s.skipJoin(from, to)
	for i < to {
		sp := span{begin: i, from: i, to: to}
		for p := s.prefixAt(i, to); p != nil; p = s.prefixAt(p.verb, to) {
			if sp.dest != nil { // in the table "A", in the row "B", …
				c := s.part(i, to)
				if outer, bad := c.scopes(sp.dest); bad == nil {
					p.p.t.Within = append(outer, p.p.t.Within...)
				}
			}
			sp.dest, sp.from = p.p, p.verb
		}
		c := s.part(sp.from, to)
		c.intro()
		v, n := matchVerbForm(c.toks, c.i)
		next := to
		for k := sp.from + c.i + n; k < to; k++ {
			after := k
			switch {
			case s.isJoin(k):
				after = s.skipJoin(k, to)
			case (s.toks[k].low == "accepting" || s.toks[k].low == "dismissing") && s.verbAt(k, to) != "":
			default:
				continue
			}
			if after >= to {
				break
			}
			hard := false
			for _, t := range s.toks[k:after] {
				hard = hard || t.kind == tokPunct && t.text != ","
			}
			if !hard && s.verbAt(after, to) == "" && s.prefixAt(after, to) == nil && !(v != vExpect && v != vWait && v != vSee && v != "" && s.isShould(after, to)) {
				k = after - 1
				continue
			}
			sp.to, next = k, after
			break
		}
		out = append(out, sp)
		i = next
	}
	return out
}

// isShould: … and "Saved" should appear.
func (s *sentence) isShould(i, to int) bool {
	for k := i; k < to && !(s.isJoin(k) && s.toks[k].low != "and"); k++ {
		if w := s.toks[k].low; w == "should" || w == "must" || w == "shouldn't" || w == "ought" {
			return true
		}
	}
	return false
}

// clauses reads actions joined by and, then, commas.
func (s *sentence) clauses(from, to int) ([]Command, *problem) {
	var out []Command
	var around []bus.Scope
	var rowHover []bus.Scope
	for _, sp := range s.split(from, to) {
		c := s.part(sp.from, sp.to)
		c.dest = sp.dest
		intents, bad := c.read()
		if bad != nil {
			return nil, bad
		}
		if c.dest != nil { // not used as a target: a container for this and what follows
			scopes, bad := c.scopes(c.dest)
			if bad != nil {
				return nil, bad
			}
			around = scopes
		}
		text := strings.TrimSpace(s.part(sp.begin, sp.to).raw(0, sp.to-sp.begin))
		for _, in := range intents {
			scopeIntent(&in, around)
			if in.Action == bus.ActionClick && in.Target != nil && len(in.Target.Within) == 0 && in.Target.Near == nil {
				in.Target.Within = append(in.Target.Within, rowHover...)
			}
			rowHover = nil
			if in.Action == bus.ActionHover {
				rowHover = hoverScope(in.Target)
			}
			if in.Target != nil && !in.Target.Focused {
				s.last = in.Target
			}
			if merged := mergeDialog(out, in); merged {
				continue
			}
			in.Text = text
			if in.Risk == "" {
				in.Risk = GuessRisk(in)
			}
			out = append(out, Command{Intent: in, Text: text})
		}
	}
	if len(out) == 0 {
		return nil, &problem{words: s.part(from, to).raw(0, to-from), why: "there is no instruction in this"}
	}
	return out, nil
}

// hoverScope: what is clicked right after hovering over a row is in the row.
func hoverScope(t *bus.Target) []bus.Scope {
	if t == nil || t.Near != nil {
		return nil
	}
	switch t.Kind {
	case "row", "card", "item":
		return append(append([]bus.Scope(nil), t.Within...), bus.Scope{Kind: t.Kind, Name: t.Name, Ordinal: t.Ordinal})
	}
	return nil
}

func scopeIntent(in *bus.Intent, around []bus.Scope) {
	if len(around) == 0 {
		return
	}
	within := func(t *bus.Target) {
		if t != nil && !t.Focused {
			t.Within = append(append([]bus.Scope(nil), around...), t.Within...)
		}
	}
	within(in.Target)
	within(in.To)
	for i := range in.Expect {
		e := &in.Expect[i]
		if e.Target == nil && (e.Kind == bus.ExpectVisible || e.Kind == bus.ExpectGone) {
			e.Target, e.Want = &bus.Target{Name: e.Want, Words: e.Want}, ""
		}
		if e.Target == nil && e.Kind == bus.ExpectText {
			e.Target = containerTarget(around)
			continue
		}
		within(e.Target)
	}
}

// containerTarget is the innermost container as a target.
func containerTarget(around []bus.Scope) *bus.Target {
	in := around[len(around)-1]
	return &bus.Target{Kind: in.Kind, Name: in.Name, Ordinal: in.Ordinal, Within: append([]bus.Scope(nil), around[:len(around)-1]...)}
}

// mergeDialog puts "and accept the dialog" on the intent that raises it, and
// what a dialog said to the attempt that it was said in.
func mergeDialog(out []Command, in bus.Intent) bool {
	if len(out) == 0 {
		return false
	}
	prev := &out[len(out)-1].Intent
	if in.Action == bus.ActionAccept && in.PromptText == "" && len(in.Expect) == 0 && prev.PromptText != "" {
		return true // type "x" into the prompt and accept it
	}
	switch prev.Action {
	case bus.ActionClick, bus.ActionPress, bus.ActionSelect, bus.ActionCheck, bus.ActionUncheck, bus.ActionToggle, bus.ActionOpen, bus.ActionBack, bus.ActionForward, bus.ActionDownload, bus.ActionCloseTab, bus.ActionUpload, bus.ActionDrag, bus.ActionFill, bus.ActionPickDate:
	default:
		return false
	}
	switch in.Action {
	case bus.ActionAccept, bus.ActionDismiss:
		if prev.DialogAnswer != "" {
			return false
		}
		prev.DialogAnswer = "accept"
		if in.Action == bus.ActionDismiss {
			prev.DialogAnswer = "dismiss"
		}
		prev.PromptText = in.PromptText
		prev.Expect = append(prev.Expect, in.Expect...)
		prev.Risk = GuessRisk(*prev)
		return true
	case bus.ActionExpectation:
		for _, e := range in.Expect {
			if e.Kind != bus.ExpectDialog {
				return false
			}
		}
		prev.Expect = append(prev.Expect, in.Expect...)
		return true
	}
	return false
}

// polite drops words at both ends that change nothing.
func (c *clause) polite() {
	for len(c.toks) > c.i+1 {
		t := c.toks[len(c.toks)-1]
		before := c.toks[len(c.toks)-2]
		switch {
		case t.kind == tokPunct, t.low == "please", t.low == "now" && before.low != "from", t.low == "again", t.low == "afterwards", t.low == "too":
		case t.low == "me" && before.low == "for":
			c.toks = c.toks[:len(c.toks)-1]
		case t.low == "then" || t.low == "first" && !isArticle(before.low):
		default:
			return
		}
		c.toks = c.toks[:len(c.toks)-1]
	}
}

// read reads one clause by its verb; every word must be used up.
func (c *clause) read() ([]bus.Intent, *problem) {
	c.intro()
	c.polite()
	start := c.i
	v, n := matchVerbForm(c.toks, c.i)
	if c.isClaim(v, n) {
		v, n = vShould, 0
	}
	if n == 0 && v == "" {
		if c.isPredicated() {
			v = vShould
		} else {
			return nil, &problem{words: c.raw(c.i, min(len(c.toks), c.i+3)), why: "no known instruction begins with these words", verb: ""}
		}
	}
	c.verb = v
	c.i += n
	timeout, bad := c.within()
	if bad != nil {
		return nil, bad
	}
	intents, bad := c.action(v, start)
	if bad != nil {
		return nil, bad
	}
	if !c.end() {
		return nil, c.wrong(c.i, len(c.toks), c.leftover())
	}
	for i := range intents {
		if timeout > 0 {
			intents[i].TimeoutMS = timeout
		}
		if bad := c.secretsAllowed(intents[i]); bad != nil {
			return nil, bad
		}
	}
	return intents, nil
}

func (c *clause) leftover() string {
	if c.is(c.i, "or") {
		return "an alternative is not an instruction; use if … otherwise …"
	}
	if c.joins(c.i) {
		return "this could be a further item or a further instruction; write a second verb, or a step of its own"
	}
	return "these words are not understood here"
}

// isClaim tells "Check the title is "X"" and "the total should be 5" from
// instructions that begin with the same words.
func (c *clause) isClaim(v verb, n int) bool {
	for k := c.i + n; k < len(c.toks); k++ {
		w := c.toks[k].low
		if w == "should" || w == "shouldn't" || w == "must" || w == "mustn't" {
			return v != vExpect && v != vSee && v != vWait && (n == 0 || v != vRemember)
		}
		if n == 1 && c.is(c.i, "check") && (w == "is" || w == "are" || w == "isn't" || w == "aren't" || w == "shows" || w == "contains" || w == "says" || w == "exists") {
			before := k > 0 && (c.is(k-1, "that", "which", "it"))
			if !before {
				c.i++
				return true
			}
		}
	}
	return false
}

func (c *clause) isPredicated() bool {
	for k := c.i; k < len(c.toks); k++ {
		if c.is(k, "is", "are", "was", "were", "isn't", "aren't", "wasn't", "weren't", "has", "have", "hasn't", "haven't", "doesn't", "don't", "shows", "contains", "says", "said", "displays", "holds", "equals", "includes", "appears", "appeared", "disappears", "disappeared", "exists", "vanishes", "vanished", "opened", "arrived", "arrives", "matches", "asked", "asks", "ends", "starts", "reads", "show", "does", "appear", "disappear") {
			return true
		}
	}
	return false
}

// within takes "within 10 seconds" and its like off the end.
func (c *clause) within() (int, *problem) {
	for k := len(c.toks) - 2; k > c.i && k >= len(c.toks)-6; k-- {
		sub := &clause{sentence: c.sentence, toks: c.toks, i: k}
		if !sub.takePhrase("within", "for at most", "for up to", "in at most", "in less than", "for a maximum of", "at most", "for no more than", "max", "for max", "within at most", "up to", "with a timeout of", "for no longer than", "within the next", "in under") {
			continue
		}
		ms, ok := sub.duration()
		if !ok || !sub.end() {
			continue
		}
		if ms > maxWait {
			return 0, c.wrong(k, len(c.toks), "a step waits at most 10 minutes")
		}
		for k > c.i && c.is(k-1, ",", "for") {
			k--
		}
		c.toks = c.toks[:k]
		return ms, nil
	}
	return 0, nil
}

// secretsAllowed keeps secrets to what is typed: a name that is searched for or
// a text that is compared would end in observations and reports.
func (c *clause) secretsAllowed(in bus.Intent) *problem {
	switch in.Action {
	case bus.ActionFill, bus.ActionType, bus.ActionReplace:
		in.Value = ""
	}
	in.PromptText = ""
	where := holdsSecret(in)
	if where == "" {
		return nil
	}
	return &problem{words: where, why: "a secret can only be typed; here it would be seen in reports", verb: vFill}
}
