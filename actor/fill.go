package actor

import (
	"context"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// A held value is what a control holds (act.js, read).
type heldValue struct {
	Gone    bool    `json:"gone"`
	Value   *string `json:"value"`
	Text    string  `json:"text"`
	Masked  bool    `json:"masked"`
	Checked string  `json:"checked"`
	Timers  bool    `json:"timers"` // right after the input: the page has set some since
}

func (v heldValue) shown() string {
	if v.Value != nil {
		return *v.Value
	}
	return v.Text
}

func readValue(ctx context.Context, f *browser.Frame, ref string) (heldValue, error) {
	var v heldValue
	err := f.Call(ctx, &v, `(ref) => globalThis.__quartetAct.read(ref)`, ref)
	return v, err
}

// fill serves fill, type, clear and replace.
func (h *hand) fill(ctx context.Context) error {
	value, secret, err := h.a.expand(h.in.Value)
	if err != nil {
		return err
	}
	el := h.req.Attempt.Target
	o := readyOptions{Purpose: forFill, Arm: &arming{Kinds: fillEvents}, Secret: secret}
	switch h.in.Action {
	case bus.ActionFill, bus.ActionClear:
		o.Focus = focusAll
	case bus.ActionType:
		o.Focus = focusEnd
	}
	if el != nil {
		o.Name = el.Name
	}
	a, err := h.target(ctx, el, o)
	if err != nil {
		return err
	}
	if a.Select && h.in.Action == bus.ActionFill {
		h.in.Values = []string{value}
		return h.choose(ctx)
	}
	if a.Editable == "" {
		return refuse(bus.RefusedUnsupported, "%s takes no text", label(el.Role, el.Name))
	}
	if a.Held == nil {
		return refuse(bus.RefusedStale, "%s was removed by the page", a.ref)
	}
	before := *a.Held
	h.rec.ValueBefore, h.rec.Masked = before.shown(), before.Masked || secret
	if err := h.armAt(ctx, a, fillEvents...); err != nil {
		return err
	}
	h.mustLast(a.frame, a.ref, textLasts)
	aimed := a.at
	h.rec.Aimed = &aimed
	want := value
	switch h.in.Action {
	case bus.ActionClear:
		want = ""
	case bus.ActionType:
		want = before.shown() + value
	case bus.ActionReplace:
		find, _, err := h.a.expand(h.in.Find)
		if err != nil {
			return err
		}
		if find == "" || !strings.Contains(before.shown(), find) {
			return refuse(bus.RefusedNotFound, "the field does not hold %q", h.in.Find)
		}
		want = strings.ReplaceAll(before.shown(), find, value)
		if a.Editable == "rich" {
			err := h.replaceRich(ctx, a, find, value)
			return h.finishFill(ctx, a, want, err)
		}
	}
	if native := nativeInput(a.Type); native {
		v, ok := nativeValue(a.Type, want, before.shown())
		if !ok {
			return refuse(bus.RefusedUnsupported, "%q is no value for an input of type %s", want, a.Type)
		}
		want = v
		return h.finishFill(ctx, a, want, h.setNative(ctx, a, v))
	}
	if h.in.Action == bus.ActionType {
		err = h.typeKeys(ctx, a, value)
	} else {
		err = h.write(ctx, a, want)
	}
	return h.finishFill(ctx, a, want, err)
}

// finishFill reads back what the field holds and compares it by meaning. A
// field that took nothing from an insertion is typed into key by key, once.
func (h *hand) finishFill(ctx context.Context, a *aim, want string, err error) error {
	if err != nil {
		return h.unlessClosed(err)
	}
	var got heldValue
	err = a.frame.Call(ctx, &got, `(ref, token) => globalThis.__quartetAct.after(ref, token)`, a.ref, h.probe.token)
	if h.lasts != nil && err == nil {
		h.lasts.asked, h.lasts.since, h.lasts.pending = true, time.Now(), got.Timers
	}
	if err == nil && len(got.shown()) > len(want) && h.in.Action == bus.ActionFill && !nativeInput(a.Type) {
		got, err = h.dropCompletion(ctx, a, want, got)
	}
	if err == nil && !got.Gone && h.in.Action == bus.ActionFill && !nativeInput(a.Type) && want != "" &&
		!meansSame(got.shown(), want) && meansSame(got.shown(), h.rec.ValueBefore) {
		h.note("the field did not take the text at once; it was typed key by key")
		if h.lasts != nil {
			h.lasts.asked = false
		}
		if _, err := h.focus(ctx, a, focusAll); err != nil {
			return h.unlessClosed(err)
		}
		if err := h.keysFor(ctx, want); err != nil {
			return h.unlessClosed(err)
		}
		got, err = readValue(ctx, a.frame, a.ref)
	}
	h.want = want
	h.collect(ctx, "input", "beforeinput", "input")
	if err != nil || got.Gone {
		h.note("the field was gone after the input")
		return nil
	}
	h.takeValue(got)
	h.rec.Matches = new(meansSame(got.shown(), want))
	return nil
}

// dropCompletion takes away what the field has added to the text by itself, and
// left selected for the next key, as a person would who means just the text.
func (h *hand) dropCompletion(ctx context.Context, a *aim, want string, got heldValue) (heldValue, error) {
	var added bool
	if err := a.frame.Call(ctx, &added, `(ref, typed) => globalThis.__quartetAct.completed(ref, typed)`, a.ref, want); err != nil || !added || want == "" {
		return got, err
	}
	h.note("the field completed the text by itself; the rest was taken away")
	if h.lasts != nil {
		h.lasts.asked = false
	}
	if err := h.send(ctx, chord{key: namedKeys["Delete"]}); err != nil {
		return got, err
	}
	return readValue(ctx, a.frame, a.ref)
}

func (h *hand) takeValue(v heldValue) {
	h.rec.Masked = h.rec.Masked || v.Masked
	h.rec.ValueAfter = v.shown()
}

// What is selected in a field that gets the focus.
const (
	focusAll = "all"
	focusEnd = "end"
)

// fillEvents are what a text that comes into a field may be seen by.
var fillEvents = []string{"beforeinput", "input", "change", "keydown"}

// focused is the answer of __quartetAct.focus.
type focused struct {
	OK       bool   `json:"ok"`
	Gone     bool   `json:"gone"`
	Editable string `json:"editable"`
}

// focus gives the field the focus, by the page first and by a click where the
// page does not let it be taken.
func (h *hand) focus(ctx context.Context, a *aim, all string) (editable string, err error) {
	if f := a.Focus; f != nil && f.OK {
		a.Focus = nil // it may go again
		return f.Editable, nil
	}
	var f focused
	for try := range 2 {
		if err := a.frame.Call(ctx, &f, `(ref, all) => globalThis.__quartetAct.focus(ref, all)`, a.ref, all); err != nil {
			return "", err
		}
		if f.Gone {
			return "", refuse(bus.RefusedStale, "%s was removed by the page", a.ref)
		}
		if f.OK {
			return f.Editable, nil
		}
		if try == 0 {
			if err := h.clickOn(ctx, a, nil); err != nil {
				return "", err
			}
		}
	}
	return "", refuse(bus.RefusedUnsupported, "%s does not take the focus", a.ref)
}

func (h *hand) replaceRich(ctx context.Context, a *aim, find, value string) error {
	if _, err := h.focus(ctx, a, ""); err != nil {
		return err
	}
	for range 100 {
		var ok bool
		if err := a.frame.Call(ctx, &ok, `(ref, w) => globalThis.__quartetAct.selectWords(ref, w)`, a.ref, find); err != nil {
			return err
		}
		if !ok {
			return nil
		}
		h.rec.Sent = true
		var err error
		if value == "" {
			err = h.send(ctx, chord{key: namedKeys["Delete"]})
		} else {
			err = h.insert(ctx, value)
		}
		if err != nil || strings.Contains(value, find) {
			return err
		}
	}
	return nil
}

func (h *hand) setNative(ctx context.Context, a *aim, value string) error {
	h.rec.Sent = true
	h.note("the value of the input of type %s was set as its own picker does", a.Type)
	var r struct {
		OK bool `json:"ok"`
	}
	if err := a.frame.Call(ctx, &r, `(ref, v) => globalThis.__quartetAct.setNative(ref, v)`, a.ref, value); err != nil {
		return err
	}
	if !r.OK {
		return refuse(bus.RefusedStale, "%s was removed by the page", a.ref)
	}
	return nil
}

// nativeInput tells the inputs whose parts are not written as plain text.
func nativeInput(t string) bool {
	switch t {
	case "date", "time", "month", "week", "datetime-local", "color", "range":
		return true
	}
	return false
}

var (
	clockTime = regexp.MustCompile(`^\s*(\d{1,2}):(\d{2})(?::\d{2})?\s*([ap]m)?\s*$`)
	hexColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)
	number    = regexp.MustCompile(`^-?\d+([.,]\d+)?$`)
)

// nativeValue writes a person's value in the input's own form.
func nativeValue(inputType, value, keep string) (string, bool) {
	if value == "" {
		return "", inputType != "range" && inputType != "color"
	}
	switch inputType {
	case "time":
		m := clockTime.FindStringSubmatch(strings.ToLower(value))
		if m == nil {
			return "", false
		}
		hour := num(m[1])
		if m[3] == "pm" && hour < 12 {
			hour += 12
		} else if m[3] == "am" && hour == 12 {
			hour = 0
		}
		if hour > 23 || num(m[2]) > 59 {
			return "", false
		}
		return time.Date(2000, 1, 1, hour, num(m[2]), 0, 0, time.UTC).Format("15:04"), true
	case "color":
		return strings.ToLower(value), hexColour.MatchString(value)
	case "range":
		v := strings.ReplaceAll(strings.TrimSpace(value), ",", ".")
		return v, number.MatchString(v)
	case "month", "week":
		if ok, _ := regexp.MatchString(map[string]string{"month": `^\d{4}-\d{2}$`, "week": `^\d{4}-W\d{2}$`}[inputType], value); ok {
			return value, true
		}
	case "datetime-local":
		if ok, _ := regexp.MatchString(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}`, value); ok {
			return value, true
		}
	}
	ds := datesIn(value)
	if len(ds) != 1 {
		return "", false // none, or 03/04/2026 that can mean two days
	}
	t, err := time.Parse(time.DateOnly, ds[0])
	if err != nil {
		return "", false
	}
	return nativeDate(t, inputType, keep)
}

// meansSame compares what a field holds with what was meant: exactly, else
// without the separators that a mask adds, else as numbers.
func meansSame(got, want string) bool {
	if got == want {
		return true
	}
	g, w := strings.TrimSpace(strings.ReplaceAll(got, "\r\n", "\n")), strings.TrimSpace(strings.ReplaceAll(want, "\r\n", "\n"))
	if g == w {
		return true
	}
	if g == "" || w == "" {
		return false
	}
	if d := datesIn(w); len(d) > 0 {
		return readsAs(g, d[0]) == d[0]
	}
	return strings.ContainsFunc(w, unicode.IsDigit) && bareOf(g) == bareOf(w) && bareOf(g) != ""
}

// bareOf drops what masks and number formats add: spaces, dashes, brackets,
// slashes, currency signs, and dots and commas between groups of three digits.
// The sign and the decimals stay.
func bareOf(s string) string {
	var b strings.Builder
	rs := []rune(s)
	for i, r := range rs {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			b.WriteRune(r)
		case r == '-' && i == 0, strings.ContainsRune("@#&?=%:", r):
			b.WriteRune(r)
		case r == '.' || r == ',':
			n := i + 1
			for n < len(rs) && unicode.IsDigit(rs[n]) {
				n++
			}
			if digits := n - i - 1; digits > 0 && digits != 3 && i > 0 && unicode.IsDigit(rs[i-1]) {
				b.WriteRune('.')
			}
		}
	}
	return b.String()
}

// readBack reads the target's value again after the page has settled: a page
// may format or refuse it late.
func (h *hand) readBack(ctx context.Context) {
	if h.rec.Target == nil || h.rec.Matches == nil || h.rec.Crashed {
		return
	}
	switch h.in.Action {
	case bus.ActionFill, bus.ActionType, bus.ActionClear, bus.ActionReplace:
	default:
		return
	}
	h.frames = nil
	f, err := h.frameOf(ctx, h.rec.Target.Ref)
	if err != nil {
		return
	}
	v, err := readValue(ctx, f, h.rec.Target.Ref)
	if err != nil || v.Gone {
		return
	}
	if now := v.shown(); now != h.rec.ValueAfter {
		h.takeValue(v)
		h.rec.Matches = new(meansSame(now, h.want))
		h.note("the page changed the value after the input")
	}
}
