package aria

import (
	"slices"
	"strconv"
	"strings"
)

// A Format is a way to write a tree.
type Format string

// The formats.
const (
	Compact    Format = "compact"    // the default for models
	Playwright Format = "playwright" // the YAML form of Playwright 1.65's AI snapshot
	JSON       Format = "json"       // the tree itself; schema in configs/observation.schema.json
)

// RenderOptions bound and direct a rendering. The zero value writes all.
type RenderOptions struct {
	// Budget is the most tokens (o200k) that the text may take; 0: no limit.
	// A rendering over it is folded, and says so.
	Budget int
	// Focus is a ref whose surroundings are written out first.
	Focus string
	// Ref renders the subtree of one element only (expand); "page" is the whole.
	Ref string
	// From skips that many of the lines under it (of a table: rows), for paging
	// through a fold: the number in a marker of the compact form.
	From int
}

// A Rendering is a text with its price.
type Rendering struct {
	Text   string
	Tokens int
	// Truncated is set when the budget left something out; the text says what.
	Truncated bool
	// Least is set where the budget is too small for any text: the tokens of the
	// shortest one.
	Least int
}

// Unlimited is a budget that bounds nothing, for those to whom 0 means a default.
const Unlimited = 1 << 30

// Render writes the tree. An unknown format is written as compact.
func Render(t *Tree, f Format, o RenderOptions) Rendering {
	if t == nil || t.Root == nil {
		return rendered("(empty page)", false)
	}
	if o.Budget >= Unlimited {
		o.Budget = 0
	}
	if f == JSON {
		if o.Ref == PageRef {
			o.Ref = ""
		}
		return renderJSON(t, o)
	}
	root := t.Root
	if o.Ref != "" && o.Ref != PageRef {
		if root = t.ByRef(o.Ref); root == nil {
			return rendered("no element "+o.Ref+" in @"+strconv.Itoa(t.Version), false)
		}
	}
	w := writer{tree: t, o: o, yaml: f == Playwright}
	var blocks []*block
	if f == Playwright {
		blocks = (&playwright{}).write(root)
	} else {
		w.compact = newCompact(t, o)
		if table := tableOf(t, root); table != nil {
			w.compact.lay(table)
		}
		if blocks = w.compact.write(root); o.Ref == "" {
			w.head = compactHead(t)
		} else if root.Role == "row" && o.Ref != PageRef && o.Budget > 0 && Tokens(blocks[0].text) > o.Budget-16 {
			blocks = w.compact.cells(root)
		}
	}
	number(blocks)
	if o.Ref != "" {
		w.first = firstLine(blocks, o.Ref)
	}
	if o.From > 0 {
		w.skipped = w.first + o.From
		blocks = skip(blocks, w.skipped)
	}
	return w.fit(blocks)
}

// tableOf is the table in which a row or a row group stands.
func tableOf(t *Tree, n *Node) *Node {
	if n.Role != "row" && n.Role != "rowgroup" {
		return nil
	}
	for _, up := range slices.Backward(t.Path(n.Ref)) {
		if isTable(up.Role) {
			return up
		}
	}
	return nil
}

func rendered(text string, truncated bool) Rendering {
	return Rendering{Text: text, Tokens: Tokens(text), Truncated: truncated}
}

// RenderChange writes what a reader of base needs to know next: the delta, or
// the whole tree where the base is missing or the first part of a large page, the
// document is another, or the delta would be longer. full says which.
func RenderChange(base, next *Tree, f Format, o RenderOptions) (r Rendering, full bool) {
	if base == nil || base.Root == nil || base.Document != next.Document || base.Partial != next.Partial {
		return Render(next, f, o), true
	}
	d, _ := compared(base, next)
	delta := RenderDelta(d, o)
	if len(d.Changes) > 8 && delta.Tokens > 200 {
		if whole := Render(next, f, o); whole.Tokens <= delta.Tokens && !whole.Truncated {
			return whole, true
		}
	}
	return delta, false
}

// says reports whether a heading of the first level says the words.
func (t *Tree) says(words string) bool {
	return t.Root.holds(func(n *Node) bool {
		return n.Role == "heading" && n.Level == 1 && !n.Offscreen && clean(n.Name) == clean(words)
	})
}

// compactHead is the first line: version, title where the first heading is
// another, address, scroll position away from the top, and a line for each note.
func compactHead(t *Tree) string {
	var b strings.Builder
	b.WriteString("@" + strconv.Itoa(t.Version))
	if t.Title != "" && !t.says(t.Title) {
		b.WriteString(" " + quote(shorten(t.Title, 120)))
	}
	if t.URL != "" {
		b.WriteString(" " + shorten(strings.ReplaceAll(clean(t.URL), " ", "%20"), 200))
	}
	if t.Tab != "" && t.Tab != "t1" {
		b.WriteString(" tab " + clean(t.Tab))
	}
	if v := t.Viewport; v.H > 0 && v.ScrollY >= 1 && v.PageH > v.H+1 {
		b.WriteString(" scrolled " + strconv.Itoa(int(v.ScrollY)) + " of " + strconv.Itoa(int(v.PageH-v.H)))
	}
	if t.Stale {
		b.WriteString(" [stale: the page did not answer]")
	}
	b.WriteByte('\n')
	for _, n := range t.Notes {
		b.WriteString("note: " + shorten(n, 300) + "\n")
	}
	return b.String()
}
