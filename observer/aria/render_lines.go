package aria

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// sizes are the most runes that the parts of a line may have.
type sizes struct {
	name, text, value int
	// cells: cells of a wide row that are out of view are counted, not written.
	cells bool
	// titles is how many cells of a row without anything operable are written;
	// 0: all, -1: none.
	titles int
	// brief: descriptions, placeholders and the like are left out.
	brief bool
}

// whole loses nothing that a person could read.
var whole = sizes{name: 1000, text: 1 << 20, value: 4000}

// shorter are the sizes under a budget, tried in order until everything
// operable in the viewport has its line.
var shorter = [...]sizes{
	{name: 300, text: 900, value: 300},
	{name: 100, text: 160, value: 80, cells: true},
	{name: 48, text: 60, value: 40, cells: true, brief: true},
	{name: 28, text: 24, value: 24, cells: true, brief: true, titles: 2},
	{name: 16, text: 10, value: 12, cells: true, brief: true, titles: 1},
	{name: 8, text: 8, value: 8, cells: true, brief: true, titles: -1},
}

// short cuts s and says how many runes are missing.
func (c *compact) short(s string, max int) string {
	if max >= 300 {
		return shorten(s, max)
	}
	s = clean(s)
	n := utf8.RuneCountInString(s)
	if n <= max+min(4, max/4) { // the mark would be as long as what it replaces
		return s
	}
	r := []rune(s)
	if max < 10 {
		return strings.TrimSpace(string(r[:max])) + "…" // no room for a count
	}
	return strings.TrimSpace(string(r[:max])) + "…+" + strconv.Itoa(n-max)
}

// lines writes pieces as one or more lines of readable length.
func (c *compact) lines(ps []piece, prefix, bar string) []*block {
	var out []*block
	ps = c.joinTexts(withoutLabels(ps))
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
			label := words(p.raw)
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

// state makes a block and finds the mark that all its nodes share. Text and
// nodes without a ref tell nothing about where the line is.
func (c *compact) state(ps []piece, say func(mute string) string) *block {
	b := &block{say: say}
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
		b.more = append(b.more, p.more...)
		s := stateOf(n)
		if n.Ref == "" && s == "" {
			continue
		}
		b.known = true
		if first {
			b.state, first = s, false
		} else if b.state != s {
			b.state = ""
		}
	}
	b.write()
	return b
}

// join writes pieces in a row: text runs on, nodes are set apart by the bar.
// Three and more nodes of one role in a row say it once ("links: e1 "Home" |
// e2 "Customers" | e3 "Orders"").
func join(ps []piece, mute, bar string) string {
	var b strings.Builder
	run := 0
	for k, p := range ps {
		s := p.say(mute)
		if s == "" {
			continue
		}
		text := k > 0 && (p.text || ps[k-1].text)
		switch {
		case b.Len() == 0:
		case text && p.text && closes(p.raw) && s[0] != '"':
		case text:
			b.WriteByte(' ')
		default:
			b.WriteString(bar)
		}
		if bar == " | " {
			if run == 0 {
				if run = sameRole(ps[k:]); run >= 3 {
					b.WriteString(plural(headWord(p.node), 2) + ": ")
				} else {
					run = 0
				}
			}
			if run > 0 {
				s = strings.TrimPrefix(s, headWord(p.node)+" ")
				run--
			}
		}
		b.WriteString(s)
	}
	return b.String()
}

// closes holds for text that belongs to what stands before it.
func closes(s string) bool {
	return s != "" && strings.IndexByte(".,;:!?)", s[0]) >= 0 && (len(s) == 1 || s[1] == ' ')
}

// sameRole counts the pieces at the start that are operable, have a ref and say
// the same role.
func sameRole(ps []piece) int {
	k := 0
	for k < len(ps) && !ps[k].text && ps[k].head && ps[k].node.Ref != "" && ps[k].node.Operable() && headWord(ps[k].node) == headWord(ps[0].node) {
		k++
	}
	return k
}

// joinTexts makes one run of text of several in a row.
func (c *compact) joinTexts(ps []piece) []piece {
	var out []piece
	for _, p := range ps {
		if last := len(out) - 1; p.text && p.node != nil && last >= 0 && out[last].text && out[last].node != nil && !p.alone && !out[last].alone {
			q := out[last]
			gap := " "
			if closes(p.raw) {
				gap = ""
			}
			joined := c.textPiece(q.node, q.raw+gap+p.raw)
			joined.more = append(append(append([]*Node{}, q.more...), p.node), p.more...)
			out[last] = joined
			continue
		}
		out = append(out, p)
	}
	return out
}

// bareName is a heading's name: bare like text, where the size of a name allows.
func (c *compact) bareName(name string) string {
	s := c.short(name, c.size.name)
	if s == "" || oursInside.MatchString(s) {
		return quote(s)
	}
	return s
}

func (c *compact) textPiece(n *Node, s string) piece {
	return piece{text: true, node: n, raw: s, say: func(string) string { return c.bare(s) }}
}

func (c *compact) headPiece(n *Node) piece {
	return piece{node: n, head: true, say: func(mute string) string { return c.head(n, mute) }}
}

var (
	refPattern = regexp.MustCompile(`^(f\d+)?e\d+$`)
	// What makes text look like ours: a ref, our bars and brackets, or a start that
	// only our lines have. Quotes do only after a word at the start, as a role's.
	oursInside = regexp.MustCompile("[|\\[\\]\\\\]|```|\\b(?:f\\d+)?e\\d+\\b|[a-z:=] \"[^\"]*\":?$")
	oursStart  = regexp.MustCompile(`^(?:″$|[-–—+~>=*]+\s|["…@]|h[1-6]?\s|[a-z][a-z0-9_-]*(?::|\s"))`)
)

// plainly holds for most texts, of which no look is needed at what they are like:
// words and numbers that begin with a capital or a digit.
func plainly(s string) bool {
	if s == "" || (s[0] < 'A' || s[0] > 'Z') && (s[0] < '0' || s[0] > '9') {
		return false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9' && s[i-1] == 'e':
			return false
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == ' ', c == ',', c == '.', c == '-', c == '/', c == '(', c == ')', c == '!', c == '?':
		default:
			return false
		}
	}
	return true
}

// bare writes text as it is where that is safe, else as a JSON string.
func (c *compact) bare(s string) string {
	s = c.short(s, c.size.text)
	if plainly(s) {
		return s
	}
	if s == "" || oursInside.MatchString(s) || oursStart.MatchString(s) {
		return quote(s)
	}
	return s
}
