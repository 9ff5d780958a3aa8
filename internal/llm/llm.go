// Package llm is how Quartet speaks to language models: neutral types over
// langchaingo, whose own types never leave this package.
//
// langchaingo drops or misplaces parts of a conversation, each provider's
// adapter in its own way; the adapters here shape requests so that nothing is
// lost, and a transport below them mends what cannot be shaped from above (see
// docs/decisions/2026-11-30-llm-over-langchaingo.md).
package llm

import (
	"context"
	"encoding/json"
)

// A Model answers requests. Implementations are safe for concurrent use and
// never call tools themselves.
type Model interface {
	// Name is "provider/model".
	Name() string
	// Generate returns the model's reply. Its errors are *Error; rate limits,
	// overload and broken connections have been retried before one is returned.
	Generate(ctx context.Context, r Request) (Reply, error)
}

// A Request is one turn to answer.
type Request struct {
	System   string
	Messages []Message
	Tools    []Tool
	// MustCall forces a tool call where the provider can be told so; the
	// caller still checks, since some ignore it.
	MustCall bool
	// MaxTokens bounds the reply; 0 means 4096.
	MaxTokens int
}

// A Role is who speaks.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// A Message is one turn of the conversation.
type Message struct {
	Role  Role
	Parts []Part
}

// A Part is a piece of a message: exactly one field is set.
type Part struct {
	Text   string
	Image  *Image
	Call   *Call   // assistant messages only
	Result *Result // tool messages only
}

// An Image is a picture, PNG or JPEG.
type Image struct {
	MIME string
	Data []byte
}

// A Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object
}

// A Call is a tool call of the model's. Args is what the model wrote: valid
// JSON, but not yet checked against the tool's schema.
type Call struct {
	ID   string
	Name string
	Args json.RawMessage
}

// A Result answers a Call.
type Result struct {
	CallID string
	Name   string
	Text   string
}

// A Reply is what the model said.
type Reply struct {
	Text  string
	Calls []Call
	// Cut is set when the reply ended at MaxTokens.
	Cut bool
	// Malformed names the tool of a call whose arguments are not JSON; Calls is
	// empty then.
	Malformed string
	Usage     Usage
}

// Usage counts tokens. Input includes CacheRead and CacheWrite.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
}

// TextMessage is a message of one text.
func TextMessage(role Role, text string) Message {
	return Message{Role: role, Parts: []Part{{Text: text}}}
}
