package llm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

// openAI speaks OpenAI's chat completions, to OpenAI or to any server that
// speaks the same.
type openAI struct {
	name string
	llm  *openai.LLM
}

func newOpenAI(name, model, base, key string, client *http.Client) (Model, error) {
	m, err := openai.New(openai.WithBaseURL(base), openai.WithToken(key), openai.WithModel(model), openai.WithHTTPClient(client))
	if err != nil {
		return nil, err
	}
	return &openAI{name: name, llm: m}, nil
}

func (m *openAI) Name() string { return m.name }

func (m *openAI) Generate(ctx context.Context, r Request) (Reply, error) {
	msgs := []llms.MessageContent{}
	if r.System != "" {
		msgs = append(msgs, llms.TextParts(llms.ChatMessageTypeSystem, r.System))
	}
	for _, msg := range r.Messages {
		switch msg.Role {
		case ToolRole:
			// One message a result: langchaingo wants exactly one part.
			for _, p := range msg.Parts {
				if p.Result == nil {
					return Reply{}, &Error{Kind: BadRequest, Model: m.name, Message: "a tool message holds results only"}
				}
				msgs = append(msgs, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
					llms.ToolCallResponse{ToolCallID: p.Result.CallID, Name: p.Result.Name, Content: p.Result.Text}}})
			}
		case Assistant:
			out := llms.MessageContent{Role: llms.ChatMessageTypeAI}
			for _, p := range msg.Parts {
				switch {
				case p.Call != nil:
					out.Parts = append(out.Parts, toolCall(*p.Call))
				case p.Text != "":
					out.Parts = append(out.Parts, llms.TextPart(p.Text))
				}
			}
			msgs = append(msgs, out)
		default:
			out := llms.MessageContent{Role: llms.ChatMessageTypeHuman}
			for _, p := range msg.Parts {
				if p.Image != nil {
					// BinaryPart goes out as a type that OpenAI refuses.
					out.Parts = append(out.Parts, llms.ImageURLPart(
						"data:"+p.Image.MIME+";base64,"+base64.StdEncoding.EncodeToString(p.Image.Data)))
					continue
				}
				out.Parts = append(out.Parts, llms.TextPart(p.Text))
			}
			msgs = append(msgs, out)
		}
	}
	return generate(ctx, m.name, m.llm, msgs, r, usageOpenAI)
}

// mendOpenAI removes the temperature that langchaingo always sends: newer
// models refuse any but their own.
func mendOpenAI(body map[string]any) { delete(body, "temperature") }

func usageOpenAI(info map[string]any) Usage {
	return Usage{Input: number(info["PromptTokens"]), Output: number(info["CompletionTokens"]), CacheRead: number(info["PromptCachedTokens"])}
}

func toolCall(c Call) llms.ToolCall {
	return llms.ToolCall{ID: c.ID, Type: "function", FunctionCall: &llms.FunctionCall{Name: c.Name, Arguments: string(c.Args)}}
}

// generate is what the adapters share: call options, one folded reply, errors.
func generate(ctx context.Context, name string, m llms.Model, msgs []llms.MessageContent, r Request, usage func(map[string]any) Usage) (Reply, error) {
	max := r.MaxTokens
	if max == 0 {
		max = 4096
	}
	opts := []llms.CallOption{llms.WithMaxTokens(max)}
	if len(r.Tools) > 0 {
		tools := make([]llms.Tool, len(r.Tools))
		for i, t := range r.Tools {
			tools[i] = llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: t.Name, Description: t.Description, Parameters: t.Schema}}
		}
		opts = append(opts, llms.WithTools(tools))
		if r.MustCall {
			opts = append(opts, llms.WithToolChoice("required"))
		}
	}
	rec := &record{}
	res, err := m.GenerateContent(withRecord(ctx, rec), msgs, opts...)
	if err != nil {
		return Reply{}, classify(ctx, name, rec, err)
	}
	var reply Reply
	for i, c := range res.Choices {
		if c == nil {
			continue
		}
		if i == 0 {
			reply.Usage = usage(c.GenerationInfo) // every choice repeats it
		}
		reply.Text += c.Content
		switch c.StopReason {
		case "max_tokens", "length":
			reply.Cut = true
		}
		for _, tc := range c.ToolCalls {
			if tc.FunctionCall == nil {
				continue
			}
			args := json.RawMessage(tc.FunctionCall.Arguments)
			if len(args) == 0 {
				args = json.RawMessage("{}")
			}
			if !json.Valid(args) {
				reply.Malformed = tc.FunctionCall.Name
			}
			reply.Calls = append(reply.Calls, Call{ID: tc.ID, Name: tc.FunctionCall.Name, Args: args})
		}
	}
	if reply.Malformed != "" {
		reply.Calls = nil
		return reply, nil
	}
	if reply.Text == "" && len(reply.Calls) == 0 && !reply.Cut {
		return reply, &Error{Kind: Garbled, Model: name, Status: rec.status, Message: "the reply holds neither text nor a tool call"}
	}
	return reply, nil
}

func number(v any) int {
	switch n := v.(type) {
	case int:
		return n
	case int32:
		return int(n)
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 0
}
