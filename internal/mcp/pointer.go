package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/planner/playbook"
)

type clickArgs struct {
	onElement
	DoubleClick bool     `json:"doubleClick,omitempty" jsonschema:"click twice"`
	Button      string   `json:"button,omitempty" jsonschema:"left (default), right or middle"`
	Modifiers   []string `json:"modifiers,omitempty" jsonschema:"Alt, Control, ControlOrMeta, Meta, Shift"`
	hope
}

type hoverArgs struct {
	onElement
	hope
}

type dragArgs struct {
	StartElement string `json:"startElement,omitempty" jsonschema:"what is dragged, in words; a second key"`
	StartRef     string `json:"startRef,omitempty" jsonschema:"its ref"`
	StartTarget  string `json:"startTarget,omitempty" jsonschema:"the same as startRef"`
	EndElement   string `json:"endElement,omitempty" jsonschema:"where it is dropped, in words; a second key"`
	EndRef       string `json:"endRef,omitempty" jsonschema:"its ref"`
	EndTarget    string `json:"endTarget,omitempty" jsonschema:"the same as endRef"`
	hope
}

// pointer adds the tools of the mouse.
func (s *Server) pointer() {
	moving(s, &mcp.Tool{Name: "browser_click", Description: "Click an element. Answers with the verdict and what changed. A dialog that opens stays open for browser_handle_dialog."}, s.click)
	moving(s, &mcp.Tool{Name: "browser_hover", Description: "Bring the pointer over an element. Answers with the verdict and what changed."}, func(ctx context.Context, in hoverArgs) (*reply, error) {
		t, err := in.target("hover")
		if err != nil {
			return nil, err
		}
		return s.act(ctx, bus.Intent{Action: bus.ActionHover, Target: t, Text: "Hover over " + describe(in.Element, t.Ref), Risk: bus.RiskRead}, in.hope)
	})
	moving(s, &mcp.Tool{Name: "browser_drag", Description: "Drag an element onto another. Answers with the verdict and what changed."}, func(ctx context.Context, in dragArgs) (*reply, error) {
		from, err := onElement{Element: in.StartElement, Ref: in.StartRef, Target: in.StartTarget}.target("drag: the start")
		if err != nil {
			return nil, err
		}
		to, err := onElement{Element: in.EndElement, Ref: in.EndRef, Target: in.EndTarget}.target("drag: the end")
		if err != nil {
			return nil, err
		}
		return s.act(ctx, bus.Intent{Action: bus.ActionDrag, Target: from, To: to, DialogAnswer: bus.DialogLeave, Risk: bus.RiskReversible,
			Text: "Drag " + describe(in.StartElement, from.Ref) + " onto " + describe(in.EndElement, to.Ref)}, in.hope)
	})
}

func (s *Server) click(ctx context.Context, in clickArgs) (*reply, error) {
	t, err := in.target("click")
	if err != nil {
		return nil, err
	}
	i := bus.Intent{Action: bus.ActionClick, Target: t, Text: "Click " + describe(in.Element, t.Ref), DialogAnswer: bus.DialogLeave}
	for _, m := range in.Modifiers {
		switch m {
		case "ControlOrMeta":
			m = "Control"
		case "Alt", "Control", "Meta", "Shift":
		default:
			return nil, fmt.Errorf("modifier %q: it is Alt, Control, ControlOrMeta, Meta or Shift", short(m))
		}
		i.Modifiers = append(i.Modifiers, m)
	}
	switch in.Button {
	case "", "left":
	case "right", "middle":
		i.Button = in.Button
	default:
		return nil, fmt.Errorf("button %q: it is left, right or middle", short(in.Button))
	}
	if in.DoubleClick {
		i.Count = 2
	}
	i.Risk = risk(i, in.Element)
	r, err := s.act(ctx, i, in.hope)
	if err == nil && !r.failed {
		s.clicked(t)
	}
	return r, err
}

// risk is what the words of a client promise. What the element itself promises
// is added where it is known, before the attempt.
func risk(i bus.Intent, words string) bus.Risk {
	return playbook.GuessRisk(bus.Intent{Action: i.Action, Value: i.Value, Target: &bus.Target{Name: words}})
}
