//go:build unix

package topology_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/internal/browser"
)

const (
	root     = "../.."
	workflow = "examples/workflows/add-seat.yaml"
	replicas = 2
)

var agents = []string{"planner", "observer", "actor", "verifier", "vision"}

// programs are the binaries under test, built once.
type programs struct{ quartet, nats string }

var build struct {
	once sync.Once
	programs
	dir string
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if build.dir != "" {
		if err := os.RemoveAll(build.dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func built(t *testing.T) programs {
	t.Helper()
	build.once.Do(func() {
		if build.dir, build.err = os.MkdirTemp("", "quartet-topology-"); build.err != nil {
			return
		}
		build.quartet, build.nats = filepath.Join(build.dir, "quartet"), filepath.Join(build.dir, "nats-server")
		for path, pkg := range map[string]string{build.quartet: "./cmd/quartet", build.nats: "github.com/nats-io/nats-server/v2"} {
			cmd := exec.Command("go", "build", "-o", path, pkg)
			cmd.Dir = root
			if out, err := cmd.CombinedOutput(); err != nil {
				build.err = fmt.Errorf("building %s: %w\n%s", pkg, err, out)
				return
			}
		}
	})
	if build.err != nil {
		t.Fatal(build.err)
	}
	return build.programs
}

// A world is everything that takes part in one run, in processes of their own.
type world struct {
	programs
	compose composeFile
	dir     string // all files of all processes
	tmp     string // their temporary folder
	runs    string
	all     []*process

	demo, pay string // the back office, as the browser sees it
	downloads string // what the browser and the actors share
	places    *strings.Replacer
}

// newWorld starts a demo. When the test ends, nothing of the world may be left.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{programs: built(t), compose: readCompose(t), dir: t.TempDir()}
	w.tmp, w.runs, w.downloads = filepath.Join(w.dir, "tmp"), filepath.Join(w.dir, "runs"), filepath.Join(w.dir, "downloads")
	for _, dir := range []string{w.tmp, w.runs, w.downloads} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // the last: every process is stopped
		if left := w.leftovers(); len(left) > 0 {
			t.Errorf("left behind:\n%s", strings.Join(left, "\n"))
		}
	})
	said := make(chan []byte, 1)
	w.start(t, "demo", &lines{each: func(line []byte) {
		select {
		case said <- slices.Clone(line):
		default:
		}
	}}, nil, w.quartet, "demo", "--json", "--addr", "127.0.0.1:0", "--pay-addr", "127.0.0.1:0")
	select {
	case line := <-said:
		var at struct {
			URL    string `json:"url"`
			PayURL string `json:"pay_url"`
		}
		if err := json.Unmarshal(line, &at); err != nil || at.URL == "" || at.PayURL == "" {
			t.Fatalf("the demo says %q: %v", line, err)
		}
		w.demo, w.pay = at.URL, at.PayURL
	case <-time.After(20 * time.Second):
		t.Fatal("the demo did not start")
	}
	return w
}

// spread starts what docker compose would: NATS, the browser, the agents. It
// returns when all of them answer.
func (w *world) spread(t *testing.T) (agent map[string][]*process) {
	t.Helper()
	nats := w.startNATS(t)
	endpoint := w.startBrowser(t)
	runs, files := w.compose.setting(t, "quartet", "QUARTET_RUNS"), w.compose.setting(t, "actor", "QUARTET_BROWSER_DOWNLOADS")
	w.places = strings.NewReplacer("nats://nats:4222", nats, "http://browser:9222", endpoint,
		"http://demo:8080", w.demo, "http://pay:8081", w.pay, files, w.downloads, runs, w.runs)
	agent = map[string][]*process{}
	for _, name := range agents {
		s := w.compose.service(t, name)
		for n := range replicas {
			p := w.start(t, fmt.Sprintf("%s-%d", name, n+1), nil, w.env(t, s), w.quartet, s.Command...)
			agent[name] = append(agent[name], p)
		}
	}
	for _, list := range agent {
		for _, p := range list {
			eventually(t, p.name+" serves: "+p.err.String(), 30*time.Second, func() bool { return strings.Contains(p.err.String(), "agent: serving") })
		}
	}
	return agent
}

// startNATS runs a server with the compose file's configuration, on free ports.
func (w *world) startNATS(t *testing.T) (url string) {
	t.Helper()
	dir := filepath.Join(w.dir, "nats")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p := w.start(t, "nats", nil, nil, w.nats, "--config", w.compose.natsConfig(t, dir), "--addr", "127.0.0.1", "--port", "-1", "--http_port", "-1", "--ports_file_dir", dir)
	var ports struct {
		NATS       []string `json:"nats"`
		Monitoring []string `json:"monitoring"`
	}
	eventually(t, "NATS listens", 20*time.Second, func() bool {
		data, err := os.ReadFile(filepath.Join(dir, "nats-server_"+strconv.Itoa(p.pid)+".ports"))
		return err == nil && json.Unmarshal(data, &ports) == nil && len(ports.NATS) > 0 && len(ports.Monitoring) > 0
	})
	// The compose file's own question, so that the health check is one that
	// this server can pass.
	test := w.compose.service(t, "nats").Healthcheck.Test
	_, question, ok := strings.Cut(test[len(test)-1], "127.0.0.1:8222")
	if !ok {
		t.Fatalf("the health check of nats asks %q", test)
	}
	eventually(t, "NATS is healthy", 20*time.Second, func() bool {
		res, err := http.Get(ports.Monitoring[0] + question)
		if err != nil {
			return false
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode == http.StatusOK && strings.Contains(string(body), "ok")
	})
	return ports.NATS[0]
}

// startBrowser runs a Chromium with a debugging port and a profile of its own.
func (w *world) startBrowser(t *testing.T) (endpoint string) {
	t.Helper()
	path, err := browser.FindExecutable(true)
	if err != nil {
		t.Fatal(err)
	}
	profile := filepath.Join(w.dir, "profile")
	args := []string{
		"--remote-debugging-port=0", "--user-data-dir=" + profile, "--headless=new", "--no-first-run", "--no-startup-window",
		"--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
		"--disable-extensions", "--disable-domain-reliability", "--disable-client-side-phishing-detection", "--no-pings",
		"--disable-breakpad", "--disable-crash-reporter", "--disable-dev-shm-usage", "--mute-audio", "--password-store=basic", "--lang=en-US",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	// Its socket is elsewhere: a Chromium that is killed leaves it behind.
	tmp, err := os.MkdirTemp(w.dir, "b")
	if err != nil {
		t.Fatal(err)
	}
	w.start(t, "browser", nil, []string{"TMPDIR=" + tmp}, path, args...)
	var port string
	eventually(t, "the browser has a debugging port", 20*time.Second, func() bool {
		raw, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		var ok bool
		port, _, ok = strings.Cut(string(raw), "\n")
		return err == nil && ok
	})
	return "http://127.0.0.1:" + port
}
