package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/planner"
)

// readyIn is how long a target may take to become ready: a client that waits for
// an answer looks again sooner than a run would.
const readyIn = 5 * time.Second

// maxCandidates bounds the elements that a refusal names.
const maxCandidates = 5

// An Answer is what a tool that acts says, as structured content. Its text says
// the same.
type Answer struct {
	Verdict  bus.Outcome    `json:"verdict"`
	Reasons  []string       `json:"reasons"`
	Evidence []bus.Evidence `json:"evidence"`
	Checks   []Check        `json:"checks,omitempty"`
	Refusal  *bus.Refusal   `json:"refusal,omitempty"` // why nothing, or not everything, was sent
	// Irreversible is set where the act can't be taken back. AppliesTo then, and
	// where it is done to many things, names its target and what is selected.
	Irreversible bool     `json:"irreversible,omitempty"`
	AppliesTo    []string `json:"applies_to,omitempty"`
	Done         []string `json:"done,omitempty"`     // of a sequence
	NotDone      []string `json:"not_done,omitempty"` // of a sequence that stopped
	// Diff is the page since the client's last look, or the page where there was none.
	Diff      string         `json:"diff"`
	Version   int            `json:"version"` // of the observation that Diff is
	URL       string         `json:"url"`
	Title     string         `json:"title"`
	Tabs      []Tab          `json:"tabs,omitempty"` // where they changed, or were asked for
	Dialog    *bus.Dialog    `json:"dialog,omitempty"`
	Downloads []bus.Download `json:"downloads,omitempty"`
	Result    *string        `json:"result,omitempty"` // JSON, of browser_evaluate
	Notes     []string       `json:"notes,omitempty"`
}

// A Check is a sentence of expect and what was found.
type Check struct {
	Expect string `json:"expect"`
	Held   bool   `json:"held"`
	Before *bool  `json:"before,omitempty"` // already true before, where that can be told
	Fact   string `json:"fact"`
}

// A Tab is an open tab; Index is its number for browser_tabs.
type Tab struct {
	Index   int    `json:"index"`
	ID      string `json:"id"`
	URL     string `json:"url,omitempty"`
	Title   string `json:"title,omitempty"`
	Current bool   `json:"current,omitempty"`
}

// A reply is an answer on its way to the client.
type reply struct {
	answer *Answer
	lines  []string // of the text, before the page
	failed bool     // a tool error
}

// result writes the reply as the protocol wants it.
func (r *reply) result() *mcp.CallToolResult {
	text := strings.Join(append(r.lines, r.answer.Diff), "\n")
	return &mcp.CallToolResult{IsError: r.failed, Content: []mcp.Content{&mcp.TextContent{Text: strings.TrimSpace(text)}}, StructuredContent: r.answer}
}

// act makes one move and answers with its verdict and the page since the
// client's last look. What was refused before anything was sent is an error.
func (s *Server) act(ctx context.Context, i bus.Intent, h hope) (*reply, error) {
	var err error
	if i.Expect, err = h.checks(); err != nil {
		return nil, err
	}
	out, tabs, err := s.do(ctx, i)
	if err != nil {
		return nil, err
	}
	r := s.begun(ctx, out)
	s.ended(ctx, r, out, tabs)
	return r, nil
}

// do makes one move; it also says whether the tabs are others than before.
func (s *Server) do(ctx context.Context, i bus.Intent) (*planner.Outcome, bool, error) {
	c, err := s.begin(ctx)
	if err != nil {
		return nil, false, err
	}
	if i.ReadyMS == 0 {
		i.ReadyMS = int(readyIn.Milliseconds())
	}
	before := c.Session()
	out, err := c.Do(ctx, i)
	if err != nil {
		return nil, false, s.orLost(ctx, c, err)
	}
	after := c.Session()
	changed := before.Tab != after.Tab || len(before.Tabs) != len(after.Tabs)
	for k := range min(len(before.Tabs), len(after.Tabs)) {
		changed = changed || before.Tabs[k].ID != after.Tabs[k].ID
	}
	return out, changed, nil
}

// begun is a reply with what an outcome says, before the page was looked at.
func (s *Server) begun(ctx context.Context, o *planner.Outcome) *reply {
	v, rec := o.Verdict, o.Receipt
	a := &Answer{Verdict: v.Outcome, Reasons: v.Reasons, Evidence: v.Evidence, Refusal: rec.Refusal, URL: v.After.URL, Title: v.After.Title,
		Version: v.After.Version, Downloads: rec.Downloads, Notes: rec.Notes, Irreversible: o.Attempt.Risk == bus.RiskIrreversible}
	if a.Reasons == nil {
		a.Reasons = []string{}
	}
	if a.Evidence == nil {
		a.Evidence = []bus.Evidence{}
	}
	r := &reply{answer: a, lines: []string{headline(v)}, failed: rec.Refusal != nil && !rec.Sent}
	for _, c := range v.Checks {
		a.Checks = append(a.Checks, Check{Expect: c.Expect.Text, Held: c.Held, Before: c.Before, Fact: c.Fact})
	}
	if (a.Irreversible || bulk(o)) && o.Intent.Action != bus.ActionEvaluate {
		if a.AppliesTo = s.appliesTo(ctx, o); len(a.AppliesTo) > 0 {
			r.say("%sapplies to: %s", either(a.Irreversible, "irreversible; ", ""), strings.Join(a.AppliesTo, "; "))
		}
	}
	if rec.Refusal != nil {
		r.refused(rec.Refusal, rec.Sent)
	}
	for _, n := range rec.Notes {
		r.say("note: %s", n)
	}
	return r
}

// ended looks at the page, and completes the reply with it.
func (s *Server) ended(ctx context.Context, r *reply, o *planner.Outcome, tabs bool) {
	a := r.answer
	if tabs {
		r.tabs(s.tabList())
	}
	req := bus.ObserveRequest{Mode: "auto", Base: s.lastSeen()}
	if v := o.Verdict; v.Outcome == bus.Right && v.After.Tree != "" && v.After.Version >= req.Base && len(o.Receipt.Dialogs) == 0 {
		req.At = &v.After // what the judge saw is what there is to show
	}
	obs, text, err := s.look(ctx, req)
	if err != nil {
		a.Diff = "The page cannot be shown: " + explain(err)
		return
	}
	a.Diff, a.Dialog = text, obs.Dialog
	if obs.URL != "" {
		a.Version, a.URL, a.Title = obs.Version, obs.URL, obs.Title
	}
	if a.URL != "" && a.URL != o.Attempt.Before.URL {
		r.say("now at %s, %q", a.URL, a.Title)
	}
}

// say adds a line to the text.
func (r *reply) say(format string, args ...any) {
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

// refused writes a refusal for the client's model: what stands there instead is
// worth more than the code.
func (r *reply) refused(f *bus.Refusal, sent bool) {
	r.say("%s: %s: %s", either(sent, "not all was sent", "nothing was sent"), f.Code, f.Message)
	for _, e := range f.Candidates[:min(len(f.Candidates), maxCandidates)] {
		r.say("  could be meant: %s", element(&e))
	}
	if d := f.Diagnosis; d != nil {
		if d.Covering != nil {
			r.say("  in the way: %s", element(d.Covering))
		}
		for _, e := range d.Nearest[:min(len(d.Nearest), maxCandidates)] {
			r.say("  near: %s", element(&e))
		}
	}
}

// tabs adds the open tabs.
func (r *reply) tabs(list []Tab) {
	r.answer.Tabs = list
	for _, t := range list {
		r.say("- %d: %s[%s](%s)", t.Index, either(t.Current, "(current) ", ""), cmp.Or(t.Title, "untitled"), cmp.Or(t.URL, "about:blank"))
	}
}

// tabList are the session's tabs as they were after the last move.
func (s *Server) tabList() []Tab {
	s.mu.Lock()
	c := s.client
	s.mu.Unlock()
	if c == nil {
		return nil
	}
	session := c.Session()
	out := make([]Tab, len(session.Tabs))
	for i, t := range session.Tabs {
		out[i] = Tab{Index: i, ID: t.ID, URL: t.URL, Title: t.Title, Current: t.ID == session.Tab}
	}
	return out
}

// headline is a verdict and why, in one line.
func headline(v bus.Verdict) string {
	line := "verdict: " + string(v.Outcome)
	if len(v.Reasons) > 0 {
		line += ": " + strings.Join(v.Reasons, " ")
	}
	return line
}

// element writes an element for the client's model.
func element(e *bus.Element) string {
	text := e.Role
	if e.Name != "" {
		text += fmt.Sprintf(" %q", e.Name)
	}
	if e.Ref != "" {
		text += " [ref=" + e.Ref + "]"
	}
	if e.Place != "" {
		text += " in " + e.Place
	}
	return text
}

func either(b bool, yes, no string) string {
	if b {
		return yes
	}
	return no
}

// errNothing is the reply to a call that asks for nothing.
func errNothing(tool, wants string) error { return errors.New(tool + " wants " + wants) }
