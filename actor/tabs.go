package actor

import (
	"context"
	"slices"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// switchTab makes another tab the current one. It touches no page: which tab is
// current is a matter of the session, and no window is raised.
func (h *hand) switchTab(ctx context.Context) error {
	tabs, err := h.a.pool.Tabs(ctx, h.sess)
	if err != nil {
		return err
	}
	t, err := pickTab(tabs, h.sess.Tab, h.in.Value)
	if err != nil {
		return err
	}
	h.rec.Tab, h.rec.Sent = t.ID, true
	return nil
}

// pickTab finds the tab that a person's words mean: an id, "new", "previous",
// "next", "first", "last", a title or a part of the URL.
func pickTab(tabs []bus.Tab, current, words string) (bus.Tab, error) {
	w := strings.TrimSpace(words)
	at := slices.IndexFunc(tabs, func(t bus.Tab) bool { return t.ID == current })
	pick := func(i int) (bus.Tab, error) {
		if i < 0 || i >= len(tabs) {
			return bus.Tab{}, refuse(bus.RefusedNotFound, "there is no such tab; %s", listTabs(tabs))
		}
		return tabs[i], nil
	}
	switch strings.ToLower(w) {
	case "new", "last", "newest":
		return pick(len(tabs) - 1)
	case "first", "main", "original":
		return pick(0)
	case "next":
		return pick(at + 1)
	case "previous", "back":
		if at >= 0 && tabs[at].Opener != "" {
			if i := slices.IndexFunc(tabs, func(t bus.Tab) bool { return t.ID == tabs[at].Opener }); i >= 0 {
				return pick(i)
			}
		}
		return pick(at - 1)
	case "":
		return bus.Tab{}, refuse(bus.RefusedNotFound, "no tab is named")
	}
	for _, fits := range []func(t bus.Tab) bool{
		func(t bus.Tab) bool { return t.ID == w },
		func(t bus.Tab) bool { return sameWords(t.Title, w) },
		func(t bus.Tab) bool { return t.URL == w },
		func(t bus.Tab) bool { return strings.Contains(strings.ToLower(t.Title), strings.ToLower(w)) },
		func(t bus.Tab) bool { return strings.Contains(strings.ToLower(t.URL), strings.ToLower(w)) },
	} {
		var hits []bus.Tab
		for _, t := range tabs {
			if fits(t) {
				hits = append(hits, t)
			}
		}
		if len(hits) == 1 {
			return hits[0], nil
		}
		if len(hits) > 1 {
			return bus.Tab{}, refuse(bus.RefusedAmbiguous, "%d tabs fit %q; %s", len(hits), w, listTabs(hits))
		}
	}
	return bus.Tab{}, refuse(bus.RefusedNotFound, "no tab fits %q; %s", w, listTabs(tabs))
}

func listTabs(tabs []bus.Tab) string {
	var b strings.Builder
	b.WriteString("open:")
	for _, t := range tabs {
		b.WriteString(" " + t.ID + " " + clip(t.Title) + " " + clip(t.URL) + ";")
	}
	return strings.TrimSuffix(b.String(), ";")
}

// closeTab closes the tab that the intent names, else the current one.
func (h *hand) closeTab(ctx context.Context) error {
	tabs, err := h.a.pool.Tabs(ctx, h.sess)
	if err != nil {
		return err
	}
	id := h.sess.Tab
	if h.in.Value != "" {
		t, err := pickTab(tabs, h.sess.Tab, h.in.Value)
		if err != nil {
			return err
		}
		id = t.ID
	}
	if len(tabs) < 2 {
		return refuse(bus.RefusedUnsupported, "the last tab of a session stays open")
	}
	h.rec.Sent = true
	return h.a.pool.CloseTab(ctx, h.sess, id)
}

// newTab opens a blank tab; afterTabs makes it the current one.
func (h *hand) newTab(ctx context.Context) error {
	h.rec.Sent = true
	_, err := h.a.pool.OpenTab(ctx, h.sess)
	return err
}

// withoutTab serves the tab actions when the current tab is gone.
func (h *hand) withoutTab(ctx context.Context) error {
	switch h.in.Action {
	case bus.ActionCloseTab:
		return refuse(bus.RefusedNotFound, "the tab is closed already")
	case bus.ActionNewTab:
		t, err := h.a.pool.OpenTab(ctx, h.sess)
		if err != nil {
			return err
		}
		h.rec.Tab, h.rec.Sent, h.rec.NewTabs = t.ID, true, []bus.Tab{t}
	default:
		if err := h.switchTab(ctx); err != nil {
			return err
		}
	}
	tabs, err := h.a.pool.Tabs(ctx, h.sess)
	h.rec.Tabs = tabs
	return err
}
