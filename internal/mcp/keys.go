package mcp

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
)

type pressArgs struct {
	Key string `json:"key" jsonschema:"a key or a chord: Enter, ArrowDown, a, Control+s; it goes to the element that has the focus"`
	hope
}

// keys adds the tool of the keyboard.
func (s *Server) keys() {
	moving(s, &mcp.Tool{Name: "browser_press_key", Description: "Press a key or a chord. Answers with the verdict and what changed."}, func(ctx context.Context, in pressArgs) (*reply, error) {
		if in.Key == "" {
			return nil, errNothing("browser_press_key", "a key")
		}
		key := strings.ReplaceAll(in.Key, "ControlOrMeta", "Control")
		return s.act(ctx, bus.Intent{Action: bus.ActionPress, Value: key, DialogAnswer: bus.DialogLeave, Text: "Press " + short(key), Risk: bus.RiskReversible}, in.hope)
	})
}
