package aria_test

import (
	"fmt"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

// tickets is a page with a table of n rows of eleven nodes and five refs each.
func tickets(n int) *aria.Tree {
	rows := make([]*aria.Node, n)
	for i := range rows {
		rows[i] = ticket(i)
	}
	return Tree(N("main", N("heading", "Tickets", T("Tickets")), N("table", "", "e1", N("row", "", "e2", N("columnheader", "Number"), N("columnheader", "Owner")), rows)))
}

func ticket(i int) *aria.Node {
	at := At(0, float64(20*i), 40, 18)
	ref := func(k int) string { return fmt.Sprintf("e%d", 10+5*i+k) }
	return N("row", "", ref(0), at,
		N("cell", "", N("checkbox", fmt.Sprintf("Pick %d", i), ref(1), at, Set(func(n *aria.Node) { n.Checked = "false" }))),
		N("cell", "", N("link", fmt.Sprintf("TK-%d", 5000+i), ref(2), at)),
		N("cell", fmt.Sprintf("Owner %d", i*7919%1000)), N("cell", []string{"low", "mid", "high"}[i%3]),
		N("cell", "", N("button", fmt.Sprintf("Edit %d", i), ref(3), at), N("button", fmt.Sprintf("Drop %d", i), ref(4), at)))
}

// edits of a table of tickets, as pages make them.
var ticketEdits = []struct {
	name   string
	tokens int // at most, in 1,000 rows
	want   string
	edit   func(*aria.Tree)
}{
	{"nothing", 15, "no change", func(*aria.Tree) {}},
	{"text", 60, `"Owner 500" → "Renamed Olga" in row "TK-5500`, func(t *aria.Tree) { ticketRows(t)[501].Children[2].Name = "Renamed Olga" }},
	{"prepended", 60, `+ row first: checkbox e9001`, func(t *aria.Tree) { insert(t, 1) }},
	{"inserted", 60, `+ row after "TK-5049": checkbox e9001`, func(t *aria.Tree) { insert(t, 51) }},
	{"removed", 60, `- removed row e260 "TK-5050 | Owner`, func(t *aria.Tree) {
		table := t.ByRef("e1")
		table.Children = append(table.Children[:51:51], table.Children[52:]...)
		shift(t)
	}},
	{"swapped", 60, `moved after "TK-50`, func(t *aria.Tree) {
		k := ticketRows(t)
		k[11], k[12] = k[12], k[11]
	}},
	{"sorted", 200, `order changed: `, func(t *aria.Tree) {
		k := ticketRows(t)[1:]
		for i := range k {
			k[i] = ticket((i*37 + 11) % len(k))
		}
	}},
	{"reversed", 200, `reversed, now e`, func(t *aria.Tree) {
		k := ticketRows(t)[1:]
		for i := range len(k) / 2 {
			k[i], k[len(k)-1-i] = k[len(k)-1-i], k[i]
		}
	}},
	{"re-rendered", 25, "refs kept", func(t *aria.Tree) {
		t.Walk(func(n *aria.Node, _ []*aria.Node) bool {
			if n.Ref != "" {
				n.Rebinds++
			}
			return true
		})
	}},
	{"filtered", 200, `- removed 900 rows: `, func(t *aria.Tree) {
		table := t.ByRef("e1")
		kept := table.Children[:1:1]
		for i, r := range table.Children[1:] {
			if i%10 == 0 {
				kept = append(kept, r)
			}
		}
		table.Children = kept
	}},
}

func ticketRows(t *aria.Tree) []*aria.Node { return t.ByRef("e1").Children }

// shift moves every box, as anything that comes or goes above does.
func shift(t *aria.Tree) {
	t.Walk(func(n *aria.Node, _ []*aria.Node) bool {
		if n.Box != nil {
			n.Box.Y++
		}
		return true
	})
}

func insert(t *aria.Tree, at int) {
	row := ticket(900)
	for k, n := range []*aria.Node{row, row.Children[0].Children[0], row.Children[1].Children[0], row.Children[4].Children[0], row.Children[4].Children[1]} {
		n.Ref = fmt.Sprintf("e%d", 9000+k)
	}
	shift(t)
	table := t.ByRef("e1")
	table.Children = append(table.Children[:at:at], append([]*aria.Node{row}, table.Children[at:]...)...)
}

func TestTicketDeltas(t *testing.T) {
	base := tickets(1000)
	for _, e := range ticketEdits {
		t.Run(e.name, func(t *testing.T) {
			next := base.Clone()
			next.Version++
			e.edit(next)
			d := aria.Diff(base, next)
			r := aria.RenderDelta(d, aria.RenderOptions{})
			contains(t, r, e.tokens, e.want)
			if !aria.Equal(d.Apply(base), next) {
				t.Error("Apply does not give the next tree")
			}
		})
	}
}

// BenchmarkDelta makes and writes the delta of each edit: of 1,000 rows (11,000
// nodes), and of 4,000, which must take about four times as long.
func BenchmarkDelta(b *testing.B) {
	for _, n := range []int{1000, 4000} {
		base := tickets(n)
		for _, e := range ticketEdits {
			next := base.Clone()
			e.edit(next)
			b.Run(fmt.Sprintf("%s/%d", e.name, n), func(b *testing.B) {
				for b.Loop() {
					aria.RenderDelta(aria.Diff(base, next), aria.RenderOptions{})
				}
			})
		}
	}
}

func BenchmarkApply(b *testing.B) {
	base := tickets(4000)
	for _, e := range ticketEdits {
		next := base.Clone()
		e.edit(next)
		d := aria.Diff(base, next)
		b.Run(e.name, func(b *testing.B) {
			for b.Loop() {
				d.Apply(base)
			}
		})
	}
}
