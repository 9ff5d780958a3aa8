// Package model plans by a language model: a goal in free text, one full report
// of the page and then its changes, one typed tool call a turn.
//
// The model is held to three house rules by code, not by its prompt: look before
// touching a new page, prefer a ref to a description, and after a failure look
// again instead of rewording (DESIGN 9). Its "finish" is a claim.
package model

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/llm"
)

//go:embed prompt.md
var prompt string

// Limits of one decision: how often a reply may be sent back in a row, and how
// often the claim to be done may be wrong.
const (
	maxBounces = 4
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
	failed  *failure
	refuted int
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
		p.msgs = append(p.msgs, llm.TextMessage(llm.User, p.task()+"\n\n"+page))
	case len(refuted) > 0:
		if p.refuted++; p.refuted > maxRefuted {
			return Decision{GiveUp: "claimed to be done, but " + strings.Join(refuted, "; ")}, nil
		}
		page, err := p.look(ctx, eyes, "auto")
		if err != nil {
			return Decision{}, err
		}
		p.answer("Not done: " + strings.Join(refuted, "; ") + "\n\n" + page)
	case last != nil:
		page, err := p.look(ctx, eyes, "auto")
		if err != nil {
			return Decision{}, err
		}
		p.failed = failureOf(last, p.version)
		p.answer(report(last) + "\n\n" + page)
	}
	for bounces := 0; ; bounces++ {
		if bounces > maxBounces {
			return Decision{GiveUp: "the model's replies could not be carried out; the last was sent back because " + p.lastBounce()}, nil
		}
		call, bounced, err := p.ask(ctx)
		if err != nil {
			return Decision{}, err
		}
		if bounced {
			continue
		}
		d, done, err := p.decide(ctx, t, call)
		if done || err != nil {
			return d, err
		}
	}
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
		if reply.Cut {
			why = "Your reply was too long and was cut off. " + why
		}
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
	case "look":
		page, err := p.look(ctx, eyes, "full")
		if err != nil {
			return d, false, err
		}
		p.failed = nil
		p.answer(page)
		return d, false, nil
	case "find":
		found, err := eyes.Find(ctx, a.Query)
		if err != nil {
			return d, false, err
		}
		p.seen.add(found.Text)
		p.failed = nil
		p.answer(p.fenced(found))
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
func (p *Planner) look(ctx context.Context, eyes Eyes, mode string) (string, error) {
	base := p.version
	if mode == "full" {
		base = 0
	}
	o, err := eyes.Observe(ctx, mode, base)
	if err != nil {
		return "", err
	}
	if o.Kind == "full" {
		p.seen.reset()
	}
	p.seen.add(o.Text)
	p.version = o.Version
	return p.fenced(o), nil
}

// fenced is an observation as page data, which nothing in it can end.
func (p *Planner) fenced(o bus.Observation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<<page %s>>\n%s\n<<end %s>>", p.o.Fence, strings.ReplaceAll(o.Text, p.o.Fence, "…"), p.o.Fence)
	if o.Stale {
		b.WriteString("\nThe page does not answer; this is how it was last seen.")
	}
	if o.Dialog != nil {
		fmt.Fprintf(&b, "\nA browser dialog (%s) is open and says: %q. Accept or dismiss it first.", o.Dialog.Type, o.Dialog.Message)
	}
	for _, n := range o.Notes {
		b.WriteString("\nNote: " + n)
	}
	return b.String()
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
	for k, v := range p.o.Vars {
		fmt.Fprintf(&b, "\n%s is %q.", k, v)
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

// report tells the model the verdict on its last call.
func report(r *Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Verdict: %s. %s", r.Verdict.Outcome, strings.Join(r.Verdict.Reasons, " "))
	if ref := r.Receipt.Refusal; ref != nil {
		fmt.Fprintf(&b, "\nNothing was sent: %s", ref.Message)
		for _, c := range ref.Candidates {
			fmt.Fprintf(&b, "\n- %s %s %q %s", c.Ref, c.Role, c.Name, c.Place)
		}
	}
	for _, d := range r.Receipt.Dialogs {
		fmt.Fprintf(&b, "\nA browser dialog (%s) said %q and was %s.", d.Type, d.Message, d.Answer)
	}
	for _, d := range r.Receipt.Downloads {
		fmt.Fprintf(&b, "\nDownloaded %s, %d bytes.", d.Name, d.Size)
	}
	for _, t := range r.Receipt.NewTabs {
		fmt.Fprintf(&b, "\nTab %s opened: %s", t.ID, t.URL)
	}
	if r.Receipt.Read != nil {
		fmt.Fprintf(&b, "\nRead: %q", *r.Receipt.Read)
	}
	return b.String()
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
