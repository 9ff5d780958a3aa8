package aria_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

func contains(t *testing.T, r aria.Rendering, tokens int, want string) {
	t.Helper()
	if r.Tokens > tokens || !strings.Contains(r.Text, want) {
		t.Errorf("%d tokens, want at most %d, with %q:\n%s", r.Tokens, tokens, want, r.Text)
	}
}

// What a delta says, line by line.
func TestDeltaLines(t *testing.T) {
	item := func(i int) *aria.Node {
		return N("listitem", "", T(fmt.Sprintf("Product %d", i)), N("button", "Add", fmt.Sprintf("e%d", 300+i), T("Add")))
	}
	card := func(name, ref string) *aria.Node {
		return N("generic", "", T(name), N("button", "Drop", ref, T("Drop")))
	}
	looks := func(how string) any { return Set(func(n *aria.Node) { n.Looks = how }) }
	numbered := func(ref, number, words, button string) *aria.Node {
		return N("row", number+" "+words+" Edit", ref, N("cell", number, T(number)), N("cell", words, T(words)), N("cell", "Edit", N("button", "Edit", button, T("Edit"))))
	}
	items := func(from, to int) (out []*aria.Node) {
		for i := from; i < to; i++ {
			out = append(out, item(i))
		}
		return out
	}
	step := func(name, ref, current string) *aria.Node {
		return N("link", name, ref, Set(func(n *aria.Node) { n.Current = current }))
	}
	tests := []struct {
		name       string
		base, next []any
		want       []string
	}{
		{"a container that went, with what it said",
			[]any{N("region", "Promotion", "e1", N("paragraph", T("Summer offer")), N("button", "Claim", "e2"))}, nil,
			[]string{`- removed region e1 "Promotion": "Summer offer Claim" (button e2)`}},
		{"a list that went, counted, the first items named",
			[]any{N("list", "", "e1", items(0, 24))}, nil,
			[]string{`- removed list e1 of 24 items: "Product 0", "Product 1", "Product 2", "Product 3", "Product 4", … 19 more to "Product 23" (24 buttons e300 e301 e302 …)`}},
		{"items that went, all of a few",
			[]any{N("list", "Goods", "e1", items(0, 6))}, []any{N("list", "Goods", "e1", items(0, 2), items(5, 6))},
			[]string{`- removed 3 items in list "Goods": "Product 2", "Product 3", "Product 4" (buttons e302 e303 e304)`}},
		{"cards that went, with what could be operated in them",
			[]any{card("Card 1", "e1"), card("Card 2", "e2"), card("Card 3", "e3"), N("button", "Stay", "e9")}, []any{N("button", "Stay", "e9")},
			[]string{`- removed 3 text: "Card 1", "Card 2", "Card 3" (buttons e1 e2 e3)`}},
		{"how a text looks now, with its words",
			[]any{N("paragraph", T("Total due")), N("button", "Pay", "e1")}, []any{N("paragraph", T("Total due"), looks("red text")), N("button", "Pay", "e1")},
			[]string{`~ text "Total due": looks "red text"`}},
		{"how several texts look now, with their words",
			[]any{N("paragraph", T("A 1")), N("paragraph", T("A 2")), N("paragraph", T("A 3"))},
			[]any{N("paragraph", T("A 1"), looks("bold")), N("paragraph", T("A 2"), looks("bold")), N("paragraph", T("A 3"), looks("bold"))},
			[]string{`~ 3 elements looks "bold": "A 1", "A 2", "A 3"`}},
		{"a cell of a row that begins with a number, whose refs are new",
			[]any{N("table", "", "e1", numbered("e10", "1999", "n1999", "e11"), numbered("e12", "2000", "n2000", "e13"))},
			[]any{N("table", "", "e1", numbered("e10", "1999", "n1999", "e11"), numbered("e14", "2000", "changed", "e15"))},
			[]string{`= 2 elements re-rendered, new refs: e12…e13→e14…e15`, `~ text: "n2000" → "changed" in row "2000 | changed" in table`}},
		{"items that came in a row",
			[]any{N("list", "Goods", "e1", items(0, 2))}, []any{N("list", "Goods", "e1", items(0, 4))},
			[]string{`+ in list "Goods" after "Product 1": Product 2 button e302 "Add"`, `+ Product 3 button e303 "Add"`}},
		{"a wrapper that came around two things moves neither",
			[]any{N("checkbox", "More", "e1"), N("paragraph", T("Below"))},
			[]any{N("generic", "", N("checkbox", "More", "e1"), N("paragraph", T("Extra"))), N("paragraph", T("Below"))},
			[]string{`+ Extra`}},
		{"a wrapper that went moves nothing",
			[]any{N("generic", "", N("button", "A", "e1"), N("button", "B", "e2")), N("button", "C", "e3")},
			[]any{N("button", "A", "e1"), N("button", "B", "e2"), N("button", "C", "e3")}, nil},
		{"from one group to another is a move",
			[]any{N("group", "To do", N("button", "A", "e1"), N("button", "B", "e2")), N("group", "Done", N("button", "C", "e3"))},
			[]any{N("group", "To do", N("button", "A", "e1")), N("group", "Done", N("button", "B", "e2"), N("button", "C", "e3"))},
			[]string{`> button e2 "B" moved from group "To do" to group "Done"`}},
		{"a status line that speaks comes first",
			[]any{N("button", "Save", "e1"), N("status", "", "e2")},
			[]any{N("button", "Save", "e1", Set(func(n *aria.Node) { n.Disabled = true })), N("status", "", "e2", T("Saved"))},
			[]string{`+ in status: Saved`, `~ button e1 "Save": now disabled`}},
		{"the current step",
			[]any{N("navigation", "Steps", step("Cart", "e1", "step"), step("Pay", "e2", ""))},
			[]any{N("navigation", "Steps", step("Cart", "e1", ""), step("Pay", "e2", "step"))},
			[]string{`~ link e1 "Cart": no longer current step in navigation "Steps"`, `~ link e2 "Pay": now current step in navigation "Steps"`}},
		{"a box ticked in part",
			[]any{N("checkbox", "All", "e1", Set(func(n *aria.Node) { n.Checked = "false" }))},
			[]any{N("checkbox", "All", "e1", Set(func(n *aria.Node) { n.Checked = "mixed" }))},
			[]string{`~ checkbox e1 "All": now mixed (checked in part)`}},
		{"a new name over the old text",
			[]any{N("button", "Edit 10", "e1", T("Edit 10"))},
			[]any{N("button", "Edit ticket ten", "e1", Set(func(n *aria.Node) { n.Label = "Edit 10" }), T("Edit 10"))},
			[]string{`~ button e1: "Edit 10" → "Edit ticket ten"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, next := Tree(N("main", tt.base...)), Tree(N("main", tt.next...))
			next.Version = 2
			d := aria.Diff(base, next)
			want := "@2 from @1: no change"
			if len(tt.want) > 0 {
				want = "@2 from @1\n" + strings.Join(tt.want, "\n")
			}
			if got := aria.RenderDelta(d, aria.RenderOptions{}).Text; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if !aria.Equal(d.Apply(base), next) {
				t.Error("Apply does not give the next tree")
			}
		})
	}
}

// A reader gets the whole page where the delta would say as much, and never a
// delta of another document.
func TestFallbackToFull(t *testing.T) {
	base, next := tickets(30), tickets(30)
	next.Version = 2
	next.Walk(func(n *aria.Node, _ []*aria.Node) bool {
		n.Name = strings.NewReplacer("0", "five", "1", "six", "2", "seven").Replace(n.Name)
		return true
	})
	whole := aria.Render(next, aria.Compact, aria.RenderOptions{})
	if r, full := aria.RenderChange(base, next, aria.Compact, aria.RenderOptions{}); !full || r.Text != whole.Text {
		t.Errorf("full %v, %d tokens, the page has %d", full, r.Tokens, whole.Tokens)
	}
	for _, e := range ticketEdits {
		next := tickets(1000)
		e.edit(next)
		r, full := aria.RenderChange(tickets(1000), next, aria.Playwright, aria.RenderOptions{Budget: 6000})
		if full || r.Tokens > e.tokens {
			t.Errorf("%s: full %v, %d tokens", e.name, full, r.Tokens)
		}
	}
	other := base.Clone()
	other.Document = "another"
	if _, full := aria.RenderChange(base, other, aria.Compact, aria.RenderOptions{}); !full {
		t.Error("a delta from another document")
	}
	if _, full := aria.RenderChange(nil, base, aria.Compact, aria.RenderOptions{}); !full {
		t.Error("a delta from nothing")
	}
}
