package actor

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// typedMax is the longest text that is typed key by key, in characters: every
// key costs most of a millisecond, and a page that does something on each.
const typedMax = 10

// write replaces what the field holds. Pages listen to keys as well as to
// input, so that a short text is typed as a person would; of a longer one all
// but the last character comes in at once, and that by its key. A text that no
// keyboard writes, and one for an editor (which makes lists, links and mentions
// of what is typed), comes in at once, between the events of a key.
func (h *hand) write(ctx context.Context, a *aim, text string) error {
	editable, err := h.focus(ctx, a, focusAll)
	if err != nil {
		return err
	}
	h.rec.Sent = true
	if editable == "rich" {
		// The editor's own selection follows its own shortcut.
		all, _ := parseChord("Control+a")
		if err := h.send(ctx, all); err != nil {
			return err
		}
	}
	switch {
	case text == "":
		return h.send(ctx, chord{key: namedKeys["Delete"]})
	case editable == "rich" || !plain(text):
		return h.insert(ctx, text)
	case utf8.RuneCountInString(text) > typedMax:
		_, n := utf8.DecodeLastRuneInString(text)
		if err := h.insertText(ctx, text[:len(text)-n]); err != nil {
			return err
		}
		text = text[len(text)-n:]
	}
	return h.keysFor(ctx, text)
}

// plain holds for a text that is written by keys that do nothing else.
func plain(text string) bool {
	return !strings.ContainsAny(text, "\r\n\t") && !strings.ContainsFunc(text, func(r rune) bool { _, ok := typeable(r); return !ok })
}

// insert puts a text in as one insertion, between the events of the key that
// writes its last character; of none in particular, as an input method says,
// where no key does.
func (h *hand) insert(ctx context.Context, text string) error {
	h.rec.Sent = true
	last, _ := utf8.DecodeLastRuneInString(text)
	c, ok := typeable(last)
	if !ok || last == '\n' || last == '\r' || last == '\t' {
		c = chord{key: kb.Key{Key: "Process", Windows: 229, Native: 229}}
	}
	down := keyEvent(input.DispatchKeyEventTypeRawKeyDown, c.key, c.mods)
	down.Text, down.UnmodifiedText = "", "" // the insertion writes it
	if err := h.keys(ctx, []input.DispatchKeyEventParams{down}); err != nil {
		return err
	}
	if err := h.insertText(ctx, text); err != nil {
		return err
	}
	return h.keys(ctx, []input.DispatchKeyEventParams{keyEvent(input.DispatchKeyEventTypeKeyUp, c.key, c.mods)})
}

// typeKeys types after what the field holds.
func (h *hand) typeKeys(ctx context.Context, a *aim, text string) error {
	if _, err := h.focus(ctx, a, focusEnd); err != nil {
		return err
	}
	return h.keysFor(ctx, text)
}

// keysFor types into the focus, key by key; what no key writes is inserted.
func (h *hand) keysFor(ctx context.Context, text string) error {
	h.rec.Sent = true
	var keys []input.DispatchKeyEventParams
	for _, r := range text {
		if c, ok := typeable(r); ok {
			keys = append(keys, c.events()...)
			continue
		}
		if err := h.keys(ctx, keys); err != nil {
			return err
		}
		keys = nil
		if err := h.insert(ctx, string(r)); err != nil {
			return err
		}
	}
	return h.keys(ctx, keys)
}

// send sends the key events of a chord.
func (h *hand) send(ctx context.Context, c chord) error {
	h.rec.Sent = true
	return h.keys(ctx, c.events())
}
