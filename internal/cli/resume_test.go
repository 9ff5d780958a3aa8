package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/demo"
	"github.com/quartet-agents/quartet/internal/report"
)

// startDemo is `quartet demo` as a process of its own.
func startDemo(t *testing.T, payment demo.PaymentMode) (url string, vars []string) {
	t.Helper()
	c := newPlace(t).start(t, "demo", "--json", "--addr", "127.0.0.1:0", "--pay-addr", "127.0.0.1:0", "--payment", string(payment))
	var at struct {
		URL string `json:"url"`
		Pay string `json:"pay_url"`
	}
	c.until(t, "the demo's addresses", func(line string) bool { return json.Unmarshal([]byte(line), &at) == nil && at.URL != "" })
	return at.URL, []string{"--var", "demo=" + at.URL, "--var", "pay=" + at.Pay}
}

// renew is the workflow of testdata, whose effects must never come twice.
func renew(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "renew.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestResume kills one run again and again, each time at another point, and
// goes on with it: it succeeds, and the ledger has everything once.
func TestResume(t *testing.T) {
	t.Parallel()
	url, vars := startDemo(t, demo.PaymentOK)
	p := newPlace(t)
	c := p.start(t, append([]string{"run", "--json", renew(t)}, vars...)...)
	for _, point := range []string{
		`Click the button "Sign in"`,         // signed in
		`Click the button "Add seats"`,       // the dialog is open
		`Fill the field "Quantity" with "3"`, // the form is half filled
		`Click the button "Pay"`,             // paid
	} {
		c.step(t, point)
		if n := browsers(c.temp); n < 2 {
			t.Fatalf("the oracle sees %d processes of a browser", n)
		}
		c.kill(t, syscall.SIGKILL)
		if err := gone(c.temp, 5*time.Second); err != nil {
			t.Errorf("killed after %s: %v", point, err)
		}
		c.end(t)
		id := filepath.Base(p.only(t))
		if got := p.run(t, "runs", "show", id); got.code != exitOK || !strings.Contains(got.out, "unfinished") || !strings.Contains(got.out, "quartet resume "+id) {
			t.Errorf("runs show of an interrupted run: %v", got)
		}
		c = p.start(t, "resume", "--json", id)
	}
	if got := c.end(t); got.code != exitOK {
		t.Fatal(got)
	}
	want := []string{demo.KindSignIn, demo.KindSeatsAdded, demo.KindInvoiceCreated, demo.KindCardCharged}
	if diff := cmp.Diff(want, kinds(fetchLedger(t, url))); diff != "" {
		t.Errorf("the ledger (-want +got):\n%s", diff)
	}
	state := p.state(t)
	if state.Finished == nil || state.Finished.Status != bus.Succeeded || state.Epoch != 5 {
		t.Errorf("owned %d times, finished: %+v", state.Epoch, state.Finished)
	}
}

// TestKilledDuringAttempts kills one run again and again, each time shortly after
// a step: most often that is in the middle of the next one's attempt. It goes on
// where that can do no harm, and the ledger has the invitation once.
func TestKilledDuringAttempts(t *testing.T) {
	t.Parallel()
	url, vars := startDemo(t, demo.PaymentOK)
	p := newPlace(t, "DEMO_PASSWORD="+demo.DefaultPassword)
	c := p.start(t, append([]string{"run", "--json", example(t, "invite-member.yaml")}, vars...)...)
	for _, next := range []struct {
		after string
		ms    time.Duration
	}{
		{"Open ", 60},                          // the banner is clicked
		{"Type \"${secret:DEMO_PASSWORD}", 90}, // signing in
		{`Click the button "Sign in"`, 120},    // a link is followed
		{`Fill "Work email"`, 10},              // an option is chosen
	} {
		c.step(t, next.after)
		<-time.After(next.ms * time.Millisecond)
		c.kill(t, syscall.SIGKILL)
		c.end(t)
		c = p.start(t, "resume", "--json", filepath.Base(p.only(t)))
	}
	if got := c.end(t); got.code != exitOK {
		t.Fatal(got)
	}
	if n := tally(fetchLedger(t, url), demo.KindMemberInvited); n != 1 {
		t.Errorf("invited %d times", n)
	}
}

// TestKilledWhilePaying kills the run between an irreversible attempt and its
// verdict: before the money moved, and after. Nothing is paid twice, and how
// the run ends agrees with the ledger.
func TestKilledWhilePaying(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mode demo.PaymentMode
		// charged kills when the ledger has the charge, else as soon as the
		// attempt is journaled.
		charged bool
	}{
		"as it is sent": {demo.PaymentSlow, false},
		"when charged":  {demo.PaymentCommitsThenHangs, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, vars := startDemo(t, test.mode)
			p := newPlace(t)
			text, err := os.ReadFile(renew(t))
			if err != nil {
				t.Fatal(err)
			}
			// The workflow waits where TestResume kills it.
			file := p.file(t, "renew.yaml", strings.ReplaceAll(string(text), "  - Wait 2 seconds\n", ""))
			c := p.start(t, append([]string{"run", "--json", file}, vars...)...)
			c.step(t, `Fill the field "Name on card"`)
			dir := p.only(t)
			awaits(t, "the attempt", func() bool {
				if test.charged {
					return tally(fetchLedger(t, url), demo.KindCardCharged) > 0
				}
				state, err := report.Load(dir)
				return err == nil && state.OpenAttempt() != nil && strings.Contains(state.LastIntent().Intent.Text, `"Pay"`)
			})
			c.kill(t, syscall.SIGKILL)
			if err := gone(c.temp, 5*time.Second); err != nil {
				t.Error(err)
			}
			c.end(t)
			got := p.start(t, "resume", filepath.Base(dir)).end(t)
			ledger := fetchLedger(t, url)
			charged := tally(ledger, demo.KindCardCharged)
			t.Logf("exit %d, charged %d times: %s", got.code, charged, p.state(t).Finished.Reason)
			if charged > 1 || tally(ledger, demo.KindSeatsAdded) != 1 || tally(ledger, demo.KindInvoiceCreated) != 1 {
				t.Errorf("the ledger: %q", kinds(ledger))
			}
			switch {
			case got.code == exitOK && charged != 1:
				t.Errorf("succeeded without a charge: %v", got)
			case got.code != exitOK && got.code != exitPerson:
				t.Errorf("want success or a person: %v", got)
			}
			if got.code == exitPerson && p.state(t).Finished.Reason == "" {
				t.Errorf("the person is not told why: %v", got)
			}
		})
	}
}

// awaits polls what has no event: another process's files or ledger.
func awaits(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("no %s within a minute", what)
		}
	}
}
