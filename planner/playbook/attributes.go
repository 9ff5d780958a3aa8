package playbook

import (
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

var nearPhrases = [...]struct{ phrase, relation string }{
	{"next to", "next_to"}, {"beside", "next_to"}, {"right next to", "next_to"}, {"directly next to", "next_to"}, {"near", "next_to"}, {"near to", "next_to"}, {"close to", "next_to"}, {"alongside", "next_to"}, {"adjacent to", "next_to"}, {"by", "next_to"}, {"by the side of", "next_to"},
	{"left of", "left_of"}, {"in front of", "left_of"}, {"directly in front of", "left_of"}, {"to the left of", "left_of"}, {"on the left of", "left_of"}, {"at the left of", "left_of"}, {"just left of", "left_of"}, {"on the left side of", "left_of"}, {"immediately left of", "left_of"}, {"directly left of", "left_of"}, {"directly to the left of", "left_of"},
	{"right of", "right_of"}, {"to the right of", "right_of"}, {"on the right of", "right_of"}, {"at the right of", "right_of"}, {"just right of", "right_of"}, {"on the right side of", "right_of"}, {"immediately right of", "right_of"}, {"directly right of", "right_of"}, {"directly to the right of", "right_of"},
	{"above", "above"}, {"just above", "above"}, {"directly above", "above"}, {"on top of", "above"}, {"over", "above"}, {"right above", "above"}, {"immediately above", "above"},
	{"below", "below"}, {"just below", "below"}, {"directly below", "below"}, {"beneath", "below"}, {"underneath", "below"}, {"under", "below"}, {"just under", "below"}, {"right below", "below"}, {"immediately below", "below"}, {"directly under", "below"},
}

func (c *clause) nearAt(i int) (relation string, length int) {
	for _, n := range nearPhrases {
		if l := matchPhrase(c.toks, i, n.phrase); l > length && c.starts(i+l) {
			relation, length = n.relation, l
		}
	}
	return relation, length
}

// starts reports whether a phrase that stands for an element begins at i; a
// preposition before anything else belongs to a label ("Sign in").
func (c *clause) starts(i int) bool {
	if i >= len(c.toks) {
		return false
	}
	t := c.toks[i]
	if t.literal() || isArticle(t.low) || c.capital(i) || t.low == "it" && c.last != nil {
		return true
	}
	n, l, _ := matchNoun(c.toks, i)
	if n == nil {
		return false
	}
	// "Sign in button": the noun ends a label, it does not name a container.
	return n.scope != "" && (i+l >= len(c.toks) || n.scope != "field") || i+l < len(c.toks) && c.toks[i+l].literal()
}

var labelPhrases = [...]string{
	"labelled", "labeled", "named", "called", "titled", "entitled", "marked", "captioned", "saying", "reading", "that says", "which says", "that reads", "which reads",
	"with the label", "with the text", "with the name", "with the title", "with the caption", "with the placeholder", "with the heading", "with label", "with text", "with name", "with title", "with placeholder", "with the words", "with alt text", "with the alt text", "that is called", "that is labelled", "that is labeled", "that is named", "whose label is", "whose name is", "whose title is", "whose text is", "with the option", "with the value", "with value", "with the message", "with message", "with the message that says",
}

func (c *clause) labelAt(i int) (length int) {
	for _, p := range labelPhrases {
		if l := matchPhrase(c.toks, i, p); l > length {
			length = l
		}
	}
	return length
}

var holdPhrases = [...]string{"with", "of", "for", "containing", "that contains", "which contains", "that has", "which has", "that holds", "holding", "where it says", "mentioning", "that mentions", "about", "that shows", "showing", "having", "starting with", "beginning with", "with the entry", "with the word", "that includes", "including"}

// holdAt matches what says which row, card, dialog … is meant.
func (c *clause) holdAt(i int) (length int) {
	for _, p := range holdPhrases {
		if l := matchPhrase(c.toks, i, p); l > length && i+l < len(c.toks) && c.toks[i+l].kind != tokPunct {
			length = l
		}
	}
	return length
}

func (c *clause) scopeAt(i int) (length int) {
	for _, p := range [...]string{"in", "inside", "inside of", "within", "on", "of", "from", "at", "for", "belonging to", "that belongs to", "that is in", "which is in", "on the inside of", "under the heading", "below the heading", "under the headline", "located in", "shown in", "found in", "out of"} {
		if l := matchPhrase(c.toks, i, p); l > length && c.starts(i+l) {
			length = l
		}
	}
	return length
}

// attributes reads what follows: label, container, position.
func (c *clause) attributes(p *phrase, stop stopper) *problem {
	for c.i < len(c.toks) && !stop(c.i) && !(c.toks[c.i].kind == tokPunct) {
		at := c.i
		if l := c.labelAt(c.i); l > 0 && p.t.Name == "" {
			c.i += l
			if bad := c.name(p, stop); bad != nil {
				return bad
			}
			continue
		}
		container := p.noun != nil && p.noun.scope != "" && p.noun.scope != "field" && p.noun.scope != "page"
		if l := c.holdAt(c.i); l > 0 && container && p.t.Name == "" && !c.holderIsPlace(c.i, l) {
			c.i += l
			if bad := c.name(p, stop); bad != nil {
				return bad
			}
			continue
		}
		if k := c.where(); k > 0 && container && p.t.Name == "" {
			p.t.Name, p.quoted = c.toks[k].text, true
			c.i = k + 1
			continue
		}
		if relation, l := c.nearAt(c.i); l > 0 && p.t.Near == nil {
			c.i += l
			if bad := c.near(p, relation, at, stop); bad != nil {
				return bad
			}
			continue
		}
		if (c.is(c.i, "for") || c.is(c.i, "to") && p.t.Role == "link") && p.t.Name == "" && p.noun != nil && c.i+1 < len(c.toks) && c.toks[c.i+1].kind != tokPunct {
			c.i++
			if bad := c.name(p, stop); bad != nil {
				return bad
			}
			continue
		}
		if l := c.scopeAt(c.i); l > 0 {
			heading := strings.HasSuffix(c.toks[c.i+l-1].low, "heading") || c.is(c.i+l-1, "headline")
			c.i += l
			outer, bad := c.target(stop)
			if bad != nil {
				return bad
			}
			if heading && outer.noun == nil {
				outer.noun = &noun{scope: "section"}
			}
			if p.noun == nil && !p.quoted && outer.noun != nil && outer.noun.scope == "" && outer.noun.role != "" {
				return c.wrong(at, c.i, "a "+outer.noun.word+" contains nothing that could be meant; is the "+outer.noun.word+" itself meant?")
			}
			scopes, bad := c.scopes(outer)
			if bad != nil {
				return bad
			}
			p.t.Within = append(scopes, p.t.Within...)
			continue
		}
		return nil
	}
	return nil
}

// where matches the row where the name is "Bob", whose status says "Open": the
// place of the text, or 0. Which column it stands in is not kept.
func (c *clause) where() int {
	if !c.is(c.i, "where", "whose", "in", "for") || c.is(c.i, "in", "for") && !c.is(c.i+1, "which") {
		return 0
	}
	for k := c.i + 1; k+1 < len(c.toks) && k < c.i+7 && c.toks[k].kind == tokWord; k++ {
		if c.is(k, "is", "says", "shows", "contains", "reads", "equals", "has") && c.toks[k+1].literal() {
			return k + 1
		}
	}
	return 0
}

// holderIsPlace tells "the row of the table "Orders"" (a place) from "the row
// of the customer "Acme"" (what the row holds).
func (c *clause) holderIsPlace(i, l int) bool {
	if !c.is(i, "of", "for") || l != 1 || !c.is(i+1, "the", "this", "that") {
		return false
	}
	for j := i + 2; j < len(c.toks) && j < i+6 && c.toks[j].kind != tokPunct; j++ {
		if c.toks[j].literal() {
			continue
		}
		n, _, _ := matchNoun(c.toks, j)
		if n != nil && n.scope != "" && !n.weak {
			return true
		}
		if c.joins(j) || c.attribute(j) {
			return false
		}
	}
	return false
}

func (c *clause) near(p *phrase, relation string, at int, stop stopper) *problem {
	of, bad := c.target(stop)
	if bad != nil {
		return bad
	}
	if c.is(at, "under") && of.noun != nil && of.noun.scope != "" && of.noun.scope != "row" {
		scopes, bad := c.scopes(of)
		if bad != nil {
			return bad
		}
		p.t.Within = append(scopes, p.t.Within...)
		return nil
	}
	p.t.Near = &bus.Near{Relation: relation, Of: of.t}
	return nil
}

// name reads the words that a label or a container is known by.
func (c *clause) name(p *phrase, stop stopper) *problem {
	from := c.i
	c.articles()
	// the row with the name "X", for the customer "X"
	for k := 0; k < 3 && c.i+k < len(c.toks); k++ {
		if c.toks[c.i+k].literal() {
			if bad := c.descriptors(&phrase{article: true, noun: &noun{}}, c.i, c.i+k, 2); bad != nil {
				return bad
			}
			c.i += k
			p.t.Name, p.quoted = c.toks[c.i].text, true
			c.i++
			if (c.is(c.i, "and", "&") || c.is(c.i, "in") && c.is(c.i+1, "it")) && c.i+1 < len(c.toks) && c.toks[c.i+1].literal() && p.noun != nil && p.noun.scope == "row" && !p.plural {
				return c.wrong(from, c.i+2, "a row is told by one text; two rows or two texts in one row?")
			}
			return nil
		}
		if c.toks[c.i+k].kind != tokWord || stop(c.i+k) || c.joins(c.i+k) || c.capital(c.i+k) {
			break
		}
	}
	start := c.i
	for c.i < len(c.toks) && c.toks[c.i].kind == tokWord && !stop(c.i) && !c.joins(c.i) && !(c.i > start && c.attribute(c.i)) {
		c.i++
	}
	if c.i == start {
		return c.wrong(from, min(c.i+1, len(c.toks)), "a label is missing here")
	}
	p.t.Name = c.raw(start, c.i)
	return nil
}

// scopes turns a phrase into the containers that it stands for, outermost first.
func (c *clause) scopes(p *phrase) ([]bus.Scope, *problem) {
	if p.t.Near != nil {
		return nil, c.wrong(p.from, c.i, "a container can't be told by its neighbours; name it")
	}
	s := bus.Scope{Name: p.t.Name, Ordinal: p.t.Ordinal}
	if p.noun == nil {
		s.Kind = p.t.Kind // "in it": what was spoken of before
	} else {
		if s.Kind = p.noun.scope; s.Kind == "" {
			s.Kind = p.t.Kind
		}
		if s.Kind == "" {
			s.Kind = p.t.Role
		}
	}
	if s.Kind == "page" {
		return p.t.Within, nil // every element is on the page
	}
	return append(append([]bus.Scope(nil), p.t.Within...), s), nil
}
