package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
)

type tabsArgs struct {
	Action string `json:"action" jsonschema:"list, new, close or select"`
	Index  *int   `json:"index,omitempty" jsonschema:"number of the tab, as list shows it; close without it closes the current one"`
	URL    string `json:"url,omitempty" jsonschema:"what the new tab opens"`
	hope
}

// tabs adds the tool for tabs.
func (s *Server) tabs() {
	moving(s, &mcp.Tool{Name: "browser_tabs", Description: "List, open, close or select tabs. Answers with the verdict and the open tabs. No window is raised."}, s.handleTabs)
}

func (s *Server) handleTabs(ctx context.Context, in tabsArgs) (*reply, error) {
	if in.URL != "" {
		if in.Action != "new" {
			return nil, fmt.Errorf("browser_tabs: a url goes with the action new, not %s", short(in.Action))
		}
		if err := checkURL(in.URL); err != nil {
			return nil, err
		}
	}
	switch in.Action {
	case "list":
		return s.listTabs(ctx, in.hope)
	case "new":
		open := bus.Intent{Action: bus.ActionNewTab, Text: "Open a new tab", Risk: bus.RiskReversible}
		if in.URL == "" {
			return s.act(ctx, open, in.hope)
		}
		return s.sequence(ctx, []step{{open, "a new tab"}, {openIntent(in.URL), in.URL}}, in.hope)
	case "close":
		i := bus.Intent{Action: bus.ActionCloseTab, Text: "Close the tab", Risk: bus.RiskReversible}
		if in.Index != nil {
			t, err := s.tabAt(ctx, *in.Index)
			if err != nil {
				return nil, err
			}
			i.Value, i.Text = t.ID, fmt.Sprintf("Close tab %d", *in.Index)
		}
		return s.act(ctx, i, in.hope)
	case "select":
		if in.Index == nil {
			return nil, errNothing("browser_tabs", "the index of the tab to select")
		}
		t, err := s.tabAt(ctx, *in.Index)
		if err != nil {
			return nil, err
		}
		return s.act(ctx, bus.Intent{Action: bus.ActionSwitchTab, Value: t.ID, Text: fmt.Sprintf("Select tab %d", *in.Index), Risk: bus.RiskRead}, in.hope)
	}
	return nil, fmt.Errorf("browser_tabs: action %q: it is list, new, close or select", short(in.Action))
}

// listTabs asks which tabs there are now: one may have opened, or closed itself,
// since the last move. A wait of no length is the move that asks.
func (s *Server) listTabs(ctx context.Context, h hope) (*reply, error) {
	checks, err := h.checks()
	if err != nil {
		return nil, err
	}
	out, _, err := s.do(ctx, bus.Intent{Action: bus.ActionWait, Value: "1", Text: "List the tabs", Expect: checks, Risk: bus.RiskRead})
	if err != nil {
		return nil, err
	}
	r := s.begun(ctx, out)
	r.tabs(s.tabList())
	return r, nil
}

// tabAt is the tab with that number.
func (s *Server) tabAt(ctx context.Context, index int) (Tab, error) {
	list := s.tabList()
	if index >= len(list) {
		r, err := s.listTabs(ctx, hope{}) // it may have opened since
		if err != nil {
			return Tab{}, err
		}
		list = r.answer.Tabs
	}
	if index < 0 || index >= len(list) {
		return Tab{}, fmt.Errorf("there is no tab %d; %d are open, counted from 0", index, len(list))
	}
	return list[index], nil
}
