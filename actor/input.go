package actor

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// Input modes: events come from the browser, as a person's do, or are dispatched
// in the page by a script (inpage.js). Of the latter the page can tell that they
// are not a person's, and they skip what only the browser does with real ones.
const (
	InputBrowser = "browser"
	InputPage    = "page"
)

func (h *hand) inPage() bool { return h.a.o.Input == InputPage }

// mouse sends one mouse event, in coordinates of the top viewport; the browser
// routes it to the frame under the point. While a dialog is open the browser
// holds the event back, so the call ends when the dialog was answered.
func (h *hand) mouse(ctx context.Context, p input.DispatchMouseEventParams) error {
	if h.inPage() {
		return h.pointIn(ctx, p)
	}
	_, err := cdp.Call(ctx, h.tab.Session(), input.DispatchMouseEvent, p)
	return err
}

// keys sends key events to what has the focus.
func (h *hand) keys(ctx context.Context, events []input.DispatchKeyEventParams) error {
	if !h.inPage() {
		return h.tab.Keys(ctx, events)
	}
	type key struct {
		Type      input.DispatchKeyEventType `json:"type"`
		Key       string                     `json:"key"`
		Code      string                     `json:"code"`
		KeyCode   int64                      `json:"keyCode"`
		Text      string                     `json:"text"`
		Modifiers int64                      `json:"modifiers"`
	}
	list := make([]key, len(events))
	for i, e := range events {
		list[i] = key{e.Type, e.Key, e.Code, e.WindowsVirtualKeyCode, e.Text, e.Modifiers}
	}
	f, err := h.inputFrame(ctx)
	if err != nil {
		return err
	}
	return f.Call(ctx, nil, `(list) => globalThis.__quartetAct.keys(list)`, list)
}

// insertText puts a text in where the caret is, at once.
func (h *hand) insertText(ctx context.Context, text string) error {
	if h.inPage() {
		f, err := h.inputFrame(ctx)
		if err != nil {
			return err
		}
		return f.Call(ctx, nil, `(text) => globalThis.__quartetAct.insert(text)`, text)
	}
	_, err := cdp.Call(ctx, h.tab.Session(), input.InsertText, input.InsertTextParams{Text: text})
	return err
}

// pointIn dispatches a mouse event in the frame that was aimed at last.
func (h *hand) pointIn(ctx context.Context, p input.DispatchMouseEventParams) error {
	f, err := h.inputFrame(ctx)
	if err != nil {
		return err
	}
	at := bus.Point{X: p.X, Y: p.Y}
	if a := h.aimed; a != nil {
		at = bus.Point{X: p.X - a.at.X + a.local.X, Y: p.Y - a.at.Y + a.local.Y}
	}
	return f.Call(ctx, nil, `(o) => globalThis.__quartetAct.pointer(o)`, map[string]any{
		"type": p.Type, "x": at.X, "y": at.Y, "button": p.Button, "buttons": p.Buttons, "mods": p.Modifiers, "count": p.ClickCount,
	})
}

// inputFrame is the frame that was aimed at last, else the top one.
func (h *hand) inputFrame(ctx context.Context) (*browser.Frame, error) {
	if h.aimed != nil {
		return h.aimed.frame, nil
	}
	if h.frames == nil {
		fs, err := h.tab.Frames(ctx)
		if err != nil {
			return nil, err
		}
		h.frames = fs
	}
	if len(h.frames) == 0 {
		return nil, browser.ErrTabGone
	}
	return h.frames[0], nil
}
