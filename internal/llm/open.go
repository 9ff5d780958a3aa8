package llm

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Options say how models are reached.
type Options struct {
	// Env reads the environment: API keys and base URLs by their providers'
	// usual names. Required.
	Env func(name string) string
	// Timeout bounds one try; 0 means two minutes.
	Timeout time.Duration
	// Pause before the second try; 0 means one second.
	Pause time.Duration
	// Transport is below everything else; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// A provider is one way of reaching models.
type provider struct {
	key, base   string // environment variables
	defaultBase string
	keyRequired bool
	wire        func(name, model, base, key string, client *http.Client) (Model, error)
	mend        func(body map[string]any)
}

func providers() map[string]provider {
	return map[string]provider{
		"openai":     {key: "OPENAI_API_KEY", base: "OPENAI_BASE_URL", defaultBase: "https://api.openai.com/v1", keyRequired: true, wire: newOpenAI, mend: mendOpenAI},
		"openrouter": {key: "OPENROUTER_API_KEY", base: "OPENROUTER_BASE_URL", defaultBase: "https://openrouter.ai/api/v1", keyRequired: true, wire: newOpenAI, mend: mendOpenAI},
		"gemini":     {key: "GEMINI_API_KEY", base: "GEMINI_BASE_URL", defaultBase: "https://generativelanguage.googleapis.com/v1beta/openai", keyRequired: true, wire: newOpenAI, mend: mendOpenAI},
		"anthropic":  {key: "ANTHROPIC_API_KEY", base: "ANTHROPIC_BASE_URL", defaultBase: "https://api.anthropic.com/v1", keyRequired: true, wire: newAnthropic, mend: mendAnthropic},
		// Ollama's own chat call loses tools in langchaingo; its OpenAI one keeps them.
		"ollama": {key: "OLLAMA_API_KEY", base: "OLLAMA_BASE_URL", defaultBase: "http://127.0.0.1:11434/v1", wire: newOpenAI, mend: mendOpenAI},
	}
}

// Open returns the model that "provider/model" names: openai, anthropic,
// ollama, openrouter or gemini. Any server that speaks OpenAI's format is
// reached as openai with OPENAI_BASE_URL. It contacts nobody. ErrNoModel is
// returned for an empty name.
func Open(name string, o Options) (Model, error) {
	if name == "" {
		return nil, ErrNoModel
	}
	prov, model, ok := strings.Cut(name, "/")
	p, known := providers()[prov]
	if !ok || model == "" || !known {
		return nil, fmt.Errorf("model %q: want provider/model, the provider one of openai, anthropic, ollama, openrouter, gemini", name)
	}
	key := o.Env(p.key)
	if key == "" {
		if p.keyRequired && o.Env(p.base) == "" {
			return nil, fmt.Errorf("model %q: %s is not set in the environment", name, p.key)
		}
		key = "none" // langchaingo refuses an empty token
	}
	base := strings.TrimRight(o.Env(p.base), "/")
	if base == "" {
		base = p.defaultBase
	}
	if prov == "ollama" && !strings.HasSuffix(base, "/v1") {
		base += "/v1"
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	if o.Pause == 0 {
		o.Pause = time.Second
	}
	client := &http.Client{Transport: transport{base: o.Transport, mend: p.mend}, Timeout: o.Timeout}
	m, err := p.wire(name, model, base, key, client)
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", name, err)
	}
	return retrying{Model: m, tries: 4, pause: o.Pause}, nil
}
