package verifier

import (
	"fmt"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// gather writes down the facts and evaluates the expectations. Facts hold no
// judgement.
func (j *judging) gather() {
	r := j.Receipt
	if r.Refusal != nil {
		j.fact("refusal", "%s (%s)", sentence(r.Refusal.Message, string(r.Refusal.Code)), r.Refusal.Code)
	}
	if r.Lost {
		j.fact("refusal", "the actor was lost before it could give a receipt")
	}
	if h := r.Hit; h != nil {
		switch {
		case !h.Seen:
			j.fact("hit", "no event was seen to arrive at any element")
		case h.Inside:
			j.fact("hit", "%s reached %s", strings.Join(h.Events, ", "), hitName(h))
		default:
			j.fact("hit", "%s reached %s, outside of %s", strings.Join(h.Events, ", "), hitName(h), element(j.Attempt.Target))
		}
	}
	j.gatherPage()
	j.gatherBeside()
	for _, e := range r.Escalations {
		if e.Width > 0 {
			j.fact("pixels", "%s: %s (%s, %d×%d)", e.Kind, e.Outcome, e.Backend, e.Width, e.Height)
		}
	}
	if len(j.Intent.Expect) == 0 {
		return
	}
	// A download of an earlier attempt is none of this one's; a dialog exists
	// only while it is seen.
	before := view{tree: j.held, downloads: j.Earlier, tabs: tabsBefore(r)}
	after := view{tree: j.After, downloads: append(append([]bus.Download{}, j.Earlier...), r.Downloads...),
		dialogs: j.seenDialogs(), tabs: r.Tabs}
	if !j.observed() {
		after.tree = nil
	}
	j.checks = evaluateBoth(j.Intent.Expect, before, after)
	for _, c := range j.checks {
		j.fact("check", "%s", c.Fact)
	}
}

// gatherPage writes down what two observations of the page say.
func (j *judging) gatherPage() {
	b, a := j.Before, j.After
	switch {
	case a == nil:
		j.fact("diff", "there is no observation after the act")
		return
	case a.Stale:
		j.fact("diff", "the page did not answer; its last known state is of before")
		return
	case j.Reopened:
		j.fact("diff", "the page was opened anew in a new browser; what it shows otherwise is no effect")
		j.fact("url", "the page is at %s", a.URL)
		return
	case b == nil:
		j.fact("diff", "the observation of before is lost; nothing to compare with")
		j.fact("url", "the page is at %s", a.URL)
		return
	}
	if b.URL != a.URL {
		j.fact("url", "from %s to %s", b.URL, a.URL)
	} else if j.fx.document {
		j.fact("url", "the document at %s was loaded anew", a.URL)
	}
	switch n := len(j.fx.seen); {
	case n > 0:
		j.fact("diff", "%s", list(j.fx.seen, 6))
	case !j.fx.document:
		j.fact("diff", "nothing on the page changed that a person could see or read")
	}
	for _, s := range j.fx.said {
		j.fact("diff", "%s", s)
	}
	if t := j.Attempt.Target; t != nil && t.Ref != "" {
		if n := a.ByRef(t.Ref); n != nil && n.Value != nil {
			if n.Masked {
				j.fact("value", "%s holds a masked value", describe(n))
			} else {
				j.fact("value", "%s holds %s", describe(n), quote(*n.Value))
			}
		}
	}
}

// gatherBeside writes down what happened beside the page's tree.
func (j *judging) gatherBeside() {
	r := j.Receipt
	for _, d := range j.seenDialogs() {
		j.fact("dialog", "%s %s, %s", d.Type, quote(d.Message), or(d.Answer, "still open"))
	}
	for _, d := range r.Downloads {
		switch why, looked := j.Files[d.Blob]; {
		case d.State != "completed":
			j.fact("download", "%s: %s", quote(d.Name), d.State)
		case why != "":
			j.fact("download", "%s was reported, but %s", quote(d.Name), why)
		case looked:
			j.fact("download", "%s, %d bytes, SHA-256 %s, compared with the file kept", quote(d.Name), d.Size, d.SHA256)
		default:
			j.fact("download", "%s, %d bytes, SHA-256 %s, as reported", quote(d.Name), d.Size, d.SHA256)
		}
	}
	for _, t := range r.NewTabs {
		j.fact("tab", "tab %s opened at %s", t.ID, t.URL)
	}
	if r.Input == "page" && r.Sent {
		j.fact("input", "the events were made by a script in the page, which can tell them from a person's: weaker evidence than the browser's own input")
	}
	for _, t := range r.Traces {
		j.fact("trace", "%s", t.Fact)
	}
	for i, q := range r.Requests {
		if i == 8 {
			j.fact("request", "and %d more requests", len(r.Requests)-i)
			break
		}
		j.fact("request", "%s", requestFact(q))
	}
	for _, u := range r.Blocked {
		j.fact("request", "%s was refused: its origin is not allowed", u)
	}
	if r.Crashed {
		j.fact("tab", "the tab's renderer died")
	}
	if r.Masked && r.Matches != nil {
		j.fact("value", "what the field holds %s what was typed", either(*r.Matches, "is", "is not"))
	}
}

func requestFact(q bus.Request) string {
	s := q.Method + " " + q.URL
	switch {
	case q.Error != "":
		s += " failed: " + q.Error
	case q.Status != 0:
		s += fmt.Sprintf(" answered %d", q.Status)
	default:
		s += ", no answer yet"
	}
	return s
}

func (j *judging) fact(kind, format string, args ...any) {
	fact := fmt.Sprintf(format, args...)
	if r := []rune(fact); len(r) > 1500 {
		fact = string(r[:1499]) + "…"
	}
	j.evidence = append(j.evidence, bus.Evidence{ID: fmt.Sprintf("v%d", len(j.evidence)+1), Kind: kind, Fact: fact})
}

// tabsBefore are the tabs of after without those that the attempt opened; nil
// when they are not known.
func tabsBefore(r bus.Receipt) []bus.Tab {
	if r.Tabs == nil {
		return nil
	}
	out := []bus.Tab{}
	for _, t := range r.Tabs {
		isNew := false
		for _, n := range r.NewTabs {
			isNew = isNew || n.ID == t.ID
		}
		if !isNew {
			out = append(out, t)
		}
	}
	return out
}
