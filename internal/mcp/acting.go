package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
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
		return s.act(ctx, bus.Intent{Action: bus.ActionOpen, Value: in.URL, Text: "Open " + in.URL, Risk: bus.RiskIdempotent})
	})
	tool(s, &mcp.Tool{Name: "browser_navigate_back", Description: "Go back in the history. Answers with the page."}, func(ctx context.Context, _ noArgs) (string, error) {
		return s.act(ctx, bus.Intent{Action: bus.ActionBack, Text: "Go back", Risk: bus.RiskReversible})
	})
	tool(s, &mcp.Tool{Name: "browser_click", Description: "Click an element. Answers with the verdict and what changed."}, s.click)
}

func (s *Server) click(ctx context.Context, in clickArgs) (string, error) {
	ref := in.Ref
	if ref == "" {
		ref = in.Target
	}
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

func describe(words, ref string) string {
	if words == "" {
		return ref
	}
	return words + " (" + ref + ")"
}

// act makes one move and answers with its verdict and the page since the
// client's last look. What was refused before anything was sent is an error.
func (s *Server) act(ctx context.Context, i bus.Intent) (string, error) {
	c, err := s.begin(ctx)
	if err != nil {
		return "", err
	}
	out, err := c.Do(ctx, i)
	if err != nil {
		return "", err
	}
	if r := out.Receipt.Refusal; r != nil && !out.Receipt.Sent {
		return "", errors.New(refused(r))
	}
	head := "Verdict: " + string(out.Verdict.Outcome)
	if len(out.Verdict.Reasons) > 0 {
		head += ": " + strings.Join(out.Verdict.Reasons, "; ")
	}
	page, err := s.observe(ctx, bus.ObserveRequest{Mode: "auto", Base: s.lastSeen(), SettleMS: settleMS})
	if err != nil {
		return head + "\nThe page cannot be shown: " + explain(err), nil
	}
	return head + "\n" + page, nil
}

// refused writes a refusal with what helps to do better.
func refused(r *bus.Refusal) string { return string(r.Code) + ": " + r.Message }
