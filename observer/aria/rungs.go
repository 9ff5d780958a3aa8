package aria

import "slices"

// A rung is one way in which words can fit an element, from exact to loose.
type rung int

const (
	rungName      rung = iota // the accessible name, exactly
	rungLabel                 // visible label, placeholder, text or description, exactly
	rungFolded                // any of these, by words: case, white space and punctuation aside
	rungContains              // any of these holds the words together
	rungWords                 // any of these holds the words in some order
	rungWithin                // the words hold the whole name; for free words only
	rungProximity             // a field beside static text
)

func (r rung) String() string {
	return [...]string{"name", "label", "normalised", "contains", "words", "within", "proximity"}[r]
}

// title is the one name to show for a node.
func (n *Node) title() string {
	for _, s := range []string{n.Name, n.Label, n.Text, n.Placeholder} {
		if s = clean(s); s != "" {
			return s
		}
	}
	if !isField(n.Role) && len(n.Children) > 0 && len(n.Children) <= 4 && !isScope(n.Role) {
		return TextOf(n)
	}
	return ""
}

// names are the node's own names: accessible name, then label, placeholder,
// description and own text.
func (n *Node) names() []string {
	out := make([]string, 0, 4)
	for _, s := range []string{n.Name, n.Label, n.Placeholder, n.Text, n.Description} {
		if s != "" {
			out = append(out, clean(s))
		}
	}
	return out
}

// largestRead bounds the nodes of a subtree whose whole text counts as a name.
const largestRead = 60

// A reading is one string by which a node may be meant, and its words.
type reading struct {
	raw   string
	words []string
}

// texts are names plus the text read inside, for things that are not
// containers of others.
func (l *locator) texts(i int) []reading {
	if r, ok := l.read[i]; ok {
		return r
	}
	n := l.x.nodes[i]
	var out []reading
	for _, s := range n.names() {
		out = append(out, reading{s, words(s)})
	}
	if len(n.Children) > 0 && !isField(n.Role) && l.x.end[i]-i <= largestRead {
		if s := TextOf(n); s != "" {
			out = append(out, reading{s, words(s)})
		}
	}
	if l.read == nil {
		l.read = map[int][]reading{}
	}
	l.read[i] = out
	return out
}

// fits reports whether the words fit node i on this rung.
func (l *locator) fits(r rung, i int, want []string) bool {
	n := l.x.nodes[i]
	for _, w := range want {
		if w == "" {
			continue
		}
		if r == rungName {
			if n.Name != "" && clean(n.Name) == w {
				return true
			}
			continue
		}
		needle := words(w)
		for _, s := range l.texts(i) {
			switch r {
			case rungLabel:
				if s.raw == w {
					return true
				}
			case rungFolded:
				if len(needle) > 0 && slices.Equal(s.words, needle) {
					return true
				}
			case rungContains:
				if wordsIn(s.words, needle) >= 0 {
					return true
				}
			case rungWords:
				if hasWords(s.words, needle) {
					return true
				}
			case rungWithin:
				if s.raw != clean(n.Description) && wordsIn(needle, s.words) >= 0 {
					return true
				}
			}
		}
	}
	return false
}

// hasWords reports whether every needle is a word of hay.
func hasWords(hay, needles []string) bool {
	if len(needles) == 0 {
		return false
	}
	in := make(map[string]int, len(hay))
	for _, w := range hay {
		in[w]++
	}
	for _, w := range needles {
		if in[w] == 0 {
			return false
		}
		in[w]--
	}
	return true
}

// longestNames keeps, of hits whose names stand within the words, those with
// the most words.
func (l *locator) longestNames(hits []int) []int {
	best, out := 0, []int(nil)
	for _, i := range hits {
		size := 0
		for _, s := range l.texts(i) {
			if wordsIn(words(l.want[0]), s.words) >= 0 {
				size = max(size, len(s.words))
			}
		}
		if size > best {
			best, out = size, nil
		}
		if size == best {
			out = append(out, i)
		}
	}
	return out
}

// bareField holds for a thing without a role that can be clicked: what a date
// picker of bare boxes has for a field. The words in it are its value.
func bareField(n *Node) bool { return n.Role == "generic" && n.Clickable }

// besideLabel finds fields that have no name of their own and stand beside,
// below or (check boxes) before static text with the words, or in the column
// under such a header.
func (l *locator) besideLabel(tier, modal int) []int {
	var fields []int
	for i, n := range l.x.nodes {
		if !l.inside(i) || l.tier(i, modal) != tier {
			continue
		}
		if l.purpose() == ForDate && bareField(n) {
			fields = append(fields, i)
			continue
		}
		if !takesInput(n) || !l.eligible(n, step{operable: true}) {
			continue
		}
		if n.Name == "" || n.Name == n.Placeholder || n.Name == n.Description {
			fields = append(fields, i)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	var out []int
	add := func(i int) {
		for _, k := range out {
			if k == i {
				return
			}
		}
		out = append(out, i)
	}
	wraps := func(i int) bool { // the text is not all that is in it
		return slices.ContainsFunc(fields, func(f int) bool { return l.x.contains(i, f) })
	}
	for i, n := range l.x.nodes {
		if wraps(i) || n.Operable() || l.x.end[i]-i > 4 || n.Inert || !l.fits(rungFolded, i, l.want) {
			continue
		}
		if p := l.x.parent[i]; p >= 0 && !wraps(p) && l.x.end[p]-p <= 4 && !l.x.nodes[p].Operable() && l.fits(rungFolded, p, l.want) {
			continue // the outer one of nested labels is looked at
		}
		if h := l.headerOf(i); h >= 0 {
			for _, f := range l.inColumn(h, fields) {
				add(f)
			}
			continue
		}
		if f := l.besideBox(n, fields); f >= 0 {
			add(f)
		} else if f := l.following(i, fields); f >= 0 && l.x.nodes[f].Box == nil {
			add(f)
		}
	}
	return out
}

func takesInput(n *Node) bool {
	return isField(n.Role) || isCheckable(n.Role) || editable(n) || n.Role == "slider" || n.Role == "listbox" || n.InputType != ""
}

// headerOf is the column header that i is or is in, or -1.
func (l *locator) headerOf(i int) int {
	if l.x.nodes[i].Role == "columnheader" {
		return i
	}
	return l.x.up(i, func(n *Node) bool { return n.Role == "columnheader" })
}

// inColumn keeps the fields in the column of a header.
func (l *locator) inColumn(header int, fields []int) []int {
	row := l.x.up(header, func(n *Node) bool { return n.Role == "row" })
	table := l.x.up(header, func(n *Node) bool { return isTable(n.Role) })
	if row < 0 || table < 0 {
		return nil
	}
	column := cellIndex(l.x.nodes[row], l.x.nodes[header])
	var out []int
	for _, f := range fields {
		cell := f
		if !isCell(l.x.nodes[f].Role) {
			cell = l.x.up(f, func(n *Node) bool { return isCell(n.Role) })
		}
		if cell < 0 || !l.x.contains(table, f) {
			continue
		}
		if r := l.x.up(cell, func(n *Node) bool { return n.Role == "row" }); r >= 0 && cellIndex(l.x.nodes[r], l.x.nodes[cell]) == column {
			out = append(out, f)
		}
	}
	return out
}

func cellIndex(row, cell *Node) int {
	for k, c := range Cells(row) {
		if c == cell {
			return k
		}
	}
	return -1
}

// following is the first field after the label inside the smallest part of the
// page that holds both, or -1: the rule where boxes are missing.
func (l *locator) following(label int, fields []int) int {
	for p := l.x.parent[label]; p > 0; p = l.x.parent[p] {
		for _, f := range fields {
			if l.x.contains(p, f) && f > label {
				return f
			}
		}
		if l.x.nodes[p].Role == "row" || isScope(l.x.nodes[p].Role) {
			return -1
		}
	}
	return -1
}
