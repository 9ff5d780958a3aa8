package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/demo"
	"github.com/quartet-agents/quartet/observer/aria"
)

// listAndShow holds `runs` to the run that there is.
func listAndShow(t *testing.T, p *place, state *bus.RunState) {
	id := filepath.Base(p.only(t))
	got := p.run(t, "runs", "list")
	if got.code != exitOK || !strings.Contains(got.out, id) || !strings.Contains(got.out, "succeeded") || strings.Count(got.out, "\n") != 1 {
		t.Errorf("runs list: %v", got)
	}
	var list []bus.RunSummary
	got = p.run(t, "--json", "runs", "list")
	if err := json.Unmarshal([]byte(got.out), &list); err != nil || len(list) != 1 || list[0].Run != id || list[0].Status != bus.Succeeded {
		t.Errorf("runs list --json: %v %v", err, got)
	}
	got = p.run(t, "runs", "show", id)
	if got.code != exitOK || strings.Count(got.out, "  right  ") != len(state.Intents) || !strings.Contains(got.out, "succeeded: ") || !strings.Contains(got.out, "report.html") {
		t.Errorf("runs show: %v", got)
	}
	var shown bus.RunState
	got = p.run(t, "runs", "show", "--json", id)
	if err := json.Unmarshal([]byte(got.out), &shown); err != nil || shown.Events != state.Events || len(shown.Intents) != len(state.Intents) {
		t.Errorf("runs show --json: %v, %d events", err, shown.Events)
	}
	got = p.run(t, "resume", id)
	if got.code != exitUsage || !strings.Contains(got.err, "finished") {
		t.Errorf("resuming a finished run: %v", got)
	}
}

func TestNoRuns(t *testing.T) {
	p := newPlace(t)
	if got := p.run(t, "runs", "list"); got.code != exitOK || got.out != "no runs\n" {
		t.Errorf("runs list: %v", got)
	}
	if got := p.run(t, "runs", "list", "--json"); got.code != exitOK || got.out != "[]\n" {
		t.Errorf("runs list --json: %v", got)
	}
	for _, args := range [][]string{{"runs", "show", "nothing-here"}, {"resume", "nothing-here"}, {"runs", "show", "../../etc"}, {"resume", ".."}, {"runs", "show"}, {"resume", "a", "b"}} {
		if got := p.run(t, args...); got.code != exitUsage || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%q: %v", args, got)
		}
	}
	if left := p.runs(t); len(left) > 0 {
		t.Errorf("looking left %q", left)
	}
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	d, _ := serveDemo(t, demo.Options{})
	p := newPlace(t)
	for format, want := range map[string][]string{
		"compact":    {`button e`, `"Sign in"`, `textbox e`, `password`},
		"playwright": {`- button "Sign in" [ref=e`, `- textbox "Email" [ref=e`},
		"json":       {`"role"`, `"Sign in"`},
	} {
		got := p.run(t, "snapshot", "--format", format, d.URL()+"/login")
		if got.code != exitOK {
			t.Fatal(got)
		}
		for _, w := range want {
			if !strings.Contains(got.out, w) {
				t.Errorf("%s lacks %q:\n%s", format, w, got.out)
			}
		}
		if n := strings.Count(got.out, `Sign in"`); n < 3 {
			t.Errorf("%s shows %d of the three \"Sign in\":\n%s", format, n, got.out)
		}
		if format == "json" {
			var tree aria.Tree
			if err := json.Unmarshal([]byte(got.out), &tree); err != nil {
				t.Errorf("json: %v", err)
			}
		}
	}
	var o bus.Observation
	got := p.run(t, "snapshot", "--json", d.URL()+"/login")
	if err := json.Unmarshal([]byte(got.out), &o); err != nil || o.Text == "" {
		t.Errorf("--json: %v %v", err, got)
	}
	if n := len(d.Ledger()); n != 0 {
		t.Errorf("looking has left %d entries in the ledger", n)
	}
	for _, args := range [][]string{{"snapshot"}, {"snapshot", "not an address"}, {"snapshot", "file:///etc/passwd"}, {"snapshot", "--format", "yaml", d.URL()}} {
		if got := p.run(t, args...); got.code != exitUsage {
			t.Errorf("%q: %v", args, got)
		}
	}
	if got := p.run(t, "snapshot", "http://127.0.0.1:1/"); got.code != exitEnvironment || !strings.Contains(got.err, "127.0.0.1:1") {
		t.Errorf("nobody there: %v", got)
	}
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var found []finding
	got := p.run(t, "doctor", "--json")
	if err := json.Unmarshal([]byte(got.out), &found); err != nil {
		t.Fatalf("%v %v", err, got)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.Name)
		if !f.OK || f.Fact == "" {
			t.Errorf("%+v", f)
		}
	}
	if diff := cmp.Diff([]string{"browser", "fonts", "ocr", "nats", "disk"}, names); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
	got = newPlace(t, "QUARTET_BROWSER_EXECUTABLE=/nowhere/chromium").run(t, "doctor", "--only", "browser,disk")
	if got.code != exitEnvironment || !strings.Contains(got.out, "BAD  browser") || !strings.Contains(got.out, "apt-get install chromium") || !strings.Contains(got.out, "ok   disk") {
		t.Errorf("without a browser: %v", got)
	}
	got = newPlace(t, "QUARTET_NATS_URL=nats://127.0.0.1:1").run(t, "doctor", "--only", "nats")
	if got.code != exitEnvironment || !strings.Contains(got.out, "BAD  nats") {
		t.Errorf("without NATS: %v", got)
	}
	if got := p.run(t, "doctor", "--only", "weather"); got.code != exitUsage {
		t.Errorf("unknown check: %v", got)
	}
}

func TestVersion(t *testing.T) {
	p := newPlace(t)
	var v map[string]string
	got := p.run(t, "version", "--json")
	if err := json.Unmarshal([]byte(got.out), &v); err != nil || got.code != exitOK || v["version"] == "" || !strings.HasPrefix(v["go"], "go1.") {
		t.Errorf("version --json: %v %v", err, got)
	}
	if got := p.run(t, "version"); got.code != exitOK || !strings.HasPrefix(got.out, "quartet ") {
		t.Errorf("version: %v", got)
	}
}

// TestDocs holds docs/cli.md to the commands.
func TestDocs(t *testing.T) {
	want, err := cliDocs((&app{}).root())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "cli.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/cli.md is old, run make docs (-want +got):\n%s", diff)
	}
	for _, command := range []string{"run", "resume", "runs list", "runs show", "snapshot", "agent", "demo", "doctor", "version"} {
		if !bytes.Contains(got, []byte("## quartet "+command+"\n")) {
			t.Errorf("docs/cli.md lacks %s", command)
		}
	}
}
