package aria_test

import (
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

// Cells over several rows or columns leave the columns in step.
func TestSpans(t *testing.T) {
	cell := func(text string, rows, cols int) *aria.Node {
		return N("cell", text, T(text), Set(func(n *aria.Node) { n.RowSpan, n.ColSpan = rows, cols }))
	}
	head := func(text string, rows, cols int) *aria.Node {
		c := cell(text, rows, cols)
		c.Role = "columnheader"
		return c
	}
	table := func(rows ...*aria.Node) *aria.Tree { return Tree(N("table", "", "e1", rows)) }
	for _, tt := range []struct {
		name string
		page *aria.Tree
		want string
	}{
		{"none", table(N("row", cell("a", 0, 0), cell("b", 0, 0))), "a | b"},
		{"from above", table(N("row", cell("Berlin", 2, 0), cell("Ann", 0, 0), cell("5", 0, 0)), N("row", cell("Bob", 0, 0), cell("6", 0, 0)), N("row", cell("Bonn", 0, 0), cell("Cy", 0, 0), cell("7", 0, 0))),
			"Berlin | Ann | 5\n ″ | Bob | 6\n Bonn | Cy | 7"},
		{"at the end", table(N("row", cell("a", 0, 0), cell("all", 3, 0)), N("row", cell("b", 0, 0)), N("row", cell("c", 0, 0))), "a | all\n b | ″\n c | ″"},
		{"to the right", table(N("row", head("Name", 2, 0), head("Quarter", 0, 2), head("Sum", 2, 0)), N("row", head("Q1", 0, 0), head("Q2", 0, 0)), N("row", cell("x", 0, 0), cell("1", 0, 0), cell("2", 0, 0), cell("3", 0, 0)), N("row", cell("Nothing else", 0, 4))),
			"columns: Name | Quarter | ″ | Sum\n columns: ″ | Q1 | Q2 | ″\n x | 1 | 2 | 3\n Nothing else"},
		{"not out of a row group", table(N("rowgroup", N("row", cell("a", 9, 0), cell("b", 0, 0))), N("rowgroup", N("row", cell("c", 0, 0), cell("d", 0, 0)))), "a | b\n c | d"},
		{"columns that nothing uses", table(N("row", cell("a", 0, 500), cell("b", 0, 1000)), N("row", cell("c", 0, 500), cell("d", 0, 1000))), "a | b\n c | d"},
		{"what looks like it", table(N("row", cell("″", 0, 0), cell("b", 0, 0))), `"″" | b`},
	} {
		got := strings.TrimSpace(strings.TrimPrefix(aria.Render(tt.page, aria.Compact, aria.RenderOptions{Ref: "e1"}).Text, "table e1:\n"))
		if got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	// A row alone is laid out as in its table.
	page := table(N("row", cell("Berlin", 2, 0), cell("Ann", 0, 0)), N("row", "", "e5", cell("Bob", 0, 0), cell("6", 0, 0)))
	if r := aria.Render(page, aria.Compact, aria.RenderOptions{Ref: "e5"}); !strings.Contains(r.Text, "″ | Bob") {
		t.Errorf("a row alone: %s", r.Text)
	}
}

// What a list item looks like is said with it, in a short list and in a long one.
func TestLooksOfListItems(t *testing.T) {
	struck := Set(func(n *aria.Node) { n.Looks = "struck through" })
	for _, tt := range []struct {
		list *aria.Node
		want string
	}{
		{N("list", N("listitem", T("gone"), struck), N("listitem", T("here")), N("listitem", T("k"))), `"gone" [looks struck through] | here | k`},
		{N("list", N("listitem", N("button", "Gone", "e1"), struck), N("listitem", N("button", "Here", "e2"))), `button e1 "Gone" [looks struck through]`},
		{N("list", N("listitem", T("gone"), N("button", "Drop", "e1"), struck), N("listitem", T("here"), N("button", "Drop", "e2"))), "item [looks struck through]: gone button e1 \"Drop\"\nhere button e2"},
	} {
		if got := aria.Render(Tree(tt.list), aria.Compact, aria.RenderOptions{}).Text; !strings.Contains(got, tt.want) {
			t.Errorf("got\n%s\nwant\n%s", got, tt.want)
		}
	}
}
