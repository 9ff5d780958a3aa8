// Package llmtest is a local model server for tests. It speaks the wire formats
// of OpenAI's chat completions and Anthropic's messages, strictly: a request
// that the real provider would refuse is refused here with the provider's own
// kind of error.
package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// An Asked is one request as the model would see it.
type Asked struct {
	Wire     string // "openai" or "anthropic"
	Model    string
	System   string
	Turns    []Turn
	Tools    []string
	MustCall bool
	Raw      json.RawMessage
}

// A Turn is one message.
type Turn struct {
	Role   string // user, assistant, tool
	Text   string
	Images int
	Calls  []Call
	// CallID is the call that a tool turn answers.
	CallID string
}

// A Call is a tool call.
type Call struct {
	ID   string
	Name string
	Args string // JSON
}

// An Answer is what the server replies: text and calls, or an HTTP failure.
type Answer struct {
	Text   string
	Calls  []Call
	Cut    bool
	Status int // 0 means 200
	Error  string
	Header map[string]string
	Delay  time.Duration
	// Raw replaces the whole body, for nonsense.
	Raw string
	// Drop closes the connection without an answer.
	Drop bool
}

// A Server is a model behind HTTP.
type Server struct {
	*httptest.Server
	answer func(Asked) Answer
	mu     sync.Mutex
	asked  []Asked
}

// New starts a server whose model is answer; it is called from the server's
// goroutines, one request at a time.
func New(answer func(Asked) Answer) *Server {
	s := &Server{answer: answer}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, readOpenAI, writeOpenAI, openAIError) })
	mux.HandleFunc("POST /v1/messages", func(w http.ResponseWriter, r *http.Request) {
		s.serve(w, r, readAnthropic, writeAnthropic, anthropicError)
	})
	s.Server = httptest.NewServer(mux)
	return s
}

// Env gives a client's environment for this server.
func (s *Server) Env(name string) string {
	switch name {
	case "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_BASE_URL":
		return s.URL + "/v1"
	case "OPENAI_API_KEY", "ANTHROPIC_API_KEY":
		return "test-key"
	}
	return ""
}

// Asked returns the requests so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Asked(nil), s.asked...)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request,
	read func(*http.Request) (Asked, error), write func(http.ResponseWriter, Asked, Answer), fail func(http.ResponseWriter, int, string)) {
	asked, err := read(r)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, asked)
	a := s.answer(asked)
	s.mu.Unlock()
	if a.Delay > 0 {
		select {
		case <-time.After(a.Delay):
		case <-r.Context().Done():
			return
		}
	}
	if a.Drop {
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			c.Close()
		}
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	switch {
	case a.Raw != "":
		fmt.Fprint(w, a.Raw)
	case a.Status >= 400:
		fail(w, a.Status, a.Error)
	default:
		write(w, asked, a)
	}
}
