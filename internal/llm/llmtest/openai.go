package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

func openAIError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": nil}})
}

// readOpenAI refuses what api.openai.com refuses: unknown part types, a
// temperature on a model that takes none, a tool message that answers no call.
func readOpenAI(r *http.Request) (Asked, error) {
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
		return Asked{}, fmt.Errorf("you didn't provide an API key")
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return Asked{}, err
	}
	var q struct {
		Model       string          `json:"model"`
		Temperature *float64        `json:"temperature"`
		ToolChoice  json.RawMessage `json:"tool_choice"`
		Messages    []struct {
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			ToolCallID string          `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Type     string `json:"type"`
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Type     string `json:"type"`
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		return Asked{}, err
	}
	if q.Model == "" || len(q.Messages) == 0 {
		return Asked{}, fmt.Errorf("model and messages are required")
	}
	if q.Temperature != nil && *q.Temperature != 1 {
		return Asked{}, fmt.Errorf("unsupported value: 'temperature' does not support %g with this model", *q.Temperature)
	}
	a := Asked{Wire: "openai", Model: q.Model, Raw: raw, MustCall: string(q.ToolChoice) == `"required"`}
	open := map[string]bool{}
	for _, t := range q.Tools {
		if t.Type != "function" || t.Function.Name == "" || !strings.HasPrefix(strings.TrimSpace(string(t.Function.Parameters)), "{") {
			return Asked{}, fmt.Errorf("invalid tool %q", t.Function.Name)
		}
		a.Tools = append(a.Tools, t.Function.Name)
	}
	for i, m := range q.Messages {
		turn := Turn{Role: m.Role, CallID: m.ToolCallID}
		text, images, err := openAIContent(m.Content)
		if err != nil {
			return Asked{}, fmt.Errorf("messages[%d]: %w", i, err)
		}
		turn.Text, turn.Images = text, images
		for _, c := range m.ToolCalls {
			if c.ID == "" || c.Type != "function" {
				return Asked{}, fmt.Errorf("messages[%d]: tool call without id or type", i)
			}
			open[c.ID] = true
			turn.Calls = append(turn.Calls, Call{ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
		}
		switch m.Role {
		case "system", "developer":
			a.System += text
			continue
		case "tool":
			if !open[m.ToolCallID] {
				return Asked{}, fmt.Errorf("messages[%d]: tool message answers no tool call", i)
			}
			delete(open, m.ToolCallID)
		case "user", "assistant":
			if m.Role == "user" && len(open) > 0 {
				return Asked{}, fmt.Errorf("messages[%d]: an assistant message with 'tool_calls' must be followed by tool messages", i)
			}
		default:
			return Asked{}, fmt.Errorf("messages[%d]: unknown role %q", i, m.Role)
		}
		a.Turns = append(a.Turns, turn)
	}
	if len(open) > 0 {
		return Asked{}, fmt.Errorf("tool calls without an answer")
	}
	return a, nil
}

func openAIContent(raw json.RawMessage) (text string, images int, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", 0, nil
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, 0, nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", 0, err
	}
	for _, p := range parts {
		switch {
		case p.Type == "text":
			text += p.Text
		case p.Type == "image_url" && strings.HasPrefix(p.ImageURL.URL, "data:image/"):
			images++
		default:
			return "", 0, fmt.Errorf("invalid content type %q", p.Type)
		}
	}
	return text, images, nil
}

func writeOpenAI(w http.ResponseWriter, q Asked, a Answer) {
	msg := map[string]any{"role": "assistant", "content": nil, "refusal": nil}
	if a.Text != "" {
		msg["content"] = a.Text
	}
	reason := "stop"
	if len(a.Calls) > 0 {
		calls := []any{}
		for i, c := range a.Calls {
			id := c.ID
			if id == "" {
				id = fmt.Sprintf("call_%d_%d", len(q.Turns), i)
			}
			calls = append(calls, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Args}})
		}
		msg["tool_calls"], reason = calls, "tool_calls"
	}
	if a.Cut {
		reason = "length"
	}
	in, out := len(q.Raw)/4, (len(a.Text)+20)/4
	json.NewEncoder(w).Encode(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": q.Model,
		"choices": []any{map[string]any{"index": 0, "message": msg, "logprobs": nil, "finish_reason": reason}},
		"usage": map[string]any{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out,
			"prompt_tokens_details": map[string]any{"cached_tokens": in / 2}, "completion_tokens_details": map[string]any{"reasoning_tokens": 0}},
	})
}
