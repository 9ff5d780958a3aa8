package playbook

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

const maxWait = 10 * 60 * 1000 // milliseconds

var dialogNouns = [...]string{"dialog", "dialogue", "alert", "confirm", "prompt", "confirmation", "popup", "pop-up", "pop up", "dialog box", "dialogue box", "message box", "confirm box", "alert box", "confirmation dialog", "confirm dialog", "alert dialog", "browser dialog", "browser's dialog", "javascript dialog", "prompt dialog", "confirmation box", "warning", "question", "browser alert", "javascript alert", "confirmation prompt", "warning dialog", "confirmation popup", "confirmation pop-up", "browser prompt", "browser confirmation", "alert message", "native dialog", "confirmation message"}

func (c *clause) dialogNoun() bool {
	at := c.i
	c.articles()
	for _, skip := range [...]string{"resulting", "appearing", "following", "opening", "browser's", "next"} {
		c.take(skip)
	}
	if c.i < len(c.toks) && c.is(c.i, "browser") && c.i+1 < len(c.toks) && c.toks[c.i+1].kind == tokOwner {
		c.i += 2
	}
	if c.takePhrase(dialogNouns[:]...) {
		return true
	}
	c.i = at
	return false
}

// dialog reads accept, dismiss, confirm and close, for dialogs of the browser
// and, close, for tabs.
func (c *clause) dialog(v verb) ([]bus.Intent, *problem) {
	at := c.i
	in := bus.Intent{Action: bus.ActionAccept, DialogAnswer: "accept"}
	if v == vDismiss || v == vClose {
		in.Action, in.DialogAnswer = bus.ActionDismiss, "dismiss"
	}
	if v == vClose {
		if _, ok, bad := c.tab(); bad != nil {
			return nil, bad
		} else if ok && c.end() {
			c.i = at
			value, _, _ := c.tab()
			if value == "current" {
				value = ""
			}
			return one(bus.Intent{Action: bus.ActionCloseTab, Value: value}), nil
		}
		c.i = at
	}
	if v == vConfirm {
		if out := c.withKey(); out != nil {
			return out, nil
		}
	}
	if c.end() && (v == vAccept || v == vDismiss) {
		return one(in), nil
	}
	if c.end() || c.takePhrase("it", "that", "this") && c.end() {
		if v == vAccept || v == vDismiss {
			return one(in), nil
		}
		c.i = at
	}
	if !c.dialogNoun() {
		word := strings.ToLower(c.raw(0, c.i))
		return nil, &problem{words: c.raw(0, len(c.toks)), why: "only dialogs of the browser itself are answered in this way; in the page, say what to click",
			forms: []string{fmt.Sprintf("Click %q in the dialog", strings.ToUpper(word[:min(1, len(word))])+word[min(1, len(word)):]), `Accept the dialog`, `Dismiss the dialog`}}
	}
	if c.takePhrase("that says", "saying", "which says", "with the text", "with the message", "that asks", "asking", "with", "that reads", "which asks") || !c.end() && c.toks[c.i].literal() {
		prompt := c.is(c.i-1, "with") && v != vDismiss
		val, bad := c.value(func(i int) bool { return c.joins(i) })
		if bad != nil {
			return nil, bad
		}
		if prompt {
			in.PromptText = val.text
		} else {
			in.Expect = []bus.Expect{{Kind: bus.ExpectDialog, Want: val.text, Text: c.raw(at, c.i)}}
		}
	}
	c.takePhrase("that appears", "that opens", "that comes up", "when it appears", "which appears", "that pops up", "which opens", "that follows", "when asked", "that is shown", "it raises", "by pressing ok", "by clicking ok", "with ok", "by clicking cancel", "by pressing cancel")
	return one(in), nil
}

// answer reads: answer the prompt with VALUE.
func (c *clause) answer() ([]bus.Intent, *problem) {
	at := c.i
	in := bus.Intent{Action: bus.ActionAccept, DialogAnswer: "accept"}
	if c.dialogNoun() {
		c.takePhrase("that asks", "which asks", "asking")
		if !c.end() && c.toks[c.i].literal() {
			in.Expect = []bus.Expect{{Kind: bus.ExpectDialog, Want: c.toks[c.i].text, Text: c.raw(at, c.i+1)}}
			c.i++
		}
		if !c.takePhrase("with", "by typing", "by entering", "using", ":", "by") {
			return nil, c.wrong(at, len(c.toks), "with what? answer the prompt with …")
		}
	} else if c.take("with") { // respond with "x" to the prompt
	}
	v, bad := c.value(func(i int) bool { return c.joins(i) || c.is(i, "to", "in") })
	if bad != nil {
		return nil, bad
	}
	if c.take("to", "in") && !c.dialogNoun() {
		return nil, c.wrong(c.i-1, len(c.toks), "only a prompt of the browser is answered")
	}
	switch strings.ToLower(v.text) {
	case "ok", "yes":
		if !v.quoted || len(in.Expect) > 0 {
			return one(in), nil
		}
	case "cancel", "no":
		if !v.quoted {
			in.Action, in.DialogAnswer = bus.ActionDismiss, "dismiss"
			return one(in), nil
		}
	}
	in.PromptText = v.text
	return one(in), nil
}

// tab reads which tab of the browser is meant, as the actor wants it.
func (c *clause) tab() (string, bool, *problem) {
	c.articles()
	c.take("browser")
	noun := func() bool {
		return c.takePhrase("tab", "browser tab", "window", "browser window", "page tab", "popup window", "pop-up window", "tab page")
	}
	for _, w := range [...]struct{ phrase, value string }{
		{"new", "new"}, {"newly opened", "new"}, {"newest", "new"}, {"just opened", "new"}, {"opened", "new"}, {"fresh", "new"}, {"latest", "new"},
		{"previous", "previous"}, {"other", "previous"}, {"old", "previous"}, {"earlier", "previous"}, {"last", "last"}, {"main", "first"}, {"original", "first"}, {"first", "first"}, {"current", "current"}, {"initial", "first"}, {"starting", "first"}, {"active", "current"}, {"rightmost", "last"}, {"leftmost", "first"},
	} {
		at := c.i
		if c.takePhrase(w.phrase) && noun() {
			c.takePhrase("that opened", "that has opened", "that just opened", "that was opened", "which opened", "that opens", "again")
			return w.value, true, nil
		}
		c.i = at
	}
	if c.i < len(c.toks) && c.toks[c.i].kind == tokWord {
		if o := ordinalOf(c.toks[c.i].low); o > 0 {
			c.i++
			if noun() {
				return "t" + strconv.Itoa(o), true, nil
			}
			return "", false, nil
		}
	}
	if c.i < len(c.toks) && c.toks[c.i].literal() {
		value := c.toks[c.i].text
		c.i++
		if noun() {
			return value, true, nil
		}
		return "", false, nil
	}
	if !noun() {
		return "", false, nil
	}
	if c.end() {
		return "current", true, nil
	}
	if c.takePhrase("that opened", "that just opened", "that has just opened", "that was just opened", "that has opened", "that was opened", "which opened", "which just opened", "that opened last", "which has just opened", "which was opened", "just opened") && c.end() {
		return "new", true, nil
	}
	c.takePhrase("number", "no")
	c.takePhrase("with the title", "titled", "called", "named", "with the url", "with the address", "whose title is", "whose url contains", "whose title contains", "with", "showing", "that shows", "with title", "with the name", "of", "for", "containing", "at", "where", "that contains", "whose url is", "with url", "with the page", "for the page", "with the title containing", "labelled")
	if c.end() {
		return "", false, nil
	}
	if c.toks[c.i].literal() {
		c.i++
		return c.toks[c.i-1].text, true, nil
	}
	if n, ok := number(c.toks[c.i].low); ok && n > 0 && c.i+1 == len(c.toks) {
		c.i++
		return "t" + strconv.Itoa(n), true, nil
	}
	if c.capital(c.i) || looksLikeAddress(c.toks[c.i].text) {
		from := c.i
		for !c.end() && c.toks[c.i].kind == tokWord && !c.joins(c.i) {
			c.i++
		}
		return c.raw(from, c.i), true, nil
	}
	return "", false, nil
}

func (c *clause) switchTo() ([]bus.Intent, *problem) {
	at := c.i
	value, ok, bad := c.tab()
	if bad != nil {
		return nil, bad
	}
	if ok && value != "current" {
		return one(bus.Intent{Action: bus.ActionSwitchTab, Value: value}), nil
	}
	if c.find(at, "frame", "iframe") >= 0 {
		return nil, &problem{words: c.raw(0, len(c.toks)), why: "frames need no switching; say what you mean and, where needed, in which frame", forms: []string{`Click "Pay" in the frame "Card"`}}
	}
	return nil, &problem{words: c.raw(0, len(c.toks)), why: "only tabs of the browser are switched to", forms: append(formsOf(vSwitch), `Click the tab "Billing"`)}
}

// duration reads "2 seconds", "500ms", "half a minute", in milliseconds.
func (c *clause) duration() (int, bool) {
	at := c.i
	c.takePhrase("about", "around", "for", "another", "at least", "up to", "at most", "a maximum of", "roughly", "max", "a further", "some")
	if c.takePhrase("a moment", "a bit", "a second", "one second", "a little", "a little bit", "a short while", "briefly", "a short moment", "moment", "a while") {
		return 1000, true
	}
	if c.takePhrase("a few seconds", "few seconds", "a couple of seconds") {
		return 3000, true
	}
	if c.takePhrase("half a second") {
		return 500, true
	}
	if c.takePhrase("half a minute") {
		return 30000, true
	}
	if c.takePhrase("a minute") {
		return 60000, true
	}
	if c.end() || c.toks[c.i].kind != tokWord {
		c.i = at
		return 0, false
	}
	w := c.toks[c.i].low
	digits := strings.TrimRight(w, "abcdefghijklmnopqrstuvwxyz")
	unit := w[len(digits):]
	f, err := strconv.ParseFloat(digits, 64)
	if digits == "" {
		n, ok := number(w)
		if !ok {
			for k, word := range [...]string{"fifteen", "twenty", "thirty", "sixty"} {
				if w == word {
					n, ok = [...]int{15, 20, 30, 60}[k], true
				}
			}
		}
		if !ok {
			c.i = at
			return 0, false
		}
		f, unit, err = float64(n), "", nil
	}
	c.i++
	if unit == "" && !c.end() {
		unit = c.toks[c.i].low
		c.i++
	}
	scale := 0.0
	switch unit {
	case "ms", "millisecond", "milliseconds", "millis", "msec", "msecs":
		scale = 1
	case "s", "sec", "secs", "second", "seconds":
		scale = 1000
	case "m", "min", "mins", "minute", "minutes":
		scale = 60000
	case "h", "hour", "hours":
		scale = 3600000
	}
	if err != nil || scale == 0 || f < 0 || f*scale > 1e9 {
		c.i = at
		return 0, false
	}
	return int(f * scale), true
}

func (c *clause) wait() ([]bus.Intent, *problem) {
	at := c.i
	in := bus.Intent{Action: bus.ActionWait}
	if c.end() {
		return nil, c.wrong(0, len(c.toks), "for what, or how long?")
	}
	if ms, ok := c.duration(); ok {
		if ms > maxWait || ms == 0 {
			return nil, c.wrong(at, c.i, "a wait is between 1 millisecond and 10 minutes; better say what you wait for")
		}
		if c.end() {
			in.Value = strconv.Itoa(ms)
			return one(in), nil
		}
		if !c.takePhrase("for", "until", "till", "for it until") {
			return nil, c.wrong(c.i, len(c.toks), c.leftover())
		}
		in.TimeoutMS = ms
	}
	c.takePhrase("for", "until", "till")
	if c.takePhrase("the page to load", "the page to finish loading", "the page is loaded", "the page has loaded", "the page to be loaded", "the page loads", "page load", "the page to be ready", "the page is ready", "the page to settle", "everything to load", "the page has finished loading", "loading to finish", "the page to load completely", "the page load", "the network to be idle", "the page is fully loaded", "the page to load fully") {
		if !c.end() {
			return nil, c.wrong(c.i, len(c.toks), c.leftover())
		}
		in.Value = "5000" // at most: the page is quiet before, as a rule
		return one(in), nil
	}
	if c.is(c.i, "some", "a", "long", "enough") {
		if bad := c.vague(); bad != nil {
			return nil, bad
		}
	}
	checks, bad := c.checks()
	if bad != nil {
		return nil, bad
	}
	in.Expect = checks
	return one(in), nil
}

// remember reads: remember X as NAME.
func (c *clause) remember() ([]bus.Intent, *problem) {
	at := c.i
	in := bus.Intent{Action: bus.ActionRemember}
	as := -1
	length := 0
	for k := c.i; k < len(c.toks); k++ {
		sub := &clause{sentence: c.sentence, toks: c.toks, i: k}
		if k > c.i && sub.takePhrase("as", "under the name", "under the name of", "in the variable", "into the variable", "in a variable called", "and call it", "under", "as the variable", "and name it", "as a variable called", "by the name", "by the name of", "to the variable", "with the name", "in variable", "into variable", "calling it", "in the variable called", "in", "into") && len(c.toks)-sub.i <= 1 && !sub.end() {
			as, length = k, sub.i-k
			break
		}
	}
	if as < 0 {
		return nil, &problem{words: c.raw(0, len(c.toks)), why: "under which name?", forms: append(formsOf(vRemember), `Click the button "Save"`)}
	}
	name := c.toks[as+length]
	in.As = strings.TrimSuffix(strings.TrimPrefix(name.text, "${"), "}")
	if !nameForm.MatchString(in.As) {
		return nil, c.wrong(as, len(c.toks), "a name is made of letters, digits and “_”")
	}
	inner := &clause{sentence: c.sentence, toks: c.toks[:as], i: c.i, verb: c.verb}
	bad := inner.remembered(&in, at)
	if bad != nil {
		return nil, bad
	}
	c.i = len(c.toks)
	if inner.dest == nil && in.Target == nil && in.Of == "" {
		return nil, c.wrong(at, as, "what is to be remembered?")
	}
	return one(in), nil
}

func (c *clause) remembered(in *bus.Intent, at int) *problem {
	c.articles()
	c.takePhrase("current", "page's")
	switch {
	case c.takePhrase("url", "address", "page address", "page url", "url of the page", "address of the page", "web address", "page's url", "current url", "current address", "url of this page", "link of the page") && c.end():
		in.Of = "url"
		return nil
	case c.takePhrase("title", "page title", "title of the page", "page's title", "title of the tab", "tab title", "title of this page") && c.end():
		in.Of = "title"
		return nil
	}
	c.i = at
	c.articles()
	switch {
	case c.takePhrase("number of", "count of", "how many"):
		in.Of = "count"
	case c.takePhrase("number in", "amount in", "number from", "amount from", "figure in", "value of", "value in", "content of", "contents of", "value from", "what is in", "entry in", "text in the field"):
		in.Of = "value"
		if c.is(c.i-1, "field") {
			c.i -= 2
			c.takePhrase("the")
		}
	case c.takePhrase("text of", "text in", "text from", "label of", "words in", "text inside", "wording of", "what it says in", "text that stands in"):
	case c.takePhrase("what"):
	default:
		c.i = at
	}
	quantity := in.Of == "value" && c.is(c.i-2, "number", "amount", "figure", "entry")
	t, bad := c.target(nil)
	if bad != nil {
		return bad
	}
	if quantity && isPlace(t) { // the amount in the row: what is called so there
		c.i, in.Of = at, ""
		if t, bad = c.target(nil); bad != nil {
			return bad
		}
	}
	c.takePhrase("says", "shows", "contains", "there are", "are shown", "are there", "is shown")
	if !c.end() {
		return c.wrong(c.i, len(c.toks), c.leftover())
	}
	in.Target = &t.t
	if w := strings.ToLower(t.t.Name); len(t.t.Within) > 0 && !t.quoted && t.t.Ordinal == 0 && (w == "" && t.t.Kind == "text" || w == "value" || w == "content" || w == "contents") {
		words := t.t.Words // the first row's text, the field's value
		in.Target = containerTarget(t.t.Within)
		in.Target.Words = words
	}
	return nil
}
