package playbook

import (
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// A sentence is a step on its way to commands.
type sentence struct {
	src    string
	toks   []token
	last   *bus.Target // what "it" stands for
	groups int
	depth  int
	nested int // prefixes inside prefixes
}

// A clause is a part of a sentence with one verb.
type clause struct {
	*sentence
	toks []token
	i    int
	verb verb
	// dest is the phrase before the verb ("In the field "Name", type …"), until
	// it is used as the target.
	dest *phrase
}

const longest = 150 // tokens; a step is a sentence, not a page

func newSentence(text string) (*sentence, *problem) {
	toks, bad := lex(text)
	if bad != nil {
		return nil, bad
	}
	toks = heldKeys(toks)
	for len(toks) > 0 && toks[len(toks)-1].kind == tokPunct {
		toks = toks[:len(toks)-1]
	}
	if len(toks) == 0 {
		return nil, &problem{why: "the step is empty"}
	}
	if len(toks) > longest {
		return nil, &problem{words: text[:toks[12].end], why: "the step is too long; write one instruction a step"}
	}
	return &sentence{src: text, toks: toks}, nil
}

func (s *sentence) part(from, to int) *clause {
	return &clause{sentence: s, toks: s.toks[from:to]}
}

func (s *sentence) commands() ([]Command, *problem) { return s.conditional(0, len(s.toks)) }

// statement reads the whole sentence as expectations.
func (s *sentence) statement() ([]bus.Expect, *problem) {
	c := s.part(0, len(s.toks))
	c.verb = vExpect
	c.intro()
	if v, n := matchVerb(c.toks, c.i); (v == vExpect || v == vSee || v == vWait && n > 1) && c.i+n < len(c.toks) {
		c.i += n
	}
	c.polite()
	return c.checks()
}

// conditional reads [if …,] actions [otherwise actions] and actions if ….
func (s *sentence) conditional(from, to int) ([]Command, *problem) {
	if s.depth++; s.depth > 6 {
		return nil, &problem{words: s.part(from, to).raw(0, to-from), why: "too many conditions in one step"}
	}
	defer func() { s.depth-- }()
	c := s.part(from, to)
	c.intro()
	word, n := conditionWord(c.toks, c.i)
	if word != "" {
		return s.leading(from+c.i, from+c.i+n, to, word)
	}
	return s.trailing(from, to)
}

func conditionWord(toks []token, i int) (string, int) {
	best, n := "", 0
	for _, w := range [...]struct{ phrase, word string }{
		{"if", "if"}, {"when", "if"}, {"whenever", "if"}, {"in case", "if"}, {"only if", "if"}, {"in the case that", "if"}, {"provided that", "if"}, {"provided", "if"}, {"should it be that", "if"}, {"as long as", "if"}, {"only when", "if"}, {"if and only if", "if"}, {"assuming", "if"}, {"assuming that", "if"},
		{"unless", "unless"}, {"except if", "unless"}, {"except when", "unless"},
		{"once", "once"}, {"as soon as", "once"}, {"after", "once"}, {"wait until", ""},
	} {
		if l := matchPhrase(toks, i, w.phrase); l > n && w.word != "" {
			best, n = w.word, l
		}
	}
	return best, n
}

// leading reads the sentence whose condition stands first. It ends where what
// follows can be an action and what stands before reads as a check.
func (s *sentence) leading(start, from, to int, word string) ([]Command, *problem) {
	var firstBad *problem
	try := func(cond, action int) ([]bus.Expect, bool) {
		if cond <= from || action >= to {
			return nil, false
		}
		probe := s.part(from, cond)
		probe.verb = vExpect
		if bad := probe.vague(); bad != nil {
			firstBad = bad
			return nil, false
		}
		checks, bad := probe.checks()
		if bad != nil {
			if firstBad == nil {
				firstBad = bad
			}
			return nil, false
		}
		return checks, true
	}
	for _, direct := range [...]bool{false, true} {
		for k := from + 1; k < to; k++ {
			cond, action := k, k
			if direct {
				if s.isJoin(k-1) || s.verbAt(k, to) == "" {
					continue
				}
			} else {
				if !s.isJoin(k) {
					continue
				}
				action = s.skipJoin(k, to)
				if s.toks[k].text != "," && !hasThen(s.toks[k:action]) && s.verbAt(action, to) == "" {
					continue
				}
				if s.verbAt(action, to) == "" && s.prefixAt(action, to) == nil {
					continue
				}
			}
			last := s.last
			checks, ok := try(cond, action)
			if !ok {
				s.last = last
				continue
			}
			if s.last == nil && len(checks) > 0 {
				s.last = checks[0].Target
				if s.last == nil && checks[0].Want != "" && checks[0].Kind == bus.ExpectVisible {
					s.last = &bus.Target{Name: checks[0].Want, Words: checks[0].Want}
				}
			}
			return s.branches(checks, word, s.part(from, cond), action, to)
		}
	}
	if firstBad == nil {
		firstBad = &problem{words: s.part(start, to).raw(0, to-start), why: "no action follows the condition"}
	}
	firstBad.forms = []string{`If "Accept" is visible, click "Accept"`, `Unless the box "Terms" is checked, check the box "Terms"`, `If "A" is visible, click "A", otherwise click "B"`}
	return nil, firstBad
}

func hasThen(toks []token) bool {
	for _, t := range toks {
		if t.low == "then" {
			return true
		}
	}
	return false
}

// branches reads the actions of a condition and of its "otherwise".
func (s *sentence) branches(checks []bus.Expect, word string, cond *clause, from, to int) ([]Command, *problem) {
	if word == "once" {
		wait := bus.Intent{Text: strings.TrimSpace(cond.raw(0, len(cond.toks))), Action: bus.ActionWait, Expect: checks, Risk: bus.RiskRead}
		rest, bad := s.conditional(from, to)
		if bad != nil {
			return nil, bad
		}
		return append([]Command{{Intent: wait, Text: wait.Text}}, rest...), nil
	}
	s.groups++
	then := &Condition{Checks: checks, Negate: word == "unless", Group: s.groups}
	otherwise := &Condition{Checks: checks, Negate: !then.Negate, Group: s.groups}
	mid, next := to, to
	for k := from; k < to; k++ {
		c := s.part(k, to)
		if (k == from || s.isJoin(k-1) || s.toks[k-1].kind == tokQuoted || s.toks[k].low == "otherwise") && c.takePhrase("otherwise", "else", "if not", "or else", "and if not") {
			mid, next = k, k+c.i
			for next < to && s.isJoin(next) {
				next++
			}
			break
		}
	}
	for mid > from && mid < to && s.isJoin(mid-1) {
		mid--
	}
	if mid < to && next >= to {
		return nil, &problem{words: s.part(mid, to).raw(0, to-mid), why: "no action follows"}
	}
	last := s.last
	out, bad := s.conditional(from, mid)
	if bad != nil {
		return nil, bad
	}
	for i := range out {
		if out[i].If != nil {
			return nil, &problem{words: out[i].Text, why: "a condition inside a condition; write two steps"}
		}
		out[i].If = then
	}
	if next < to {
		s.last = last
		more, bad := s.conditional(next, to)
		if bad != nil {
			return nil, bad
		}
		for i := range more {
			if more[i].If != nil {
				return nil, &problem{words: more[i].Text, why: "a condition inside a condition; write two steps"}
			}
			more[i].If = otherwise
		}
		out = append(out, more...)
	}
	return out, nil
}

// trailing reads actions with the condition behind them: click "X" if …
func (s *sentence) trailing(from, to int) ([]Command, *problem) {
	for k := from + 1; k < to; k++ {
		word, n := conditionWord(s.toks, k)
		if word == "" || word == "once" || k+n >= to || s.toks[k-1].low == "check" || s.toks[k-1].low == "see" || s.toks[k-1].low == "verify" || s.toks[k-1].low == "whether" {
			continue
		}
		if s.toks[k].low == "provided" && k+1 < to && s.toks[k+1].literal() {
			continue
		}
		// The condition reaches to "otherwise" or the end.
		stop := to
		for j := k + n; j < to; j++ {
			if s.isJoin(j) {
				if w := s.toks[s.skipJoin(j, to)%len(s.toks)].low; w == "otherwise" || w == "else" {
					stop = j
					break
				}
			} else if s.toks[j].low == "otherwise" {
				stop = j
				break
			}
		}
		cut := k
		for cut > from && (s.isJoin(cut-1) || s.toks[cut-1].low == "but" || s.toks[cut-1].low == "only") {
			cut--
		}
		if cut == from {
			break
		}
		actions, bad := s.clauses(from, cut)
		if bad != nil {
			return nil, bad
		}
		c := s.part(k+n, stop)
		c.verb = vExpect
		if bad := c.vague(); bad != nil {
			return nil, bad
		}
		checks, bad := c.checks()
		if bad != nil {
			return nil, bad
		}
		texts := map[string]bool{}
		for _, a := range actions {
			texts[a.Text] = true
		}
		if len(texts) > 1 {
			return nil, &problem{words: s.part(k, stop).raw(0, stop-k), why: "does the condition concern all the actions or the last one? Put it first, or write two steps",
				forms: []string{`If "A" is visible, click "A" and click "B"`}}
		}
		s.groups++
		for i := range actions {
			actions[i].If = &Condition{Checks: checks, Negate: word == "unless", Group: s.groups}
		}
		if stop < to {
			next := stop
			for next < to && (s.isJoin(next) || s.toks[next].low == "otherwise" || s.toks[next].low == "else") {
				next++
			}
			if next >= to {
				return nil, &problem{words: s.part(stop, to).raw(0, to-stop), why: "no action follows"}
			}
			more, bad := s.clauses(next, to)
			if bad != nil {
				return nil, bad
			}
			for i := range more {
				more[i].If = &Condition{Checks: checks, Negate: word != "unless", Group: s.groups}
			}
			actions = append(actions, more...)
		}
		return actions, nil
	}
	return s.clauses(from, to)
}

// vague refuses conditions that nothing can be looked at for: if needed.
func (c *clause) vague() *problem {
	for i := c.i; i < len(c.toks); i++ {
		t := c.toks[i]
		n, _, _ := matchNoun(c.toks, i)
		if t.literal() || n != nil || t.kind == tokWord && (isPredicate(t.low) || c.isState(i) || capitalised(t.text) || c.is(i, "see", "url", "title", "address")) {
			return nil
		}
	}
	return c.wrong(0, len(c.toks), "this says nothing that could be looked at")
}

// Joining words between clauses.

func (s *sentence) isJoin(i int) bool {
	if i < 0 || i >= len(s.toks) {
		return false
	}
	t := s.toks[i]
	if t.kind == tokPunct {
		return t.text != "=" && t.text != ":"
	}
	return t.low == "and" || t.low == "then" || t.low == "&" || t.low == "afterwards" || t.low == "but"
}

// skipJoin passes joining and polite words.
func (s *sentence) skipJoin(i, to int) int {
	for i < to {
		switch {
		case s.isJoin(i), isFiller(s.toks[i].low):
			i++
		case matchPhrase(s.toks[:to], i, "after that") > 0:
			i += 2
		default:
			return i
		}
	}
	return i
}

func isFiller(w string) bool {
	switch w {
	case "please", "now", "then", "next", "finally", "also", "first", "lastly", "afterwards", "just", "simply", "kindly", "and", "again", "immediately", "secondly", "firstly", "step", "to":
		return true
	}
	return false
}
