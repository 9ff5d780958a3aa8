package playbook

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/workflow"
)

func TestIntentInFull(t *testing.T) {
	got, err := Read(Source{Text: `Click "Edit" in the second row of the table "Orders"`})
	if err != nil {
		t.Fatal(err)
	}
	want := []Command{{
		Text: `Click "Edit" in the second row of the table "Orders"`,
		Intent: bus.Intent{
			Text: `Click "Edit" in the second row of the table "Orders"`, Action: bus.ActionClick, Risk: bus.RiskReversible,
			Target: &bus.Target{Name: "Edit", Words: `"Edit" in the second row of the table "Orders"`,
				Within: []bus.Scope{{Kind: "table", Name: "Orders"}, {Kind: "row", Ordinal: 2}}},
		},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Every form that an error shows must itself be readable.
func TestFormsCanBeRead(t *testing.T) {
	for _, v := range allVerbs {
		forms := formsOf(v)
		if len(forms) == 0 {
			t.Errorf("%s has no forms", v)
		}
		for _, f := range forms {
			if _, err := Read(Source{Text: f}); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestWordingsAreUnique(t *testing.T) {
	seen := map[string]verb{}
	for _, w := range wordings {
		if was, ok := seen[w.phrase]; ok {
			t.Errorf("%q leads to %s and %s", w.phrase, was, w.verb)
		}
		seen[w.phrase] = w.verb
	}
	words := map[string]bool{}
	for _, n := range nouns {
		if words[n.word] {
			t.Errorf("noun %q is there twice", n.word)
		}
		words[n.word] = true
	}
}

func TestErrorsSayWhereAndWhat(t *testing.T) {
	for _, c := range []struct{ text, words, form string }{
		{`Frobnicate the button "Save"`, "Frobnicate", ""},
		{`Clik the button "Save"`, "Clik", "Click the button"},
		{`Fill "Name"`, "Name", `with "Acme"`},
		{`Reload the page`, "Reload", "Open"},
		{`Choose tomorrow`, "tomorrow", "Pick 14 March"},
	} {
		_, err := Read(Source{Text: c.text, File: "w.yaml", Line: 7})
		var u *Unreadable
		if !errors.As(err, &u) {
			t.Fatalf("%s: %v", c.text, err)
		}
		if !strings.HasPrefix(err.Error(), "w.yaml:7:") || !strings.Contains(u.Words, c.words) || len(u.Nearest) == 0 || !strings.Contains(strings.Join(u.Nearest, "\n"), c.form) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

func TestResolveDate(t *testing.T) {
	now := time.Date(2026, 1, 31, 23, 30, 0, 0, time.FixedZone("x", 5*3600)) // a Saturday
	for in, want := range map[string]string{
		"2026-03-14": "2026-03-14", "14 March 2026": "2026-03-14", "March 14th, 2026": "2026-03-14", "the 14th of March 2026": "2026-03-14",
		"14.03.2026": "2026-03-14", "14/03/2026": "2026-03-14", "03/14/2026": "2026-03-14", "2026/3/14": "2026-03-14", "14-Mar-2026": "2026-03-14", "5/5/2026": "2026-05-05",
		"Saturday, 14 March 2026": "2026-03-14", "29 February 2028": "2028-02-29",
		"today": "2026-01-31", "Tomorrow": "2026-02-01", "yesterday": "2026-01-30", "the day after tomorrow": "2026-02-02",
		"in 3 days": "2026-02-03", "in a week": "2026-02-07", "in 1 month": "2026-02-28", "in two years": "2028-01-31", "3 days ago": "2026-01-28",
		"next monday": "2026-02-02", "next Saturday": "2026-02-07", "next Sunday": "2026-02-01",
		"the last day of this month": "2026-01-31", "first of next month": "2026-02-01", "the end of next month": "2026-02-28",
	} {
		got, err := ResolveDate(in, now)
		if err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"", "soon", "01/02/2026", "30 February 2026", "14 March", "Sunday, 14 March 2026", "next week", "2026-13-01", "in -3 days"} {
		if got, err := ResolveDate(in, now); err == nil {
			t.Errorf("%q became %s", in, got)
		}
	}
	// What Read puts into an intent must be resolvable.
	cs, err := Read(Source{Text: `Pick the day after tomorrow in the calendar`})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ResolveDate(cs[0].Intent.Value, now); err != nil || got != "2026-02-02" {
		t.Errorf("%q: %s %v", cs[0].Intent.Value, got, err)
	}
}

func TestRisk(t *testing.T) {
	for text, want := range map[string]bus.Risk{
		`Click "Pay now"`: bus.RiskIrreversible, `Click "Delete"`: bus.RiskIrreversible, `Click the link "Orders"`: bus.RiskReversible, `Click "Place order"`: bus.RiskIrreversible,
		`Click "Order history"`: bus.RiskReversible, `Click "Sign in"`: bus.RiskReversible, `Click the tab "Send"`: bus.RiskReversible, `Click "Save"`: bus.RiskReversible,
		`Click "Go" and accept the dialog`: bus.RiskIrreversible, `Click "Go" and dismiss the dialog`: bus.RiskReversible, `Fill "Pay" with "1"`: bus.RiskIdempotent,
		`Verify that "Pay" is visible`: bus.RiskRead, `Toggle "A"`: bus.RiskReversible, `Check "A"`: bus.RiskIdempotent, `Replace "a" with "aa" in "F"`: bus.RiskReversible,
		`Replace "a" with "b" in "F"`: bus.RiskIdempotent, `Hover over "Delete"`: bus.RiskRead, `Accept the dialog`: bus.RiskIrreversible, `Click "Confirm"`: bus.RiskIrreversible,
	} {
		cs, err := Read(Source{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if got := cs[0].Intent.Risk; got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func book(t *testing.T, yaml string) (*Book, error) {
	t.Helper()
	w, err := workflow.Parse("w.yaml", []byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return Compile(w)
}

func TestCompile(t *testing.T) {
	b, err := book(t, `
name: x
start: https://a.example/
vars: {who: 'A" and click "B', n: 3}
secrets: [PW]
steps:
  - Type the secret PW into "Password"
  - step: Click "${who}"
    risk: irreversible
    expect: [ '"Hello ${who}" is visible' ]
  - Remember the value of the field "Total" as TOTAL
  - Fill "Amount" with the remembered TOTAL
  - If there are ${n} rows, click "A", otherwise click "B"
done_when:
  - The page shows "${TOTAL}"
  - The URL starts with "https://a.example/${n}"
`)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range b.Steps {
		lines = append(lines, notation(s.Commands))
		for _, c := range s.Commands {
			if c.Intent.Step != s.Number {
				t.Errorf("step %d in %d", c.Intent.Step, s.Number)
			}
		}
	}
	want := []string{
		`fill("Password" = "${secret:PW}")`,
		`click("A\" and click \"B" visible = "Hello A\" and click \"B")`,
		`remember(field~ "Total" of value as TOTAL)`,
		`fill("Amount" = "${TOTAL}")`,
		`click("A") if[count row~ = 3]; click("B") unless[count row~ = 3]`,
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
	if b.Steps[1].Commands[0].Intent.Risk != bus.RiskIrreversible || b.Steps[1].Line != 8 {
		t.Errorf("step 2: %+v", b.Steps[1])
	}
	c := b.Steps[4].Commands
	if c[0].If.Group != c[1].If.Group || c[0].If.Group == 0 {
		t.Error("if and otherwise must share a group")
	}
	if got := noteChecks(b.DoneWhen); got != `visible = "${TOTAL}" & url matches = "^https://a\\.example/3"` {
		t.Error(got)
	}
}

func TestCompileReportsAll(t *testing.T) {
	_, err := book(t, `
name: x
start: https://a.example/
steps:
  - Frobnicate "A"
  - Type the secret NOPE into "Password"
  - Fill "A" with the remembered LATER
  - Remember the value of "X" as LATER
  - step: Click "A"
    expect: 'it all works'
done_when:
  - All is well that ends well
`)
	if err == nil {
		t.Fatal("compiled")
	}
	for _, part := range []string{"w.yaml:5:", "w.yaml:6:", "w.yaml:7:", "w.yaml:10:", "w.yaml:12:", "NOPE", "LATER", "Frobnicate"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %s in\n%v", part, err)
		}
	}
}

func TestExpandIntent(t *testing.T) {
	in := bus.Intent{Value: "${A} ${secret:PW}", Target: &bus.Target{Name: "${A}"}, Expect: []bus.Expect{{Op: "matches", Want: "^${A}$"}}}
	out, err := ExpandIntent(in, func(n string) (string, bool) { return "1.5", n == "A" })
	if err != nil || out.Value != "1.5 ${secret:PW}" || out.Target.Name != "1.5" || out.Expect[0].Want != `^1\.5$` || in.Target.Name != "${A}" {
		t.Errorf("%+v %v", out, err)
	}
	if _, err := ExpandIntent(in, func(string) (string, bool) { return "", false }); err == nil {
		t.Error("an unknown name passed")
	}
	if _, err := ExpandIntent(in, func(string) (string, bool) { return "${secret:PW}", true }); err == nil {
		t.Error("a page could get a secret typed")
	}
}

// The reference's examples: in each block fenced as "steps" every line must be
// readable as a step, in "checks" as a check, in "refused" it must be refused.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("../../docs/playbook.md")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range regexp.MustCompile("(?s)```(steps|checks|refused|yaml)\n(.*?)```").FindAllStringSubmatch(string(data), -1) {
		if m[1] == "yaml" {
			count["yaml"]++
			w, err := workflow.Parse("playbook.md", []byte(m[2]))
			if err == nil {
				_, err = Compile(w)
			}
			if err != nil {
				t.Error(err)
			}
			continue
		}
		for _, line := range strings.Split(strings.TrimSpace(m[2]), "\n") {
			count[m[1]]++
			var err error
			if m[1] == "checks" {
				_, err = ReadChecks(line)
			} else {
				_, err = Read(Source{Text: line})
			}
			if (err != nil) != (m[1] == "refused") {
				t.Errorf("%s: %s: %v", m[1], line, err)
			}
		}
	}
	if count["steps"] < 100 || count["checks"] < 30 || count["refused"] < 5 || count["yaml"] < 1 {
		t.Errorf("the reference has lost examples: %v", count)
	}
}

func FuzzRead(f *testing.F) {
	data, err := os.ReadFile("testdata/sentences.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, line := range strings.Split(string(data), "\n") {
		if line != "" && line[0] != '\t' && line[0] != '#' {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		cs, err := Read(Source{Text: s})
		if (len(cs) == 0) == (err == nil) {
			t.Fatalf("%d commands and error %v", len(cs), err)
		}
		for _, c := range cs {
			if c.Intent.Action == "" || c.Intent.Risk == "" {
				t.Fatalf("half an intent: %+v", c)
			}
		}
		es, err := ReadChecks(s)
		if (len(es) == 0) == (err == nil) {
			t.Fatalf("%d checks and error %v", len(es), err)
		}
	})
}

// A sentence made to be hard must not take long: steps come from files that
// others may have written.
func TestHardSentencesAreBounded(t *testing.T) {
	for _, unit := range []string{`in the a, `, `if a is b, `, `in the row of "a" and click `, `and the `, `is not `, `click "a" if `, `"a" and `, `with the x's `, `next to the `, `there are no `, `otherwise `} {
		for _, head := range []string{"", "Click ", "If "} {
			text := head + strings.Repeat(unit, 40)
			start := time.Now()
			_, _ = Read(Source{Text: text})
			_, _ = ReadChecks(text)
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("%q… took %v", text[:min(30, len(text))], took)
			}
		}
	}
}

// A check may be a partial tree in the playwright form.
func TestTreesAsChecks(t *testing.T) {
	tree := "- table \"Orders\":\n  - row:\n    - cell: Acme\n"
	got, err := ReadChecks(tree)
	if err != nil || len(got) != 1 || got[0].Kind != bus.ExpectAria || got[0].Want != strings.TrimSpace(tree) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"- row: [", "- /url: x", "- : a"} {
		if _, err := ReadChecks(bad); err == nil || !strings.Contains(err.Error(), "aria template") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
