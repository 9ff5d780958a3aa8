package aria

import (
	"regexp"
	"strconv"
	"strings"
)

// The compact form, one line for each node or run of text that says something:
//
//	@3 "Customers" https://shop.test/customers
//	navigation "Main": link e1 "Home" | link e2 "Customers" [current page]
//	h1 "Customers"
//	textbox e5 "Search" = "" [placeholder "Name or city"]
//	table e40 "Customers" [500 rows]:
//	  columns: Name | City |
//	  row e41: Acme GmbH | Berlin | button e42 "Edit"
//
// Names and values are JSON strings. Text stands bare only where it cannot be
// taken for anything of ours; otherwise it is a JSON string, too.

// longest name, and longest text run, in runes.
const (
	longestName = 300
	longestText = 4000
)

type compact struct {
	tree *Tree
}

func newCompact(t *Tree, _ RenderOptions) *compact { return &compact{tree: t} }

// A piece is a part of a line.
type piece struct {
	text bool  // a bare or quoted run of text, not a node
	node *Node // what it stands for
	say  func(mute string) string
}

// write makes the blocks of a subtree.
func (c *compact) write(n *Node) []*block {
	if n == c.tree.Root {
		return c.children(n, "")
	}
	return c.blocks(n)
}

// children makes the blocks of n's children: inline ones run together into
// lines, blocks stand alone. Text that covered holds already is left out.
func (c *compact) children(n *Node, covered string) []*block {
	var out []*block
	var run []piece
	flush := func() {
		out = append(out, c.lines(run, "", " | ")...)
		run = nil
	}
	for _, k := range n.Children {
		if c.inline(k) {
			run = append(run, c.pieces(k, covered)...)
			continue
		}
		flush()
		out = append(out, c.blocks(k)...)
	}
	flush()
	return out
}

// inline holds for nodes that can be a part of a line.
func (c *compact) inline(n *Node) bool {
	switch n.Role {
	case "text":
		return true
	case "heading", "paragraph", "list", "listitem", "row", "rowgroup", "blockquote", "separator", "treeitem", "iframe", "canvas", "alert", "status", "caption", "legend":
		return false
	}
	if isScope(n.Role) && n.Role != "listbox" || isTable(n.Role) {
		return false
	}
	for _, k := range n.Children {
		if !c.inline(k) {
			return false
		}
	}
	return true
}

// dissolves holds for nodes that say nothing by themselves.
func dissolves(n *Node) bool {
	if n.Operable() || n.Looks != "" || n.Expanded != "" || n.Pressed != "" || n.Checked != "" {
		return false
	}
	switch n.Role {
	case "generic", "none", "presentation", "strong", "emphasis", "code", "mark", "time", "subscript", "superscript", "rowgroup",
		"paragraph", "listitem", "term", "definition", "document", "legend", "caption", "blockquote", "insertion", "row", "cell", "gridcell", "rowheader", "columnheader":
		return n.Role != "generic" || n.Name == "" || n.Name == TextOf(n) || len(n.Children) > 0 && fold(n.Name) == fold(TextOf(n))
	case "main", "region", "group", "article", "figure", "tabpanel", "form", "feed", "list", "application", "radiogroup", "toolbar", "fieldset":
		return ScopeNameOwn(n) == ""
	}
	return false
}

// ScopeNameOwn is the name that a line of the container itself has to carry:
// one that no heading inside says anyway.
func ScopeNameOwn(n *Node) string {
	name := clean(n.Name)
	if h := firstHeading(n, 4); h != nil && (fold(h.Name) == fold(name) || fold(TextOf(h)) == fold(name)) {
		return ""
	}
	return name
}

// blocks makes the blocks of one node that is not inline.
func (c *compact) blocks(n *Node) []*block {
	switch {
	case n.Role == "separator" && !n.Operable():
		return nil
	case n.Role == "row":
		return []*block{c.row(n)}
	case n.Role == "listitem" && !n.Operable():
		return c.item(n)
	case n.Role == "heading":
		return c.heading(n)
	case n.Role == "list" && !n.Operable():
		return c.list(n)
	case c.inline(n):
		return c.lines(c.pieces(n, ""), "", " | ")
	case dissolves(n):
		return c.children(n, "")
	}
	b := c.line([]piece{{node: n, say: func(mute string) string { return c.head(n, mute) }}}, "", "")
	covered := ""
	if n.Operable() {
		covered = clean(n.Name)
	}
	b.kids = c.children(n, covered)
	if len(b.kids) == 0 {
		switch n.Role {
		case "navigation", "banner", "contentinfo", "complementary", "search", "toolbar", "menubar", "tablist", "alert", "status", "log", "figure", "paragraph":
			if n.Name == "" && !n.Busy {
				return nil // an empty container
			}
		}
		return []*block{b}
	}
	return []*block{merge(b, ":")}
}

// merge puts a single short line under a container on the container's line.
func merge(b *block, colon string) *block {
	if len(b.kids) == 1 && len(b.kids[0].kids) == 0 && b.node != nil && !isTable(b.node.Role) && len(b.text)+len(b.kids[0].text) < 240 {
		k := b.kids[0]
		if b.state == k.state || !k.known || !b.known {
			b.text += colon + " " + k.text
			b.bare += colon + " " + k.bare
			if k.node != nil {
				b.more = append(append(b.more, k.node), k.more...)
			}
			if k.known {
				b.known, b.state = true, k.state
			}
			b.kids = nil
			return b
		}
	}
	b.text += colon
	b.bare += colon
	return b
}

func (c *compact) heading(n *Node) []*block {
	word := "h"
	if n.Level > 0 {
		word += strconv.Itoa(n.Level)
	}
	if n.Operable() {
		return c.lines(c.pieces(n, ""), "", " ")
	}
	var inner []piece
	for _, k := range n.Children {
		inner = append(inner, c.pieces(k, "")...)
	}
	for _, p := range inner {
		if !p.text {
			return c.lines(inner, word+": ", " ")
		}
	}
	name := clean(n.Name)
	if name == "" {
		name = TextOf(n)
	}
	if name == "" {
		return nil
	}
	return c.lines([]piece{{node: n, say: func(mute string) string {
		return word + " " + quote(shorten(name, longestName)) + c.marks(n, mute)
	}}}, "", " ")
}

// list writes short items that fit on one line together, else one line each.
func (c *compact) list(n *Node) []*block {
	var run []piece
	short := true
	size := 0
	for _, k := range n.Children {
		if k.Role != "listitem" || k.Operable() {
			short = false
			break
		}
		var item []piece
		for _, kk := range k.Children {
			if !c.inline(kk) {
				short = false
				break
			}
			item = append(item, c.pieces(kk, "")...)
		}
		if len(item) != 1 {
			short = short && len(item) == 0
			continue
		}
		size += len(item[0].say("")) + 3
		run = append(run, item...)
	}
	name := ScopeNameOwn(n)
	if short && len(run) > 1 && (size <= 200 || !run[0].text) {
		for k := range run {
			run[k].text = false // items stand apart
		}
		prefix := ""
		if name != "" {
			prefix = "list " + quote(shorten(name, longestName)) + ": "
		}
		return c.lines(run, prefix, " | ")
	}
	kids := c.children(n, "")
	if name == "" || len(kids) == 0 {
		return kids
	}
	b := c.line([]piece{{node: n, say: func(mute string) string { return c.head(n, mute) }}}, "", "")
	b.kids = kids
	return []*block{merge(b, ":")}
}

// item writes a list item: its first line after a dash, the others under it.
func (c *compact) item(n *Node) []*block {
	kids := c.children(n, "")
	if len(kids) == 0 {
		return nil
	}
	first := *kids[0]
	first.text, first.bare = "- "+first.text, "- "+first.bare
	first.kids = append(append([]*block{}, first.kids...), kids[1:]...)
	if first.node == nil {
		first.node = n
	}
	return []*block{&first}
}

// row writes a table row on one line, cells between bars.
func (c *compact) row(n *Node) *block {
	cells := rowParts(n)
	header := isHeaderRow(n)
	var nodes []piece
	type cellText func(mute string) string
	var texts []cellText
	var below []*block
	for _, k := range cells {
		var ps []piece
		if !isCell(k.Role) {
			ps = c.pieces(k, "")
			if hasTable(k) {
				below, ps = append(below, c.blocks(k)...), nil
			}
			nodes = append(nodes, ps...)
			texts = append(texts, func(mute string) string { return join(ps, mute, " ") })
			continue
		}
		if !dissolves(k) || k.Sort != "" || k.Selected == "true" || k.Invalid != "" {
			ps = append(ps, piece{node: k, say: func(mute string) string {
				if !k.Operable() && k.Sort != "" {
					return c.bare(TextOf(k)) + c.marks(k, mute)
				}
				return c.head(k, mute)
			}})
		}
		covered := ""
		if len(ps) > 0 {
			covered = TextOf(k)
		}
		for _, kk := range k.Children {
			if hasTable(kk) {
				below = append(below, c.blocks(kk)...)
				continue
			}
			ps = append(ps, c.pieces(kk, covered)...)
		}
		if len(ps) == 0 && k.Name != "" {
			ps = append(ps, piece{text: true, node: k, say: func(string) string { return c.bare(k.Name) }})
		}
		nodes = append(nodes, ps...)
		texts = append(texts, func(mute string) string { return join(ps, mute, " ") })
	}
	say := func(mute string) string {
		word := "row"
		if header && !n.Operable() {
			word = "columns"
		}
		var b strings.Builder
		b.WriteString(word)
		if n.Ref != "" && word == "row" {
			b.WriteString(" " + n.Ref)
		}
		b.WriteString(c.marks(n, mute))
		b.WriteString(":")
		line := ""
		for k, t := range texts {
			if k > 0 {
				line += " |"
			}
			if s := t(mute); s != "" {
				line += " " + s
			}
		}
		b.WriteString(strings.TrimRight(line, " |"))
		return b.String()
	}
	b := c.state(append([]piece{{node: n}}, nodes...), say)
	b.kids = below
	return b
}

// rowParts are the cells of a row and what else stands among them.
func rowParts(n *Node) []*Node {
	var out []*Node
	for _, k := range n.Children {
		if (k.Role == "generic" || k.Role == "none" || k.Role == "presentation") && !k.Operable() && len(Cells(k)) > 0 {
			out = append(out, rowParts(k)...)
			continue
		}
		out = append(out, k)
	}
	return out
}

func hasTable(n *Node) bool {
	if isTable(n.Role) {
		return true
	}
	for _, k := range n.Children {
		if hasTable(k) {
			return true
		}
	}
	return false
}

// pieces are the parts of a line that a node makes.
func (c *compact) pieces(n *Node, covered string) []piece {
	if n.Role == "text" {
		s := clean(n.Text)
		if s == "" || covered != "" && repeats(covered, s) {
			return nil
		}
		if m := c.marks(n, ""); m != "" {
			return []piece{{text: true, node: n, say: func(string) string { return quote(shorten(s, longestText)) + m }}}
		}
		return []piece{{text: true, node: n, say: func(string) string { return c.bare(s) }}}
	}
	if n.Role == "separator" && !n.Operable() || (n.Role == "img" || n.Role == "image") && c.decoration(n, covered) {
		return nil
	}
	if n.Role == "option" && covered == "" && n.Name == "" && len(n.Children) == 0 {
		return nil
	}
	var out []piece
	if !dissolves(n) {
		out = append(out, piece{node: n, say: func(mute string) string { return c.head(n, mute) }})
		covered = c.name(n)
	} else if len(n.Children) == 0 && clean(n.Name) != "" && !repeats(covered, n.Name) {
		return []piece{{text: true, node: n, say: func(string) string { return c.bare(n.Name) }}}
	}
	if n.Role == "combobox" && n.Expanded != "true" && n.Options > 0 {
		return out // a closed select shows its value only
	}
	for _, k := range n.Children {
		if isField(n.Role) && k.Role == "text" {
			continue // a field's text is its value
		}
		out = append(out, c.pieces(k, covered)...)
	}
	return out
}

// repeats reports whether the words of s stand in covered.
func repeats(covered, s string) bool {
	if covered == "" {
		return false
	}
	w := words(s)
	return len(w) == 0 || wordsIn(words(covered), w) >= 0
}

// decoration holds for images that say nothing.
func (c *compact) decoration(n *Node, covered string) bool {
	if n.Operable() {
		return false
	}
	if name := clean(n.Name); name != "" {
		return repeats(covered, name)
	}
	return n.Box == nil || n.Box.W < 100 || n.Box.H < 60
}

// lines writes pieces as one or more lines of readable length.
func (c *compact) lines(ps []piece, prefix, bar string) []*block {
	var out []*block
	ps = withoutLabels(ps)
	const width = 220
	for len(ps) > 0 {
		size, k := 0, 0
		for k < len(ps) && (k == 0 || size < width && !fieldPiece(ps[k-1])) {
			size += len(ps[k].say("")) + 1
			k++
		}
		// A run of text stays with the text and links it belongs to.
		for k < len(ps) && !fieldPiece(ps[k-1]) && (ps[k].text || ps[k-1].text) && size < 4*width {
			size += len(ps[k].say("")) + 1
			k++
		}
		if b := c.line(ps[:k], prefix, bar); b.text != prefix {
			out = append(out, b)
		}
		prefix, ps = "", ps[k:]
	}
	return out
}

// fieldPiece holds for a field: it ends its line, as in a form.
func fieldPiece(p piece) bool {
	return !p.text && p.node != nil && (isField(p.node.Role) || p.node.Role == "slider")
}

// withoutLabels drops the text of a label that its field says as its name.
func withoutLabels(ps []piece) []piece {
	var out []piece
	for k, p := range ps {
		if p.text && p.node != nil {
			label := words(p.node.Text)
			says := func(q piece) bool {
				return !q.text && q.node != nil && takesInput(q.node) && len(label) > 0 && wordsIn(words(q.node.Name), label) == 0
			}
			if k+1 < len(ps) && says(ps[k+1]) || k > 0 && says(ps[k-1]) && isCheckable(ps[k-1].node.Role) {
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

func (c *compact) line(ps []piece, prefix, bar string) *block {
	return c.state(ps, func(mute string) string { return prefix + join(ps, mute, bar) })
}

// state makes a block and finds the mark that all its nodes share.
func (c *compact) state(ps []piece, say func(mute string) string) *block {
	b := &block{text: say("")}
	first := true
	for _, p := range ps {
		n := p.node
		if n == nil {
			continue
		}
		if b.node == nil {
			b.node = n
		} else {
			b.more = append(b.more, n)
		}
		s := stateOf(n)
		if n.Box == nil && n.Ref == "" && s == "" {
			continue
		}
		b.known = true
		if first {
			b.state, first = s, false
		} else if b.state != s {
			b.state = ""
		}
	}
	b.bare = b.text
	if b.state != "" {
		b.bare = say(b.state)
	}
	return b
}

// join writes pieces in a row: text runs on, nodes are set apart by the bar.
func join(ps []piece, mute, bar string) string {
	var b strings.Builder
	for k, p := range ps {
		s := p.say(mute)
		if s == "" {
			continue
		}
		if b.Len() > 0 {
			if p.text || ps[k-1].text {
				b.WriteByte(' ')
			} else {
				b.WriteString(bar)
			}
		}
		b.WriteString(s)
	}
	return b.String()
}

var (
	refPattern = regexp.MustCompile(`^(f\d+)?e\d+$`)
	// What makes text look like ours: a ref, our quotes, bars and brackets, or a
	// start that only our lines have.
	oursInside = regexp.MustCompile("[\"|\\[\\]\\\\]|```|\\b(?:f\\d+)?e\\d+\\b|:$")
	oursStart  = regexp.MustCompile(`^(?:[-–—…@+~>=#*<!]|[a-z][a-z0-9_-]*:|(?:h[1-6]?|alert|alertdialog|article|banner|button|canvas|cell|checkbox|clickable|columnheader|columns|combobox|complementary|contentinfo|dialog|figure|form|generic|grid|gridcell|group|heading|iframe|image|img|link|list|listbox|listitem|log|main|menu|menubar|menuitem|menuitemcheckbox|menuitemradio|navigation|note|option|radio|radiogroup|region|row|rowheader|search|searchbox|slider|spinbutton|status|switch|tab|table|tablist|tabpanel|text|textbox|toolbar|tooltip|tree|treegrid|treeitem|video|audio)\b)`)
)

// bare writes text as it is where that is safe, else as a JSON string.
func (c *compact) bare(s string) string {
	s = shorten(s, longestText)
	if s == "" || oursInside.MatchString(s) || oursStart.MatchString(s) {
		return quote(s)
	}
	return s
}

// name is what the head of a node says as its name.
func (c *compact) name(n *Node) string {
	if s := clean(n.Name); s != "" {
		return s
	}
	if len(n.Children) > 0 && (isField(n.Role) || isScope(n.Role)) {
		return ""
	}
	if n.Operable() && !c.holdsOperable(n) {
		return TextOf(&Node{Role: n.Role, Label: n.Label, Children: n.Children})
	}
	return ""
}

func (c *compact) holdsOperable(n *Node) bool {
	for _, k := range n.Children {
		if k.Operable() || c.holdsOperable(k) {
			return true
		}
	}
	return false
}
