package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/planner"
)

type clickArgs struct {
	Element     string   `json:"element,omitempty" jsonschema:"the element in words, a second key: words that mean another element stop the click"`
	Ref         string   `json:"ref,omitempty" jsonschema:"the element's ref"`
	Target      string   `json:"target,omitempty" jsonschema:"the same as ref"`
	DoubleClick bool     `json:"doubleClick,omitempty" jsonschema:"click twice"`
	Button      string   `json:"button,omitempty" jsonschema:"left (default), right or middle"`
	Modifiers   []string `json:"modifiers,omitempty" jsonschema:"Alt, Control, Meta, Shift"`
}

// acting adds the tools that touch the page.
func (s *Server) acting() {
	tool(s, &mcp.Tool{Name: "browser_navigate", Description: "Open an address. Answers with the page."}, func(ctx context.Context, in navigateArgs) (string, error) {
		if err := checkURL(in.URL); err != nil {
			return "", err
		}
		return s.navigate(ctx, bus.Intent{Action: bus.ActionOpen, Value: in.URL, Text: "Open " + in.URL, Risk: bus.RiskIdempotent})
	})
	tool(s, &mcp.Tool{Name: "browser_navigate_back", Description: "Go back in the history. Answers with the page."}, func(ctx context.Context, _ noArgs) (string, error) {
		return s.navigate(ctx, bus.Intent{Action: bus.ActionBack, Text: "Go back", Risk: bus.RiskReversible})
	})
	tool(s, &mcp.Tool{Name: "browser_evaluate", Description: "Run a function in the page and read what it returns as JSON. What it does proves nothing about the page: look afterwards."}, s.evaluate)
	tool(s, &mcp.Tool{Name: "browser_click", Description: "Click an element. Answers with the verdict and what changed."}, s.click)
}

func (s *Server) click(ctx context.Context, in clickArgs) (string, error) {
	ref := cmp.Or(in.Ref, in.Target)
	if ref == "" {
		return "", errors.New("click wants the ref of an element, as a snapshot shows it")
	}
	i := bus.Intent{Action: bus.ActionClick, Target: &bus.Target{Ref: ref, Words: in.Element}, Text: "Click " + describe(in.Element, ref),
		Modifiers: in.Modifiers, Risk: bus.RiskReversible}
	switch in.Button {
	case "", "left":
	case "right", "middle":
		i.Button = in.Button
	default:
		return "", fmt.Errorf("button %q: it is left, right or middle", in.Button)
	}
	if in.DoubleClick {
		i.Count = 2
	}
	return s.act(ctx, i)
}

type evaluateArgs struct {
	Function string `json:"function" jsonschema:"() => { ... }, or (element) => { ... } with a ref"`
	Element  string `json:"element,omitempty" jsonschema:"the element in words"`
	Ref      string `json:"ref,omitempty" jsonschema:"the element to pass"`
	Target   string `json:"target,omitempty" jsonschema:"the same as ref"`
}

func (s *Server) evaluate(ctx context.Context, in evaluateArgs) (string, error) {
	i := bus.Intent{Action: bus.ActionEvaluate, Value: in.Function, Text: "Run a function in the page", Risk: bus.RiskIrreversible}
	if ref := cmp.Or(in.Ref, in.Target); ref != "" {
		i.Target = &bus.Target{Ref: ref}
		i.Text += " with " + describe(in.Element, ref)
	}
	out, err := s.do(ctx, i)
	if err != nil {
		return "", err
	}
	if r := out.Receipt.Refusal; r != nil {
		return "", errors.New(refused(r))
	}
	if out.Receipt.Read == nil {
		return head(out), nil
	}
	return "### Result\n" + *out.Receipt.Read, nil
}

func describe(words, ref string) string {
	if words == "" {
		return ref
	}
	return words + " (" + ref + ")"
}

// navigate goes elsewhere. That the page did not come is an error.
func (s *Server) navigate(ctx context.Context, i bus.Intent) (string, error) {
	out, err := s.do(ctx, i)
	if err != nil {
		return "", err
	}
	if r := out.Receipt.Refusal; r != nil {
		return "", errors.New(refused(r))
	}
	if out.Verdict.Outcome == bus.NoEffect || out.Verdict.Outcome == bus.WrongEffect {
		return "", errors.New(head(out))
	}
	return s.after(ctx, out), nil
}

// act makes one move and answers with its verdict and the page since the
// client's last look. What was refused before anything was sent is an error.
func (s *Server) act(ctx context.Context, i bus.Intent) (string, error) {
	out, err := s.do(ctx, i)
	if err != nil {
		return "", err
	}
	if r := out.Receipt.Refusal; r != nil && !out.Receipt.Sent {
		return "", errors.New(refused(r))
	}
	return s.after(ctx, out), nil
}

// after is an outcome with the page since the client's last look.
func (s *Server) after(ctx context.Context, out *planner.Outcome) string {
	page, err := s.observe(ctx, bus.ObserveRequest{Mode: "auto", Base: s.lastSeen()})
	if err != nil {
		page = "The page cannot be shown: " + explain(err)
	}
	return head(out) + "\n" + page
}

func (s *Server) do(ctx context.Context, i bus.Intent) (*planner.Outcome, error) {
	c, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	return c.Do(ctx, i)
}

// head is an outcome's first line: the verdict and why.
func head(o *planner.Outcome) string {
	line := "Verdict: " + string(o.Verdict.Outcome)
	if len(o.Verdict.Reasons) > 0 {
		line += ": " + strings.Join(o.Verdict.Reasons, "; ")
	}
	return line
}

// refused writes a refusal for the client's model.
func refused(r *bus.Refusal) string { return string(r.Code) + ": " + r.Message }
