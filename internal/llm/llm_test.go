package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/internal/llm"
	"github.com/quartet-agents/quartet/internal/llm/llmtest"
)

var pixel = []byte("\x89PNG\r\n\x1a\n-not-really")

// conversation uses everything that langchaingo is known to drop: two calls in
// one turn beside text, two results, a picture.
func conversation() llm.Request {
	return llm.Request{
		System:   "You plan.",
		MustCall: true,
		Tools: []llm.Tool{
			{Name: "click", Description: "Click.", Schema: json.RawMessage(`{"type":"object","properties":{"ref":{"type":"string"}}}`)},
			{Name: "fill", Description: "Fill.", Schema: json.RawMessage(`{"type":"object"}`)},
		},
		Messages: []llm.Message{
			{Role: llm.User, Parts: []llm.Part{{Text: "the page"}, {Image: &llm.Image{MIME: "image/png", Data: pixel}}}},
			{Role: llm.Assistant, Parts: []llm.Part{{Text: "Two at once."},
				{Call: &llm.Call{ID: "a", Name: "click", Args: json.RawMessage(`{"ref":"e1"}`)}},
				{Call: &llm.Call{ID: "b", Name: "fill", Args: json.RawMessage(`{"ref":"e2"}`)}}}},
			{Role: llm.ToolRole, Parts: []llm.Part{{Result: &llm.Result{CallID: "a", Name: "click", Text: "right"}}, {Result: &llm.Result{CallID: "b", Name: "fill", Text: "no effect"}}}},
		},
	}
}

func open(t *testing.T, s *llmtest.Server, name string) llm.Model {
	t.Helper()
	t.Cleanup(s.Close)
	m, err := llm.Open(name, llm.Options{Env: s.Env, Pause: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestEveryProviderKeepsTheConversation is the conformance suite of the adapters.
func TestEveryProviderKeepsTheConversation(t *testing.T) {
	for _, name := range []string{"openai/gpt-x", "anthropic/claude-x", "ollama/qwen"} {
		t.Run(name, func(t *testing.T) {
			s := llmtest.New(func(llmtest.Asked) llmtest.Answer {
				return llmtest.Answer{Text: "next", Calls: []llmtest.Call{{Name: "click", Args: `{"ref":"e9"}`}, {Name: "fill", Args: `{}`}}}
			})
			m := open(t, s, name)
			reply, err := m.Generate(context.Background(), conversation())
			if err != nil {
				t.Fatal(err)
			}
			if reply.Text != "next" || len(reply.Calls) != 2 || reply.Calls[0].Name != "click" || string(reply.Calls[0].Args) != `{"ref":"e9"}` || reply.Calls[1].ID == "" {
				t.Errorf("reply %+v", reply)
			}
			if reply.Usage.Input == 0 || reply.Usage.Output == 0 || reply.Usage.CacheRead == 0 || reply.Usage.Input < reply.Usage.CacheRead {
				t.Errorf("usage %+v", reply.Usage)
			}
			q := s.Asked()[0]
			if q.System != "You plan." || len(q.Tools) != 2 || !q.MustCall {
				t.Errorf("asked system %q tools %v must %v", q.System, q.Tools, q.MustCall)
			}
			var text, images, calls, results int
			for _, turn := range q.Turns {
				if strings.Contains(turn.Text, "the page") || strings.Contains(turn.Text, "Two at once.") {
					text++
				}
				images += turn.Images
				calls += len(turn.Calls)
				if turn.Role == "tool" {
					results++
				}
			}
			if text != 2 || images != 1 || calls != 2 || results != 2 {
				t.Errorf("text %d images %d calls %d results %d in %s", text, images, calls, results, q.Raw)
			}
		})
	}
}

func TestAnthropicCachesThePrompt(t *testing.T) {
	s := llmtest.New(func(llmtest.Asked) llmtest.Answer { return llmtest.Answer{Text: "ok"} })
	m := open(t, s, "anthropic/claude-x")
	if _, err := m.Generate(context.Background(), conversation()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(s.Asked()[0].Raw), `"cache_control"`); n != 2 {
		t.Errorf("%d cache marks, want 2 (system, newest message): %s", n, s.Asked()[0].Raw)
	}
}

func TestFailuresAreTyped(t *testing.T) {
	cases := []struct {
		name   string
		answer llmtest.Answer
		want   llm.Kind
	}{
		{"key", llmtest.Answer{Status: 401, Error: "bad key"}, llm.Denied},
		{"quota", llmtest.Answer{Status: 429, Error: "slow down"}, llm.RateLimited},
		{"overload", llmtest.Answer{Status: 529, Error: "overloaded"}, llm.Overloaded},
		{"long", llmtest.Answer{Status: 400, Error: "prompt is too long: 250000 tokens"}, llm.TooLong},
		{"bad", llmtest.Answer{Status: 400, Error: "no such field"}, llm.BadRequest},
		{"nonsense", llmtest.Answer{Raw: "<html>proxy</html>"}, llm.Garbled},
		{"truncated", llmtest.Answer{Raw: `{"choices":[`}, llm.Garbled},
		{"empty", llmtest.Answer{Raw: `{}`}, llm.Garbled},
		{"dropped", llmtest.Answer{Drop: true}, llm.Unreachable},
	}
	for _, name := range []string{"openai/gpt-x", "anthropic/claude-x"} {
		for _, c := range cases {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				s := llmtest.New(func(llmtest.Asked) llmtest.Answer { return c.answer })
				_, err := open(t, s, name).Generate(context.Background(), conversation())
				var e *llm.Error
				if !errors.As(err, &e) || e.Kind != c.want {
					t.Fatalf("got %v, want %s", err, c.want)
				}
				tries := len(s.Asked())
				if e.Temporary() && tries < 2 || !e.Temporary() && tries != 1 {
					t.Errorf("%d tries of a %s failure", tries, e.Kind)
				}
			})
		}
	}
}

func TestRetryWaitsAsLongAsAsked(t *testing.T) {
	n := 0
	s := llmtest.New(func(llmtest.Asked) llmtest.Answer {
		if n++; n == 1 {
			return llmtest.Answer{Status: http.StatusTooManyRequests, Error: "later", Header: map[string]string{"Retry-After": "0.2"}}
		}
		return llmtest.Answer{Text: "ok"}
	})
	m := open(t, s, "openai/gpt-x")
	start := time.Now()
	reply, err := m.Generate(context.Background(), conversation())
	if err != nil || reply.Text != "ok" {
		t.Fatal(reply, err)
	}
	if waited := time.Since(start); waited < 200*time.Millisecond {
		t.Errorf("waited %v, asked for 200 ms", waited)
	}
}

func TestTheCallersDeadlineIsSaid(t *testing.T) {
	for _, name := range []string{"openai/gpt-x", "anthropic/claude-x"} {
		s := llmtest.New(func(llmtest.Asked) llmtest.Answer { return llmtest.Answer{Text: "late", Delay: 5 * time.Second} })
		m := open(t, s, name)
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		_, err := m.Generate(ctx, conversation())
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	none := func(string) string { return "" }
	for name, want := range map[string]string{
		"gpt-x":        "want provider/model",
		"acme/x":       "want provider/model",
		"openai/gpt-x": "OPENAI_API_KEY",
	} {
		if _, err := llm.Open(name, llm.Options{Env: none}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): %v", name, err)
		}
	}
	if _, err := llm.Open("", llm.Options{Env: none}); !errors.Is(err, llm.ErrNoModel) {
		t.Error(err)
	}
	if _, err := llm.Open("ollama/qwen", llm.Options{Env: none}); err != nil {
		t.Error(err)
	}
}
