package playbook

import (
	"regexp"
	"strings"
)

var nameForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// A val is a text to be typed, chosen or compared.
type val struct {
	text     string
	quoted   bool // a literal, or a reference
	date     *date
	from, to int
}

// value reads a value up to stop: a quotation, a reference, "the secret NAME",
// "the remembered NAME", a date, or the words themselves.
func (c *clause) value(stop stopper) (*val, *problem) {
	v := &val{from: c.i}
	if name, ok, bad := c.reference(); bad != nil {
		return nil, bad
	} else if ok {
		v.text, v.quoted, v.to = name, true, c.i
		return v, nil
	}
	// the text "x", the value of "x"
	at := c.i
	c.articles()
	if c.takePhrase("text", "texts", "value", "word", "words", "string", "phrase", "number", "characters", "letters", "sentence", "amount", "option", "options", "entry", "choice", "item", "items", "entries", "file", "files", "date", "message", "answer") && c.i < len(c.toks) {
		dated := c.is(c.i-1, "date")
		if c.toks[c.i].literal() || dated || c.is(c.i-1, "number", "amount", "value") && !stop(c.i) {
			if name, ok, bad := c.reference(); bad != nil || ok {
				v.text, v.quoted, v.to = name, true, c.i
				return v, bad
			}
			return c.plainValue(v, stop, dated)
		}
	}
	c.i = at
	return c.plainValue(v, stop, false)
}

func (c *clause) plainValue(v *val, stop stopper, dated bool) (*val, *problem) {
	if c.i < len(c.toks) && c.toks[c.i].literal() {
		v.text, v.quoted = c.toks[c.i].text, c.toks[c.i].kind == tokQuoted
		c.i++
		if d, err := parseDate(v.text); err == nil && (dated || !v.quoted) {
			v.date = &d
		} else if dated && err != nil && err != errNoDate {
			return nil, c.wrong(v.from, c.i, err.Error())
		}
		v.quoted, v.to = true, c.i
		return v, nil
	}
	if bad := c.dateValue(v, stop); bad != nil || v.date != nil {
		return v, bad
	}
	start := c.i
	for c.i < len(c.toks) && !stop(c.i) && !c.toks[c.i].literal() && !(c.toks[c.i].kind == tokPunct) {
		c.i++
	}
	if c.i == start {
		return nil, c.wrong(v.from, max(c.i, v.from+1), "a value is missing here; put it into quotes")
	}
	v.text, v.to = c.raw(start, c.i), c.i
	return v, nil
}

// dateValue takes the longest run of words that is a date.
func (c *clause) dateValue(v *val, stop stopper) *problem {
	var bad error
	for to := min(len(c.toks), c.i+9); to > c.i; to-- {
		if to < len(c.toks) && !stop(to) && !c.joins(to) && !c.is(to, "in", "for", "from", "on", "as", "into", "at", "date") {
			continue
		}
		d, err := parseDate(c.raw(c.i, to))
		if err == nil {
			v.date, v.text, c.i = &d, d.value(), to
			v.to = to
			c.takePhrase("'s date")
			if c.i < len(c.toks) && c.toks[c.i].kind == tokOwner && c.is(c.i+1, "date") {
				c.i += 2
			}
			return nil
		}
		if err != errNoDate && bad == nil {
			bad = err
		}
	}
	if bad != nil {
		return c.wrong(c.i, len(c.toks), bad.Error())
	}
	if c.is(c.i, "today's", "tomorrow's", "yesterday's") && c.is(c.i+1, "date") {
		d, err := parseDate(strings.TrimSuffix(c.toks[c.i].low, "'s"))
		if err == nil {
			v.date, v.text, v.to = &d, d.value(), c.i+2
			c.i += 2
		}
	}
	return nil
}

// reference reads the spoken forms of ${secret:NAME} and ${NAME}.
func (c *clause) reference() (string, bool, *problem) {
	at := c.i
	c.articles()
	c.takePhrase("value of the", "value of", "content of the", "contents of the")
	secret := c.takePhrase("secret called", "secret named", "secret", "password from the secret", "password in the secret", "secret value of", "value from the secret")
	remembered := !secret && c.takePhrase("remembered", "saved", "stored", "noted", "memorised", "memorized", "recorded", "value remembered as", "value saved as", "value stored as", "value noted as", "text remembered as", "text saved as", "variable", "remembered value of", "remembered value", "saved value", "stored value", "variable called", "variable named", "captured", "copied")
	if !secret && !remembered {
		c.i = at
		return "", false, nil
	}
	if c.end() || c.toks[c.i].kind == tokPunct {
		c.i = at
		return "", false, nil
	}
	name := c.toks[c.i].text
	if !nameForm.MatchString(name) {
		if secret && c.toks[c.i].kind == tokRef && strings.HasPrefix(name, "${secret:") {
			c.i++
			return name, true, nil
		}
		if remembered && c.toks[c.i].kind == tokRef {
			c.i++
			return name, true, nil
		}
		if remembered {
			c.i = at
			return "", false, nil
		}
		return "", false, c.wrong(at, c.i+1, "a secret is named by letters, digits and “_”: the secret PASSWORD")
	}
	c.i++
	if secret {
		return "${secret:" + name + "}", true, nil
	}
	c.takePhrase("value")
	return "${" + name + "}", true, nil
}
