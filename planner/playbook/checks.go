package playbook

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// isPredicate holds for words that end a subject: what they say about it follows.
func isPredicate(w string) bool {
	switch w {
	case "is", "are", "was", "were", "be", "been", "isn't", "aren't", "wasn't", "weren't", "has", "have", "had", "hasn't", "haven't", "does", "do", "did", "doesn't", "don't", "didn't",
		"should", "shouldn't", "must", "mustn't", "will", "won't", "can", "cannot", "can't", "gets", "got", "becomes", "become", "remains", "stays", "looks", "ought",
		"shows", "show", "contains", "contain", "says", "say", "said", "reads", "displays", "display", "holds", "hold", "equals", "equal", "includes", "include", "lists", "starts", "begins", "ends", "matches", "asks", "asked", "mentions", "mentioned", "showed", "contained",
		"appears", "appear", "appeared", "disappears", "disappear", "disappeared", "vanishes", "vanish", "vanished", "exists", "exist", "existed", "opens", "open", "opened", "arrives", "arrive", "arrived", "finishes", "finish", "finished", "downloads", "downloaded", "comes", "come", "goes", "go", "went", "pops", "popped", "closes", "close", "closed", "came", "started", "completes", "complete", "completed", "no", "not", "to", "turns", "never", "visible", "gone", "starting", "remain", "stay", "now", "loads", "loaded", "finishing", "ended":
		return true
	}
	return false
}

// A subject is what a check speaks about.
type subject struct {
	kind   string // "target", "page", "url", "title", "download", "dialog", "tab", "count", "focus", "value", "text"
	target *phrase
	want   string // named with the subject: the file "x.csv"
}

// checks reads one or more checks joined by "and".
func (c *clause) checks() ([]bus.Expect, *problem) {
	var out []bus.Expect
	var prev *subject
	for {
		c.takePhrase("that", "to see", "you see", "i see", "we see", "to find", "you can see", "we can see", "i can see", "you should see", "i should see", "we should see", "one can see", "to have", "also", "now", "that you see", "that we see", "that i see", "that you can see", "the presence of", "the existence of", "to get")
		c.take("that")
		if c.takePhrase("you should not see", "you don't see", "i should not see", "you do not see", "we do not see", "not to see", "the absence of", "you no longer see", "we should not see", "you shouldn't see", "i shouldn't see", "i do not see", "i don't see") {
			list, bad := c.checkTargets()
			if bad != nil {
				return nil, bad
			}
			for _, p := range list {
				out = append(out, presence(p, true, c.raw(p.from, p.to)))
			}
		} else {
			es, subj, bad := c.check1(prev)
			if bad != nil {
				return nil, bad
			}
			out = append(out, es...)
			prev = subj
		}
		if c.end() {
			break
		}
		if c.is(c.i, "or") {
			return nil, c.wrong(c.i, len(c.toks), "either … or … can't be checked; say which one")
		}
		if !c.another() {
			return nil, c.wrong(c.i, len(c.toks), "these words are not understood in a check")
		}
		c.take("but")
	}
	for i := range out {
		if ws := holdsSecret(bus.Intent{Expect: out[i : i+1]}); ws != "" {
			return nil, &problem{words: ws, why: "a secret can only be typed; compared, it would be seen in reports", verb: vExpect}
		}
	}
	if len(out) == 0 {
		return nil, c.wrong(0, len(c.toks), "there is nothing to check in this")
	}
	return out, nil
}

func (c *clause) predicateStop(i int) bool {
	return c.toks[i].kind == tokWord && isPredicate(c.toks[i].low) && !(c.is(i, "to") && c.is(i+1, "the") && c.is(i+2, "left", "right"))
}

func (c *clause) checkTargets() ([]*phrase, *problem) {
	first, bad := c.target(c.predicateStop)
	if bad != nil {
		return nil, bad
	}
	list := []*phrase{first}
	for {
		at := c.i
		if !c.another() || !(c.toks[c.i].literal() || isArticle(c.toks[c.i].low)) || c.claimAhead(c.i, first) {
			c.i = at
			break
		}
		next, bad := c.target(c.predicateStop)
		if bad != nil {
			c.i = at
			break
		}
		list = append(list, next)
	}
	share(list)
	return list, nil
}

// claimAhead: in "A is shown and B is gone" the second item has a predicate of
// its own, in "A and B are shown" both share one.
func (c *clause) claimAhead(i int, first *phrase) bool {
	for k := i; k < len(c.toks); k++ {
		if c.predicateStop(k) {
			return !c.is(k, "are", "were", "aren't", "have", "appear", "disappear", "vanish", "exist", "to", "should", "must", "do", "don't", "weren't", "shouldn't", "show", "come", "both", "remain", "will", "cannot", "no", "not", "gone", "visible")
		}
		if c.joins(k) && k > i {
			return false
		}
	}
	return false
}

// check1 reads one subject (or several that share a predicate) and what is said.
func (c *clause) check1(prev *subject) ([]bus.Expect, *subject, *problem) {
	from := c.i
	if c.end() {
		return nil, nil, c.wrong(from, from+1, "a check is missing here")
	}
	if es, ok, bad := c.existential(from); ok || bad != nil {
		return es, nil, bad
	}
	if prev != nil && (c.predicateStop(c.i) || c.isState(c.i)) {
		e, bad := c.predicate(prev, from)
		return e, prev, bad
	}
	subjects, bad := c.subjects()
	if bad != nil {
		return nil, nil, bad
	}
	pred := c.i
	var out []bus.Expect
	for _, s := range subjects {
		c.i = pred
		es, bad := c.predicate(s, from)
		if bad != nil {
			return nil, nil, bad
		}
		out = append(out, es...)
	}
	return out, subjects[len(subjects)-1], nil
}

// quantity reads "3", "no more than 5", "exactly one"; a lone "a" is none.
func (c *clause) quantity() (n int, op string, ok bool) {
	at := c.i
	shift := 0
	switch {
	case c.takePhrase("at least", "a minimum of", "no fewer than", "no less than", "not less than", "not fewer than", "minimum"):
		op = "at_least"
	case c.takePhrase("at most", "no more than", "not more than", "up to", "a maximum of", "maximum"):
		op = "at_most"
	case c.takePhrase("more than", "over"):
		op, shift = "at_least", 1
	case c.takePhrase("fewer than", "less than"):
		op, shift = "at_most", -1
	case c.takePhrase("exactly", "only", "just", "precisely"):
	}
	if c.end() || c.toks[c.i].kind != tokWord || c.is(c.i, "a", "an") {
		c.i = at
		return 0, "", false
	}
	if c.is(c.i, "no") && c.i == at {
		return 0, "", false
	}
	n, ok = number(c.toks[c.i].low)
	if !ok || c.i+1 >= len(c.toks) && c.i == at {
		c.i = at
		return 0, "", false
	}
	c.i++
	return n + shift, op, true
}

func countExpect(p *phrase, n int, op, text string) bus.Expect {
	t := p.t
	return bus.Expect{Kind: bus.ExpectCount, Target: &t, Count: n, CountOp: op, Text: text}
}

// existential reads "there is …", "there are 3 …", "3 rows …", "no …".
func (c *clause) existential(from int) ([]bus.Expect, bool, *problem) {
	at := c.i
	there, neg := false, false
	if c.take("there") {
		there = true
		for c.predicateStop(c.i0()) {
			if c.is(c.i, "no") {
				break
			}
			neg = neg || c.is(c.i, "not", "isn't", "aren't", "shouldn't", "mustn't", "wasn't", "weren't", "never")
			c.i++
		}
	}
	c.takePhrase("still", "now", "again", "also")
	if c.take("between") { // between 2 and 5 rows
		if c.i+2 < len(c.toks) && c.is(c.i+1, "and", "to") {
			low, ok := number(c.toks[c.i].low)
			high, also := number(c.toks[c.i+2].low)
			c.i += 3
			if ok && also && low <= high && there {
				p, bad := c.target(c.predicateStop)
				if bad != nil {
					return nil, true, bad
				}
				text := c.raw(from, c.i)
				return []bus.Expect{countExpect(p, low, "at_least", text), countExpect(p, high, "at_most", text)}, true, nil
			}
		}
		return nil, true, c.wrong(from, len(c.toks), "between which two numbers of what? There are between 2 and 5 rows")
	}
	if n, op, ok := c.quantity(); ok {
		p, bad := c.target(c.predicateStop)
		if bad == nil && (p.plural || n == 1 || there) {
			c.takePhrase("is visible", "are visible", "is shown", "are shown", "are there", "are displayed", "are listed", "is listed", "is displayed", "exist", "remain", "should be visible", "should be shown", "are left", "is left", "to be shown", "to be visible", "appear", "should appear", "should remain", "should exist", "to appear", "should be listed", "are present", "should be displayed", "are found", "to be listed", "shown", "remains", "are on the page", "is there", "should be there", "to remain")
			return []bus.Expect{countExpect(p, n, op, c.raw(from, c.i))}, true, nil
		}
		if there && bad != nil {
			return nil, true, bad
		}
		c.i = at
		return nil, false, nil
	}
	if c.take("any") && !neg && !there {
		c.i--
	}
	if c.takePhrase("no", "not any", "no more", "none of", "nothing called", "no longer", "no longer any", "no longer a", "no such") || neg {
		list, bad := c.checkTargets()
		if bad != nil {
			return nil, true, bad
		}
		c.auxiliaries()
		c.takePhrase("shown", "visible", "displayed", "appear", "appears", "exist", "exists", "there", "present", "listed", "remain", "left", "remaining", "open", "found", "anymore", "any more", "on the page", "opened", "raised", "shown anymore")
		if c.scopeAt(c.i) > 0 && len(list) > 0 {
			var es []bus.Expect
			for _, p := range list {
				es = append(es, presence(p, true, ""))
			}
			es, bad := c.inPlace(es, &subject{kind: "target", target: list[0]})
			for i := range es {
				es[i].Text = c.raw(from, c.i)
			}
			return es, true, bad
		}
		var out []bus.Expect
		for _, p := range list {
			out = append(out, presence(p, true, c.raw(from, c.i)))
		}
		return out, true, nil
	}
	if there {
		if c.articleDownload() {
			c.i = at + 2
		}
		subjects, bad := c.subjects()
		if bad != nil {
			return nil, true, bad
		}
		pred := c.i
		var out []bus.Expect
		for _, s := range subjects {
			c.i = pred
			es, bad := c.predicate(s, from)
			if bad != nil {
				return nil, true, bad
			}
			out = append(out, es...)
		}
		return out, true, nil
	}
	c.i = at
	return nil, false, nil
}

func (c *clause) articleDownload() bool { return c.is(c.i, "a") && c.is(c.i+1, "download") }

// i0 is the place, kept inside the tokens.
func (c *clause) i0() int { return min(c.i, len(c.toks)-1) }

// subjects reads what is spoken about.
func (c *clause) subjects() ([]*subject, *problem) {
	at := c.i
	c.articles()
	switch {
	case c.takePhrase("new tab", "new browser tab", "new window", "another tab"):
		return []*subject{{kind: "tab"}}, nil
	case c.takePhrase("url", "address", "page url", "current url", "page address", "address bar", "browser's url", "web address", "location", "current address", "url of the page", "address of the page", "page's url", "url in the address bar"):
		return []*subject{{kind: "url"}}, nil
	case c.takePhrase("page title", "title", "page's title", "title of the page", "tab title", "title of the tab", "window title", "browser title", "document title"):
		return []*subject{{kind: "title"}}, nil
	case c.i+3 < len(c.toks) && c.is(c.i, "page") && c.toks[c.i+1].kind == tokOwner && c.is(c.i+2, "title", "url", "address"):
		kind := map[bool]string{true: "title", false: "url"}[c.is(c.i+2, "title")]
		c.i += 3
		return []*subject{{kind: kind}}, nil
	case c.takePhrase("focus", "keyboard focus", "cursor"):
		return []*subject{{kind: "focus"}}, nil
	}
	for _, d := range [...]string{"download of the file", "download of", "downloaded file", "file named", "file called", "downloaded", "download", "file"} {
		back := c.i
		if !c.takePhrase(d) {
			continue
		}
		c.takePhrase("named", "called", "with the name", "of")
		s := &subject{kind: "download"}
		if c.i < len(c.toks) && (c.toks[c.i].literal() || strings.Contains(c.toks[c.i].text, ".")) && !c.predicateStop(c.i) {
			s.want = c.toks[c.i].text
			c.i++
		}
		if d == "file" && !c.downloadAhead() || c.is(c.i, "button", "link", "tab", "icon") {
			c.i = back
			break
		}
		return []*subject{s}, nil
	}
	c.i = at
	c.articles()
	if s := c.dialogSubject(); s != nil {
		return []*subject{s}, nil
	}
	c.i = at
	if s := c.tabSubject(); s != nil {
		return []*subject{s}, nil
	}
	c.i = at
	c.articles()
	kind := "target"
	switch {
	case c.takePhrase("number of", "count of"):
		kind = "count"
	case c.takePhrase("value of", "value in", "content of", "contents of", "value for", "selection in", "selected option of", "selected option in", "selected value of", "chosen option in"):
		kind = "value"
	case c.takePhrase("text of", "text in", "wording of", "label of"):
		kind = "text"
	default:
		c.i = at
	}
	if kind == "target" && c.takePhrase("you", "we", "i", "the user", "the browser") && c.takePhrase("am on", "am now on", "should now be on", "must be on", "should be redirected to", "am redirected to", "is redirected to", "are redirected to", "have to be on", "are on", "is on", "are at", "is at", "should be on", "land on", "are now on", "are taken to", "end up on", "is now on", "should be at", "should land on", "are back on", "is taken to") {
		c.takePhrase("the page", "the url", "page", "the address")
		s := &subject{kind: "url"}
		if !c.end() && (c.toks[c.i].literal() || looksLikeAddress(c.toks[c.i].text)) {
			s.want = c.toks[c.i].text
			c.i++
			return []*subject{s}, nil
		}
		return nil, c.wrong(at, len(c.toks), "on which page? Say a part of its address or of its title")
	}
	c.takePhrase("you", "we") // "we see" is handled before
	list, bad := c.checkTargets()
	if bad != nil {
		return nil, bad
	}
	var out []*subject
	for _, p := range list {
		s := &subject{kind: kind, target: p}
		if p.noun != nil && p.noun.kind == "page" && p.t.Name == "" {
			s.kind = "page"
		}
		if kind == "target" && p.quoted && p.noun == nil && c.downloadedAhead() {
			s.kind, s.want = "download", p.t.Name
		}
		out = append(out, s)
	}
	return out, nil
}

// downloadAhead: "the file "x" was downloaded", not "the file field".
func (c *clause) downloadAhead() bool {
	for k := c.i; k < len(c.toks); k++ {
		if c.is(k, "downloaded", "downloads", "arrives", "arrived", "arrive", "download", "saved", "received", "downloading", "down") {
			return true
		}
	}
	return false
}

func (c *clause) downloadedAhead() bool {
	for k := c.i; k < len(c.toks) && !c.is(k, "and"); k++ {
		if c.is(k, "downloaded", "downloads", "downloading") {
			return true
		}
	}
	return false
}

func (c *clause) dialogSubject() *subject {
	at := c.i
	native := c.is(c.i, "browser", "alert", "confirm", "prompt", "javascript", "confirmation", "native")
	if !c.dialogNoun() {
		return nil
	}
	said := false
	for k := c.i; k < len(c.toks); k++ {
		said = said || c.is(k, "said", "saying", "says", "asked", "asks", "asking", "say", "ask", "mentioned", "read")
		if c.joins(k) {
			break
		}
	}
	if !said && !native || c.is(c.i-1, "warning", "question", "message") && !said {
		c.i = at
		return nil
	}
	if c.i < len(c.toks) && c.toks[c.i].literal() && !said {
		s := &subject{kind: "dialog", want: c.toks[c.i].text}
		c.i++
		return s
	}
	return &subject{kind: "dialog"}
}

func (c *clause) tabSubject() *subject {
	at := c.i
	open := -1
	for k := at; k < len(c.toks); k++ {
		if c.is(k, "open", "opened", "opens", "opening") {
			open = k
		}
	}
	if open < 0 || c.find(at, "tab", "window") < 0 || c.find(at, "tab", "window") > open {
		return nil
	}
	sub := &clause{sentence: c.sentence, toks: c.toks[:open], i: at}
	for k := len(sub.toks); k > at; k-- {
		if isPredicate(sub.toks[k-1].low) {
			sub.toks = sub.toks[:k-1]
		} else {
			break
		}
	}
	value, ok, bad := sub.tab()
	if bad != nil || !ok || !sub.end() {
		return nil
	}
	if value == "current" || value == "new" {
		value = ""
	}
	c.i = sub.i
	return &subject{kind: "tab", want: value}
}

// presence says that a thing is there, or gone.
func presence(p *phrase, gone bool, text string) bus.Expect {
	e := bus.Expect{Kind: bus.ExpectVisible, Text: text}
	if gone {
		e.Kind = bus.ExpectGone
	}
	t := p.t
	loose := p.quoted && t.Role == "" && (t.Kind == "" || t.Kind == "text") && t.Ordinal == 0 && len(t.Within) == 0 && t.Near == nil
	if loose {
		e.Want = t.Name
	} else {
		if t.Kind == "text" {
			t.Kind = ""
		}
		e.Target = &t
	}
	return e
}

var placeholders = regexp.MustCompile(`\$\{[^}]*\}`)

// quoteExcept makes a text a regular expression for itself, references kept.
func quoteExcept(s string) string {
	var b strings.Builder
	at := 0
	for _, m := range placeholders.FindAllStringIndex(s, -1) {
		b.WriteString(regexp.QuoteMeta(s[at:m[0]]))
		b.WriteString(s[m[0]:m[1]])
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(s[at:]))
	return b.String()
}

func isCount(s string) bool { _, err := strconv.Atoi(s); return err == nil }
