package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/demo"
	"github.com/quartet-agents/quartet/internal/report"
)

// TestKillsWhilePaying kills runs at points spread over the whole attempt to
// pay, in every mode of the processor, and goes on with each: nothing is ever
// paid twice, and how the run ends agrees with the ledger. QUARTET_KILLS sets
// how many kills there are in all, and lets one run of each mode live; without it
// there is one kill a mode, soon.
func TestKillsWhilePaying(t *testing.T) {
	t.Parallel()
	kills, many := 5, os.Getenv("QUARTET_KILLS")
	if s := many; s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		kills = n
	}
	modes := []demo.PaymentMode{demo.PaymentOK, demo.PaymentSlow, demo.PaymentCommitsThenErrors, demo.PaymentCommitsThenHangs, demo.PaymentRejects}
	each := (kills + len(modes) - 1) / len(modes)
	var mu sync.Mutex
	ends := map[string]int{}
	t.Run("modes", func(t *testing.T) {
		for _, mode := range modes {
			t.Run(string(mode), func(t *testing.T) {
				t.Parallel()
				lasts := 600 * time.Millisecond
				if many != "" { // how long the attempt takes when nobody kills it
					_, lasts = payUntil(t, mode, nil)
				}
				for k := range each {
					t.Run(strconv.Itoa(k), func(t *testing.T) {
						at := time.Duration((float64(k) + 0.5) / float64(each) * 1.1 * float64(lasts))
						how, _ := payUntil(t, mode, &at)
						mu.Lock()
						defer mu.Unlock()
						ends[fmt.Sprintf("%s: %s", mode, how)]++
					})
				}
			})
		}
	})
	for how, n := range ends {
		t.Logf("%s: %d times", how, n)
	}
}

// payUntil runs a payment. With after, the process is killed that long after the
// attempt to pay is in the journal, and the run resumed. It returns how the run
// ended, and how long the attempt lasted where it was not killed.
func payUntil(t *testing.T, mode demo.PaymentMode, after *time.Duration) (how string, lasts time.Duration) {
	url, vars := startDemo(t, mode)
	p := newPlace(t)
	path, err := filepath.Abs(filepath.Join("testdata", "pay.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c := p.start(t, append([]string{"run", "--json", path}, vars...)...)
	c.step(t, `Fill the field "Name on card"`)
	dir := p.only(t)
	state := func() *bus.RunState {
		s, err := report.Load(dir)
		if err != nil {
			return nil // read while it was written
		}
		return s
	}
	paying := func(s *bus.RunState) bool {
		return s != nil && s.LastIntent() != nil && strings.Contains(s.LastIntent().Intent.Text, `"Pay"`)
	}
	awaits(t, "attempt", func() bool { s := state(); return paying(s) && (s.OpenAttempt() != nil || s.Finished != nil) })
	began := time.Now()
	if after == nil {
		awaits(t, "verdict", func() bool { s := state(); return s != nil && (s.OpenAttempt() == nil || s.Finished != nil) })
		lasts = time.Since(began)
	} else {
		time.Sleep(*after)
		c.kill(t, syscall.SIGKILL)
		if err := gone(c.temp, 5*time.Second); err != nil {
			t.Error(err)
		}
	}
	got := c.end(t)
	if after != nil && state().Finished == nil {
		got = p.start(t, "resume", filepath.Base(dir)).end(t)
	}
	ledger := fetchLedger(t, url)
	charged, rejected := tally(ledger, demo.KindCardCharged), tally(ledger, demo.KindCardRejected)
	end := p.state(t).Finished
	if end == nil {
		t.Fatalf("it did not end: %v", got)
	}
	where := "unkilled"
	if after != nil {
		where = fmt.Sprintf("killed after %v", after.Round(time.Millisecond))
	}
	t.Logf("%s: exit %d, charged %d times, rejected %d times: %s", where, got.code, charged, rejected, end.Reason)
	if charged+rejected > 1 || tally(ledger, demo.KindInvoiceCreated) != 1 {
		t.Errorf("the ledger: %q", kinds(ledger))
	}
	switch {
	case end.Status == bus.Succeeded && (charged != 1 || got.code != exitOK):
		t.Errorf("it succeeded, exit %d, charged %d times", got.code, charged)
	case end.Status == bus.Failed && charged != 0:
		t.Errorf("it failed, charged %d times: %s", charged, end.Reason)
	case end.Status == bus.NeedsPerson && (got.code != exitPerson || end.Reason == ""):
		t.Errorf("a person is not told: %v", got)
	case end.Status != bus.Succeeded && end.Status != bus.Failed && end.Status != bus.NeedsPerson:
		t.Errorf("it ended %s: %v", end.Status, got)
	}
	return string(end.Status), lasts
}
