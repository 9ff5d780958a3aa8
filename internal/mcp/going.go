package mcp

import (
	"context"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
)

type navigateArgs struct {
	URL string `json:"url" jsonschema:"the address to open"`
	hope
}

type backArgs struct{ hope }

type evaluateArgs struct {
	Function string `json:"function" jsonschema:"() => { ... }, or (element) => { ... } with a ref"`
	onElement
}

// going adds the tools that lead elsewhere, and the one that runs a function.
func (s *Server) going() {
	moving(s, &mcp.Tool{Name: "browser_navigate", Description: "Open an address. Answers with the verdict and the page."}, func(ctx context.Context, in navigateArgs) (*reply, error) {
		if err := checkURL(in.URL); err != nil {
			return nil, err
		}
		return s.goes(s.act(ctx, openIntent(in.URL), in.hope))
	})
	moving(s, &mcp.Tool{Name: "browser_navigate_back", Description: "Go back in the history. Answers with the verdict and the page."}, func(ctx context.Context, in backArgs) (*reply, error) {
		return s.goes(s.act(ctx, bus.Intent{Action: bus.ActionBack, Text: "Go back", Risk: bus.RiskReversible}, in.hope))
	})
	moving(s, &mcp.Tool{Name: "browser_evaluate", Description: "Run a function in the page and read what it returns as JSON. The verdict is about the function alone; what it did to the page shows when you look."}, s.evaluate)
}

func openIntent(url string) bus.Intent {
	return bus.Intent{Action: bus.ActionOpen, Value: url, Text: "Open " + url, Risk: bus.RiskIdempotent}
}

// goes makes it an error that the page did not come.
func (s *Server) goes(r *reply, err error) (*reply, error) {
	if err == nil && (r.answer.Verdict == bus.NoEffect || r.answer.Verdict == bus.WrongEffect) && len(r.answer.Checks) == 0 {
		r.failed = true
	}
	return r, err
}

func (s *Server) evaluate(ctx context.Context, in evaluateArgs) (*reply, error) {
	if strings.TrimSpace(in.Function) == "" {
		return nil, errors.New("browser_evaluate wants a function")
	}
	i := bus.Intent{Action: bus.ActionEvaluate, Value: in.Function, Text: "Run a function in the page", Risk: bus.RiskIrreversible}
	if in.given() {
		t, err := in.target("evaluate")
		if err != nil {
			return nil, err
		}
		i.Target = t
		i.Text += " with " + describe(in.Element, t.Ref)
	}
	out, tabs, err := s.do(ctx, i)
	if err != nil {
		return nil, err
	}
	r := s.begun(ctx, out)
	r.answer.Notes, r.lines = nil, r.lines[:1] // the note repeats the result
	if f := out.Receipt.Refusal; f != nil {
		r.failed = true
		r.refused(f, false)
	}
	if out.Receipt.Read != nil {
		r.answer.Result = out.Receipt.Read
		r.say("### Result\n%s", *out.Receipt.Read)
	}
	if tabs {
		r.tabs(s.tabList())
	}
	return r, nil // a function is no reason to look: the next look tells what it changed
}
