package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/internal/demo"
)

const mcpToken = "a token that nobody guesses"

// bearer adds a token to each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// serveMCPProcess starts quartet mcp --http and returns its address, and a
// function that ends it.
func serveMCPProcess(t *testing.T, p *place, args ...string) (url string, stop func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"mcp", "--http", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(p.environ, asCommand+"=1", "TMPDIR="+os.Getenv("TMPDIR"), "GORACE=atexit_sleep_ms=0", "MCP_TOKEN="+mcpToken)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for url == "" && lines.Scan() {
		_, url, _ = strings.Cut(lines.Text(), "serving ")
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _, _ = io.Copy(io.Discard, out) }()
	stop = func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
		if err := cmd.Wait(); err != nil {
			t.Errorf("quartet mcp: %v", err)
		}
	}
	if url == "" {
		stop()
		t.Fatal("the server does not say where it serves")
	}
	return url, stop
}

// TestMCPOverHTTP: two clients that cannot see each other; who brings no token
// or comes under another name is refused; who is silent is closed.
func TestMCPOverHTTP(t *testing.T) {
	t.Parallel()
	d, _ := serveDemo(t, demo.Options{})
	p := newPlace(t)
	url, stop := serveMCPProcess(t, p, "--token-env", "MCP_TOKEN", "--idle", "3s")
	defer stop()

	for _, try := range []struct {
		token, host, origin string
		want                int
	}{
		{"", "", "", http.StatusUnauthorized},
		{"another token than that", "", "", http.StatusUnauthorized},
		{mcpToken, "rebound.example:80", "", http.StatusForbidden},
		{mcpToken, "", "http://rebound.example", http.StatusForbidden},
		{mcpToken, "", "null", http.StatusForbidden},
		{mcpToken, "localhost", "http://localhost:3000", http.StatusOK},
	} {
		body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if try.token != "" {
			req.Header.Set("Authorization", "Bearer "+try.token)
		}
		if try.origin != "" {
			req.Header.Set("Origin", try.origin)
		}
		req.Host = try.host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != try.want {
			t.Errorf("token %q, host %q, origin %q: %s, want %d", try.token, try.host, try.origin, res.Status, try.want)
		}
	}

	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	connect := func() *client {
		s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx,
			&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(mcpToken)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return &client{t: t, ctx: ctx, s: s}
	}
	one := connect()
	one.act("right", "browser_navigate", map[string]any{"url": d.URL() + "/login"})
	email := one.ref("textbox", "Email", "")
	one.act("right", "browser_fill_form", map[string]any{"fields": []any{
		map[string]any{"name": "Email", "type": "textbox", "ref": email, "value": demo.Email},
		map[string]any{"name": "Password", "type": "textbox", "ref": one.ref("textbox", "Password", ""), "value": demo.DefaultPassword}}})
	one.act("right", "browser_press_key", map[string]any{"key": "Enter", "expect": `The URL contains "/dashboard"`})

	// The other has neither the tabs, nor the refs, nor the cookies of the first.
	two := connect()
	if a := two.act("right", "browser_tabs", map[string]any{"action": "list"}); len(a.Tabs) != 1 || strings.Contains(a.text, d.URL()) {
		t.Errorf("the second client's tabs: %+v", a.Tabs)
	}
	two.refuse("browser_click", map[string]any{"ref": email}, "stale")
	if a := two.act("right", "browser_navigate", map[string]any{"url": d.URL() + "/dashboard"}); !strings.Contains(a.URL, "/login") {
		t.Errorf("the second client is at %s", a.URL)
	}

	// Both fall silent; their runs are closed though neither said goodbye.
	closed := 0
	for until := time.Now().Add(15 * time.Second); closed != 2 && time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		closed = 0
		records, err := filepath.Glob(filepath.Join(p.dir, "runs", "mcp-*", "events.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range records {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			closed += strings.Count(string(data), `"kind":"finished"`)
		}
	}
	if closed != 2 {
		t.Errorf("%d runs of silent clients are closed, want 2", closed)
	}
	if res, err := two.s.CallTool(ctx, &mcp.CallToolParams{Name: "browser_snapshot"}); err == nil && !res.IsError {
		t.Error("a session that was closed still answers")
	}
	for _, bad := range [][]string{{"--host", "x"}, {"--token-env", "UNSET", "--http", ":0"}, {"--idle", "-1s"}, {"--files", "/nowhere"}} {
		if r := p.run(t, append([]string{"mcp"}, bad...)...); r.code != exitUsage {
			t.Errorf("%v: %v", bad, r)
		}
	}
}
