package aria

import (
	"slices"
	"strconv"
	"strings"
)

// The compact form, one line for each node or run of text that says something:
//
//	@3 "Customers" https://shop.test/customers
//	navigation "Main": links: e1 "Home" | e2 "Customers" [current page] | e3 "Orders"
//	h1 All customers
//	textbox e5 "Search" = "" [placeholder "Name or city"]
//	table e40 [500 rows]:
//	 columns: Name | City |
//	 Acme GmbH | Berlin | button e42 "Edit"
//	 … 499 more rows, expand e40 from 2
//
// A ref stands on what can be operated, searched or expanded. Three and more
// controls of one role in a row say the role once, in the plural. A row is its
// cells; "row e41:" stands before them where the row itself can be acted on or
// some of its cells are folded; ″ stands for a cell that reaches in from above or
// from the left. A container does not repeat the
// heading over it or in it. The state of lines that follow each other stands
// before them ("-- offscreen --").
//
// Names of controls and values are JSON strings. Text and headings stand bare
// where they cannot be taken for anything of ours; otherwise they are JSON
// strings, too.

type compact struct {
	tree    *Tree
	size    sizes
	inTable bool   // the lines are under their table
	all     bool   // an expand: no cell is left out
	opened  string // the ref that is expanded: its options are written though the list is closed
	// above is the last heading that was written: a container of the same name
	// right under it does not repeat it.
	above string
	echo  map[*Node]bool
	// spans are the dittos of the rows of tables that have some.
	spans map[*Node][]int
	texts map[string]bool // long texts of the page; nil until asked for
}

func newCompact(t *Tree, o RenderOptions) *compact {
	c := &compact{tree: t, size: whole, echo: map[*Node]bool{}, spans: map[*Node][]int{}}
	c.all, c.opened = o.Ref != "", o.Ref
	if o.Budget > 0 {
		c.size = shorter[0]
	}
	return c
}

// A piece is a part of a line.
type piece struct {
	text  bool    // a bare or quoted run of text, not a node
	node  *Node   // what it stands for
	more  []*Node // further text nodes of the run
	raw   string  // the text
	alone bool    // does not run into one with the text beside it
	head  bool    // a node's head: its role word comes first
	say   func(mute string) string
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
		if len(run) > 0 {
			c.above = ""
		}
		out = append(out, c.lines(run, "", " | ")...)
		run = nil
	}
	for _, k := range n.Children {
		if (k.Role == "caption" || k.Role == "legend") && !c.holdsOperable(k) && fold(TextOf(k)) == fold(n.Name) {
			continue // the container's name
		}
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
	case n.Role == "separator" && !n.Operable() && !c.holdsOperable(n):
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
	if isScope(n.Role) && (c.above != "" && fold(n.Name) == c.above || !isOverlay(n) && !n.Operable() && n.Name != "" && ScopeNameOwn(n) == "") {
		c.echo[n] = true // a heading over it or in it says the name
	}
	c.above = ""
	b := c.line([]piece{c.headPiece(n)}, "", "")
	b.scope = n
	covered := ""
	if n.Operable() {
		covered = c.name(n)
	}
	was := c.inTable
	if c.inTable = isTable(n.Role); c.inTable {
		c.lay(n)
	}
	b.kids = c.children(n, covered)
	c.inTable = was
	if len(b.kids) == 0 {
		switch n.Role {
		case "navigation", "banner", "contentinfo", "complementary", "search", "toolbar", "menubar", "tablist", "alert", "status", "log", "figure", "paragraph":
			if n.Name == "" && !n.Busy && !n.Operable() {
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
			head, kid := b.say, k.say
			b.say = func(mute string) string { return head(mute) + colon + " " + kid(mute) }
			if k.node != nil {
				b.more = append(append(b.more, k.node), k.more...)
			}
			if k.known {
				b.known, b.state = true, k.state
			}
			b.kids = nil
			b.write()
			return b
		}
	}
	b.prepend("", colon)
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
	c.above = fold(name)
	return c.lines([]piece{{node: n, say: func(mute string) string {
		return word + " " + c.bareName(name) + c.marks(n, mute)
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
		if m := c.itemMarks(k); m != "" {
			item[0] = c.marked(item[0], m)
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
			prefix = "list " + quote(shorten(name, 300)) + ": "
		}
		return c.lines(run, prefix, " | ")
	}
	kids := c.children(n, "")
	if name == "" || len(kids) == 0 {
		return kids
	}
	b := c.line([]piece{c.headPiece(n)}, "", "")
	b.scope, b.kids = n, kids
	return []*block{merge(b, ":")}
}

// item writes a list item: its first line after a dash, the others under it.
func (c *compact) item(n *Node) []*block {
	kids := c.children(n, "")
	if len(kids) == 0 {
		return nil
	}
	first := *kids[0]
	if m := c.itemMarks(n); m != "" {
		first.prepend("item"+m+": ", "")
	} else if len(kids) > 1 || len(first.kids) > 0 {
		first.prepend("- ", "") // a line alone is an item without saying so
	}
	first.kids = append(append([]*block{}, first.kids...), kids[1:]...)
	if first.node == nil {
		first.node = n
	}
	first.scope = n
	return []*block{&first}
}

// lay notes where cells of the table reach into others' rows and columns.
func (c *compact) lay(table *Node) {
	for row, gaps := range dittos(table) {
		c.spans[row] = gaps
	}
}

// itemMarks are the states of a list item that no part of it says.
func (c *compact) itemMarks(n *Node) string {
	return c.marks(&Node{Checked: n.Checked, Selected: n.Selected, Expanded: n.Expanded, Current: n.Current, Looks: n.Looks}, "")
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
		ps = c.joinTexts(ps)
		nodes = append(nodes, ps...)
		texts = append(texts, func(mute string) string { return join(ps, mute, " ") })
	}
	cut := len(cells)
	if !c.all {
		cut = c.lastInView(cells)
	}
	// Column heads have no ref on their line: the marker says it where needed.
	lost := header && slices.ContainsFunc(cells[min(cut+1, len(cells)):], func(k *Node) bool { return k.Operable() || c.holdsOperable(k) })
	foldable := n.Ref != "" || header && !lost
	inTable := c.inTable
	before, behind := make([]int, len(texts)), 0
	if gaps := c.spans[n]; gaps != nil {
		for k, cell := range cells {
			if isCell(cell.Role) {
				before[k], gaps = gaps[0], gaps[1:]
			}
		}
		behind = gaps[0]
	}
	say := func(mute string) string {
		word := "row"
		if header && !n.Operable() {
			word = "columns"
		}
		var b strings.Builder
		b.WriteString(word)
		// Under its table a row is its line: it needs a ref to be acted on, or where
		// a part of it is folded.
		folds := c.size.cells && !c.all && (len(texts)-cut > 3 || c.size.titles != 0)
		if n.Ref != "" && word == "row" && (!inTable || n.Operable() || stateful(n) || folds) {
			b.WriteString(" " + n.Ref)
		}
		if marks := c.marks(n, mute); b.Len() == len("row") && marks == "" && word == "row" {
			b.Reset() // nothing to act on: the cells alone
		} else {
			b.WriteString(marks + ":")
		}
		line, titles, gap := "", 0, false
		for k, t := range texts {
			if c.size.titles != 0 && !c.all && n.Ref != "" && !header && k < len(cells) && !cells[k].Operable() && !c.holdsOperable(cells[k]) && TextOf(cells[k]) != "" {
				if titles++; titles > c.size.titles {
					if !gap && k <= cut {
						line += " | …"
					}
					gap = true
					continue
				}
			}
			gap = false
			if k > 0 {
				line += " |"
			}
			line += strings.Repeat(" "+ditto+" |", before[k])
			if c.size.cells && k > cut && len(texts)-k > 2 && foldable {
				line += " … " + strconv.Itoa(len(texts)-k) + " more cells"
				if lost {
					line += ", expand " + n.Ref
				}
				break
			}
			if s := t(mute); s != "" {
				line += " " + s
			}
			if k == len(texts)-1 {
				line += strings.Repeat(" | "+ditto, behind)
			}
		}
		b.WriteString(strings.TrimRight(line, " |"))
		return strings.TrimPrefix(b.String(), " ")
	}
	b := c.state(append([]piece{{node: n}}, nodes...), say)
	b.kids, b.scope = below, n
	return b
}

// cells writes a row that is too wide for one answer with a line for each cell.
func (c *compact) cells(n *Node) []*block {
	b := c.line([]piece{c.headPiece(&Node{Role: n.Role, Ref: n.Ref, Selected: n.Selected, Expanded: n.Expanded})}, "", "")
	b.node, b.scope = n, n
	for _, k := range rowParts(n) {
		b.kids = append(b.kids, c.children(&Node{Role: "generic", Children: []*Node{k}}, "")...)
	}
	return []*block{b}
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
		p := c.textPiece(n, s)
		if m := c.marks(n, ""); m != "" {
			p = c.marked(p, m)
		}
		return []piece{p}
	}
	if n.Role == "separator" && !n.Operable() && !c.holdsOperable(n) || (n.Role == "img" || n.Role == "image") && c.decoration(n, covered) {
		return nil
	}
	if n.Role == "option" && n.Ref == "" && covered == "" && n.Name == "" && len(n.Children) == 0 {
		return nil
	}
	var out []piece
	if !dissolves(n) {
		out = append(out, c.headPiece(n))
		covered = c.name(n)
	} else if len(n.Children) == 0 && clean(n.Name) != "" && !repeats(covered, n.Name) {
		return []piece{c.textPiece(n, clean(n.Name))}
	}
	closed := closedList(n) && (c.opened == "" || n.Ref != c.opened)
	for _, k := range n.Children {
		if closed && !acts(k) && !k.holds(acts) {
			continue // of a closed list the value is shown, beside it what can be operated
		}
		if isField(n.Role) && k.Role == "text" {
			continue // a field's text is its value
		}
		out = append(out, c.pieces(k, covered)...)
	}
	return out
}

// closedList holds for a list of which only the value is shown.
func closedList(n *Node) bool {
	return n.Role == "combobox" && n.Expanded != "true" && n.Options > 0
}

// marked is a piece with marks behind it; a text is quoted, for where it ends.
func (c *compact) marked(p piece, marks string) piece {
	p.alone = true
	if say := p.say; !p.text {
		p.say = func(mute string) string { return say(mute) + marks }
	} else {
		p.say = func(string) string { return quote(c.short(p.raw, c.size.text)) + marks }
	}
	return p
}

// acts holds for what has to have a line of its own: it can be operated, and
// has a ref to do it by.
func acts(n *Node) bool { return n.Ref != "" && n.Operable() }

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
	if n.Operable() || c.holdsOperable(n) {
		return false
	}
	if name := clean(n.Name); name != "" {
		return repeats(covered, name)
	}
	return n.Box == nil || n.Box.W < 100 || n.Box.H < 60
}

// name is what the head of a node says as its name.
func (c *compact) name(n *Node) string {
	if s := clean(n.Name); s != "" {
		if n.Operable() && !isControl(n.Role) && c.holdsOperable(n) && allIn(words(s), n) {
			return "" // what is in it says it
		}
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

// allIn reports whether all words stand in what is written of n's inside.
func allIn(ws []string, n *Node) bool {
	have := map[string]bool{}
	(&Tree{Root: &Node{Children: n.Children}}).Walk(func(k *Node, _ []*Node) bool {
		for _, s := range []string{k.Text, k.Name, k.Label} {
			for _, w := range words(s) {
				have[w] = true
			}
		}
		if k.Value != nil && !k.Masked {
			for _, w := range words(*k.Value) {
				have[w] = true
			}
		}
		return true
	})
	missing := 0
	for _, w := range ws {
		if !have[w] {
			missing++
		}
	}
	return missing*5 <= len(ws) // words run together where nothing stands between them
}

// stateful holds for nodes with a state that a line of their own has to say.
func stateful(n *Node) bool {
	return n.Selected != "" || n.Expanded != "" || n.Checked != "" || n.Active || n.Current != ""
}

// lastInView is the index of the last cell of a row that has to be written when
// room is short: the last with an operable thing in view, the first eight in
// any case.
func (c *compact) lastInView(cells []*Node) int {
	last := min(7, len(cells)-1)
	for k, cell := range cells {
		(&Tree{Root: cell}).Walk(func(n *Node, _ []*Node) bool {
			if n.Ref != "" && n.Operable() && inView(n, c.tree) {
				last = max(last, k)
			}
			return true
		})
	}
	return last
}
