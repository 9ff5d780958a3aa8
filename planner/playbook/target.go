package playbook

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quartet-agents/quartet/bus"

	"github.com/agnivade/levenshtein"
)

// A phrase is a target as it was read, with what the sentence around it needs.
type phrase struct {
	t        bus.Target
	noun     *noun
	plural   bool
	quoted   bool // the name stood in quotes
	article  bool
	bareKind bool // a kind and nothing else: "the table"
	from, to int
}

// A stopper ends an unquoted label or a phrase's attributes.
type stopper func(i int) bool

func (c *clause) is(i int, words ...string) bool {
	if i < 0 || i >= len(c.toks) {
		return false
	}
	for _, w := range words {
		if c.toks[i].low == w {
			return true
		}
	}
	return false
}

func (c *clause) take(words ...string) bool {
	if c.is(c.i, words...) {
		c.i++
		return true
	}
	return false
}

func (c *clause) takePhrase(phrases ...string) bool {
	best := 0
	for _, p := range phrases {
		best = max(best, matchPhrase(c.toks, c.i, p))
	}
	c.i += best
	return best > 0
}

func (c *clause) end() bool { return c.i >= len(c.toks) }

func (c *clause) raw(from, to int) string {
	if from >= to || to > len(c.toks) {
		return ""
	}
	return c.src[c.toks[from].start:c.toks[to-1].end]
}

func isArticle(w string) bool {
	switch w {
	case "the", "a", "an", "this", "that", "your", "my", "our", "its", "their", "both", "these", "those":
		return true
	}
	return false
}

func (c *clause) articles() (seen bool) {
	for c.i < len(c.toks) && isArticle(c.toks[c.i].low) {
		c.i++
		seen = true
	}
	return seen
}

// ordinalOf reads "first", "3rd", "last": 1, 3, -1.
func ordinalOf(w string) int {
	for i, o := range [...]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"} {
		if w == o {
			return i + 1
		}
	}
	switch w {
	case "last", "final":
		return -1
	case "topmost":
		return 1
	}
	for _, suffix := range [...]string{"st", "nd", "rd", "th"} {
		if n, err := strconv.Atoi(strings.TrimSuffix(w, suffix)); err == nil && n > 0 && strings.HasSuffix(w, suffix) {
			return n
		}
	}
	return 0
}

func (c *clause) ordinal() int {
	if matchPhrase(c.toks, c.i, "second to last") > 0 {
		c.i += 3
		return -2
	}
	if matchPhrase(c.toks, c.i, "second last") > 0 || c.is(c.i, "second-to-last", "penultimate", "last-but-one") {
		if c.is(c.i, "second") {
			c.i++
		}
		c.i++
		return -2
	}
	if c.i >= len(c.toks) || c.toks[c.i].kind != tokWord {
		return 0
	}
	o := ordinalOf(c.toks[c.i].low)
	if o == 0 {
		return 0
	}
	// "First name" and "Last name" are labels, as is a capital in mid-sentence.
	if c.is(c.i+1, "name", "names") && !c.is(c.i+1, "names") || c.capital(c.i) {
		return 0
	}
	if next := c.i + 1; next >= len(c.toks) || c.toks[next].kind == tokPunct {
		return 0
	}
	c.i++
	if c.is(c.i, "of") {
		c.i++
		c.articles()
	}
	return o
}

func capitalised(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// capital holds for a capitalised word that does not begin the sentence.
func (c *clause) capital(i int) bool {
	return i < len(c.toks) && c.toks[i].start > 0 && capitalised(c.toks[i].text)
}

// joins reports whether the token at i joins clauses or list items.
func (c *clause) joins(i int) bool {
	return i >= len(c.toks) || c.toks[i].kind == tokPunct || c.is(i, "and", "then", "&", "or", "as well as", "plus")
}

// attribute reports whether a phrase's attribute begins at i.
func (c *clause) attribute(i int) bool {
	if _, l := c.nearAt(i); l > 0 {
		return true
	}
	return c.labelAt(i) > 0 || c.scopeAt(i) > 0 || c.is(i, "with", "containing", "that", "which", "whose", "where")
}

// target reads one phrase that says which element is meant.
func (c *clause) target(stop stopper) (*phrase, *problem) {
	if stop == nil {
		stop = func(int) bool { return false }
	}
	p := &phrase{from: c.i}
	if c.takePhrase("it", "them", "this one", "that one", "the same one") {
		if c.last == nil {
			return nil, c.wrong(p.from, c.i, "nothing before it in the sentence says what is meant")
		}
		p.t, p.to = *c.last, c.i
		return p, nil
	}
	p.article = c.articles()
	if c.takePhrase("focused field", "focused element", "current field", "active field", "active element", "focused control", "field with the focus", "field that has the focus") {
		p.t.Focused, p.to = true, c.i
		return p, nil
	}
	p.t.Ordinal = c.ordinal()
	if bad := c.core(p, stop); bad != nil {
		return nil, bad
	}
	if c.i < len(c.toks) && c.toks[c.i].kind == tokOwner {
		return c.owner(p, stop)
	}
	if bad := c.attributes(p, stop); bad != nil {
		return nil, bad
	}
	if p.t.Name == "" && p.noun == nil && p.t.Ordinal == 0 {
		return nil, c.wrong(p.from, max(c.i, p.from+1), "this does not say which element is meant")
	}
	p.to = c.i
	p.t.Words = c.raw(p.from, p.to)
	p.bareKind = p.t.Name == "" && p.noun != nil && p.t.Near == nil && p.t.Ordinal == 0
	return p, nil
}

// owner reads on after "the dialog's": the first phrase contains the second.
func (c *clause) owner(p *phrase, stop stopper) (*phrase, *problem) {
	c.i++
	if p.noun == nil && !p.quoted && p.t.Ordinal == 0 { // the customer's name: a label
		from := c.i
		for c.i < len(c.toks) && c.toks[c.i].kind == tokWord && !stop(c.i) && !c.joins(c.i) && !c.attribute(c.i) {
			c.i++
		}
		owner := p.t.Name
		rest := &phrase{from: p.from, article: p.article}
		if bad := c.unquoted(rest, from, c.i); bad != nil {
			return nil, bad
		}
		rest.t.Name = strings.TrimSpace(owner + "'s " + rest.t.Name)
		if bad := c.attributes(rest, stop); bad != nil {
			return nil, bad
		}
		rest.to = c.i
		rest.t.Words = c.raw(rest.from, rest.to)
		return rest, nil
	}
	inner, bad := c.target(stop)
	if bad != nil {
		return nil, bad
	}
	scopes, bad := c.scopes(p)
	if bad != nil {
		return nil, bad
	}
	inner.t.Within = append(scopes, inner.t.Within...)
	inner.from = p.from
	inner.t.Words = c.raw(p.from, inner.to)
	inner.bareKind = false
	return inner, nil
}

// core reads the label and the kind, in whatever order they come.
func (c *clause) core(p *phrase, stop stopper) *problem {
	from := c.i
	if c.is(c.i, "all", "every", "each", "any") && !c.capital(c.i) && c.i+1 < len(c.toks) && c.toks[c.i+1].kind == tokWord && !c.joins(c.i+1) {
		return c.wrong(c.i, c.i+2, "one step acts on elements that it names, not on all that there are")
	}
	for c.i < len(c.toks) && c.toks[c.i].kind == tokWord && !stop(c.i) && !c.joins(c.i) && !(c.i > from && c.attribute(c.i)) {
		if _, l := c.nearAt(c.i); l > 0 && c.i == from && !c.capital(c.i) {
			break
		}
		if c.i > from && c.is(c.i, "to") && c.is(c.i-1, "link", "links") {
			break
		}
		if c.i == from && c.attribute(c.i) && !c.capital(c.i) && (c.is(c.i, "with", "containing") || c.scopeAt(c.i) > 0) {
			break
		}
		c.i++
	}
	c.joinedLabel(from, p, stop)
	to := c.i
	if c.i < len(c.toks) && c.toks[c.i].literal() && !stop(c.i) {
		p.t.Name, p.quoted = c.toks[c.i].text, true
		if strings.TrimSpace(p.t.Name) == "" {
			return c.wrong(c.i, c.i+1, "the label is empty")
		}
		c.i++
		if bad := c.before(p, from, to); bad != nil {
			return bad
		}
		return c.after(p, stop)
	}
	return c.unquoted(p, from, to)
}

// joinedLabel lets "the Terms and Conditions link" be one label: an article,
// words, "and", words and one singular kind at the end.
func (c *clause) joinedLabel(from int, p *phrase, stop stopper) {
	if !p.article || !c.is(c.i, "and", "&") || c.i == from {
		return
	}
	if n, l, _ := matchNoun(c.toks, c.i-1); n != nil && l == 1 && !n.weak {
		return
	}
	j := c.i + 1
	for j < len(c.toks) && c.toks[j].kind == tokWord && !stop(j) && !c.joins(j) && !isArticle(c.toks[j].low) && !c.attribute(j) {
		j++
	}
	for k := c.i + 2; k < j; k++ {
		if n, l, plural := matchNoun(c.toks, k); n != nil && k+l == j && !plural && !n.weak {
			c.i = j
			return
		}
	}
}

// before judges the words between the article and the quoted label.
func (c *clause) before(p *phrase, from, to int) *problem {
	for i := from; i < to; i++ {
		if n, l, plural := matchNoun(c.toks, i); n != nil && i+l == to {
			p.setNoun(n, plural)
			to = i
			break
		}
	}
	return c.descriptors(p, from, to, 2)
}

// descriptors allows open-class words that say what a labelled thing is: the
// customer "Acme". They add nothing to a quoted label; what could matter
// (colours, a misspelled kind) is refused.
func (c *clause) descriptors(p *phrase, from, to, most int) *problem {
	if to-from > most || to > from && !p.article && p.noun == nil && to-from > 1 {
		return c.wrong(from, to, "these words say nothing that is known about an element")
	}
	for i := from; i < to; i++ {
		w := c.toks[i].low
		switch w {
		case "before", "after", "behind", "between", "without", "not", "except", "against", "opposite", "besides", "like", "in", "of", "on", "from", "with":
			return c.wrong(from, to, "these words say nothing that is known about an element")
		}
		if parts := strings.Split(w, "-"); isLook(w) || len(parts) > 1 && (isLook(parts[0]) || isLook(parts[len(parts)-1])) {
			return c.wrong(i, i+1, "how an element looks or where it is on the screen can't be told by this word")
		}
		if p.noun == nil {
			for _, n := range nouns {
				if len(w) > 4 && len(n.word) > 3 && levenshtein.ComputeDistance(w, n.word) == 1 && w != n.word+"s" {
					return c.wrong(i, i+1, "did you mean "+strconv.Quote(n.word)+"?")
				}
			}
		}
		if ordinalOf(w) != 0 && p.t.Ordinal == 0 {
			p.t.Ordinal = ordinalOf(w)
		}
	}
	return nil
}

// after reads the kind behind a quoted label: the "Save" button.
func (c *clause) after(p *phrase, stop stopper) *problem {
	if p.noun != nil || c.end() || c.toks[c.i].kind != tokWord || stop(c.i) || c.joins(c.i) {
		return nil
	}
	for skip := 0; skip <= 1; skip++ {
		at := c.i + skip
		if at > c.i && (c.attribute(c.i) || stop(c.i) || c.joins(c.i)) {
			return nil
		}
		if n, l, plural := matchNoun(c.toks, at); n != nil {
			if bad := c.descriptors(p, c.i, at, 1); bad != nil {
				return bad
			}
			p.setNoun(n, plural)
			c.i = at + l
			return nil
		}
	}
	// the "Pro" plan
	if p.article && !c.attribute(c.i) && (c.i+1 >= len(c.toks) || stop(c.i+1) || c.joins(c.i+1) || c.attribute(c.i+1)) && !isAdverb(c.toks[c.i].low) {
		if _, n := matchVerb(c.toks, c.i); n > 0 && c.i+1 < len(c.toks) {
			return nil
		}
		if bad := c.descriptors(p, c.i, c.i+1, 1); bad != nil {
			return bad
		}
		c.i++
	}
	return nil
}

func isAdverb(w string) bool {
	return strings.HasSuffix(w, "ly") || w == "twice" || w == "once" || w == "again" || w == "fast" || w == "now"
}

func (p *phrase) setNoun(n *noun, plural bool) {
	p.noun, p.plural = n, plural
	p.t.Role, p.t.Kind = n.role, n.kind
}

// unquoted finds kind and label in words without quotes: the last kind is the
// head (the price list button), else a leading one (the field Label).
func (c *clause) unquoted(p *phrase, from, to int) *problem {
	if from == to {
		return nil
	}
	type head struct {
		n      *noun
		at, l  int
		plural bool
	}
	var last, first *head
	for i := from; i < to; i++ {
		n, l, plural := matchNoun(c.toks, i)
		if n == nil || i+l > to {
			continue
		}
		h := &head{n, i, l, plural}
		capital := c.capital(i) && to-from > l
		if i+l == to && (last == nil) && !(capital && first != nil) && !(n.weak && first != nil) {
			last = h
		}
		if i == from && !c.capital(i) {
			first = h
		}
	}
	h := last
	if h == nil || (h.n.weak && first != nil && !first.n.weak) {
		h = first
	}
	if h != nil && h.l == to-from && c.capital(from) && !p.article {
		h = nil // "Click Menu": a label
	}
	if h != nil && h.plural && h.l == to-from && !p.article && p.t.Ordinal == 0 {
		switch c.verb {
		case vClick, vCheck, vUncheck, vToggle, vTurn:
			h = nil // turn off notifications: a label
		}
	}
	if h == nil && to-from == 1 && p.article && isLook(c.toks[from].low) && !c.capital(from) {
		return c.wrong(from, to, "a side of the screen is no element")
	}
	label := [2]int{from, to}
	if h != nil {
		p.setNoun(h.n, h.plural)
		if h.at == from {
			label = [2]int{from + h.l, to}
		} else {
			label = [2]int{from, h.at}
			if h.n.word == "date" && from < h.at {
				label[1] = to // "the due date" is called so
			}
		}
	}
	if label[0] == label[1] {
		return nil
	}
	if c.is(label[0], "number", "no", "nr", "#") && label[1]-label[0] == 2 {
		label[0]++
	}
	text := c.raw(label[0], label[1])
	if n, err := strconv.Atoi(strings.TrimPrefix(text, "#")); err == nil && n > 0 && h != nil && h.at == from && (h.n.scope == "row" && !h.n.weak || h.n.scope == "column" || strings.HasPrefix(text, "#") || label[0] > from+h.l) {
		p.t.Ordinal = n
		return nil
	}
	if label[1]-label[0] == 1 && h != nil && isLook(c.toks[label[0]].low) && !c.capital(label[0]) {
		return c.wrong(label[0], label[1], "how an element looks or where it is on the screen can't be told by this word")
	}
	if h != nil && h.n.role != "" && c.is(label[0], "new") && label[1]-label[0] == 1 && h.n.role == "tab" {
		return c.wrong(label[0], label[1], "a tab of the browser is switched to, not clicked")
	}
	for i := label[0]; i < label[1]; i++ {
		if w := c.toks[i].text; w == ">" || w == "→" || w == "»" || w == "->" || w == "|" {
			return c.wrong(label[0], label[1], "one step acts on one thing; write a step for each part of the way, or put a label with this mark into quotes")
		}
	}
	if label[1]-label[0] > 1 && h != nil && isPaint(c.toks[label[0]].low) && !c.capital(label[0]) {
		return c.wrong(label[0], label[0]+1, "how an element looks can't be told by this word; a label that begins with it is put into quotes")
	}
	p.t.Name = text
	return nil
}

// targets reads a list: the boxes "Wiki" and "News".
func (c *clause) targets(stop stopper) ([]*phrase, *problem) {
	if stop == nil {
		stop = func(int) bool { return false }
	}
	first, bad := c.target(stop)
	if bad != nil {
		return nil, bad
	}
	out := []*phrase{first}
	for {
		j := c.i
		for j < len(c.toks) && (c.is(j, "and", "&", "plus", "also") || c.toks[j].text == ",") {
			j++
		}
		if c.is(j, "then") && j+1 < len(c.toks) && (c.verb == vClick || c.verb == vPress) {
			j++ // click "Menu", then "Log out"
		}
		if j > c.i && c.verb == vClick && c.is(j, "on") && c.starts(j+1) {
			j++ // and on "Log out"
		}
		if j == c.i || j >= len(c.toks) || stop(j) || c.is(j, "then", "or") {
			break
		}
		prev := out[len(out)-1]
		t := c.toks[j]
		bare := !t.literal() && !isArticle(t.low) && ordinalOf(t.low) == 0
		if n, l, _ := matchNoun(c.toks, j); n != nil && j+l < len(c.toks) && c.toks[j+l].literal() {
			bare = false
		}
		if bare && !(first.plural || prev.plural) && !c.pluralAhead(j, stop) {
			if prev.quoted || prev.article && prev.noun != nil {
				break // left over; the caller says so
			}
			return nil, c.wrong(prev.from, len(c.toks), "one label or several? Put each label into quotes")
		}
		c.i = j
		next, bad := c.target(stop)
		if bad != nil {
			return nil, bad
		}
		out = append(out, next)
	}
	if c.is(c.i, "or") {
		return nil, c.wrong(c.i, len(c.toks), "an alternative is not an instruction; use if … otherwise …")
	}
	share(out)
	return out, nil
}

// pluralAhead: the Wiki and News boxes.
func (c *clause) pluralAhead(j int, stop stopper) bool {
	for ; j < len(c.toks) && !stop(j); j++ {
		if n, _, plural := matchNoun(c.toks, j); n != nil && plural {
			return true
		}
		if c.toks[j].kind != tokWord || isArticle(c.toks[j].low) {
			return false
		}
	}
	return false
}

// share spreads what is said once over the list: a plural kind before or after
// it, the container after it, the kind behind ordinals (the first and the
// third box).
func share(list []*phrase) {
	if len(list) < 2 {
		return
	}
	first, last := list[0], list[len(list)-1]
	for _, p := range list[:len(list)-1] {
		if p.noun == nil && last.noun != nil && (last.plural || p.t.Ordinal != 0 && p.t.Name == "") {
			p.setNoun(last.noun, true)
			if p.t.Ordinal != 0 && p.t.Name == "" {
				p.t.Name = last.t.Name
			}
		}
		if len(p.t.Within) == 0 && len(last.t.Within) > 0 && p.t.Near == nil {
			p.t.Within = append([]bus.Scope(nil), last.t.Within...)
		}
	}
	for _, p := range list[1:] {
		if p.noun == nil && first.noun != nil && first.plural {
			p.setNoun(first.noun, true)
		}
		if len(p.t.Within) == 0 && len(first.t.Within) > 0 && first.plural && p.t.Near == nil {
			p.t.Within = append([]bus.Scope(nil), first.t.Within...)
		}
	}
}

func (c *clause) wrong(from, to int, why string) *problem {
	to = min(to, len(c.toks))
	if from >= to {
		from = max(0, to-1)
	}
	return &problem{words: c.raw(from, to), why: why, verb: c.verb}
}
