package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/internal/demo"
)

// flow is a small workflow that starts at url and does the steps.
func flow(url, steps, more string) string {
	text := "name: Small\nstart: " + url + "\n"
	if steps != "" {
		text += "steps:\n"
		for _, s := range strings.Split(steps, "\n") {
			text += "  - " + s + "\n"
		}
	}
	return text + more + "done_when:\n  - The page shows \"Done\"\n"
}

// TestBadInput holds every kind of bad input to its exit code, to one clear
// error that says what to do, and to have touched nothing.
func TestBadInput(t *testing.T) {
	d, vars := serveDemo(t, demo.Options{})
	start := d.URL() + "/login"
	invite := append([]string{"run", example(t, "invite-member.yaml")}, vars...)
	good := flow(start, `Click "Accept cookies"`, "")
	tests := map[string]struct {
		text    string   // of flow.yaml, which is run unless there are args
		args    []string // instead
		environ []string
		code    int
		want    []string // in the error
		lines   int      // of the error, at most; 0: one
	}{
		"no such file":   {args: []string{"run", "nowhere.yaml"}, code: exitUsage, want: []string{"nowhere.yaml", "no such file"}},
		"no argument":    {args: []string{"run"}, code: exitUsage, want: []string{"one workflow file"}},
		"unknown flag":   {args: []string{"run", "--fast", "x.yaml"}, code: exitUsage, want: []string{"--fast"}},
		"unknown verb":   {args: []string{"resum"}, code: exitUsage, want: []string{`"resum"`, `did you mean "resume"?`}},
		"unknown noun":   {args: []string{"runs", "walk"}, code: exitUsage, want: []string{`"walk"`, "quartet runs"}},
		"not YAML":       {text: "name: [\n", code: exitUsage, want: []string{"flow.yaml:"}, lines: 6},
		"empty":          {text: "", code: exitUsage, want: []string{"flow.yaml"}, lines: 6},
		"unknown key":    {text: good + "retries: 3\n", code: exitUsage, want: []string{"flow.yaml:7", "retries"}, lines: 6},
		"no done_when":   {text: "name: x\nstart: http://a/\nsteps: [Click \"A\"]\n", code: exitUsage, want: []string{"done_when"}, lines: 6},
		"unknown var":    {text: flow(start, `Click "${nobody}"`, ""), code: exitUsage, want: []string{"flow.yaml:4", "nobody"}, lines: 6},
		"unknown --var":  {args: []string{"run", example(t, "rejected-card.yaml"), "--var", "nobody=1"}, code: exitUsage, want: []string{"nobody"}, lines: 6},
		"odd --var":      {args: []string{"run", example(t, "rejected-card.yaml"), "--var", "x"}, code: exitUsage, want: []string{"NAME=VALUE"}},
		"unreadable":     {text: flow(start, `Click "A"`+"\n"+`Frobnicate the "Save" button`, ""), code: exitUsage, want: []string{"flow.yaml:5", "Frobnicate", "Click"}, lines: 8},
		"unread word":    {text: flow(start, `Click the purple button "Save"`, ""), code: exitUsage, want: []string{"flow.yaml:4", "purple"}, lines: 8},
		"no upload":      {text: flow(start, `Upload "gone.csv" to the field "File"`, ""), code: exitUsage, want: []string{"gone.csv"}},
		"upload outside": {text: flow(start, `Upload "../../etc/passwd" to the field "File"`, ""), code: exitUsage, want: []string{"passwd"}},
		"goal, no model": {text: flow(start, "", "goal: Add a seat\n"), code: exitUsage, want: []string{"QUARTET_MODELS_PLANNER", "steps instead"}},
		"goal, bad model": {text: flow(start, "", "goal: Add a seat\n"), environ: []string{"QUARTET_MODELS_PLANNER=parrot"}, code: exitEnvironment,
			want: []string{"parrot"}},
		"goal, no key": {text: flow(start, "", "goal: Add a seat\n"), environ: []string{"QUARTET_MODELS_PLANNER=openai/gpt-5"}, code: exitEnvironment,
			want: []string{"OPENAI_API_KEY"}},
		"bad setting":     {text: good, environ: []string{"QUARTET_VISION=sometimes"}, code: exitUsage, want: []string{"vision", "auto"}},
		"bad limit":       {text: good, environ: []string{"QUARTET_LIMITS_STEPS=many"}, code: exitUsage, want: []string{"QUARTET_LIMITS_STEPS", "many"}},
		"no config":       {args: []string{"run", "x.yaml", "--config", "/nowhere/q.yaml"}, code: exitUsage, want: []string{"/nowhere/q.yaml"}},
		"no secret":       {args: invite, code: exitEnvironment, want: []string{"DEMO_PASSWORD", ".env", "NAME=VALUE"}},
		"no env file":     {args: append([]string{"--json"}, append(invite, "--env-file", "/nowhere/.env")...), code: exitEnvironment, want: []string{"/nowhere/.env", `"exit":4`}},
		"nobody at start": {text: flow("http://127.0.0.1:1/", `Click "A"`, ""), code: exitEnvironment, want: []string{"http://127.0.0.1:1/", "start the application"}},
		"no such host":    {text: flow("http://nobody.invalid/", `Click "A"`, ""), code: exitEnvironment, want: []string{"nobody.invalid"}},
		"no Chromium": {text: good, environ: []string{"QUARTET_BROWSER_EXECUTABLE=/nowhere/chromium"}, code: exitEnvironment,
			want: []string{"/nowhere/chromium", "install"}},
		"no browser at endpoint": {text: good, environ: []string{"QUARTET_BROWSER_ENDPOINT=http://127.0.0.1:1"}, code: exitEnvironment, want: []string{"127.0.0.1:1"}},
		"NATS away":              {text: good, environ: []string{"QUARTET_NATS_URL=nats://127.0.0.1:1"}, code: exitEnvironment, want: []string{"nats://127.0.0.1:1"}},
		"NATS misspelt":          {text: good, environ: []string{"QUARTET_NATS_URL=http://x y"}, code: exitEnvironment, want: []string{"http://x y"}},
		"runs not a folder":      {text: good, environ: []string{"QUARTET_RUNS=/dev/null/runs"}, code: exitEnvironment, want: []string{"/dev/null", "set runs"}},
		"runs not writable":      {text: good, environ: []string{"QUARTET_RUNS=/proc/1/runs"}, code: exitEnvironment, want: []string{"/proc/1/runs", "set runs"}},
		"agent without NATS":     {args: []string{"agent", "observer"}, code: exitUsage, want: []string{"--nats"}},
		"unknown agent":          {args: []string{"agent", "oracle"}, code: exitUsage, want: []string{"oracle", "observer"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, test.environ...)
			args := test.args
			if args == nil {
				args = []string{"run", p.file(t, "flow.yaml", test.text)}
			}
			got := p.run(t, args...)
			if got.code != test.code {
				t.Errorf("want exit %d: %v", test.code, got)
			}
			for _, want := range test.want {
				if !strings.Contains(got.err, want) {
					t.Errorf("the error lacks %q: %v", want, got)
				}
			}
			if n := strings.Count(strings.TrimRight(got.err, "\n"), "\n") + 1; n > max(1, test.lines) || got.out != "" {
				t.Errorf("want one error of at most %d lines and nothing else: %v", max(1, test.lines), got)
			}
			if got.took > 10*time.Second {
				t.Errorf("it took %v to say so", got.took)
			}
			if left := p.runs(t); len(left) > 0 {
				t.Errorf("it left %q", left)
			}
		})
	}
	if entries := d.Ledger(); len(entries) > 0 {
		t.Errorf("the application was touched: %q", kinds(entries))
	}
}

// TestNoBrowserOnPath is without a Chromium, as a fresh machine is.
func TestNoBrowserOnPath(t *testing.T) {
	t.Parallel()
	d, _ := serveDemo(t, demo.Options{})
	p := newPlace(t)
	path := p.file(t, "flow.yaml", flow(d.URL()+"/login", `Click "Accept cookies"`, ""))
	p.environ = append(p.environ, "PATH="+p.dir)
	got := p.start(t, "run", path).end(t)
	if got.code != exitEnvironment || !strings.Contains(got.err, "apt-get install chromium") {
		t.Errorf("without Chromium: %v", got)
	}
	if len(p.runs(t)) > 0 || len(d.Ledger()) > 0 {
		t.Errorf("it left %q and did %q", p.runs(t), kinds(d.Ledger()))
	}
}

// TestFullDisk has the runs on a disk without room, where the machine lets us
// mount one, and where a file stands in the folder's place.
func TestFullDisk(t *testing.T) {
	d, _ := serveDemo(t, demo.Options{})
	p := newPlace(t)
	path := p.file(t, "flow.yaml", flow(d.URL()+"/login", `Click "Accept cookies"`, ""))
	check := func(what string, want ...string) {
		t.Helper()
		got := p.run(t, "run", path)
		if got.code != exitEnvironment || strings.Count(got.err, "\n") != 1 {
			t.Errorf("%s: %v", what, got)
		}
		for _, w := range want {
			if !strings.Contains(got.err, w) {
				t.Errorf("%s: the error lacks %q: %v", what, w, got)
			}
		}
	}
	runs := filepath.Join(p.dir, "runs")
	if err := os.WriteFile(runs, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	check("a file in the folder's place", runs, "set runs")
	if err := os.Remove(runs); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(runs, 0o755); err != nil {
		t.Fatal(err)
	}
	if unmount, err := mountSmall(runs); err == nil {
		defer unmount()
		check("a small disk", " MB free", runs)
		if err := os.WriteFile(filepath.Join(runs, "filler"), make([]byte, 2<<20), 0o644); err == nil {
			t.Fatal("the disk is not small")
		}
		check("a full disk", runs, "no space left")
		if left := p.runs(t); len(left) != 1 {
			t.Errorf("it left %q", left)
		}
	} else {
		t.Logf("no small disk could be mounted: %v", err)
	}
	if len(d.Ledger()) > 0 {
		t.Errorf("the application was touched: %q", kinds(d.Ledger()))
	}
}
