package aria_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		name, template, missing string
		broken                  bool
	}{
		{name: "role and name", template: "- button \"Sign in\""},
		{name: "in order inside", template: "- table \"Customers\":\n  - row:\n    - cell: Acme\n    - button \"Edit\"\n  - row:\n    - cell: Beta"},
		{name: "order matters", template: "- table:\n  - cell: Beta\n  - cell: Acme", missing: "cell: \"Acme\""},
		{name: "not in that container", template: "- table:\n  - button \"Sign in\"", missing: "button \"Sign in\" in table"},
		{name: "state", template: "- checkbox \"Wiki\" [checked=false]"},
		{name: "other state", template: "- checkbox \"Wiki\" [checked]", missing: "[checked]"},
		{name: "expression", template: "- button /Delete .+ Inc/\n- text: /^Confirm/"},
		{name: "value", template: "- combobox \"Priority\": Low"},
		{name: "level and ref", template: "- heading \"Billing\" [level=2] [ref=e99]"},
		{name: "not a list", template: "button", broken: true},
		{name: "bad attribute", template: "- button [color=red]", broken: true},
		{name: "rubbish after", template: "- button \"x\" y", broken: true},
		{name: "bad expression", template: "- button /(/", broken: true},
		{name: "not yaml", template: "- [", broken: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := aria.Match(tt.template, office())
			switch {
			case tt.broken:
				if !errors.Is(err, aria.ErrTemplate) {
					t.Errorf("want ErrTemplate, got %v", err)
				}
			case tt.missing != "":
				if err == nil || errors.Is(err, aria.ErrTemplate) || !strings.Contains(err.Error(), tt.missing) {
					t.Errorf("want an error naming %q, got %v", tt.missing, err)
				}
			case err != nil:
				t.Error(err)
			}
		})
	}
}

// What the playwright form writes must match the tree it was written from.
func TestOwnRenderingMatches(t *testing.T) {
	src := aria.Render(Tree(N("table", "T: x", "e1", Row("e2", "a: b", "- c", N("button", `Say "hi"`, "e3")), Row("e4", "~", "1"))), aria.Playwright, aria.RenderOptions{}).Text
	page := Tree(N("table", "T: x", "e9", Row("e2", "a: b", "- c", N("button", `Say "hi"`, "e3")), Row("e4", "~", "1")))
	if err := aria.Match(src, page); err != nil {
		t.Errorf("%v\n%s", err, src)
	}
}

func FuzzMatch(f *testing.F) {
	for _, s := range []string{"- button \"Save\" [disabled]", "- list:\n  - listitem: /a+/", "- /url: x", "- 'a: b'", "- text: 1"} {
		f.Add(s)
	}
	page := office()
	f.Fuzz(func(t *testing.T, s string) { _ = aria.Match(s, page) })
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"sign in", "a | b", "INV-*", "button: edit", "***?", "|"} {
		f.Add(s)
	}
	page := office()
	f.Fuzz(func(t *testing.T, s string) {
		if r := aria.Find(page, s, aria.FindOptions{Context: 1}); r.Text == "" {
			t.Fatal("no answer")
		}
	})
}
