package actor

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// Modifier bits of CDP input events.
const (
	modAlt   = 1
	modCtrl  = 2
	modMeta  = 4
	modShift = 8
)

// A chord is a key with its modifiers, ready to be sent.
type chord struct {
	mods int64
	held []kb.Key // the modifier keys themselves, in order of pressing
	key  kb.Key
}

// keyNames maps what people write to the DOM's names, lower-cased.
var keyNames = map[string]string{
	"return": "Enter", "enter": "Enter", "esc": "Escape", "escape": "Escape", "del": "Delete", "delete": "Delete",
	"ins": "Insert", "insert": "Insert", "backspace": "Backspace", "tab": "Tab", "space": " ", "spacebar": " ",
	"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
	"arrowup": "ArrowUp", "arrowdown": "ArrowDown", "arrowleft": "ArrowLeft", "arrowright": "ArrowRight",
	"pageup": "PageUp", "pgup": "PageUp", "pagedown": "PageDown", "pgdn": "PageDown", "home": "Home", "end": "End",
	"contextmenu": "ContextMenu", "plus": "+", "minus": "-",
}

// namedKeys are the keys that have no character, by DOM name: code and the
// Windows virtual key code.
var namedKeys = map[string]kb.Key{
	"Enter":       {Code: "Enter", Key: "Enter", Text: "\r", Unmodified: "\r", Windows: 13, Native: 13, Print: true},
	"Escape":      {Code: "Escape", Key: "Escape", Windows: 27, Native: 27},
	"Delete":      {Code: "Delete", Key: "Delete", Windows: 46, Native: 46},
	"Insert":      {Code: "Insert", Key: "Insert", Windows: 45, Native: 45},
	"Backspace":   {Code: "Backspace", Key: "Backspace", Windows: 8, Native: 8},
	"Tab":         {Code: "Tab", Key: "Tab", Windows: 9, Native: 9},
	"ArrowLeft":   {Code: "ArrowLeft", Key: "ArrowLeft", Windows: 37, Native: 37},
	"ArrowUp":     {Code: "ArrowUp", Key: "ArrowUp", Windows: 38, Native: 38},
	"ArrowRight":  {Code: "ArrowRight", Key: "ArrowRight", Windows: 39, Native: 39},
	"ArrowDown":   {Code: "ArrowDown", Key: "ArrowDown", Windows: 40, Native: 40},
	"PageUp":      {Code: "PageUp", Key: "PageUp", Windows: 33, Native: 33},
	"PageDown":    {Code: "PageDown", Key: "PageDown", Windows: 34, Native: 34},
	"End":         {Code: "End", Key: "End", Windows: 35, Native: 35},
	"Home":        {Code: "Home", Key: "Home", Windows: 36, Native: 36},
	"ContextMenu": {Code: "ContextMenu", Key: "ContextMenu", Windows: 93, Native: 93},
}

var modifierKeys = map[string]struct {
	bit int64
	key kb.Key
}{
	"alt":     {modAlt, kb.Key{Code: "AltLeft", Key: "Alt", Windows: 18, Native: 18}},
	"option":  {modAlt, kb.Key{Code: "AltLeft", Key: "Alt", Windows: 18, Native: 18}},
	"control": {modCtrl, kb.Key{Code: "ControlLeft", Key: "Control", Windows: 17, Native: 17}},
	"ctrl":    {modCtrl, kb.Key{Code: "ControlLeft", Key: "Control", Windows: 17, Native: 17}},
	"strg":    {modCtrl, kb.Key{Code: "ControlLeft", Key: "Control", Windows: 17, Native: 17}},
	"meta":    {modMeta, kb.Key{Code: "MetaLeft", Key: "Meta", Windows: 91, Native: 91}},
	"cmd":     {modMeta, kb.Key{Code: "MetaLeft", Key: "Meta", Windows: 91, Native: 91}},
	"command": {modMeta, kb.Key{Code: "MetaLeft", Key: "Meta", Windows: 91, Native: 91}},
	"shift":   {modShift, kb.Key{Code: "ShiftLeft", Key: "Shift", Windows: 16, Native: 16}},
}

// modifierBits turns names of modifiers into CDP's bit field.
func modifierBits(names []string) (int64, error) {
	var bits int64
	for _, n := range names {
		m, ok := modifierKeys[strings.ToLower(n)]
		if !ok {
			return 0, fmt.Errorf("unknown modifier %q; known: Alt, Control, Meta, Shift", n)
		}
		bits |= m.bit
	}
	return bits, nil
}

// parseChord reads "Enter", "a", "Control+Shift+S", "Ctrl++".
func parseChord(s string) (chord, error) {
	var c chord
	s = strings.TrimSpace(s)
	parts := splitChord(s)
	if len(parts) == 0 {
		return c, fmt.Errorf("no key given")
	}
	for _, p := range parts[:len(parts)-1] {
		m, ok := modifierKeys[strings.ToLower(p)]
		if !ok {
			return c, fmt.Errorf("unknown modifier %q in %q; known: Alt, Control, Meta, Shift", p, s)
		}
		if c.mods&m.bit == 0 {
			c.held = append(c.held, m.key)
		}
		c.mods |= m.bit
	}
	last := parts[len(parts)-1]
	if m, ok := modifierKeys[strings.ToLower(last)]; ok {
		c.key = m.key
		return c, nil
	}
	if c.mods&(modCtrl|modMeta|modAlt) != 0 && len(last) == 1 {
		last = strings.ToLower(last) // "Control+S" names the key, not Shift
	}
	k, err := keyOf(last)
	if err != nil {
		return c, err
	}
	if c.mods&modShift != 0 && len(k.Key) == 1 && k.Key[0] >= 'a' && k.Key[0] <= 'z' {
		k.Key = strings.ToUpper(k.Key)
		k.Text = k.Key
	}
	if k.Shift && c.mods&modShift == 0 {
		c.mods |= modShift
	}
	if c.mods&(modCtrl|modMeta|modAlt) != 0 {
		k.Text, k.Unmodified = "", "" // a shortcut writes nothing
	}
	c.key = k
	return c, nil
}

func splitChord(s string) []string {
	if s == "" || s == "+" {
		return slices.DeleteFunc([]string{s}, func(x string) bool { return x == "" })
	}
	plus := strings.HasSuffix(s, "++")
	if plus {
		s = strings.TrimSuffix(s, "++")
	}
	var out []string
	for p := range strings.SplitSeq(s, "+") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	if plus {
		out = append(out, "+")
	}
	return out
}

// keyOf finds a key by a person's name for it, a DOM name, or its character.
func keyOf(name string) (kb.Key, error) {
	if n, ok := keyNames[strings.ToLower(strings.ReplaceAll(name, " ", ""))]; ok {
		name = n
	}
	if k, ok := namedKeys[name]; ok {
		return k, nil
	}
	if len(name) > 1 && (name[0] == 'F' || name[0] == 'f') {
		var n int64
		if _, err := fmt.Sscanf(name[1:], "%d", &n); err == nil && n >= 1 && n <= 12 && fmt.Sprint(n) == name[1:] {
			f := fmt.Sprintf("F%d", n)
			return kb.Key{Code: f, Key: f, Windows: 111 + n, Native: 111 + n}, nil
		}
	}
	if utf8.RuneCountInString(name) == 1 {
		r, _ := utf8.DecodeRuneInString(name)
		if k, ok := kb.Keys[r]; ok {
			return *k, nil
		}
		return kb.Key{Key: name, Text: name, Unmodified: name, Print: true}, nil
	}
	return kb.Key{}, fmt.Errorf("unknown key %q; a key is a character or a name such as Enter, Tab, Escape, ArrowDown, F5", name)
}

// events are the key events of a chord, in order.
func (c chord) events() []input.DispatchKeyEventParams {
	var out []input.DispatchKeyEventParams
	var mods int64
	for _, m := range c.held {
		mods |= bitOf(m)
		out = append(out, keyEvent(input.DispatchKeyEventTypeRawKeyDown, m, mods))
	}
	down := keyEvent(input.DispatchKeyEventTypeRawKeyDown, c.key, c.mods)
	if c.key.Text != "" {
		down.Type = input.DispatchKeyEventTypeKeyDown
	}
	down.Commands = editCommands(c)
	out = append(out, down, keyEvent(input.DispatchKeyEventTypeKeyUp, c.key, c.mods))
	for _, m := range slices.Backward(c.held) {
		mods &^= bitOf(m)
		out = append(out, keyEvent(input.DispatchKeyEventTypeKeyUp, m, mods))
	}
	return out
}

// editCommands are what a browser with a window would do on the shortcut by
// itself; sent events don't pass through the window's keymap.
func editCommands(c chord) []string {
	if c.mods&^modShift != modCtrl && c.mods&^modShift != modMeta {
		return nil
	}
	switch strings.ToLower(c.key.Key) {
	case "a":
		return []string{"selectAll"}
	case "c":
		return []string{"copy"}
	case "x":
		return []string{"cut"}
	case "v":
		return []string{"paste"}
	case "z":
		if c.mods&modShift != 0 {
			return []string{"redo"}
		}
		return []string{"undo"}
	case "y":
		return []string{"redo"}
	}
	return nil
}

func bitOf(k kb.Key) int64 {
	return modifierKeys[strings.ToLower(k.Key)].bit
}

func keyEvent(t input.DispatchKeyEventType, k kb.Key, mods int64) input.DispatchKeyEventParams {
	p := input.DispatchKeyEventParams{
		Type: t, Modifiers: mods, Code: k.Code, Key: k.Key,
		WindowsVirtualKeyCode: k.Windows, NativeVirtualKeyCode: k.Native,
	}
	if t != input.DispatchKeyEventTypeKeyUp {
		p.Text, p.UnmodifiedText = k.Text, k.Unmodified
	}
	return p
}

// typeable tells whether a rune is on the keyboard table; others are inserted
// as an input method would.
func typeable(r rune) (chord, bool) {
	if r == '\n' || r == '\r' {
		return chord{key: namedKeys["Enter"]}, true
	}
	if r == '\t' {
		return chord{key: namedKeys["Tab"]}, true
	}
	k, ok := kb.Keys[r]
	if !ok || !k.Print || k.Text == "" {
		return chord{}, false
	}
	c := chord{key: *k}
	if k.Shift {
		c.mods = modShift
	}
	return c, true
}
