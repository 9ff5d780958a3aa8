package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
)

type verifyElementArgs struct {
	Role string `json:"role" jsonschema:"the element's role, as a snapshot shows it"`
	Name string `json:"accessibleName" jsonschema:"its name, as a snapshot shows it"`
}

type verifyTextArgs struct {
	Text string `json:"text" jsonschema:"text that must be seen on the page"`
}

type verifyListArgs struct {
	onElement
	Items []string `json:"items" jsonschema:"texts that must be seen in the list"`
}

type verifyValueArgs struct {
	onElement
	Type  string `json:"type,omitempty" jsonschema:"textbox, checkbox, radio, combobox or slider"`
	Value string `json:"value" jsonschema:"the value; true or false for a checkbox or a radio button"`
}

// verifying adds the tools that check and touch nothing.
func (s *Server) verifying() {
	read := &mcp.ToolAnnotations{ReadOnlyHint: true}
	moving(s, &mcp.Tool{Name: "browser_verify_element_visible", Annotations: read, Description: "Check that an element can be seen. That it can't is an error."}, func(ctx context.Context, in verifyElementArgs) (*reply, error) {
		if in.Role == "" || in.Name == "" {
			return nil, errNothing("browser_verify_element_visible", "a role and an accessibleName")
		}
		what := fmt.Sprintf("%s %q is seen", short(in.Role), short(in.Name))
		return s.verify(ctx, bus.Expect{Kind: bus.ExpectVisible, Target: &bus.Target{Role: strings.ToLower(in.Role), Name: in.Name}, Text: what})
	})
	moving(s, &mcp.Tool{Name: "browser_verify_text_visible", Annotations: read, Description: "Check that a text can be seen. That it can't is an error."}, func(ctx context.Context, in verifyTextArgs) (*reply, error) {
		if strings.TrimSpace(in.Text) == "" {
			return nil, errNothing("browser_verify_text_visible", "a text")
		}
		return s.verify(ctx, seen(in.Text, false))
	})
	moving(s, &mcp.Tool{Name: "browser_verify_list_visible", Annotations: read, Description: "Check that a list holds items. That one is missing is an error."}, func(ctx context.Context, in verifyListArgs) (*reply, error) {
		t, err := in.target("verify_list_visible")
		if err != nil {
			return nil, err
		}
		if len(in.Items) == 0 || len(in.Items) > maxFields {
			return nil, errNothing("browser_verify_list_visible", fmt.Sprintf("1 to %d items", maxFields))
		}
		var checks []bus.Expect
		for _, item := range in.Items {
			checks = append(checks, bus.Expect{Kind: bus.ExpectText, Target: t, Op: "contains", Want: item, Text: fmt.Sprintf("%s holds %q", describe(in.Element, t.Ref), short(item))})
		}
		return s.verify(ctx, checks...)
	})
	moving(s, &mcp.Tool{Name: "browser_verify_value", Annotations: read, Description: "Check what a control holds. That it holds something else is an error."}, func(ctx context.Context, in verifyValueArgs) (*reply, error) {
		t, err := in.target("verify_value")
		if err != nil {
			return nil, err
		}
		e := bus.Expect{Kind: bus.ExpectValue, Target: t, Want: in.Value, Text: fmt.Sprintf("%s holds %q", describe(in.Element, t.Ref), short(in.Value))}
		switch in.Type {
		case "checkbox", "radio":
			if in.Value != "true" && in.Value != "false" {
				return nil, fmt.Errorf("verify_value: the value of a %s is true or false, not %q", in.Type, short(in.Value))
			}
			e = bus.Expect{Kind: bus.ExpectChecked, Target: t, Not: in.Value == "false", Text: fmt.Sprintf("%s is %s", describe(in.Element, t.Ref), either(in.Value == "true", "checked", "unchecked"))}
		case "", "textbox", "combobox", "slider":
			if in.Value == "" {
				e = bus.Expect{Kind: bus.ExpectEmpty, Target: t, Text: describe(in.Element, t.Ref) + " is empty"}
			}
		default:
			return nil, fmt.Errorf("verify_value: type %q: it is textbox, checkbox, radio, combobox or slider", short(in.Type))
		}
		return s.verify(ctx, e)
	})
}

// verify checks on fresh evidence.
func (s *Server) verify(ctx context.Context, checks ...bus.Expect) (*reply, error) {
	var what []string
	for _, c := range checks {
		what = append(what, c.Text)
	}
	return s.mustHold(ctx, bus.Intent{Action: bus.ActionExpectation, Expect: checks, Text: "Check that " + strings.Join(what, " and "), Risk: bus.RiskRead})
}
