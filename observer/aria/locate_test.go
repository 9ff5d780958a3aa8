package aria_test

import (
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

func inert(n *aria.Node) { n.Inert = true }
func modal(n *aria.Node) { n.Modal = true }

// office is a page with the traps of business applications.
func office() *aria.Tree {
	return Tree(
		N("banner", N("navigation", "Main", N("link", "Sign in", "e1"), N("link", "Orders", "e2"))),
		N("main",
			N("heading", "Account", Set(func(n *aria.Node) { n.Level = 1 })),
			N("form", "Sign in form", "e10",
				N("generic", T("Email *")), N("textbox", "Email *", "e11", Value(""), At(100, 100, 200, 20)),
				N("textbox", "", "e12", Value(""), Set(func(n *aria.Node) { n.Placeholder = "Street" }), At(100, 130, 200, 20)),
				T("Zip code"), N("textbox", "", "e13", Value("")),
				N("checkbox", "Wiki", "e14", Set(func(n *aria.Node) { n.Checked = "false" })), N("generic", "", "e15", T("Wiki"), Set(func(n *aria.Node) { n.Clickable = true })),
				N("button", "Sign in", "e16", T("Sign in")),
				N("combobox", "Priority", "e17", Value("Low"), N("option", "Low"), N("option", "High"), Set(func(n *aria.Node) { n.Options = 2; n.Expanded = "false" })),
			),
			N("heading", "Billing", Set(func(n *aria.Node) { n.Level = 2 })),
			N("button", "Change", "e20"),
			N("heading", "Team", Set(func(n *aria.Node) { n.Level = 2 })),
			N("button", "Change", "e21"),
			N("table", "Customers", "e40",
				N("row", N("columnheader", "Name"), N("columnheader", "Seats"), N("columnheader", "")),
				Row("e41", "Acme", N("textbox", "", "e42", Value("5")), N("button", "Edit", "e43", T("Edit"))),
				Row("e44", "Acme GmbH", N("textbox", "", "e45", Value("7")), N("button", "Edit", "e46", T("Edit"))),
				Row("e47", "Beta", N("textbox", "", "e48", Value("9")), N("button", "Edit", "e49", T("Edit"))),
			),
			N("button", "Delete Acme Inc", "e50"),
			N("button", "Save draft", "e51"), N("button", "Don't save", "e52"),
			N("generic", "", "e53", N("link", "Details", "e54", T("Details")), Set(func(n *aria.Node) { n.Clickable = true })),
			N("button", "", "e60", At(10, 500, 20, 20)), N("button", "Quantity", "e61", At(40, 500, 80, 20)), N("button", "", "e62", At(130, 500, 20, 20)), N("button", "", "e63", At(40, 530, 80, 20)),
			N("canvas", "", "e64", At(300, 500, 400, 200)),
		),
		N("contentinfo", N("link", "Sign in", "e70"), N("link", "Terms", "e71"), T("Confirm"), T("Confirm the order")),
	)
}

func TestLocate(t *testing.T) {
	tests := []struct {
		name string
		q    aria.Query
		want string // ref, or "ambiguous: refs", or "none"
		rung string
	}{
		{"role decides among equals", aria.Query{Name: "Sign in", Role: "button", Purpose: aria.ForClick}, "e16", "name"},
		{"a link in the footer", aria.Query{Name: "Sign in", Within: []aria.Scope{{Kind: "footer"}}, Purpose: aria.ForClick}, "e70", "name"},
		{"a link in the navigation", aria.Query{Name: "Sign in", Kind: "link", Within: []aria.Scope{{Kind: "navigation", Name: "Main"}}, Purpose: aria.ForClick}, "e1", "name"},
		{"three Sign in", aria.Query{Name: "Sign in", Purpose: aria.ForClick}, "ambiguous: e1 e16 e70", "name"},
		{"first of three", aria.Query{Name: "Sign in", Ordinal: 1, Purpose: aria.ForClick}, "e1", "name"},
		{"last of three", aria.Query{Name: "Sign in", Ordinal: -1, Purpose: aria.ForClick}, "e70", "name"},
		{"label with a star", aria.Query{Name: "Email", Kind: "field", Purpose: aria.ForFill}, "e11", "normalised"},
		{"purpose narrows", aria.Query{Name: "email", Purpose: aria.ForFill}, "e11", "normalised"},
		{"placeholder", aria.Query{Name: "Street", Purpose: aria.ForFill}, "e12", "label"},
		{"field after static text", aria.Query{Name: "Zip code", Kind: "field", Purpose: aria.ForFill}, "e13", "proximity"},
		{"checkbox over its label", aria.Query{Name: "Wiki", Purpose: aria.ForCheck}, "e14", "name"},
		{"checkbox over its label by click", aria.Query{Name: "Wiki", Purpose: aria.ForClick}, "e14", "name"},
		{"box is a checkbox", aria.Query{Name: "Wiki", Kind: "box", Purpose: aria.ForCheck}, "e14", "name"},
		{"list is a select", aria.Query{Name: "Priority", Kind: "list", Purpose: aria.ForSelect}, "e17", "name"},
		{"section by heading", aria.Query{Name: "Change", Within: []aria.Scope{{Kind: "section", Name: "Team"}}}, "e21", "name"},
		{"section by heading, first", aria.Query{Name: "Change", Within: []aria.Scope{{Kind: "section", Name: "Billing"}}}, "e20", "name"},
		{"row by exact cell", aria.Query{Name: "Edit", Within: []aria.Scope{{Kind: "row", Name: "Acme"}}}, "e43", "name"},
		{"row by part", aria.Query{Name: "Edit", Within: []aria.Scope{{Kind: "row", Name: "gmbh"}}}, "e46", "name"},
		{"no such row", aria.Query{Name: "Edit", Within: []aria.Scope{{Kind: "row", Name: "Gamma"}}}, "none", ""},
		{"field in a column", aria.Query{Name: "Seats", Purpose: aria.ForFill, Within: []aria.Scope{{Kind: "row", Name: "Beta"}}}, "e48", "proximity"},
		{"the field in a row", aria.Query{Kind: "field", Purpose: aria.ForFill, Within: []aria.Scope{{Kind: "row", Name: "Beta"}}}, "e48", "kind"},
		{"second Edit", aria.Query{Name: "Edit", Ordinal: 2}, "e46", "name"},
		{"row itself", aria.Query{Name: "Beta", Kind: "row"}, "e47", "contains"},
		{"cell is not a longer button", aria.Query{Name: "Acme", Purpose: aria.ForClick}, "", "label"},
		{"two that hold the word", aria.Query{Name: "save", Purpose: aria.ForClick}, "ambiguous: e51 e52", "contains"},
		{"wrapper gives way to link", aria.Query{Name: "Details", Purpose: aria.ForClick}, "e54", "name"},
		{"left of", aria.Query{Kind: "button", Near: &aria.Near{Relation: "left_of", Of: aria.Query{Name: "Quantity"}}}, "e60", "kind"},
		{"right of", aria.Query{Kind: "button", Near: &aria.Near{Relation: "right_of", Of: aria.Query{Name: "Quantity"}}}, "e62", "kind"},
		{"below", aria.Query{Kind: "button", Near: &aria.Near{Relation: "below", Of: aria.Query{Name: "Quantity"}}}, "e63", "kind"},
		{"next to is both", aria.Query{Kind: "button", Near: &aria.Near{Relation: "next_to", Of: aria.Query{Name: "Quantity"}}}, "ambiguous: e60 e62 e63", "kind"},
		{"chart", aria.Query{Kind: "chart"}, "e64", "kind"},
		{"a button that is a link", aria.Query{Name: "Orders", Kind: "button", Purpose: aria.ForClick}, "e2", "other role"},
		{"nothing", aria.Query{Name: "Frobnicate", Purpose: aria.ForClick}, "none", ""},
		{"Edit button beside Beta", aria.Query{Name: "Edit", Near: &aria.Near{Relation: "next_to", Of: aria.Query{Name: "Beta"}}}, "e49", "name"},
		{"free words", aria.Query{Words: "the Orders link"}, "e2", "name"},
		{"free words around a name", aria.Query{Words: "Terms at the bottom of the page"}, "e71", "within"},
		{"a word short of its label", aria.Query{Name: "Confirm", Role: "button"}, "none", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := aria.Locate(office(), tt.q)
			got := "none"
			switch {
			case r.Node != nil:
				got = r.Node.Ref
			case len(r.Candidates) > 0:
				got = "ambiguous:"
				for _, n := range r.Candidates {
					got += " " + n.Ref
				}
			}
			if got != tt.want || r.Rung != tt.rung {
				t.Errorf("got %s by %q, want %s by %q (%v)", got, r.Rung, tt.want, tt.rung, r.Diagnosis)
			}
			if got == "none" && r.Diagnosis.Reason == "" {
				t.Error("nothing found, and no reason")
			}
		})
	}
}

func TestLocateBehindModal(t *testing.T) {
	page := office()
	page.Walk(func(n *aria.Node, _ []*aria.Node) bool { inert(n); return true })
	page.Root.Inert = false
	page.Root.Children = append(page.Root.Children,
		N("dialog", "Confirm", "e80", N("button", "Change", "e81"), N("button", "Close", "e82"), modalOption()))
	for q, want := range map[string]string{"Change": "e81", "Orders": "e2", "Close": "e82"} {
		if r := aria.Locate(page, aria.Query{Name: q, Purpose: aria.ForClick}); r.Node == nil || r.Node.Ref != want {
			t.Errorf("%s: got %v (%v), want %s", q, aria.Describe(r.Node), r.Diagnosis, want)
		}
	}
	if r := aria.Locate(page, aria.Query{Kind: "button", Name: "Change", Within: []aria.Scope{{Kind: "dialog"}}}); r.Node == nil || r.Node.Ref != "e81" {
		t.Errorf("in the dialog: %v", r.Diagnosis)
	}
}

func modalOption() Option { return Set(modal) }

func TestDiagnosisNamesWhatIsThere(t *testing.T) {
	r := aria.Locate(office(), aria.Query{Name: "Sing in", Role: "button"})
	if r.Node != nil || !strings.Contains(r.Diagnosis.String(), `"Sign in" e16`) {
		t.Errorf("diagnosis does not name the nearest: %v", r.Diagnosis)
	}
	r = aria.Locate(office(), aria.Query{Name: "Confirm", Role: "button"})
	if r.Diagnosis.Text != 2 || r.Diagnosis.Role != 13 {
		t.Errorf("counts: %+v", r.Diagnosis)
	}
}

func TestFits(t *testing.T) {
	tests := []struct {
		name, ref string
		q         aria.Query
		want      aria.Fit
	}{
		{"same", "e16", aria.Query{Name: "Sign in", Role: "button"}, aria.FitsWords},
		{"same words, other role family", "e16", aria.Query{Name: "Sign in", Kind: "link"}, aria.FitsWords},
		{"field is no button", "e11", aria.Query{Name: "Email", Role: "button"}, aria.Contradicts},
		{"another label", "e51", aria.Query{Name: "Sign in"}, aria.Contradicts},
		{"another row", "e43", aria.Query{Name: "Edit", Within: []aria.Scope{{Kind: "row", Name: "Beta"}}}, aria.Contradicts},
		{"the row", "e49", aria.Query{Name: "Edit", Within: []aria.Scope{{Kind: "row", Name: "Beta"}}}, aria.FitsWords},
		{"another row in free words", "e43", aria.Query{Words: "Edit button of Beta"}, aria.Contradicts},
		{"the row in free words", "e49", aria.Query{Words: "Edit button of Beta"}, aria.FitsWords},
		{"free words name another", "e2", aria.Query{Words: "click Save draft"}, aria.Contradicts},
		{"a longer row name", "e46", aria.Query{Words: "Edit button of Acme GmbH"}, aria.FitsWords},
		{"static label", "e13", aria.Query{Name: "Zip code", Kind: "field", Purpose: aria.ForFill}, aria.FitsWords},
		{"wrong ordinal", "e43", aria.Query{Name: "Edit", Ordinal: 2}, aria.Contradicts},
		{"gone", "e999", aria.Query{Name: "Edit"}, aria.Contradicts},
		{"a link that is nowhere", "e11", aria.Query{Words: "the Terms link"}, aria.Contradicts},
		{"vague words", "e11", aria.Query{Words: "the first field"}, aria.Unclear},
		{"unnamed", "e60", aria.Query{Name: "Minus"}, aria.Unclear},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if v := aria.Fits(office(), tt.ref, tt.q); v.Fit != tt.want {
				t.Errorf("got %s (%s), want %s", v.Fit, v.Reason, tt.want)
			} else if v.Fit == aria.Contradicts && v.Reason == "" {
				t.Error("a contradiction without reason")
			}
		})
	}
}

func TestTwins(t *testing.T) {
	refs := func(ns []*aria.Node) string {
		var s []string
		for _, n := range ns {
			s = append(s, n.Ref)
		}
		return strings.Join(s, " ")
	}
	for _, tt := range []struct {
		ref  string
		q    aria.Query
		want string
	}{
		{"e16", aria.Query{Name: "Sign in"}, "e1 e70"},
		{"e16", aria.Query{Name: "Sign in", Role: "button"}, ""},
		{"e43", aria.Query{}, "e46 e49"},
		{"e43", aria.Query{Name: "Edit", Within: []aria.Scope{{Kind: "row", Name: "Acme"}}}, ""},
		{"e51", aria.Query{Name: "save"}, "e52"},
		{"e16", aria.Query{Words: "the Sign in button"}, ""},
		{"e1", aria.Query{Words: "Sign in link"}, "e70"},
		{"e1", aria.Query{Words: "Sign in"}, "e16 e70"},
		{"e43", aria.Query{Words: "Edit button"}, "e46 e49"},
		{"e49", aria.Query{Words: "Edit button in the row of Beta"}, ""},
		{"e46", aria.Query{Words: "Edit for Acme GmbH"}, ""},
		{"e43", aria.Query{Words: "Edit for Acme"}, "e46"},
	} {
		if got := refs(aria.Twins(office(), tt.ref, tt.q)); got != tt.want {
			t.Errorf("twins of %s for %+v: %q, want %q", tt.ref, tt.q, got, tt.want)
		}
	}
}
