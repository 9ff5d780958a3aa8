package playbook

import (
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

func (c *clause) check(v verb) ([]bus.Intent, *problem) {
	if v == vCheck && c.verbIs("check") && c.end() {
		return nil, c.wrong(0, len(c.toks), "check what?")
	}
	byWord := c.verbIs("check")
	stop := func(i int) bool { return c.is(i, "on", "off") && i == len(c.toks)-1 }
	list, bad := c.targets(stop)
	if bad != nil {
		return nil, bad
	}
	if p := list[0]; byWord && p.article && !p.quoted && p.noun == nil && !capitalised(p.t.Name) {
		return nil, &problem{words: c.raw(0, len(c.toks)), why: "tick it, or look at it?", forms: []string{`Tick the box "Terms"`, `Check that "Total" shows "5"`}}
	}
	if c.i == len(c.toks)-1 && c.is(c.i, "off") && v == vCheck {
		c.i++
	}
	if c.takePhrase("as checked", "as selected", "as done") && v != vCheck {
		c.i -= 2
	}
	actions := map[verb]bus.Action{vCheck: bus.ActionCheck, vUncheck: bus.ActionUncheck, vToggle: bus.ActionToggle}
	return intentsFor(bus.Intent{Action: actions[v]}, list), nil
}

func (c *clause) verbIs(w string) bool { return c.i > 0 && c.toks[c.i-1].low == w }

// turn reads "turn X on" and "switch X off".
func (c *clause) turn() ([]bus.Intent, *problem) {
	last := len(c.toks) - 1
	if last <= c.i || !c.is(last, "on", "off") {
		return nil, c.wrong(0, len(c.toks), "on or off?")
	}
	action := bus.ActionCheck
	if c.is(last, "off") {
		action = bus.ActionUncheck
	}
	list, bad := c.targets(func(i int) bool { return i == last })
	if bad != nil {
		return nil, bad
	}
	c.i++
	return intentsFor(bus.Intent{Action: action}, list), nil
}

func (c *clause) drag() ([]bus.Intent, *problem) {
	onto := func(i int) bool {
		return c.is(i, "to", "onto", "into", "over", "on", "in") && !(c.is(i, "to", "on") && c.is(i+1, "the") && c.is(i+2, "left", "right") && c.is(i+3, "of")) && !c.onPlace(i)
	}
	from, bad := c.target(onto)
	if bad != nil {
		return nil, bad
	}
	c.takePhrase("and drop it", "and drop", "and release it", "and put it", "and drop them")
	if !c.takePhrase("to", "onto", "into", "over", "on", "over to", "in", "on top of", "over onto", "on to", "inside") {
		return nil, c.wrong(0, len(c.toks), "say what it is dragged onto: drag … onto …")
	}
	to, bad := c.target(nil)
	if bad != nil {
		return nil, bad
	}
	if to.t.Kind == "file" && c.is(from.from, "the", "a") && c.is(from.from+1, "file", "document", "image", "picture", "photo") && from.quoted {
		return one(bus.Intent{Action: bus.ActionUpload, Target: &to.t, Values: []string{from.t.Name}}), nil
	}
	if isCount(strings.TrimSuffix(to.t.Name, "%")) && (!to.quoted || from.t.Role == "slider") && to.noun == nil {
		if from.t.Role == "slider" { // drag the slider to 50
			return one(bus.Intent{Action: bus.ActionFill, Target: &from.t, Value: to.t.Name}), nil
		}
		return nil, c.wrong(to.from, to.to, "a number is no place to drag to")
	}
	return one(bus.Intent{Action: bus.ActionDrag, Target: &from.t, To: &to.t}), nil
}

// onPlace: in "drag the card in the column "Todo" to …" the "in" is a place,
// because a destination follows.
func (c *clause) onPlace(i int) bool {
	if !c.is(i, "in", "on", "over") {
		return false
	}
	for k := i + 1; k < len(c.toks); k++ {
		if c.is(k, "to", "onto", "into") {
			return true
		}
	}
	return false
}

func (c *clause) scroll() ([]bus.Intent, *problem) {
	in := bus.Intent{Action: bus.ActionScroll}
	c.takePhrase("the page", "this page")
	if c.is(c.i, "a") && c.is(c.i+1, "bit", "little") || c.is(c.i, "further", "on") && c.i == len(c.toks)-1 {
		return nil, c.wrong(c.i, len(c.toks), "up, down, or to what?")
	}
	switch at := c.i; {
	case c.takePhrase("to the bottom", "to the bottom of the page", "to the end", "to the end of the page", "all the way down", "to bottom", "down to the bottom", "down to the end", "down to the bottom of the page", "down to the end of the page", "to the very bottom"):
		in.Value = "bottom"
	case c.takePhrase("to the top", "to the top of the page", "to the start", "to the start of the page", "to the beginning", "all the way up", "to top", "up to the top", "back to the top", "up to the top of the page", "back to the top of the page", "back up"):
		in.Value = "top"
	case c.takePhrase("down", "down a bit", "down a page", "down one page", "down the page") && (c.end() || c.is(c.i, "in", "inside", "within")):
		in.Value = "down"
	case c.takePhrase("up", "up a bit", "up a page", "up one page", "up the page") && (c.end() || c.is(c.i, "in", "inside", "within")):
		in.Value = "up"
	default:
		c.i = at
		c.takePhrase("down", "up")
		c.takePhrase("to", "until", "till", "down to", "up to", "onto", "until you see", "until i see", "until we see", "so that", "over to", "till you see", "until you reach", "to reach")
		stop := func(i int) bool {
			return c.is(i, "is", "comes", "becomes", "appears", "into", "to", "shows", "gets", "down", "up") && !c.is(i+1, "the") || c.is(i, "to", "into") && c.is(i+1, "the") && !c.is(i+2, "left", "right") || c.is(i, "to") && c.is(i+1, "the")
		}
		t, bad := c.target(stop)
		if bad != nil {
			return nil, bad
		}
		in.Target = &t.t
		switch {
		case c.takePhrase("is visible", "into view", "comes into view", "appears", "is shown", "becomes visible", "into the view", "is in view", "gets visible", "shows", "shows up", "to view", "into sight", "is on screen", "is displayed"):
		case c.takePhrase("to the bottom", "to the end", "all the way down"):
			in.Value = "bottom"
		case c.takePhrase("to the top", "to the start"):
			in.Value = "top"
		case c.takePhrase("down"):
			in.Value = "down"
		case c.takePhrase("up"):
			in.Value = "up"
		}
		return one(in), nil
	}
	if c.takePhrase("of", "in", "inside", "within", "on") {
		t, bad := c.target(nil)
		if bad != nil {
			return nil, bad
		}
		if t.noun == nil || t.t.Kind != "page" {
			in.Target = &t.t
		}
	}
	return one(in), nil
}
