package aria

import (
	"regexp"
	"strconv"
	"strings"
)

// FindOptions direct a search.
type FindOptions struct {
	// Context is how many levels around a hit are shown: 0 the line alone, 1 its
	// siblings in a small group too, and so on.
	Context int
	// Limit is the most hits that are written; 0: 20. All are counted.
	Limit int
	// Budget is the most tokens; 0: no limit.
	Budget int
	// Ref searches the subtree of one element only; "page" is the whole.
	Ref string
}

// Find searches the tree for text and writes the lines that hold it, in the
// compact form, each with its place, and how many there are. The query is text
// ("invoice"), alternatives ("invoice | receipt"), globs ("INV-*", "a?c"), or a
// role before a colon ("button: save"; "link:" alone lists all). Case and
// white space do not matter. An empty query finds nothing. A query that is a
// ref writes that element out with all that is in it, also what was folded.
func Find(t *Tree, query string, o FindOptions) Rendering {
	if q := strings.TrimSpace(query); t.ByRef(q) != nil {
		return Render(t, Compact, RenderOptions{Ref: q, Budget: o.Budget})
	}
	if o.Limit <= 0 {
		o.Limit = 20
	}
	terms := parseFind(query)
	if len(terms) == 0 {
		return rendered("empty query", false)
	}
	root := t.Root
	if o.Ref != "" && o.Ref != PageRef {
		if root = t.ByRef(o.Ref); root == nil {
			return rendered("no element "+o.Ref+" in @"+strconv.Itoa(t.Version), false)
		}
	}
	x := newIndex(t)
	c := newCompact(t, RenderOptions{Budget: max(o.Budget, 1)})
	blocks := c.children(&Node{Role: "generic", Children: []*Node{root}}, "")

	var lines []string
	hits, shown := 0, 0
	seen := map[*block]bool{}
	var walk func(bs []*block, above []*block)
	walk = func(bs []*block, above []*block) {
		for _, b := range bs {
			if matches(b, terms) {
				hits++
				switch {
				case seen[b]: // written out with a hit before it
					shown++
				case shown < o.Limit:
					shown++
					lines = append(lines, c.hit(x, b, above, o.Context, seen))
				}
			}
			walk(b.kids, append(above, b))
		}
	}
	walk(blocks, nil)
	closedOptions(root, func(list, option *Node) {
		if !matches(&block{node: option}, terms) {
			return
		}
		if hits++; shown < o.Limit {
			shown++
			lines = append(lines, "option "+quote(clean(option.Name))+" of "+c.head(list, ""))
		}
	})
	if hits == 0 {
		return rendered("no line holds "+quote(shorten(query, 120)), false)
	}
	head := strconv.Itoa(hits) + " " + plural("line", hits)
	if shown < hits {
		head += ", the first " + strconv.Itoa(shown)
	}
	text := head + "\n" + strings.Join(lines, "\n")
	r := rendered(text, shown < hits)
	if o.Budget > 0 && r.Tokens > o.Budget {
		return cut(strings.Split(text, "\n"), 1, o.Budget, func(int) string { return ", find in a ref or for more words" }, false)
	}
	return r
}

// closedOptions calls fn for the options of the closed lists in n, which no line of
// the page shows.
func closedOptions(n *Node, fn func(list, option *Node)) {
	var options func(list, n *Node)
	options = func(list, n *Node) {
		for _, k := range n.Children {
			if k.Role == "option" {
				fn(list, k)
			}
			options(list, k)
		}
	}
	if closedList(n) {
		options(n, n)
		return
	}
	for _, k := range n.Children {
		closedOptions(k, fn)
	}
}

// hit writes one line with what is around it.
func (c *compact) hit(x *index, b *block, above []*block, context int, seen map[*block]bool) string {
	top := b
	onWay := map[*block]bool{b: true}
	for up := 0; up < context && len(above) > 0; up++ {
		top = above[len(above)-1]
		above = above[:len(above)-1]
		onWay[top] = true
	}
	where := ""
	if top.node != nil {
		if i, ok := x.at[top.node]; ok {
			where = place(x.path(i))
		}
	}
	if where != "" {
		where = "in " + where + ": "
	}
	var out []string
	var write func(b *block, depth, left int)
	write = func(b *block, depth, left int) {
		seen[b] = true
		text := b.text
		if b.state == "offscreen" {
			text = b.bare // what is sought is seldom in view; to act brings it there
		}
		out = append(out, strings.Repeat("  ", depth)+text)
		if left == 0 {
			if depth == 0 && len(b.kids) > 0 {
				out[len(out)-1] += " … " + strconv.Itoa(countBlocks(b.kids)) + " more"
			}
			return
		}
		from, to := groupAround(b.kids, onWay, context)
		more := func(k int) {
			if k > 0 {
				out = append(out, strings.Repeat("  ", depth+1)+"… "+strconv.Itoa(k)+" more")
			}
		}
		more(from)
		for _, k := range b.kids[from:to] {
			write(k, depth+1, left-1)
		}
		more(len(b.kids) - to)
	}
	write(top, 0, context)
	out[0] = where + out[0]
	return strings.Join(out, "\n")
}

// smallGroup is how many siblings are shown all together.
const smallGroup = 8

// groupAround is the part of a group that is shown with a hit in it: all of a small
// one, of a large one what stands next to it.
func groupAround(group []*block, onWay map[*block]bool, context int) (from, to int) {
	if len(group) <= smallGroup {
		return 0, len(group)
	}
	for i, b := range group {
		if onWay[b] {
			return max(0, i-context), min(len(group), i+context+1)
		}
	}
	return 0, min(len(group), smallGroup/2)
}

func countBlocks(bs []*block) int {
	k := len(bs)
	for _, b := range bs {
		k += countBlocks(b.kids)
	}
	return k
}

// A term is one alternative of a search.
type term struct {
	role string
	text string         // folded to lower case, white space collapsed
	glob *regexp.Regexp // instead of text
}

// parseFind reads a query. It accepts everything.
func parseFind(query string) []term {
	var out []term
	for _, part := range strings.Split(query, "|") {
		part = strings.ToLower(clean(part))
		var t term
		if role, rest, ok := strings.Cut(part, ":"); ok && plainWord.MatchString(role) && (isControl(role) || isScope(role) || role == "row" || role == "heading" || isCell(role)) {
			t.role, part = role, strings.TrimSpace(rest)
		}
		if part == "" && t.role == "" {
			continue
		}
		if strings.ContainsAny(part, "*?") {
			pattern := regexp.QuoteMeta(part)
			pattern = strings.ReplaceAll(pattern, `\*`, `[^|\n]*`)
			pattern = strings.ReplaceAll(pattern, `\?`, `.`)
			t.glob = regexp.MustCompile(`(?:^|[^\p{L}\p{N}])` + pattern + `(?:$|[^\p{L}\p{N}])`)
		} else {
			t.text = part
		}
		out = append(out, t)
	}
	return out
}

// matches reports whether a line's own nodes hold one of the terms.
func matches(b *block, terms []term) bool {
	nodes := append([]*Node{b.node}, b.more...)
	var said strings.Builder
	for _, n := range nodes {
		if n == nil {
			continue
		}
		for _, s := range n.names() {
			said.WriteString(strings.ToLower(s) + "\n")
		}
		if n.Value != nil && !n.Masked {
			said.WriteString(strings.ToLower(clean(*n.Value)) + "\n")
		}
		said.WriteString(strings.ToLower(clean(n.URL)) + "\n" + n.Ref + "\n")
	}
	text := said.String()
	for _, t := range terms {
		if t.role != "" && !hasRole(nodes, t.role) {
			continue
		}
		switch {
		case t.glob != nil:
			if t.glob.MatchString(text) {
				return true
			}
		case t.text == "" || strings.Contains(text, t.text):
			return true
		}
	}
	return false
}

func hasRole(nodes []*Node, role string) bool {
	for _, n := range nodes {
		if n != nil && n.Role == role {
			return true
		}
	}
	return false
}
