package playbook

import (
	"net/url"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// action reads the arguments of a verb.
func (c *clause) action(v verb, start int) ([]bus.Intent, *problem) {
	switch v {
	case vOpen, vGo:
		return c.open(v)
	case vBack, vForward:
		c.takePhrase("to the previous page", "to the last page", "one page", "a page", "in the browser", "to the next page", "in the history", "in history", "to the page before", "once", "one step")
		if v == vBack {
			return one(bus.Intent{Action: bus.ActionBack}), nil
		}
		return one(bus.Intent{Action: bus.ActionForward}), nil
	case vReload:
		return nil, c.wrong(0, len(c.toks), "reloading can send a form a second time; open the address again, or click the page's own button")
	case vClick, vDouble, vRight, vMiddle:
		return c.click(v)
	case vPress, vKey:
		return c.press(v)
	case vFill:
		return c.fill()
	case vType:
		if c.is(c.i-1, "down") && !c.end() && !c.toks[c.i].literal() && c.find(c.i, "as", "under") > 0 && c.find(c.i, "field", "box") < 0 {
			return c.remember() // write down the number as N
		}
		return c.typeInto()
	case vAppend:
		return c.appendTo()
	case vGive:
		return c.give()
	case vSet, vChange:
		return c.set(v)
	case vClear:
		return c.clear()
	case vReplace:
		return c.replace()
	case vSelect:
		return c.choose()
	case vCheck, vUncheck, vToggle:
		return c.check(v)
	case vTurn:
		return c.turn()
	case vUpload:
		return c.upload()
	case vDownload:
		return c.download()
	case vHover:
		t, bad := c.target(nil)
		if bad != nil {
			return nil, bad
		}
		return one(bus.Intent{Action: bus.ActionHover, Target: &t.t}), nil
	case vDrag:
		return c.drag()
	case vScroll:
		return c.scroll()
	case vAccept, vDismiss, vConfirm, vClose:
		return c.dialog(v)
	case vAnswer:
		return c.answer()
	case vSwitch:
		return c.switchTo()
	case vWait:
		return c.wait()
	case vExpect, vSee, vShould:
		checks, bad := c.checks()
		if bad != nil {
			return nil, bad
		}
		return one(bus.Intent{Action: bus.ActionExpectation, Expect: checks}), nil
	case vRemember:
		return c.remember()
	}
	if intents, done, bad := c.indirect(); done || bad != nil {
		return intents, bad
	}
	return nil, c.refused(start)
}

// indirect reads verbs that are no single action except in one use: use "A" as
// the name, delete the text in the field, submit with Enter.
func (c *clause) indirect() ([]bus.Intent, bool, *problem) {
	at := c.i
	switch {
	case c.verbIs("use"):
		if in := c.browserButton(); in != nil {
			return in, true, nil
		}
		if !c.end() && c.toks[c.i].literal() && c.find(c.i, "as", "for") > 0 {
			out, bad := c.typeInto()
			return out, true, bad
		}
	case c.verbIs("delete"), c.verbIs("remove"):
		if c.contents() {
			c.i = at
			out, bad := c.clear()
			return out, true, bad
		}
	case c.verbIs("submit"):
		if out := c.withKey(); out != nil {
			return out, true, nil
		}
	}
	c.i = at
	return nil, false, nil
}

// withKey reads "(it) with Enter", "by pressing Enter".
func (c *clause) withKey() []bus.Intent {
	at := c.i
	c.takePhrase("it", "the form", "the input", "the entry", "this", "your entry", "your input")
	if c.takePhrase("with", "by pressing", "by hitting", "using", "with the", "by pressing the") {
		if v, sure := c.key(); v != "" && sure && c.end() {
			return one(bus.Intent{Action: bus.ActionPress, Value: v})
		}
	}
	c.i = at
	return nil
}

func one(in bus.Intent) []bus.Intent { return []bus.Intent{in} }

// refused explains verbs that people use and that are no single action.
func (c *clause) refused(start int) *problem {
	p := c.wrong(start, len(c.toks), "this is no single action; say what to click and what to type")
	word := c.raw(start, c.i)
	switch w := strings.ToLower(word); {
	case strings.HasPrefix(w, "take a screenshot"):
		p.why = "the report takes pictures by itself, at failures and at the end"
	case w == "submit", w == "delete", w == "remove", w == "create", w == "buy", w == "pay", w == "undo", w == "expand", w == "collapse", w == "log in", w == "sign in", w == "log out", w == "sign out":
		p.forms = []string{`Click the button "` + word + `"`, `Press Enter`}
	case strings.HasPrefix(w, "search"):
		p.forms = []string{`Type "Acme" into the field "Search" and press Enter`}
	}
	return p
}

func looksLikeAddress(s string) bool {
	if s == "" || strings.ContainsAny(s, " \t") {
		return false
	}
	if strings.Contains(s, "://") || s[0] == '/' || s[0] == '?' || s[0] == '#' || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "localhost") || strings.HasPrefix(s, "about:") || strings.HasPrefix(s, "${") {
		return true
	}
	host, _, _ := strings.Cut(s, "/")
	i := strings.LastIndexByte(host, '.')
	return i > 0 && len(host)-i > 2 && !strings.HasSuffix(host, ".") && (strings.Contains(s, "/") || strings.HasPrefix(host, "www.") || len(host)-i <= 5)
}

// pageWords passes what says that an address follows: the start page, the
// following URL:, the page with the address.
func (c *clause) pageWords() {
	at := c.i
	for k := 0; k < 4 && c.i < len(c.toks)-1 && c.toks[c.i].kind == tokWord; k++ {
		if c.takePhrase("url", "address", "page at", "page", "web page", "website", "site", "link", "web address", "webpage", "page with the address", "page with the url", "web site", "homepage", "application", "app", "application at", "app at", "site at") {
			if c.is(c.i, ":") {
				c.i++
			}
			return
		}
		if c.i++; c.is(c.i, ":") { // our CRM: https://…
			c.i++
			return
		}
	}
	c.i = at
}

func (c *clause) open(v verb) ([]bus.Intent, *problem) {
	at := c.i
	c.articles()
	c.pageWords()
	if c.i == len(c.toks)-1 && (c.toks[c.i].literal() || c.toks[c.i].kind == tokWord) {
		if a := c.toks[c.i].text; looksLikeAddress(a) || c.toks[c.i].kind == tokQuoted && (strings.HasPrefix(a, "https://") || strings.HasPrefix(a, "http://")) {
			if u, err := url.Parse(a); err != nil && !strings.Contains(a, "${") || u != nil && u.Scheme == "javascript" {
				return nil, c.wrong(c.i, c.i+1, "this is no address that can be opened")
			}
			c.i++
			if !strings.Contains(a, "://") && a[0] != '/' && a[0] != '?' && a[0] != '#' && a[0] != '.' && !strings.HasPrefix(a, "${") && !strings.HasPrefix(a, "about:") {
				scheme := "https://"
				if strings.HasPrefix(a, "localhost") {
					scheme = "http://"
				}
				a = scheme + a
			}
			return one(bus.Intent{Action: bus.ActionOpen, Value: a}), nil
		}
	}
	c.i = at
	if c.takePhrase("the top", "the top of the page", "the start of the page", "the beginning of the page") && v == vGo && c.end() {
		return one(bus.Intent{Action: bus.ActionScroll, Value: "top"}), nil
	}
	c.i = at
	if c.takePhrase("the bottom", "the bottom of the page", "the end of the page", "the end") && v == vGo && c.end() {
		return one(bus.Intent{Action: bus.ActionScroll, Value: "bottom"}), nil
	}
	c.i = at
	if v == vGo {
		if c.takePhrase("the previous page", "the page before", "the last page") && c.end() {
			return one(bus.Intent{Action: bus.ActionBack}), nil
		}
		c.i = at
		if value, ok, bad := c.tab(); bad != nil {
			return nil, bad
		} else if ok && c.end() {
			return one(bus.Intent{Action: bus.ActionSwitchTab, Value: value}), nil
		}
		c.i = at
	}
	if c.takePhrase("a new tab", "new tab", "another tab", "a new window", "a second tab") {
		return nil, c.wrong(at, len(c.toks), "a run does not open empty tabs; open an address, or click what opens the tab")
	}
	t, bad := c.target(nil)
	if bad != nil {
		return nil, bad
	}
	if v == vGo && t.noun != nil && (t.t.Kind == "field" || t.t.Kind == "row" || t.t.Role == "heading" || t.t.Kind == "footer" || t.t.Kind == "table") {
		return nil, &problem{words: c.raw(at, len(c.toks)), why: "scroll to it, or click it?", forms: []string{`Scroll to "Terms"`, `Click the field "Name"`}}
	}
	if t.noun != nil && t.t.Kind == "page" {
		t.t.Kind, t.noun = "", nil // the "Customers" page is opened by what is called so
		if t.t.Name == "" {
			return nil, c.wrong(at, len(c.toks), "which page? Say its address, or what to click")
		}
	}
	return intentsFor(bus.Intent{Action: bus.ActionClick}, []*phrase{t}), nil
}

func (c *clause) click(v verb) ([]bus.Intent, *problem) {
	var base bus.Intent
	base.Action = bus.ActionClick
	switch v {
	case vDouble:
		base.Count = 2
	case vRight:
		base.Button = "right"
	case vMiddle:
		base.Button = "middle"
	}
	for k := 0; k < c.i; k++ {
		base.Modifiers = append(base.Modifiers, c.toks[k].mods...)
	}
	activates := c.verbIs("activate")
	if in := c.browserButton(); in != nil {
		return in, nil
	}
	if bad := c.clickTail(&base); bad != nil {
		return nil, bad
	}
	if c.is(c.i, "once", "twice") && c.i+1 < len(c.toks) {
		if c.is(c.i, "twice") {
			base.Count = 2
		}
		c.i++
	}
	c.takePhrase("in", "into", "inside", "on", "onto")
	list, bad := c.targets(nil)
	if bad != nil {
		return nil, bad
	}
	if activates && base.Action == bus.ActionClick {
		for _, p := range list { // what is activated is on afterwards, also if it was on before
			if p.t.Role == "checkbox" || p.t.Role == "switch" || p.t.Kind == "toggle" || p.noun == nil {
				base.Action = bus.ActionCheck
			}
		}
	}
	return intentsFor(base, list), nil
}

// browserButton reads what is the browser's own: its back button, and OK and
// Cancel of the dialogs that it shows for a page.
func (c *clause) browserButton() []bus.Intent {
	at := c.i
	c.articles()
	if c.takePhrase("browser") {
		if !c.end() && c.toks[c.i].kind == tokOwner {
			c.i++
		}
		for _, b := range [...]struct {
			word   string
			action bus.Action
		}{{"back", bus.ActionBack}, {"forward", bus.ActionForward}} {
			if c.take(b.word) && c.takePhrase("button", "arrow") && c.end() {
				return one(bus.Intent{Action: b.action})
			}
		}
	} else if back := c.is(c.i, "back"); (back || c.is(c.i, "forward")) && c.is(c.i+1, "button", "arrow") {
		c.i += 2
		if c.takePhrase("of the browser", "in the browser") && c.end() {
			if back {
				return one(bus.Intent{Action: bus.ActionBack})
			}
			return one(bus.Intent{Action: bus.ActionForward})
		}
	}
	c.i = at
	c.articles()
	if c.end() {
		c.i = at
		return nil
	}
	in := bus.Intent{}
	switch strings.ToLower(c.toks[c.i].text) {
	case "ok", "yes", "accept":
		in.Action, in.DialogAnswer = bus.ActionAccept, "accept"
	case "cancel", "no", "dismiss":
		in.Action, in.DialogAnswer = bus.ActionDismiss, "dismiss"
	}
	c.i++
	c.takePhrase("button")
	if in.Action != "" && c.takePhrase("in", "on", "of") && (c.find(c.i, "browser", "javascript", "native") >= 0) && c.dialogNoun() && c.end() {
		return one(in)
	}
	c.i = at
	return nil
}

func intentsFor(base bus.Intent, list []*phrase) []bus.Intent {
	var out []bus.Intent
	for _, p := range list {
		in := base
		t := p.t
		if in.Action == bus.ActionClick && p.noun != nil && p.noun.weak && p.quoted && (t.Kind == "message" || t.Kind == "text") {
			t.Kind = "" // the message "Invoice 1043" of a mail client: what is called so
		}
		in.Target = &t
		out = append(out, in)
	}
	return out
}

// clickTail takes "twice", "with the right mouse button", "while holding Shift"
// and purposes ("to continue") off the end.
func (c *clause) clickTail(in *bus.Intent) *problem {
	first := c.i + 1
	for k := first; k < len(c.toks); k++ {
		if c.toks[k].literal() {
			first = k + 1
		}
	}
	for k := first; k < len(c.toks); k++ {
		sub := &clause{sentence: c.sentence, toks: c.toks, i: k, verb: c.verb}
		switch {
		case sub.takePhrase("twice", "two times") && sub.end():
			in.Count = 2
		case sub.takePhrase("once", "one time") && sub.end():
		case sub.takePhrase("with the right mouse button", "with the right button", "using the right mouse button", "with right mouse button") && sub.end():
			in.Button = "right"
		case sub.takePhrase("with the middle mouse button", "with the middle button") && sub.end():
			in.Button = "middle"
		case sub.takePhrase("with the left mouse button", "with the left button", "with the mouse") && sub.end():
		case sub.takePhrase("while holding down", "while holding", "holding down", "holding", "with", "while pressing", "and hold") && sub.modifiers(in) && sub.end():
		case sub.takePhrase("to continue", "to proceed", "to go on", "to move on", "to finish", "to submit", "to submit the form", "to submit it", "to save", "to save it", "to save the changes", "to save changes", "to search", "to confirm", "to log in", "to sign in", "to start", "to close it", "to send it", "to open it", "to apply", "to apply it", "to apply the changes", "to complete the form", "to go to the next step", "to select it", "to send the form", "to confirm it", "to finish up") && sub.end():
		case sub.takePhrase("to download", "in order to download", "to start the download", "to export") && len(c.toks)-sub.i <= 3 && sub.noLiteral():
			in.Action = bus.ActionDownload
		default:
			continue
		}
		c.toks = c.toks[:k]
		if k > first {
			return c.clickTail(in) // one more before it
		}
	}
	return nil
}

func (c *clause) noLiteral() bool {
	for _, t := range c.toks[c.i:] {
		if t.literal() {
			return false
		}
	}
	return true
}

func (c *clause) modifiers(in *bus.Intent) bool {
	at := c.i
	var mods []string
	for {
		c.articles()
		m := ""
		if !c.end() {
			m = modifier(c.toks[c.i].low)
		}
		if m == "" {
			c.i = at
			return false
		}
		mods = append(mods, m)
		c.i++
		c.take("key")
		c.takePhrase("held down", "pressed down", "pressed", "down", "held")
		if c.i+1 >= len(c.toks) || modifier(c.toks[c.i+1].low) == "" && !c.is(c.i+1, "the") || !c.take("and", "+", "plus") {
			break
		}
	}
	c.take("keys")
	in.Modifiers = append(in.Modifiers, mods...)
	return true
}

func (c *clause) upload() ([]bus.Intent, *problem) {
	in := bus.Intent{Action: bus.ActionUpload}
	c.takePhrase("the file", "the files", "a file", "file", "files", "the document", "the image", "the picture", "the photo", "the csv file", "the csv", "the pdf", "the attachment", "the spreadsheet", "the attachments", "the documents")
	c.takePhrase("named", "called")
	stop := func(i int) bool {
		return c.is(i, "to", "into", "in", "using", "with", "through", "via", "for", "as", "and", "on", "at", "by")
	}
	for {
		if c.end() || stop(c.i) {
			return nil, c.wrong(0, len(c.toks), "which file? Name it in quotes, relative to the workflow's folder")
		}
		v, bad := c.value(stop)
		if bad != nil {
			return nil, bad
		}
		in.Values = append(in.Values, v.text)
		if !(c.is(c.i, "and", "&") || !c.end() && c.toks[c.i].text == ",") {
			break
		}
		for c.is(c.i, "and", "&") || !c.end() && c.toks[c.i].text == "," {
			c.i++
		}
	}
	if c.takePhrase("to", "into", "in", "using", "with", "through", "via", "for", "as", "on", "at", "by using", "by means of", "onto", "as the") {
		t, bad := c.target(nil)
		if bad != nil {
			return nil, bad
		}
		in.Target = &t.t
	} else {
		in.Target = c.useDest()
	}
	if in.Target == nil {
		in.Target = &bus.Target{Kind: "file"}
	}
	return one(in), nil
}

// useDest takes the phrase before the verb as the target.
func (c *clause) useDest() *bus.Target {
	if c.dest == nil || isPlace(c.dest) {
		return nil
	}
	t := c.dest.t
	c.dest = nil
	return &t
}

func (c *clause) download() ([]bus.Intent, *problem) {
	by := func(i int) bool {
		return c.is(i, "by", "with", "using", "via", "through") && !(c.is(i, "with") && c.is(i-1, "row", "card", "link", "button", "line"))
	}
	var t *phrase
	var bad *problem
	if !c.end() && !by(c.i) {
		if t, bad = c.target(by); bad != nil {
			return nil, bad
		}
	}
	c.takePhrase("as a file", "to disk", "as pdf", "as a pdf", "as csv")
	if !c.end() && by(c.i) {
		c.i++
		c.takePhrase("clicking on", "clicking", "pressing", "using", "click on", "means of", "tapping", "choosing")
		if t, bad = c.target(nil); bad != nil {
			return nil, bad
		}
	}
	if t == nil {
		t = &phrase{t: bus.Target{Name: "Download", Words: "download"}}
	}
	if n := strings.ToLower(t.t.Name); n == "file" || n == "document" || n == "it" || n == "attachment" {
		t.t.Name = "Download" // "the file" names nothing on the page
	}
	return one(bus.Intent{Action: bus.ActionDownload, Target: &t.t}), nil
}
