package verifier

import (
	"fmt"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// opened judges by the address of the fresh observation.
func (j *judging) opened() {
	r := j.Receipt
	base := r.URLBefore
	if base == "" && j.Before != nil {
		base = j.Before.URL
	}
	want, got := resolve(base, j.Intent.Value), j.After.URL
	if len(r.Blocked) > 0 && !sameURL(want, got) {
		j.is(bus.WrongEffect, "The way led to %s, whose origin is not allowed; the page is at %s.", strings.Join(r.Blocked, ", "), got)
		return
	}
	if strings.HasPrefix(got, "chrome-error:") {
		j.is(bus.NoEffect, "%s did not load.", want)
		return
	}
	if status, url := documentStatus(r.Requests); status >= 400 {
		j.is(bus.WrongEffect, "The server answered %d for %s.", status, url)
		return
	}
	if j.After.Root == nil || len(j.After.Root.Children) == 0 && j.After.Title == "" && !sameURL(want, "about:blank") {
		j.is(bus.NoEffect, "The page at %s is empty.", got)
		return
	}
	switch {
	case sameURL(want, got), sameButFragment(want, got):
		if j.Before != nil && !j.fx.document && sameURL(j.Before.URL, got) && !r.Sent {
			j.is(bus.NoEffect, "The page was at %s before already.", got)
			return
		}
		j.is(bus.Right, "The page at %s is loaded.", got)
	case j.Before != nil && sameURL(j.Before.URL, got) && !j.fx.document:
		j.is(bus.NoEffect, "The page is still at %s; %s was meant.", got, want)
	case originOf(want) == originOf(got) || redirected(r.Requests, want):
		j.is(bus.Right, "%s led on to %s, which is loaded.", want, got)
	default:
		j.is(bus.WrongEffect, "The page is at %s; %s was meant.", got, want)
	}
}

// ledAstray settles an act that led the page, or a new one, to an origin that is
// not allowed. It went nowhere, so that nothing else came of it.
func (j *judging) ledAstray() bool {
	pages := j.Receipt.BlockedPages
	if len(pages) == 0 || j.Intent.Action == bus.ActionOpen || looksOnly(j.Intent.Action) {
		return false // what is opened is judged by where the page is
	}
	j.settled = true
	j.is(bus.WrongEffect, "It led to %s, whose origin is not allowed, and was refused.", strings.Join(pages, ", "))
	return true
}

// sameButFragment holds when a page only added a fragment to its own address.
func sameButFragment(want, got string) bool {
	g, _, cut := strings.Cut(got, "#")
	return cut && !strings.Contains(want, "#") && sameURL(want, g)
}

// documentStatus returns the last answer to a document request, 0 for none.
func documentStatus(rs []bus.Request) (int, string) {
	status, url := 0, ""
	for _, q := range rs {
		if q.Type == "Document" && q.Status != 0 {
			status, url = q.Status, q.URL
		}
	}
	return status, url
}

// unanswered is the document asked for last, when no answer came; else "".
func unanswered(rs []bus.Request) string {
	url := ""
	for _, q := range rs {
		if q.Type == "Document" {
			url = either(q.Status == 0, q.URL, "")
		}
	}
	return url
}

// redirected tells whether the address that was asked for answered with a
// redirection. Where it led to was allowed, or the request would be blocked.
func redirected(rs []bus.Request, want string) bool {
	for _, q := range rs {
		if q.Type == "Document" && q.Status >= 300 && q.Status < 400 && sameURL(q.URL, want) {
			return true
		}
	}
	return false
}

// travelled judges a step through the history.
func (j *judging) travelled() {
	switch {
	case j.Before == nil:
		j.is(bus.Unsure, "The observation of before is lost; the page is at %s.", j.After.URL)
	case j.Before.URL != j.After.URL:
		j.is(bus.Right, "From %s the history led to %s.", j.Before.URL, j.After.URL)
	case j.fx.document || len(j.fx.seen) > 0:
		j.is(bus.Right, "The address is the same, but the page is another: %s.", list(append(j.fx.seen, "loaded anew"), 2))
	default:
		j.is(bus.NoEffect, "The page is still at %s; there may be nothing in that direction.", j.After.URL)
	}
}

// scrolledTo judges by where things stand on the fresh observation.
func (j *judging) scrolledTo() {
	a := j.After
	if t := j.Attempt.Target; t != nil && j.Intent.Value == "" {
		n := j.now()
		switch {
		case n == nil:
			j.is(bus.Unsure, "%s is not on the page any more.", element(t))
		case n.Box == nil:
			j.is(bus.Unsure, "%s has no place on the page.", describe(n))
		case !n.Offscreen && !n.Unreachable && n.Box.X < a.Viewport.W && n.Box.Y < a.Viewport.H && n.Box.X+n.Box.W > 0 && n.Box.Y+n.Box.H > 0:
			j.is(bus.Right, "%s is in view.", describe(n))
		default:
			j.is(bus.NoEffect, "%s is not in view.", describe(n))
		}
		return
	}
	if j.Before == nil {
		j.is(bus.Unsure, "The observation of before is lost, so that no movement can be told.")
		return
	}
	b, v := j.Before.Viewport, a.Viewport
	end := v.PageH - v.H
	dy := v.ScrollY - b.ScrollY
	var ok, limit bool
	switch j.Intent.Value {
	case "down":
		ok, limit = dy > 0, v.ScrollY >= end-1
	case "up":
		ok, limit = dy < 0, v.ScrollY <= 1
	case "top":
		ok = v.ScrollY <= 1
	case "bottom":
		ok = v.ScrollY >= end-1
	}
	switch {
	case ok:
		j.is(bus.Right, "The view is at %.0f of %.0f pixels now; it was at %.0f.", v.ScrollY, max(end, 0), b.ScrollY)
	case dy == 0 && j.fx.moved:
		j.is(bus.Right, "A part of the page scrolled.")
	case dy == 0 && limit:
		j.is(bus.Right, "The view is at the end already, at %.0f of %.0f pixels.", v.ScrollY, max(end, 0))
	case dy == 0:
		j.is(bus.NoEffect, "The view is still at %.0f of %.0f pixels.", v.ScrollY, max(end, 0))
	default:
		j.is(bus.WrongEffect, "The view moved from %.0f to %.0f pixels; %q was meant.", b.ScrollY, v.ScrollY, j.Intent.Value)
	}
}

// dialogAnswered judges by the answer recorded, and by no dialog being open.
func (j *judging) dialogAnswered() {
	want := either(j.Intent.Action == bus.ActionAccept, "accepted", "dismissed")
	if j.Dialog != nil {
		j.is(bus.NoEffect, "The %s dialog %s is still open.", j.Dialog.Type, quote(j.Dialog.Message))
		return
	}
	for _, d := range j.Receipt.Dialogs {
		switch d.Answer {
		case want:
			j.is(bus.Right, "The %s dialog %s was %s, and none is open now.", d.Type, quote(d.Message), want)
			return
		case "":
		default:
			j.is(bus.WrongEffect, "The %s dialog %s was %s; it was to be %s.", d.Type, quote(d.Message), d.Answer, want)
			return
		}
	}
	j.is(bus.NoEffect, "No dialog was there to be %s.", want)
}

// tabChanged judges by the tab that the fresh observation shows.
func (j *judging) tabChanged() {
	now := j.After.Tab
	was := ""
	if j.Before != nil {
		was = j.Before.Tab
	}
	tab := fmt.Sprintf("tab %s, %s at %s", now, quote(j.After.Title), j.After.URL)
	fits := tabFits(j.Intent.Value, now, j.After.Title, j.After.URL, j.Receipt.Tabs)
	if strings.EqualFold(j.Intent.Value, "previous") {
		fits = now != was // which one that is, only the actor knows
	}
	switch {
	case !fits && now == was:
		j.is(bus.NoEffect, "Still in front is %s.", tab)
	case !fits:
		j.is(bus.WrongEffect, "In front is %s, which is not %s.", tab, quote(j.Intent.Value))
	case now == was:
		j.is(bus.Right, "In front is %s, as before already.", tab)
	default:
		j.is(bus.Right, "In front is %s; it was tab %s before.", tab, was)
	}
}

// tabClosed judges by the tabs that are left.
func (j *judging) tabClosed() {
	now, was := j.After.Tab, ""
	if j.Before != nil {
		was = j.Before.Tab
	}
	meant := was
	if tabID(j.Intent.Value) {
		meant = j.Intent.Value // another than the one in front
	}
	open := false
	for _, t := range j.Receipt.Tabs {
		open = open || t.ID == meant
	}
	switch {
	case meant == "":
		j.is(bus.Unsure, "It is not known which tab was in front before.")
	case len(j.Receipt.Tabs) == 0:
		j.is(bus.Unsure, "It is not known which tabs are open.")
	case now == meant:
		j.is(bus.NoEffect, "Tab %s is still in front.", meant)
	case open && meant == was:
		j.is(bus.WrongEffect, "Tab %s is not in front any more, but still open.", meant)
	case open:
		j.is(bus.NoEffect, "Tab %s is still open.", meant)
	default:
		j.is(bus.Right, "Tab %s is closed; in front is tab %s, %s at %s.", meant, now, quote(j.After.Title), j.After.URL)
	}
}

// tabID holds for the ids of tabs: t1, t2, ….
func tabID(s string) bool {
	n, ok := strings.CutPrefix(s, "t")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

// tabOpened judges by the tab in front, which must be a new one.
func (j *judging) tabOpened() {
	now := j.After.Tab
	if j.Before != nil && j.Before.Tab == now {
		j.is(bus.NoEffect, "No tab was opened; in front is tab %s, as before.", now)
		return
	}
	for _, t := range j.Receipt.NewTabs {
		if t.ID == now {
			j.is(bus.Right, "In front is tab %s, which is new.", now)
			return
		}
	}
	j.is(bus.WrongEffect, "In front is tab %s, which is not new.", now)
}

// tabFits tells whether the tab in front is the one that was asked for.
func tabFits(want, id, title, url string, tabs []bus.Tab) bool {
	switch strings.ToLower(strings.TrimSpace(want)) {
	case "":
		return false
	case "first":
		return len(tabs) > 0 && tabs[0].ID == id
	case "last", "new":
		return len(tabs) > 0 && tabs[len(tabs)-1].ID == id
	}
	return want == id || holds(title, want) || strings.Contains(url, want)
}
