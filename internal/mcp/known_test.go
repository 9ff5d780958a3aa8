package mcp

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/planner"
)

// TestWrongCalls: what a client got wrong is told with what is right, before any
// browser is opened.
func TestWrongCalls(t *testing.T) {
	t.Parallel()
	s, err := New(Options{Version: "1", Bus: &bus.Bus{}, Folder: func(string) string { return "" },
		Client: func(context.Context) (*planner.Client, error) { return nil, errors.New("a browser was opened") }})
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	go func() { _ = s.Run(t.Context(), here) }()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	for _, try := range []struct {
		tool string
		args map[string]any
		want []string
	}{
		{"browser_clik", nil, []string{`unknown tool "browser_clik"`, "did you mean browser_click?"}},
		{"shopping", nil, []string{`unknown tool "shopping"`}},
		{"browser_find", map[string]any{"query": "x"}, []string{`browser_find has no argument "query" (did you mean text?). It`, "It takes text, ref, context, budget"}},
		{"browser_find", map[string]any{"text": "x", "budgt": 5}, []string{`has no argument "budgt" (did you mean budget?)`}},
		{"browser_find", nil, []string{"browser_find lacks text. It takes text"}},
		{"browser_fill_form", map[string]any{"fields": []any{map[string]any{"ref": "e1", "type": "textbox", "vlaue": "x"}}}, []string{`browser_fill_form: fields[0] has no argument "vlaue" (did you mean value?)`}},
		{"browser_close", map[string]any{"now": true}, []string{`no argument "now". It takes none`}},
		{"browser_find", map[string]any{"text": "x", "context": 9}, []string{"context is 0 to 5", "9"}},
		{"browser_find", map[string]any{"text": "x", "context": 0}, []string{"a browser was opened"}},
		{"browser_expand", map[string]any{"ref": "banana"}, []string{`"banana" is no ref`, "e12"}},
		{"browser_expand", map[string]any{"ref": "page"}, []string{"a browser was opened"}},
		{"browser_snapshot", map[string]any{"format": "none"}, []string{`format "none": it is compact, playwright or json`}},
		{"browser_click", map[string]any{"ref": 5}, []string{"ref"}},
	} {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: try.tool, Arguments: try.args})
		text := ""
		if err != nil {
			text = err.Error()
		} else if !res.IsError {
			t.Errorf("%s %v was taken", try.tool, try.args)
			continue
		} else {
			text = res.Content[0].(*mcp.TextContent).Text
		}
		for _, want := range try.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s %v: %q is not in %q", try.tool, try.args, want, text)
			}
		}
	}
}
