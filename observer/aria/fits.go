package aria

import (
	"slices"
	"strings"
)

// A Fit says whether words and an element belong together.
type Fit string

// The fits.
const (
	FitsWords   Fit = "fits"        // the words name this element
	Contradicts Fit = "contradicts" // the words name something else
	Unclear     Fit = "unclear"     // the words neither name nor exclude it
)

// A Verdict is the answer of Fits.
type Verdict struct {
	Fit    Fit
	Reason string  // one sentence, "" when it fits
	Better []*Node // what the words name instead, as far as one can tell
}

// Fits is the second key to a ref: do the words that came with it name the
// same element? It compares role, label, scope, position and ordinal as far as
// the query has them, and looks in free words for another row's name.
func Fits(t *Tree, ref string, q Query) Verdict {
	x := newIndex(t)
	node := t.ByRef(ref)
	if node == nil {
		return Verdict{Fit: Contradicts, Reason: "no element " + ref + " on this page"}
	}
	at := x.at[node]
	l := &locator{x: x, q: q}
	l.q.Ref = ""
	l.want = l.phrase()

	if q.Role != "" || q.Kind != "" {
		if l.typedAs(node) == 0 && !l.related(node) && !(q.Role != "" && sameFamily(node.Role, q.Role)) && !l.wraps(at) {
			asked := q.Role
			if asked == "" {
				asked = q.Kind
			}
			return Verdict{Fit: Contradicts, Reason: "the words ask for a " + asked + ", " + Describe(node) + " is none"}
		}
	}
	if reason, ok := l.enter(q.Within); !ok {
		return Verdict{Fit: Unclear, Reason: reason}
	}
	if len(q.Within) > 0 && !l.inside(at) {
		where := place(x.path(at))
		if where == "" {
			where = "the page"
		}
		return Verdict{Fit: Contradicts, Reason: Describe(node) + " is in " + where + ", not in the " + scopeText(q.Within[len(q.Within)-1])}
	}
	if q.Name != "" {
		return l.fitsName(at)
	}
	if len(q.Within) == 0 && q.Words != "" {
		if v := l.otherRow(at); v.Fit == Contradicts {
			return v
		}
	}
	if q.Near != nil || q.Ordinal != 0 {
		return l.fitsPlace(at)
	}
	if q.Words != "" && q.Role == "" && q.Kind == "" {
		return l.fitsWords(at)
	}
	return Verdict{Fit: FitsWords}
}

// wraps holds where the node stands for one of the kind inside or around it: a
// label's clickable wrapper, the text in a button.
func (l *locator) wraps(at int) bool {
	for k := at + 1; k < l.x.end[at] && k < at+12; k++ {
		if l.typedAs(l.x.nodes[k]) > 0 {
			return true
		}
	}
	p := l.x.parent[at]
	return p > 0 && l.typedAs(l.x.nodes[p]) > 0
}

// fitsName compares the quoted label with the element's names.
func (l *locator) fitsName(at int) Verdict {
	node := l.x.nodes[at]
	mine := l.strength(at)
	all := l.q
	all.Ref = ""
	r := Locate(l.x.tree, all)
	if r.Node == node || slices.Contains(r.Candidates, node) {
		if l.q.Ordinal != 0 || l.q.Near != nil {
			if r.Node != nil && r.Node != node {
				return Verdict{Fit: Contradicts, Reason: "the words name " + Describe(r.Node) + l.placed(r.Node) + ", not " + Describe(node), Better: []*Node{r.Node}}
			}
		}
		return Verdict{Fit: FitsWords}
	}
	var better []*Node
	if r.Node != nil {
		better = []*Node{r.Node}
	} else {
		better = r.Candidates
	}
	if mine > rungWords && len(better) > 0 {
		return Verdict{Fit: Contradicts, Better: better,
			Reason: Describe(node) + " is not called " + quote(l.q.Name) + "; " + Describe(better[0]) + l.placed(better[0]) + " is"}
	}
	if mine <= rungWords {
		if len(better) > 0 && l.x.at[better[0]] != at {
			// Another one fits more exactly. The same thing in two nodes (a
			// wrapper and its control) is no contradiction.
			other := l.x.at[better[0]]
			if !l.x.contains(at, other) && !l.x.contains(other, at) && l.strength(other) < mine && mine > rungFolded {
				return Verdict{Fit: Contradicts, Better: better,
					Reason: Describe(better[0]) + l.placed(better[0]) + " is called " + quote(l.q.Name) + " exactly, " + Describe(node) + " only in part"}
			}
		}
		return Verdict{Fit: FitsWords}
	}
	if len(l.texts(at)) == 0 {
		return Verdict{Fit: Unclear, Reason: Describe(node) + " has no name to compare with " + quote(l.q.Name)}
	}
	return Verdict{Fit: Contradicts, Reason: Describe(node) + " is not called " + quote(l.q.Name)}
}

func (l *locator) placed(n *Node) string { return in(place(l.x.path(l.x.at[n]))) }

// noFit is the strength of no fit at all.
const noFit = rungProximity + 1

// strength is the first rung on which the node fits the wanted name. What
// stands in the same small group counts as a label beside it.
func (l *locator) strength(at int) rung {
	for _, r := range []rung{rungName, rungLabel, rungFolded, rungContains, rungWords} {
		if l.fits(r, at, l.want) {
			return r
		}
	}
	if n := l.x.nodes[at]; n.Value != nil && !n.Masked && len(l.want) > 0 && fold(*n.Value) == fold(l.want[0]) {
		return rungFolded
	}
	for k := at + 1; k < l.x.end[at] && k < at+12; k++ {
		if l.fits(rungFolded, k, l.want) {
			return rungLabel
		}
	}
	return noFit
}

// fitsPlace compares position and ordinal by looking the words up.
func (l *locator) fitsPlace(at int) Verdict {
	q := l.q
	q.Ref = ""
	r := Locate(l.x.tree, q)
	node := l.x.nodes[at]
	switch {
	case r.Node == nil:
		return Verdict{Fit: Unclear, Reason: r.Diagnosis.Reason}
	case r.Node == node || l.x.contains(at, l.x.at[r.Node]) || l.x.contains(l.x.at[r.Node], at):
		return Verdict{Fit: FitsWords}
	}
	return Verdict{Fit: Contradicts, Better: []*Node{r.Node}, Reason: "the words name " + Describe(r.Node) + l.placed(r.Node) + ", not " + Describe(node)}
}

// placedBy counts the free words that speak of what is around the node: the
// texts of its row or item, and the names of what it is inside.
func (l *locator) placedBy(at int) int {
	around := map[string]bool{}
	for p := l.x.parent[at]; p > 0; p = l.x.parent[p] {
		n := l.x.nodes[p]
		text := n.title()
		if isRow(n) {
			text += " " + TextOf(n)
		}
		for _, w := range words(text) {
			around[w] = true
		}
	}
	own := words(l.x.nodes[at].title())
	count := 0
	for _, w := range words(l.q.Words) {
		if len(w) > 2 && w != "the" && w != "for" && around[w] && !isKind(w) && !slices.Contains(own, w) {
			count++
		}
	}
	return count
}

func isRow(n *Node) bool { return n.Role == "row" || n.Role == "listitem" || n.Role == "treeitem" }

// otherRow finds another row's name in free words.
func (l *locator) otherRow(at int) Verdict {
	row := at
	if !isRow(l.x.nodes[at]) {
		row = l.x.up(at, isRow)
	}
	if row < 0 {
		return Verdict{Fit: FitsWords}
	}
	said := words(l.q.Words)
	own := words(TextOf(l.x.nodes[row]))
	parent := l.x.parent[row]
	for k := parent + 1; k < l.x.end[parent]; k = l.x.end[k] {
		if k == row || !isRow(l.x.nodes[k]) || isHeaderRow(l.x.nodes[k]) {
			continue
		}
		for _, text := range rowTexts(l.x.nodes[k]) {
			w := words(text)
			if len(strings.Join(w, "")) < 3 || wordsIn(said, w) < 0 || wordsIn(own, w) >= 0 {
				continue
			}
			return Verdict{Fit: Contradicts, Better: []*Node{l.x.nodes[k]},
				Reason: "the words speak of " + quote(shorten(text, 60)) + ", which is another row; " + Describe(l.x.nodes[at]) + " is in row " + quote(shorten(rowTitle(l.x.nodes[row]), 60))}
		}
	}
	return Verdict{Fit: FitsWords}
}

// rowTexts are the texts of a row's cells, or of an item as a whole, controls
// left out.
func rowTexts(row *Node) []string {
	var out []string
	var walk func(n *Node)
	walk = func(n *Node) {
		for _, k := range n.Children {
			switch {
			case k.Role == "text":
				out = append(out, clean(k.Text))
			case isControl(k.Role) && k.Role != "link":
			case len(k.Children) == 0 && k.Name != "":
				out = append(out, clean(k.Name))
			default:
				walk(k)
			}
		}
	}
	walk(row)
	return out
}

// fitsWords compares free words: they fit when the element's name or its
// surroundings share a word, and contradict when they name another element in
// full.
func (l *locator) fitsWords(at int) Verdict {
	said := words(l.q.Words)
	node := l.x.nodes[at]
	for _, s := range l.texts(at) {
		if wordsIn(said, s.words) >= 0 || overlap(said, s.words) {
			return Verdict{Fit: FitsWords}
		}
	}
	var better []*Node
	size := 0
	for i, n := range l.x.nodes {
		if i == at || !n.Operable() || n.Inert {
			continue
		}
		if w := words(n.title()); wordsIn(said, w) >= 0 && len(strings.Join(w, "")) >= 3 {
			if len(w) > size {
				better, size = nil, len(w)
			}
			if len(w) == size {
				better = append(better, n)
			}
		}
	}
	if len(better) > 0 && len(l.texts(at)) > 0 {
		return Verdict{Fit: Contradicts, Better: better, Reason: "the words name " + Describe(better[0]) + l.placed(better[0]) + ", not " + Describe(node)}
	}
	// A link is never a text field, whatever else it may look like.
	if kind := kindSaid(l.q.Words); normalKind(kind) == "link" && (node.Role == "textbox" || node.Role == "searchbox" || node.Role == "spinbutton") && l.placedBy(at) == 0 {
		return Verdict{Fit: Contradicts, Reason: "the words ask for a " + kind + ", " + Describe(node) + " is none, and nothing on the page fits them"}
	}
	return Verdict{Fit: Unclear, Reason: "the words do not name " + Describe(node)}
}

// Twins are the other elements that the words fit as well as the one with the
// ref: same kind, in the same scope, on the same rung or a better one; ordinal
// and position are left out of account. Without words, elements of the same
// role and name. In page order.
func Twins(t *Tree, ref string, q Query) []*Node {
	x := newIndex(t)
	node := t.ByRef(ref)
	if node == nil {
		return nil
	}
	l := &locator{x: x, q: q}
	l.q.Ref = ""
	at := x.at[node]
	l.want = l.phrase()
	if _, ok := l.enter(q.Within); !ok {
		return nil
	}
	mine := noFit
	if len(l.want) > 0 {
		mine = l.strength(at)
	}
	// "The Sign in button" leaves the links of that name out, "the Edit button
	// for Acme" those of other rows.
	kind := kindSaid(q.Words)
	is := func(kind string, n *Node) bool { is, _ := kindIs(kind, n); return is }
	said := kind != "" && is(kind, node)
	placed := 0
	if q.Words != "" && q.Name == "" && len(q.Within) == 0 {
		placed = l.placedBy(at)
	}
	modal := l.modal()
	var out []int
	for i, n := range x.nodes {
		if i == at || !l.inside(i) || x.contains(i, at) || x.contains(at, i) || !n.Operable() && node.Operable() {
			continue
		}
		if l.tier(i, modal) > l.tier(at, modal) {
			continue
		}
		if n.Role == "option" && l.closedOption(n) || placed > 0 && l.placedBy(i) < placed {
			continue
		}
		switch {
		case mine == noFit: // no words, or words that do not fit: true twins
			if n.Role != node.Role || fold(n.title()) != fold(node.title()) {
				continue
			}
		case q.Role != "" || q.Kind != "":
			if l.typedAs(n) == 0 || l.strength(i) > mine {
				continue
			}
		default:
			if !sameFamily(n.Role, node.Role) || l.strength(i) > mine || said && !is(kind, n) {
				continue
			}
		}
		out = append(out, i)
	}
	var nodes []*Node
	for _, i := range l.collapse(out) {
		nodes = append(nodes, x.nodes[i])
	}
	return nodes
}
