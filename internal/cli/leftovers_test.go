package cli

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/internal/demo"
)

// TestLeftovers ends the command in every way, and looks in /proc and in its
// folder for temporary files for what it left; and, after a success, for the
// secret that the environment gave.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		password string
		sig      syscall.Signal // after the first step; 0: let it end
		code     int
	}{
		"success": {password: canary, code: exitOK},
		"failure": {password: "wrong", code: exitFailed},
		"Ctrl-C":  {password: canary, sig: syscall.SIGINT, code: exitPerson},
		"SIGTERM": {password: canary, sig: syscall.SIGTERM, code: exitPerson},
		"SIGKILL": {password: canary, sig: syscall.SIGKILL, code: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, vars := serveDemo(t, demo.Options{Password: canary})
			p := newPlace(t, "DEMO_PASSWORD="+test.password)
			c := p.start(t, append([]string{"run", "--json", example(t, "invite-member.yaml")}, vars...)...)
			c.step(t, "Open ")
			if n := browsers(c.temp); n < 2 {
				t.Fatalf("the oracle sees %d processes of a browser", n)
			}
			if open := ports(c.tree()...); len(open) > 0 {
				t.Errorf("it listens on %q", open)
			}
			if test.sig != 0 {
				c.kill(t, test.sig)
			}
			got := c.end(t)
			if got.code != test.code {
				t.Errorf("want exit %d: %v", test.code, got)
			}
			// Signalled, it has 5 s in all; ended by itself, it has cleaned up.
			if err := gone(c.temp, max(0, 5*time.Second-got.took)); err != nil {
				t.Error(err)
			}
			t.Logf("exit %d and gone %v after the end of its work", got.code, got.took.Round(time.Millisecond))
			if test.code == exitOK {
				invited(t, got, d)
				noSecret(t, p, got)
				for line := range strings.Lines(got.out) {
					if !json.Valid([]byte(line)) {
						t.Errorf("--json printed %q", line)
					}
				}
			}
			if test.code != exitPerson {
				return
			}
			id := filepath.Base(p.only(t))
			if !strings.Contains(got.err, "quartet resume "+id) || strings.Count(got.err, `"exit"`) > 1 {
				t.Errorf("it does not say how to go on: %v", got)
			}
			if test.sig == syscall.SIGTERM {
				return // from here on it is as with Ctrl-C
			}
			before := tally(d.Ledger(), demo.KindMemberInvited)
			if again := p.start(t, "resume", id).end(t); again.code != exitOK || tally(d.Ledger(), demo.KindMemberInvited) != before+1 {
				t.Errorf("resumed: %v, ledger %q", again, kinds(d.Ledger()))
			}
		})
	}
}

// TestDemoFlag has the demo in the command's own process: its ledger counts,
// and its ports close with it.
func TestDemoFlag(t *testing.T) {
	p := newPlace(t)
	c := p.start(t, "run", "--json", "--demo", example(t, "rejected-card.yaml"))
	c.step(t, "Open ")
	open := ports(c.tree()...)
	if len(open) != 2 {
		t.Errorf("the demo listens on two ports, not on %q", open)
	}
	url := p.state(t).Submission.Workflow
	if !strings.Contains(string(url), "http://127.0.0.1:") {
		t.Errorf("the workflow does not start at the demo: %s", url)
	}
	c.kill(t, syscall.SIGINT)
	if got := c.end(t); got.code != exitPerson {
		t.Errorf("interrupted: %v", got)
	}
	for _, addr := range open {
		var port int
		if _, err := fmt.Sscanf(addr[strings.LastIndex(addr, ":")+1:], "%X", &port); err != nil {
			t.Fatal(err)
		}
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err != nil {
			t.Errorf("port %d is still taken: %v", port, err)
		} else {
			l.Close()
		}
	}
}

// TestDemoCommand serves until interrupted.
func TestDemoCommand(t *testing.T) {
	c := newPlace(t).start(t, "demo", "--addr", "127.0.0.1:0", "--pay-addr", "127.0.0.1:0")
	var url string
	c.until(t, "address", func(line string) bool {
		_, err := fmt.Sscanf(line, "demo back office at %s ", &url)
		return err == nil
	})
	res, err := http.Get(url + "/login")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the demo answers %s", res.Status)
	}
	http.DefaultClient.CloseIdleConnections()
	c.kill(t, syscall.SIGINT)
	if got := c.end(t); got.code != exitOK {
		t.Errorf("interrupted: %v", got)
	}
	if got := newPlace(t).run(t, "demo", "--payment", "barter"); got.code == exitOK || !strings.Contains(got.err, "barter") {
		t.Errorf("unknown payment mode: %v", got)
	}
}
