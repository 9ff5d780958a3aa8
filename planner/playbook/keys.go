package playbook

import (
	"strings"
	"unicode/utf8"

	"github.com/quartet-agents/quartet/bus"
)

func modifier(w string) string {
	switch w {
	case "ctrl", "control", "strg":
		return "Control"
	case "shift":
		return "Shift"
	case "alt", "option":
		return "Alt"
	case "cmd", "command", "meta", "⌘", "super", "win":
		return "Meta"
	}
	return ""
}

// heldKeys puts the keys of "Ctrl-click" and "hold Shift and click" on the verb.
func heldKeys(toks []token) []token {
	out := toks[:0:0]
	var held []string
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.kind == tokWord {
			if n, mods := holding(toks[i:]); n > 0 {
				held, i = mods, i+n-1
				continue
			}
			if key, verb, ok := strings.Cut(strings.ReplaceAll(t.low, "+", "-"), "-"); ok && modifier(key) != "" && (verb == "click" || verb == "clicking" || verb == "clicks") {
				t.low, t.mods = verb, []string{modifier(key)}
			}
			if held != nil {
				if v, _ := matchVerbForm(toks, i); v != "" {
					t.mods, held = append(t.mods, held...), nil
				}
			}
		}
		out = append(out, t)
	}
	if held != nil {
		return toks
	}
	return out
}

// holding matches "hold down the Shift key and", with a click after it.
func holding(toks []token) (length int, mods []string) {
	c := &clause{toks: toks}
	if !c.takePhrase("hold", "hold down", "keep", "press and hold", "press and hold down") {
		return 0, nil
	}
	var in bus.Intent
	if !c.modifiers(&in) || !c.takePhrase("and", ",", "while you", "while", "and then", "then") && !c.takePhrase("pressed and", "pressed ,") {
		return 0, nil
	}
	switch v, _ := matchVerbForm(toks, c.i); v {
	case vClick, vDouble, vRight, vSelect:
		return c.i, in.Modifiers
	}
	return 0, nil
}

// keyName is the name of a key as browsers have it, or "". Label says that the
// word is as often a button's label, so that alone it can't be told.
func keyName(w string) (name string, label bool) {
	switch w {
	case "enter", "return":
		return "Enter", false
	case "esc", "escape":
		return "Escape", false
	case "tab", "tabulator":
		return "Tab", false
	case "space", "spacebar", "space bar":
		return "Space", false
	case "backspace":
		return "Backspace", false
	case "delete", "del":
		return "Delete", w == "delete"
	case "insert":
		return "Insert", true
	case "home":
		return "Home", true
	case "end":
		return "End", true
	case "pageup", "page up", "pgup", "page-up":
		return "PageUp", false
	case "pagedown", "page down", "pgdn", "page-down", "pgdown":
		return "PageDown", false
	case "up", "arrow up", "arrowup", "up arrow", "up-arrow", "cursor up":
		return "ArrowUp", w == "up"
	case "down", "arrow down", "arrowdown", "down arrow", "down-arrow", "cursor down":
		return "ArrowDown", w == "down"
	case "left", "arrow left", "arrowleft", "left arrow", "left-arrow", "cursor left":
		return "ArrowLeft", w == "left"
	case "right", "arrow right", "arrowright", "right arrow", "right-arrow", "cursor right":
		return "ArrowRight", w == "right"
	}
	if len(w) > 1 && w[0] == 'f' && strings.Trim(w[1:], "0123456789") == "" && len(w) <= 3 && w != "f0" {
		return strings.ToUpper(w), false
	}
	return "", false
}

// chord reads "ctrl+shift+s" or one key's name.
func chord(text string) (value string, label bool) {
	low := strings.ToLower(strings.TrimSpace(text))
	if name, label := keyName(low); name != "" {
		return name, label
	}
	sep := "+"
	if !strings.Contains(low, "+") && strings.Contains(low, "-") {
		sep = "-"
	}
	parts := strings.Split(low, sep)
	if len(parts) < 2 {
		return "", false
	}
	var out []string
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if i < len(parts)-1 {
			m := modifier(p)
			if m == "" {
				return "", false
			}
			out = append(out, m)
			continue
		}
		name, _ := keyName(p)
		if name == "" && utf8.RuneCountInString(p) == 1 {
			name = strings.ToUpper(p)
		}
		if name == "" {
			return "", false
		}
		out = append(out, name)
	}
	return strings.Join(out, "+"), false
}

// key reads one key or chord at the clause's place. Sure says that the sentence
// says "key" or that the word can be nothing else.
func (c *clause) key() (value string, sure bool) {
	at := c.i
	c.articles()
	said := c.takePhrase("key combination", "keyboard shortcut", "shortcut", "key", "keys", "combination", "letter", "key named")
	if c.end() {
		c.i = at
		return "", false
	}
	quoted := c.toks[c.i].kind == tokQuoted
	for n := min(5, len(c.toks)-c.i); n > 0; n-- {
		text := c.raw(c.i, c.i+n)
		if quoted {
			if n > 1 {
				continue
			}
			text = c.toks[c.i].text
		}
		v, label := chord(strings.ReplaceAll(strings.ReplaceAll(text, " + ", "+"), " and ", "+"))
		if v == "" && n == 1 && (said || c.is(c.i+1, "key")) && utf8.RuneCountInString(text) == 1 {
			v = text
		}
		if v == "" {
			continue
		}
		c.i += n
		named := c.takePhrase("key", "keys", "button on the keyboard", "on the keyboard", "key on the keyboard", "arrow key", "arrow")
		if !named && !said && c.i < len(c.toks) && (c.is(c.i, "button", "link", "tab", "icon")) {
			break
		}
		return v, said || named || !label && (!quoted || v != "Space")
	}
	c.i = at
	return "", false
}

func (c *clause) press(v verb) ([]bus.Intent, *problem) {
	at := c.i
	value, sure := c.key()
	if value == "" {
		if v == vKey {
			return nil, c.wrong(at, len(c.toks), "this is no key that is known")
		}
		if n := len(c.toks) - 1; n > at && c.is(n, "key", "keys") && !c.toks[n-1].literal() {
			return nil, c.wrong(at, len(c.toks), "this is no key that is known")
		}
		c.i = at
		return c.click(vClick)
	}
	if !sure && v != vKey {
		word := strings.Trim(c.raw(at, c.i), `"'`)
		return nil, &problem{words: c.raw(at, c.i), why: "the key or a button with that label?", forms: []string{"Press the " + word + " key", `Press the button "` + word + `"`}}
	}
	values := []string{value}
	times := c.times()
	for k := 1; k < times; k++ {
		values = append(values, value)
	}
	for {
		j := c.i
		for j < len(c.toks) && (c.joins(j) || isFiller(c.toks[j].low)) && !c.is(j, "or") {
			j++
		}
		if j == c.i || j >= len(c.toks) {
			break
		}
		back := c.i
		c.i = j
		quoted := c.toks[j].literal()
		next, sure := c.key()
		if next == "" || quoted && !sure {
			c.i = back
			break
		}
		for k := c.times(); k > 0; k-- {
			values = append(values, next)
		}
	}
	base := bus.Intent{Action: bus.ActionPress}
	if bad := c.clickTail(&base); bad != nil {
		return nil, bad
	}
	base.Modifiers, base.Count, base.Button = nil, 0, ""
	if c.takePhrase("in", "into", "inside", "on", "while in", "within", "with the focus in", "with the cursor in", "at", "for") {
		t, bad := c.target(nil)
		if bad != nil {
			return nil, bad
		}
		if t.noun == nil || t.t.Kind != "page" {
			base.Target = &t.t
		}
	} else if c.dest != nil && c.dest.noun != nil && (c.dest.t.Kind == "field" || c.dest.t.Kind == "list" || c.dest.t.Kind == "box" || c.dest.t.Kind == "date") {
		base.Target = c.useDest()
	}
	if !c.end() {
		c.times()
	}
	var out []bus.Intent
	for _, v := range values {
		in := base
		in.Value = v
		out = append(out, in)
	}
	return out, nil
}

// times reads "twice", "3 times"; at most 20.
func (c *clause) times() int {
	switch {
	case c.takePhrase("twice"):
		return 2
	case c.takePhrase("once"):
		return 1
	}
	if c.i+1 < len(c.toks) && c.is(c.i+1, "times", "time") {
		if n, ok := number(c.toks[c.i].low); ok && n > 0 && n <= 20 {
			c.i += 2
			return n
		}
	}
	return 1
}
