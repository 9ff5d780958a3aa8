// Package model plans by a language model: a goal in free text, one full report
// of the page and then its changes, one typed tool call a turn.
//
// The model is held to three house rules by code, not by its prompt: look before
// touching a new page, prefer a ref to a description, and after a failure look
// again instead of rewording (DESIGN 9). Its "finish" is a claim.
package model

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/llm"
)

//go:embed prompt.md
var prompt string

// Limits: how often a reply may be sent back in a row, how often the model may
// look before it decides, and how often the claim to be done may be wrong.
const (
	maxBounces = 4
	maxLooks   = 15
	maxRefuted = 2
)

// Options describe the task.
type Options struct {
	Goal     string
	DoneWhen []string
	Vars     map[string]string
	Secrets  []string // names
	Origins  []string
	// Before tells what an earlier owner of the run has done, a line each.
	Before []string
	// Fence marks page data in the conversation; unguessable for the page.
	Fence string
}

// Eyes are what a planner may look with; planner.Eyes has more.
type Eyes interface {
	Observe(ctx context.Context, mode string, base int) (bus.Observation, error)
	Find(ctx context.Context, query string) (bus.Observation, error)
}

// A Result is the latest finished attempt.
type Result struct {
	Intent  bus.Intent
	Receipt bus.Receipt
	Verdict bus.Verdict
}

// A Turn is what a planner is told for its next decision.
type Turn struct {
	Eyes Eyes
	// Last is the attempt that came of the last decision, nil when none did.
	Last *Result
	// Refuted names the final checks that the claim to be done did not meet.
	Refuted []string
	// Expand puts variables into an intent; its errors are told to the model.
	Expand func(bus.Intent) (bus.Intent, error)
}

// A Decision is what the model decided: one field, Usage aside.
type Decision struct {
	Intent *bus.Intent
	Finish string
	GiveUp string
	Ask    string
	Usage  []bus.Usage
}

// A Planner keeps one run's conversation. It is append-only, so that a
// provider's cache can serve everything but the newest turn.
type Planner struct {
	m       llm.Model
	o       Options
	msgs    []llm.Message
	pending *llm.Call // answered by the next turn
	seen    seen
	made    *failure // the call that the last intent was made of
	failed  *failure
	refuted int
	bounces int    // in a row
	why     string // of the latest one
	version int
	usage   []bus.Usage
}

// New returns a planner for one run.
func New(m llm.Model, o Options) *Planner { return &Planner{m: m, o: o} }

// Next tells the model what came of its last call and returns its decision.
func (p *Planner) Next(ctx context.Context, t Turn) (Decision, error) {
	p.usage = nil
	d, err := p.next(ctx, t)
	d.Usage = p.usage
	return d, err
}

func (p *Planner) next(ctx context.Context, t Turn) (Decision, error) {
	eyes, last, refuted := t.Eyes, t.Last, t.Refuted
	switch {
	case len(p.msgs) == 0:
		page, err := p.look(ctx, eyes, "full")
		if err != nil {
			return Decision{}, err
		}
		p.msgs = append(p.msgs, llm.TextMessage(llm.User, p.task()+"\n\n"+p.fenced("", page)))
	case len(refuted) > 0:
		if p.refuted++; p.refuted > maxRefuted {
			return Decision{GiveUp: "claimed to be done, but " + strings.Join(refuted, "; ")}, nil
		}
		page, err := p.look(ctx, eyes, "auto")
		if err != nil {
			return Decision{}, err
		}
		p.answer("Not done: these conditions do not hold yet.\n" + p.fenced(strings.Join(refuted, "\n"), page))
	case last != nil:
		page, err := p.look(ctx, eyes, "auto")
		if err != nil {
			return Decision{}, err
		}
		p.failed = p.failureOf(last)
		if last.Verdict.Outcome == bus.Right {
			p.refuted = 0
		}
		p.answer(fmt.Sprintf("Verdict: %s.\n%s", last.Verdict.Outcome, p.fenced(report(last), page)))
	}
	p.bounces = 0
	for looks := 0; looks <= maxLooks; looks++ {
		before := p.bounces
		call, bounced, err := p.ask(ctx)
		if err != nil {
			return Decision{}, err
		}
		if !bounced {
			d, done, err := p.decide(ctx, t, call)
			if done || err != nil {
				return d, err
			}
		}
		switch {
		case p.bounces == before: // it looked
			p.bounces = 0
		case p.bounces > maxBounces:
			return Decision{GiveUp: "the model's replies could not be carried out: " + p.why}, nil
		}
	}
	return Decision{GiveUp: fmt.Sprintf("the model looked %d times and did nothing", maxLooks)}, nil
}

// ask gets one tool call of the model's. What is not one is sent back.
func (p *Planner) ask(ctx context.Context) (call llm.Call, bounced bool, err error) {
	reply, err := p.m.Generate(ctx, llm.Request{System: prompt, Messages: p.msgs, Tools: toolList(), MustCall: true})
	p.usage = append(p.usage, bus.Usage{Role: "planner", Model: p.m.Name(), Calls: 1,
		InputTokens: reply.Usage.Input, CachedTokens: reply.Usage.CacheRead, OutputTokens: reply.Usage.Output})
	if err != nil {
		return call, false, modelError(err)
	}
	if len(reply.Calls) == 0 {
		text := reply.Text
		if text == "" {
			text = "(nothing)"
		}
		p.msgs = append(p.msgs, llm.TextMessage(llm.Assistant, text))
		why := "Answer with exactly one tool call."
		switch {
		case reply.Cut:
			why = "Your reply was too long and was cut off. " + why
		case reply.Malformed != "":
			why = "Not carried out: the arguments of " + reply.Malformed + " are not JSON. " + why
		}
		p.bounces, p.why = p.bounces+1, why
		p.msgs = append(p.msgs, llm.TextMessage(llm.User, why))
		return call, true, nil
	}
	// Only the first call is carried out; the others must be answered all the same.
	turn := llm.Message{Role: llm.Assistant}
	if reply.Text != "" {
		turn.Parts = append(turn.Parts, llm.Part{Text: reply.Text})
	}
	for i := range reply.Calls {
		turn.Parts = append(turn.Parts, llm.Part{Call: &reply.Calls[i]})
	}
	p.msgs = append(p.msgs, turn)
	p.pending = &reply.Calls[0]
	if len(reply.Calls) > 1 {
		rest := llm.Message{Role: llm.ToolRole}
		for _, c := range reply.Calls[1:] {
			rest.Parts = append(rest.Parts, llm.Part{Result: &llm.Result{CallID: c.ID, Name: c.Name,
				Text: "Not carried out: one call a turn. See first what the other one did."}})
		}
		p.msgs = append(p.msgs, rest)
	}
	return reply.Calls[0], false, nil
}

// decide carries a call as far as the planner can: it looks, finds, bounces, or
// makes the decision.
func (p *Planner) decide(ctx context.Context, turn Turn, call llm.Call) (d Decision, done bool, err error) {
	eyes := turn.Eyes
	t, ok := toolNamed(call.Name)
	if !ok {
		p.bounce(fmt.Sprintf("There is no tool %q.", call.Name))
		return d, false, nil
	}
	a, err := t.read(call.Args)
	if err != nil {
		why := p.hint(ctx, eyes, t, a, err)
		p.bounce(why)
		return d, false, nil
	}
	switch t.name {
	case "look", "find":
		var page bus.Observation
		switch {
		case a.Ref != "" && !isRef(a.Ref):
			p.bounce(p.houseRules(t, a))
			return d, false, nil
		case a.Ref != "":
			a.Query = a.Ref
			fallthrough
		case t.name == "find":
			if page, err = eyes.Find(ctx, a.Query); err == nil {
				p.seen.add(page.Text)
			}
		case a.Full:
			page, err = p.look(ctx, eyes, "full")
		default:
			page, err = p.look(ctx, eyes, "auto")
		}
		if err != nil {
			return d, false, err
		}
		p.failed = nil
		p.answer(p.fenced("", page))
		return d, false, nil
	case "finish":
		return Decision{Finish: a.Claim}, true, nil
	case "give_up":
		return Decision{GiveUp: a.Reason}, true, nil
	case "ask":
		return Decision{Ask: a.Question}, true, nil
	}
	if why := p.houseRules(t, a); why != "" {
		p.bounce(why)
		return d, false, nil
	}
	intent, err := t.intent(a)
	if err == nil {
		intent, err = turn.Expand(intent)
	}
	if err != nil {
		p.bounce(capital(err.Error()) + ".")
		return d, false, nil
	}
	p.made = &failure{tool: t.name, args: a}
	return Decision{Intent: &intent}, true, nil
}

// answer is the result of the pending call, or plain words where there is none.
func (p *Planner) answer(text string) {
	if p.pending == nil {
		p.msgs = append(p.msgs, llm.TextMessage(llm.User, text))
		return
	}
	part := llm.Part{Result: &llm.Result{CallID: p.pending.ID, Name: p.pending.Name, Text: text}}
	p.pending = nil
	// The results of one turn stand together, the first call's first.
	if n := len(p.msgs); n > 0 && p.msgs[n-1].Role == llm.ToolRole {
		p.msgs[n-1].Parts = append([]llm.Part{part}, p.msgs[n-1].Parts...)
		return
	}
	p.msgs = append(p.msgs, llm.Message{Role: llm.ToolRole, Parts: []llm.Part{part}})
}

// look observes and remembers what the model has been shown.
func (p *Planner) look(ctx context.Context, eyes Eyes, mode string) (bus.Observation, error) {
	base := p.version
	if mode == "full" {
		base = 0
	}
	o, err := eyes.Observe(ctx, mode, base)
	if err != nil {
		return o, err
	}
	if o.Kind == "full" {
		p.seen.reset()
	}
	p.seen.add(o.Text)
	p.version = o.Version
	return o, nil
}

// fenced is what the model is told of the page: facts about the last call,
// which hold words of the page's as well, and an observation. Nothing in it
// can end the fence, or look like it.
func (p *Planner) fenced(facts string, o bus.Observation) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		if s := strings.TrimRight(fmt.Sprintf(format, args...), "\n"); s != "" {
			b.WriteString(s + "\n")
		}
	}
	line("%s", facts)
	line("%s", o.Text)
	if o.Stale {
		line("The page does not answer; this is how it was last seen.")
	}
	if o.Dialog != nil {
		line("A browser dialog (%s) is open and says %q: accept or dismiss it first.", o.Dialog.Type, o.Dialog.Message)
	}
	for _, n := range o.Notes {
		line("Note: %s", n)
	}
	text := strings.ReplaceAll(b.String(), p.o.Fence, "…")
	text = strings.NewReplacer("<<page", "‹‹page", "<<end", "‹‹end").Replace(text)
	return "<<page " + p.o.Fence + ">>\n" + text + "<<end " + p.o.Fence + ">>"
}

// task is the first message.
func (p *Planner) task() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The task: %s\n", p.o.Goal)
	if len(p.o.DoneWhen) > 0 {
		b.WriteString("\nIt is done when:\n")
		for _, d := range p.o.DoneWhen {
			b.WriteString("- " + d + "\n")
		}
	}
	for _, k := range slices.Sorted(maps.Keys(p.o.Vars)) {
		fmt.Fprintf(&b, "\n%s is %q.", k, p.o.Vars[k])
	}
	if len(p.o.Secrets) > 0 {
		b.WriteString("\nSecrets you may type: ${secret:" + strings.Join(p.o.Secrets, "}, ${secret:") + "}")
	}
	if len(p.o.Origins) > 0 {
		b.WriteString("\nYou may be on: " + strings.Join(p.o.Origins, ", "))
	}
	if len(p.o.Before) > 0 {
		b.WriteString("\nDone before you took over:\n- " + strings.Join(p.o.Before, "\n- "))
	}
	return b.String()
}

// report is what the model is told of its last call beside the verdict. That
// what was expected came about needs no words.
func report(r *Result) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	why := strings.Join(r.Verdict.Reasons, " ")
	if r.Verdict.Outcome != bus.Right || len(r.Intent.Expect) == 0 && r.Verdict.Diff == "" {
		line("%s", why)
	}
	if ref := r.Receipt.Refusal; ref != nil {
		if !strings.Contains(why, ref.Message) {
			line("Nothing was sent: %s", ref.Message)
		}
		for _, c := range ref.Candidates {
			line("- %s %s %q %s", c.Role, c.Ref, c.Name, c.Place)
		}
	}
	for _, d := range r.Receipt.Dialogs {
		line("A browser dialog (%s) said %q and was %s.", d.Type, d.Message, cmp.Or(d.Answer, "left open"))
	}
	for _, d := range r.Receipt.Downloads {
		line("Downloaded %q, %d bytes.", d.Name, d.Size)
	}
	for _, t := range r.Receipt.NewTabs {
		where := "behind this one"
		if t.ID == r.Receipt.Tab {
			where = "in front; close it to go back"
		}
		line("Tab %s opened, %s: %q %s", t.ID, where, t.Title, t.URL)
	}
	for _, u := range r.Receipt.Blocked {
		line("Not opened, because it is not on an allowed origin: %s", u)
	}
	if r.Receipt.Read != nil {
		line("Read: %q", *r.Receipt.Read)
	}
	return b.String()
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
