package llm

import (
	"context"
	"net/http"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
)

// anthropicModel speaks Anthropic's messages API.
type anthropicModel struct {
	name string
	llm  *anthropic.LLM
}

func newAnthropic(name, model, base, key string, client *http.Client) (Model, error) {
	m, err := anthropic.New(anthropic.WithBaseURL(base), anthropic.WithToken(key), anthropic.WithModel(model), anthropic.WithHTTPClient(client))
	if err != nil {
		return nil, err
	}
	return &anthropicModel{name: name, llm: m}, nil
}

func (m *anthropicModel) Name() string { return m.name }

func (m *anthropicModel) Generate(ctx context.Context, r Request) (Reply, error) {
	msgs := []llms.MessageContent{}
	if r.System != "" {
		msgs = append(msgs, llms.TextParts(llms.ChatMessageTypeSystem, r.System))
	}
	for _, msg := range r.Messages {
		switch msg.Role {
		case ToolRole, Assistant:
			// langchaingo keeps the first part of such a message only: one
			// message a part, which mendAnthropic joins again by role.
			role := llms.ChatMessageTypeAI
			if msg.Role == ToolRole {
				role = llms.ChatMessageTypeTool
			}
			for _, p := range msg.Parts {
				var part llms.ContentPart
				switch {
				case p.Call != nil:
					part = toolCall(*p.Call)
				case p.Result != nil:
					part = llms.ToolCallResponse{ToolCallID: p.Result.CallID, Name: p.Result.Name, Content: p.Result.Text}
				case p.Text != "":
					part = llms.TextPart(p.Text)
				default:
					continue
				}
				msgs = append(msgs, llms.MessageContent{Role: role, Parts: []llms.ContentPart{part}})
			}
		default:
			out := llms.MessageContent{Role: llms.ChatMessageTypeHuman}
			for _, p := range msg.Parts {
				if p.Image != nil {
					out.Parts = append(out.Parts, llms.BinaryPart(p.Image.MIME, p.Image.Data))
					continue
				}
				out.Parts = append(out.Parts, llms.TextPart(p.Text))
			}
			msgs = append(msgs, out)
		}
	}
	return generate(withMustCall(ctx, r.MustCall && len(r.Tools) > 0), m.name, m.llm, msgs, r, usageAnthropic)
}

// mendAnthropic removes the temperature, joins what was split by part, and
// marks the parts of the prompt that stay the same from turn to turn for the
// provider's cache: the system prompt (and with it the tools, which come
// first) and the newest message, so that the next turn reads all before it.
func mendAnthropic(body map[string]any) {
	delete(body, "temperature")
	cache := map[string]any{"type": "ephemeral"}
	if s, ok := body["system"].(string); ok && s != "" {
		body["system"] = []any{map[string]any{"type": "text", "text": s, "cache_control": cache}}
	}
	msgs, _ := body["messages"].([]any)
	joined := make([]any, 0, len(msgs))
	for _, m := range msgs {
		msg, ok := m.(map[string]any)
		content, isList := msg["content"].([]any)
		if !ok || !isList {
			joined = append(joined, m)
			continue
		}
		if n := len(joined); n > 0 {
			if last, ok := joined[n-1].(map[string]any); ok && last["role"] == msg["role"] {
				if before, ok := last["content"].([]any); ok {
					last["content"] = append(before, content...)
					continue
				}
			}
		}
		joined = append(joined, msg)
	}
	if n := len(joined); n > 0 {
		if last, ok := joined[n-1].(map[string]any); ok {
			if content, ok := last["content"].([]any); ok && len(content) > 0 {
				if block, ok := content[len(content)-1].(map[string]any); ok {
					block["cache_control"] = cache
				}
			}
		}
		body["messages"] = joined
	}
}

func usageAnthropic(info map[string]any) Usage {
	u := Usage{Output: number(info["OutputTokens"]), CacheRead: number(info["CacheReadInputTokens"]), CacheWrite: number(info["CacheCreationInputTokens"])}
	u.Input = number(info["InputTokens"]) + u.CacheRead + u.CacheWrite
	return u
}
