package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quartet-agents/quartet/observer/aria"
)

const shelf = `<!doctype html><title>Shelf</title><h1>Shelf</h1><p id=p>Nothing yet</p>
<button id=b onclick="p.textContent = 'Clicked'">Buy</button><a href="/next">Next</a><table id=t><caption>Books</caption><tbody></tbody></table>
<script>for (let i = 0; i < 300; i++) t.tBodies[0].insertRow().innerHTML = '<td>Book ' + i + '<td><button>Lend</button>'</script>`

// A client speaks MCP with a quartet process, through the official SDK.
type client struct {
	t   *testing.T
	ctx context.Context
	s   *mcp.ClientSession
	url string
	// temp is the folder of the process's temporary files; its browser names it.
	temp string
}

func newClient(t *testing.T, p *place, args ...string) *client {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/next" {
			fmt.Fprint(w, "<!doctype html><title>Next</title><h1>The next page</h1>")
			return
		}
		fmt.Fprint(w, shelf)
	}))
	t.Cleanup(site.Close)
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	t.Cleanup(cancel)
	temp := t.TempDir()
	cmd := exec.Command(os.Args[0], append([]string{"mcp"}, args...)...)
	cmd.Env = append(p.environ, asCommand+"=1", "TMPDIR="+temp, "GORACE=atexit_sleep_ms=0")
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return &client{t: t, ctx: ctx, s: s, url: site.URL, temp: temp}
}

// call returns a tool's text, and whether it is an error.
func (c *client) call(tool string, args map[string]any) (string, bool) {
	c.t.Helper()
	res, err := c.s.CallTool(c.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err.Error(), true
	}
	var b strings.Builder
	for _, part := range res.Content {
		if text, ok := part.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String(), res.IsError
}

// want calls a tool that must not fail, and whose text must hold the words.
func (c *client) want(tool string, args map[string]any, words ...string) string {
	c.t.Helper()
	text, bad := c.call(tool, args)
	if bad {
		c.t.Fatalf("%s %v: %s", tool, args, text)
	}
	for _, w := range words {
		if !strings.Contains(text, w) {
			c.t.Errorf("%s %v does not say %q:\n%s", tool, args, w, text)
		}
	}
	return text
}

// refuse calls a tool that must fail with an error that holds the words.
func (c *client) refuse(tool string, args map[string]any, words string) {
	c.t.Helper()
	if text, bad := c.call(tool, args); !bad || !strings.Contains(text, words) {
		c.t.Errorf("%s %v: error %v, want %q in\n%s", tool, args, bad, words, text)
	}
}

func TestMCP(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := newClient(t, p)

	first := c.want("browser_navigate", map[string]any{"url": c.url + "/"}, "verdict: right", "Shelf", `"Buy"`, "more rows")
	if n := aria.Tokens(first); n > 1700 {
		t.Errorf("the first page took %d tokens", n)
	}
	c.want("browser_snapshot", nil, "no change")
	full := c.want("browser_snapshot", map[string]any{"mode": "full"}, "Book 299")
	play := c.want("browser_snapshot", map[string]any{"mode": "full", "format": "playwright"}, "```yaml", `- button "Buy" [ref=e`, "Book 299")
	var tree aria.Tree
	if err := json.Unmarshal([]byte(c.want("browser_snapshot", map[string]any{"mode": "full", "format": "json"})), &tree); err != nil || tree.Title != "Shelf" {
		t.Errorf("json: %v, title %q", err, tree.Title)
	}
	if len(full) >= len(play) {
		t.Errorf("compact is %d bytes, playwright %d", len(full), len(play))
	}
	if text := c.want("browser_snapshot", map[string]any{"mode": "full", "budget": 400}); aria.Tokens(text) > 400 {
		t.Errorf("%d tokens in a budget of 400", aria.Tokens(text))
	}
	c.want("browser_find", map[string]any{"text": "Book 2?7"}, "Book 217", "Book 297")
	marker := regexp.MustCompile(`more rows.* expand (e\d+) from (\d+)`).FindStringSubmatch(first)
	if marker == nil {
		t.Fatalf("no marker to expand in\n%s", first)
	}
	from, err := strconv.Atoi(marker[2])
	if err != nil {
		t.Fatal(err)
	}
	c.want("browser_expand", map[string]any{"ref": marker[1], "from": from, "budget": 3000}, fmt.Sprintf("Book %d", from))

	// A change is told as such; the page itself is the oracle.
	buy := regexp.MustCompile(`button "Buy" \[ref=(e\d+)\]`).FindStringSubmatch(play)[1]
	c.want("browser_click", map[string]any{"ref": buy, "element": "the Buy button"}, "verdict: right", "Clicked")
	c.want("browser_evaluate", map[string]any{"function": "() => document.querySelector('#p').textContent"}, `"Clicked"`)
	c.want("browser_evaluate", map[string]any{"function": "(el) => el.id", "ref": buy}, `"b"`)
	c.want("browser_navigate", map[string]any{"url": c.url + "/next"}, "verdict: right", "The next page")
	c.want("browser_navigate_back", nil, "verdict: right", "Shelf")

	for _, bad := range []struct {
		tool  string
		args  map[string]any
		words string
	}{
		{"browser_click", map[string]any{"ref": "e99999"}, "stale"},
		{"browser_click", nil, "wants the ref"},
		{"browser_click", map[string]any{"ref": buy, "button": "fourth"}, "left, right or middle"},
		{"browser_navigate", map[string]any{"url": "nonsense"}, "not an http or https address"},
		{"browser_navigate", map[string]any{"url": "file:///etc/passwd"}, "not an http or https address"},
		{"browser_navigate", map[string]any{"url": "http://127.0.0.1:1/"}, "did not load"},
		{"browser_snapshot", map[string]any{"format": "xml"}, "compact, playwright"},
		{"browser_snapshot", map[string]any{"mode": "some"}, "auto, full or diff"},
		{"browser_snapshot", map[string]any{"depth": 3}, "depth"},
		{"browser_expand", map[string]any{"ref": "e99999"}, "e99999"},
		{"browser_find", map[string]any{"text": " "}, "wants a text"},
		{"browser_evaluate", map[string]any{"function": "() => { throw new Error('boom') }"}, "boom"},
	} {
		c.refuse(bad.tool, bad.args, bad.words)
	}

	c.want("browser_close", nil)
	c.want("browser_navigate", map[string]any{"url": c.url + "/next"}, "The next page")
	if err := c.s.Close(); err != nil {
		t.Error(err)
	}
	// Both runs stand among the others, with what came of each act.
	list := p.run(t, "runs", "list")
	if n := strings.Count(list.out, "closed"); list.code != exitOK || n != 2 {
		t.Errorf("%d closed runs are listed, want 2: %v", n, list)
	}
	// No verdict, no progress: each act was attempted before it was received,
	// and judged before the next was begun.
	journals, err := filepath.Glob(filepath.Join(p.dir, "runs", "mcp-*", "events.jsonl"))
	if err != nil || len(journals) != 2 {
		t.Fatalf("journals %v, %v", journals, err)
	}
	acts := 0
	for _, path := range journals {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		for line := range strings.Lines(string(data)) {
			var e struct{ Kind string }
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			before := map[string]string{"attempt": "intent", "receipt": "attempt", "verdict": "receipt"}[e.Kind]
			if before != "" && last != before {
				t.Errorf("%s: %s follows %s", path, e.Kind, last)
			}
			if e.Kind == "verdict" {
				acts++
			}
			last = e.Kind
		}
	}
	if acts < 8 {
		t.Errorf("%d verdicts are in the journals", acts)
	}
	reports, err := filepath.Glob(filepath.Join(p.dir, "runs", "mcp-*", "report.html"))
	if err != nil || len(reports) != 2 {
		t.Errorf("reports %v, %v", reports, err)
	}
}

// TestMCPOrigins: a client can be kept to some origins.
func TestMCPOrigins(t *testing.T) {
	t.Parallel()
	c := newClient(t, newPlace(t), "--origins", "http://example.com")
	c.refuse("browser_navigate", map[string]any{"url": c.url}, "origin")
}

// TestMCPBadLine: a line that is no message is answered, and the next one served.
func TestMCPBadLine(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	cmd := exec.Command(os.Args[0], "mcp")
	cmd.Env = append(p.environ, asCommand+"=1", "TMPDIR="+os.Getenv("TMPDIR"), "GORACE=atexit_sleep_ms=0")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	for _, try := range []struct{ line, want string }{
		{"garbage{", "-32700"},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, `"serverInfo"`},
	} {
		if _, err := fmt.Fprintln(in, try.line); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() || !strings.Contains(answers.Text(), try.want) {
			t.Errorf("%s is answered by %s (%v)", try.line, answers.Text(), answers.Err())
		}
	}
	if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
		t.Error(err)
	}
	bad := p.run(t, "mcp", "--origins", "not a url")
	if bad.code != exitUsage || !strings.Contains(bad.err, "not a url") {
		t.Error(bad)
	}
}
