package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/demo"
)

// stepForm is a live line: number, verdict, milliseconds, instruction, and the
// target as role "name" ref where the step has one.
var stepForm = regexp.MustCompile(`^( *\d+|   )  (\w+) +(\d+) ms  (.+?)(  → (\w+) "(.*)" ((?:f\d+)?e\d+))?$`)

// TestAddSeat runs the main example, and asks the ledger what it did.
func TestAddSeat(t *testing.T) {
	t.Parallel()
	d, vars := serveDemo(t, demo.Options{})
	p := newPlace(t)
	got := p.run(t, append([]string{"run", example(t, "add-seat.yaml")}, vars...)...)
	if got.code != exitOK {
		t.Fatal(got)
	}
	t.Logf("the run took %v", got.took)

	want := []string{demo.KindSignIn, demo.KindChartOpened, demo.KindPreviewOpened, demo.KindSeatsAdded, demo.KindInvoiceCreated,
		demo.KindCardCharged, demo.KindInvoiceDownloaded, demo.KindSettingsSaved, demo.KindCSVImported}
	ledger := d.Ledger()
	if diff := cmp.Diff(want, kinds(ledger)); diff != "" {
		t.Errorf("the ledger (-want +got):\n%s", diff)
	}
	for kind, data := range map[string]map[string]any{
		demo.KindChartOpened:       {"month": "march"},
		demo.KindSeatsAdded:        {"customer": "Fernhill Logistics", "count": 3, "seats": 27},
		demo.KindInvoiceCreated:    {"customer": "Fernhill Logistics", "amount": 6600, "issue_date": "2026-03-02", "due_date": "2026-04-01", "service_date": "2026-03-14"},
		demo.KindCardCharged:       {"invoice": "INV-2041", "amount": 6600, "last4": "4242", "name": "Anna Whitlock"},
		demo.KindInvoiceDownloaded: {"invoice": "INV-2041"},
		demo.KindSettingsSaved:     {"section": "signature"},
		demo.KindCSVImported:       {"file": "contacts.csv", "rows": 4},
	} {
		entry := find(t, ledger, kind)
		for key, want := range data {
			if entry[key] != want {
				t.Errorf("%s: %s is %v, want %v", kind, key, entry[key], want)
			}
		}
	}

	t.Run("lines", func(t *testing.T) {
		steps, targets := 0, 0
		head, _, _ := strings.Cut(got.out, "\n\n")
		for line := range strings.Lines(head) {
			m := stepForm.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if m == nil {
				t.Errorf("not the line of a step: %q", line)
				continue
			}
			if m[2] != string(bus.Right) {
				t.Errorf("not right: %s", line)
			}
			if strings.TrimSpace(m[1]) != "" {
				steps++
			}
			if m[5] != "" {
				targets++
			}
		}
		if steps != 42 || targets != 39 {
			t.Errorf("%d steps, %d of them with a target; want 42 and 39", steps, targets)
		}
		for _, want := range []string{
			`→ button "Sign in" e`, `→ canvas "March" e`, `→ textbox "Card number" f1e`, "\nsucceeded: ", "0 model tokens", "1 look at pixels\n", "report: ",
		} {
			if !strings.Contains(got.out, want) {
				t.Errorf("the output lacks %q:\n%s", want, got.out)
			}
		}
	})

	state := p.state(t)
	t.Run("looks", func(t *testing.T) {
		var pixels, boxes []bus.Escalation
		for _, e := range state.Escalations {
			switch {
			case e.Width > 0 || e.Blob != "":
				pixels = append(pixels, e)
			case e.Kind == bus.EscalateDatePicker:
				boxes = append(boxes, e)
			case e.Kind != bus.EscalateSpatial:
				t.Errorf("a look that was not called for: %+v", e)
			}
		}
		if len(pixels) != 1 || pixels[0].Kind != bus.EscalateCanvas || !strings.Contains(pixels[0].Trigger, "March") || pixels[0].Blob == "" || pixels[0].Outcome == "" {
			t.Errorf("pixels were to be looked at for March alone: %+v", pixels)
		}
		if len(boxes) != 1 || boxes[0].Outcome == "" {
			t.Errorf("the bare date picker was to be settled by boxes: %+v", boxes)
		}
	})
	t.Run("report", func(t *testing.T) {
		dir := p.only(t)
		if !strings.Contains(got.out, filepath.Join(dir, "report.html")) {
			t.Errorf("the output does not name the report of %s", dir)
		}
		for _, name := range []string{"report.html", "report.md"} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"Add seats to Fernhill", "Succeeded", "INV-2041.pdf", "canvas", "date picker"} {
				if !bytes.Contains(text, []byte(want)) {
					t.Errorf("%s lacks %q", name, want)
				}
			}
			if outside := regexp.MustCompile(`(src|href)="(https?:)?//`).Find(text); name == "report.html" && outside != nil {
				t.Errorf("%s is not self-contained: %s", name, outside)
			}
		}
	})
	t.Run("runs", func(t *testing.T) { listAndShow(t, p, state) })
}

// TestRejectedCard runs the example that is meant to fail.
func TestRejectedCard(t *testing.T) {
	t.Parallel()
	d, vars := serveDemo(t, demo.Options{})
	p := newPlace(t)
	got := p.run(t, append([]string{"run", example(t, "rejected-card.yaml")}, vars...)...)
	if got.code != exitFailed {
		t.Fatal(got)
	}
	ledger := d.Ledger()
	if diff := cmp.Diff([]string{demo.KindSignIn, demo.KindInvoiceCreated, demo.KindCardRejected}, kinds(ledger)); diff != "" {
		t.Errorf("the ledger (-want +got):\n%s", diff)
	}
	if at := find(t, ledger, demo.KindCardRejected)["last4"]; at != "0002" {
		t.Errorf("rejected card ends in %v", at)
	}
	const words = "Your card was declined"
	if !strings.Contains(got.out, "failed: ") || !strings.Contains(got.out, words) {
		t.Errorf("the output does not say that the card was declined:\n%s", got.out)
	}
	dir := p.only(t)
	for _, name := range []string{"report.html", "report.md"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte(words)) || !bytes.Contains(text, []byte("Failed")) {
			t.Errorf("%s does not show the rejection", name)
		}
		if name == "report.html" && !bytes.Contains(text, []byte("data:image/")) {
			t.Errorf("%s has no picture of the failure", name)
		}
	}
	state := p.state(t)
	if f := state.Finished; f == nil || f.Status != bus.Failed || f.Screenshot == "" {
		t.Errorf("finished: %+v", f)
	}
	last := state.LastIntent()
	if len(last.Attempts) != 1 || last.Last().Verdict.Outcome == bus.Right {
		t.Errorf("the payment was tried %d times, last verdict %+v", len(last.Attempts), last.Last().Verdict)
	}
}

// canary is a password that every encoding writes differently.
const canary = `c4n&ry "Ä'/+ 7%?>xyzzy`

// TestSecrets gives the password from the env file, and looks for it in
// everything that the run leaves. TestLeftovers gives it from the environment.
func TestSecrets(t *testing.T) {
	t.Parallel()
	d, vars := serveDemo(t, demo.Options{Password: canary})
	p := newPlace(t)
	env := p.file(t, "secrets.env", "# of the demo\nDEMO_PASSWORD=\""+strings.ReplaceAll(canary, `"`, `\"`)+"\"\n")
	got := p.run(t, append([]string{"run", "--env-file", env, example(t, "invite-member.yaml")}, vars...)...)
	invited(t, got, d)
	noSecret(t, p, got)
}

// invited holds a run to the one invitation that it is for.
func invited(t *testing.T, got done, d *demo.Server) {
	t.Helper()
	if got.code != exitOK {
		t.Fatal(got)
	}
	ledger := d.Ledger()
	if n := tally(ledger, demo.KindMemberInvited); n != 1 || tally(ledger, demo.KindSignInFailed) > 0 {
		t.Fatalf("want one invitation, the ledger has %q", kinds(ledger))
	}
	last := ledger[len(ledger)-1].Data
	if last["email"] != "oskar@northgate.example" || last["name"] != "Oskar Lind" || last["role"] != "Finance" {
		t.Errorf("invited: %v", last)
	}
	if diff := cmp.Diff([]string{"Invoices", "Reports"}, last["areas"]); diff != "" {
		t.Errorf("areas (-want +got):\n%s", diff)
	}
}

// noSecret searches the output and every file of the run for the canary, as it
// is and as encodings would write it.
func noSecret(t *testing.T, p *place, got done) {
	t.Helper()
	inJSON, err := json.Marshal(canary)
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{
		"plain": canary, "tail": "xyzzy", "query": url.QueryEscape(canary), "path": url.PathEscape(canary), "html": html.EscapeString(canary),
		"json": strings.Trim(string(inJSON), `"`), "base64": strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(canary)), "="),
		"base64url": base64.RawURLEncoding.EncodeToString([]byte(canary)),
	}
	files := 0
	look := func(where string, data []byte) {
		for form, text := range forms {
			if bytes.Contains(data, []byte(text)) {
				t.Errorf("%s holds the secret (%s)", where, form)
			}
		}
	}
	look("the output", []byte(got.out))
	look("the log", []byte(got.err))
	err = filepath.WalkDir(p.only(t), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		look(path, data)
		files++
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 4 {
		t.Errorf("only %d files were searched", files)
	}
	if text, _ := os.ReadFile(filepath.Join(p.only(t), "events.jsonl")); !bytes.Contains(text, []byte("${secret:DEMO_PASSWORD}")) {
		t.Error("the events do not name the secret")
	}
}
