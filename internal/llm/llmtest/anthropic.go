package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

func anthropicError(w http.ResponseWriter, status int, message string) {
	kind := map[int]string{400: "invalid_request_error", 401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}[status]
	if kind == "" {
		kind = "api_error"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}})
}

// readAnthropic refuses what api.anthropic.com refuses: no version header, no
// max_tokens, a tool_use without its result in the next user message.
func readAnthropic(r *http.Request) (Asked, error) {
	if r.Header.Get("x-api-key") == "" || r.Header.Get("anthropic-version") == "" {
		return Asked{}, fmt.Errorf("x-api-key and anthropic-version headers are required")
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return Asked{}, err
	}
	type block struct {
		Type   string `json:"type"`
		Text   string `json:"text"`
		Source struct {
			Type      string `json:"type"`
			MediaType string `json:"media_type"`
			Data      string `json:"data"`
		} `json:"source"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
		ToolUseID string          `json:"tool_use_id"`
		Content   json.RawMessage `json:"content"`
	}
	var q struct {
		Model      string          `json:"model"`
		MaxTokens  int             `json:"max_tokens"`
		System     json.RawMessage `json:"system"`
		ToolChoice struct {
			Type string `json:"type"`
		} `json:"tool_choice"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		return Asked{}, err
	}
	if q.Model == "" || q.MaxTokens <= 0 || len(q.Messages) == 0 {
		return Asked{}, fmt.Errorf("model, max_tokens and messages: field required")
	}
	a := Asked{Wire: "anthropic", Model: q.Model, Raw: raw, MustCall: q.ToolChoice.Type == "any"}
	if len(q.System) > 0 && json.Unmarshal(q.System, &a.System) != nil {
		var blocks []block
		if err := json.Unmarshal(q.System, &blocks); err != nil {
			return Asked{}, fmt.Errorf("system: %w", err)
		}
		for _, b := range blocks {
			a.System += b.Text
		}
	}
	for _, t := range q.Tools {
		if t.Name == "" || !strings.HasPrefix(strings.TrimSpace(string(t.InputSchema)), "{") {
			return Asked{}, fmt.Errorf("tools: invalid tool %q", t.Name)
		}
		a.Tools = append(a.Tools, t.Name)
	}
	open := map[string]bool{}
	for i, m := range q.Messages {
		var blocks []block
		var text string
		if json.Unmarshal(m.Content, &text) == nil {
			blocks = []block{{Type: "text", Text: text}}
		} else if err := json.Unmarshal(m.Content, &blocks); err != nil {
			return Asked{}, fmt.Errorf("messages.%d.content: %w", i, err)
		}
		turn := Turn{Role: m.Role}
		results := 0
		for _, b := range blocks {
			switch b.Type {
			case "text":
				if b.Text == "" {
					return Asked{}, fmt.Errorf("messages.%d: text content blocks must be non-empty", i)
				}
				turn.Text += b.Text
			case "image":
				if b.Source.Type != "base64" || b.Source.Data == "" {
					return Asked{}, fmt.Errorf("messages.%d: image without data", i)
				}
				turn.Images++
			case "tool_use":
				open[b.ID] = true
				turn.Calls = append(turn.Calls, Call{ID: b.ID, Name: b.Name, Args: string(b.Input)})
			case "tool_result":
				if !open[b.ToolUseID] {
					return Asked{}, fmt.Errorf("messages.%d: unexpected tool_use_id %q", i, b.ToolUseID)
				}
				delete(open, b.ToolUseID)
				results++
				var s string
				json.Unmarshal(b.Content, &s)
				a.Turns = append(a.Turns, Turn{Role: "tool", CallID: b.ToolUseID, Text: s})
			default:
				return Asked{}, fmt.Errorf("messages.%d: unknown block type %q", i, b.Type)
			}
		}
		if m.Role == "user" && len(open) > 0 {
			return Asked{}, fmt.Errorf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i)
		}
		if results == 0 || turn.Text != "" || turn.Images > 0 {
			a.Turns = append(a.Turns, turn)
		}
	}
	return a, nil
}

func writeAnthropic(w http.ResponseWriter, q Asked, a Answer) {
	content := []any{}
	if a.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": a.Text})
	}
	reason := "end_turn"
	for i, c := range a.Calls {
		id := c.ID
		if id == "" {
			id = fmt.Sprintf("toolu_%d_%d", len(q.Turns), i)
		}
		content = append(content, map[string]any{"type": "tool_use", "id": id, "name": c.Name, "input": json.RawMessage(c.Args)})
		reason = "tool_use"
	}
	if a.Cut {
		reason = "max_tokens"
	}
	in := len(q.Raw) / 4
	json.NewEncoder(w).Encode(map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": q.Model, "content": content,
		"stop_reason": reason, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": in / 2, "output_tokens": (len(a.Text) + 20) / 4, "cache_read_input_tokens": in / 2, "cache_creation_input_tokens": 0},
	})
}
