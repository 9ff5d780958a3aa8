package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
)

func TestRefs(t *testing.T) {
	t.Parallel()
	for _, try := range []struct{ ref, target, want, bad string }{
		{"e12", "", "e12", ""},
		{"", "f2e12", "f2e12", ""},
		{"", " [ref=e3] ", "e3", ""},
		{"e1", "e1", "e1", ""},
		{"e1", "e2", "", "two elements"},
		{"", "", "", "wants the ref"},
		{"#save", "", "", "Selectors are not taken"},
		{"", "button >> nth=1", "", "is no ref"},
		{"e12 or so", "", "", "is no ref"},
		{strings.Repeat("e", 1<<20), "", "", "…"},
	} {
		got, err := refOf("click", try.ref, try.target)
		if got != try.want || (err == nil) != (try.bad == "") || err != nil && (!strings.Contains(err.Error(), try.bad) || len(err.Error()) > 500) {
			t.Errorf("%.20q, %q: %q, %v", try.ref, try.target, got, err)
		}
	}
}

func TestExpectations(t *testing.T) {
	t.Parallel()
	for _, try := range []struct {
		json   string
		checks int
		bad    string
	}{
		{`{}`, 0, ""},
		{`{"expect":"The page shows \"Saved\""}`, 1, ""},
		{`{"expect":["The page shows \"Saved\"","The URL contains \"/done\""]}`, 2, ""},
		{`{"expect":"Be happy"}`, 0, "known forms"},
		{`{"expect":["The page shows \"Saved\"","Be happy"]}`, 0, "Be happy"},
		{`{"expect":{"visible":"Saved"}}`, 0, "a sentence or a list"},
		{`{"expect":["` + strings.Join(slices.Repeat([]string{"x"}, 21), `","`) + `"]}`, 0, "the most is 20"},
	} {
		var h hope
		err := json.Unmarshal([]byte(try.json), &h)
		n := 0
		if err == nil {
			checks, cerr := h.checks()
			err = cerr
			n = len(checks)
		}
		if (err == nil) != (try.bad == "") || err != nil && !strings.Contains(err.Error(), try.bad) || err == nil && n != try.checks {
			t.Errorf("%s: %d checks, %v", try.json, n, err)
		}
	}
}

// TestSelected: rows and items that are selected, not settings that are on.
func TestSelected(t *testing.T) {
	t.Parallel()
	box := func(on string) *aria.Node { return &aria.Node{Role: "checkbox", Name: "Select", Checked: on} }
	row := func(name string, children ...*aria.Node) *aria.Node {
		return &aria.Node{Role: "row", Name: name, Children: children}
	}
	cell := func(children ...*aria.Node) *aria.Node { return &aria.Node{Role: "gridcell", Children: children} }
	tree := &aria.Tree{Root: &aria.Node{Role: "document", Children: []*aria.Node{
		{Role: "checkbox", Name: "Keep me signed in", Checked: "true"},
		{Role: "tab", Name: "Open", Selected: "true"},
		{Role: "table", Children: []*aria.Node{row("Pear", cell(box("true"))), row("Plum", cell(box("false"))), {Role: "row", Name: "Fig", Selected: "true"}, row("Quince", box("true"), box("true"))}},
		{Role: "list", Children: []*aria.Node{{Role: "listitem", Name: "Ada", Children: []*aria.Node{box("true")}}}},
	}}}
	if got, want := selected(tree), []string{`"Pear"`, `"Fig"`, `"Quince"`, `"Ada"`}; !slices.Equal(got, want) {
		t.Errorf("selected are %v, want %v", got, want)
	}
}
