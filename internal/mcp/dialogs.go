package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
)

// dialogIn is how long, in milliseconds, a dialog may take to open that the
// client has seen or heard of already.
const dialogIn = 1000

type dialogArgs struct {
	Accept     bool   `json:"accept" jsonschema:"accept it; false dismisses it"`
	PromptText string `json:"promptText,omitempty" jsonschema:"the answer to a prompt"`
	hope
}

// dialogs adds the tool that answers the browser's own dialogs.
func (s *Server) dialogs() {
	moving(s, &mcp.Tool{Name: "browser_handle_dialog", Description: "Answer the dialog of the browser that is open (alert, confirm, prompt, leaving the page). Answers with the verdict and what changed."}, func(ctx context.Context, in dialogArgs) (*reply, error) {
		i := bus.Intent{Action: bus.ActionDismiss, Text: "Dismiss the dialog", PromptText: in.PromptText, Risk: bus.RiskIdempotent, ReadyMS: dialogIn}
		if in.Accept {
			i.Action, i.Text, i.Risk = bus.ActionAccept, "Accept the dialog", bus.RiskIrreversible
		}
		return s.act(ctx, i, in.hope)
	})
}
