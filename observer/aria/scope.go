package aria

import (
	"fmt"
	"slices"
	"strings"
)

// enter narrows the search to the scopes, outermost first. ok is false when a
// scope is not there, with the reason.
func (l *locator) enter(scopes []Scope) (reason string, ok bool) {
	for _, s := range scopes {
		found := l.spansOf(s)
		if len(found) == 0 {
			return "no " + scopeText(s) + " on this page", false
		}
		if k := s.Ordinal; k != 0 {
			if k < 0 {
				k += len(found) + 1
			}
			if k < 1 || k > len(found) {
				return fmt.Sprintf("%d of %s on this page, not as many as the words ask for", len(found), scopeText(s)), false
			}
			found = found[k-1 : k]
		}
		l.spans = found
	}
	return "", true
}

func scopeText(s Scope) string {
	kind := s.Kind
	if kind == "" {
		kind = "part"
	}
	if s.Name == "" {
		return kind
	}
	return kind + " with " + quote(s.Name)
}

// scopeIs reports whether the node is a container of the kind.
func scopeIs(kind string, n *Node) bool {
	r := n.Role
	switch normalKind(kind) {
	case "row", "item":
		return r == "row" || r == "listitem" || r == "treeitem"
	case "dialog":
		return r == "dialog" || r == "alertdialog" || n.Modal
	case "section", "group":
		switch r {
		case "region", "article", "group", "radiogroup", "form", "search", "figure", "tabpanel", "complementary", "main", "fieldset", "feed", "toolbar", "listitem", "navigation":
			return true
		}
		return false
	case "column": // of a board; what stands in a table's column has its header's name
		return r == "region" || r == "group" || r == "list" || r == "listbox" || r == "article"
	case "list":
		switch r {
		case "list", "listbox", "menu", "tree", "combobox", "radiogroup", "feed":
			return true
		}
		return false
	case "dropdown":
		return r == "combobox" || r == "listbox" || r == "menu"
	case "table":
		return isTable(r)
	case "form":
		return r == "form" || r == "search"
	case "menu":
		return r == "menu" || r == "menubar" || r == "listbox"
	case "frame":
		return r == "iframe"
	case "navigation", "navigation bar", "nav", "nav bar", "navbar", "main menu", "sidebar":
		return r == "navigation" || r == "menubar" || normalKind(kind) == "sidebar" && r == "complementary"
	case "footer", "page footer":
		return r == "contentinfo"
	case "header", "page header", "top bar":
		return r == "banner"
	case "main", "main area", "content", "main content", "page":
		return r == "main"
	case "chart", "image":
		is, _ := kindIs(kind, n)
		return is
	case "tab":
		return r == "tabpanel"
	case "toolbar", "tool bar":
		return r == "toolbar" || r == "banner"
	case "message":
		is, _ := kindIs("message", n)
		return is
	case "date":
		return isTable(r) || r == "dialog" || r == "application" || r == "group"
	case "tree":
		return r == "tree" || r == "treegrid"
	case "cell":
		return isCell(r)
	case "":
		return isScope(r) || r == "row" || r == "listitem" || r == "treeitem" || isCell(r)
	}
	return r == kind
}

// readsAsText holds for kinds that people name by any words in them.
func readsAsText(kind string) bool {
	switch normalKind(kind) {
	case "row", "item", "section", "group", "dialog", "message", "cell", "":
		return true
	}
	return false
}

// spansOf finds the containers of a scope: the best rung that has any, the
// innermost of nested ones.
func (l *locator) spansOf(s Scope) []span {
	var all []int
	for i, n := range l.x.nodes {
		if l.inside(i) && scopeIs(s.Kind, n) {
			all = append(all, i)
		}
	}
	if alive := slices.DeleteFunc(slices.Clone(all), func(i int) bool { return l.x.nodes[i].Inert }); len(alive) > 0 {
		all = alive
	}
	if normalKind(s.Kind) == "row" {
		all = l.dataRows(all)
	}
	if s.Name == "" {
		if normalKind(s.Kind) == "dialog" && len(all) > 1 && s.Ordinal == 0 {
			return l.toSpans([]int{l.front(all)})
		}
		return l.toSpans(innermost(l.x, all))
	}
	want := words(s.Name)
	if len(want) == 0 {
		return nil
	}
	pick := func(fits func(i int) bool) []int {
		var out []int
		for _, i := range all {
			if fits(i) {
				out = append(out, i)
			}
		}
		out = innermost(l.x, out)
		if s.Kind == "" { // of "Ann": her row, not the cell that says so
			for k, i := range out {
				if row := l.x.up(i, func(n *Node) bool { return n.Role == "row" }); row >= 0 && isCell(l.x.nodes[i].Role) {
					out[k] = row
				}
			}
			out = slices.Compact(out)
		}
		return out
	}
	named := func(i int, test func(have []string) bool) bool {
		n := l.x.nodes[i]
		return test(words(ScopeName(n))) || n.Role == "iframe" && (test(words(n.URL)) || n.Description != "" && test(words(n.Description)))
	}
	equal := func(have []string) bool { return slices.Equal(have, want) }
	holds := func(have []string) bool { return wordsIn(have, want) >= 0 }
	if out := pick(func(i int) bool { return named(i, equal) }); len(out) > 0 {
		return l.toSpans(out)
	}
	if k := normalKind(s.Kind); k == "section" || k == "group" || k == "column" || k == "" {
		if out := l.underHeading(equal); len(out) > 0 {
			return out
		}
	}
	if readsAsText(s.Kind) {
		if out := pick(func(i int) bool { return l.holdsText(i, equal) }); len(out) > 0 {
			return l.toSpans(out)
		}
	}
	if out := pick(func(i int) bool { return named(i, holds) }); len(out) > 0 {
		return l.toSpans(out)
	}
	if out := pick(func(i int) bool { return l.holdsText(i, holds) || holds(words(l.shortText(i))) }); len(out) > 0 && (readsAsText(s.Kind) || len(out) == 1) {
		return l.toSpans(out)
	}
	if normalKind(s.Kind) == "frame" || strings.TrimSpace(s.Kind) != "" && !readsAsText(s.Kind) {
		return nil
	}
	return l.aroundText(equal)
}

// dataRows drops header rows where there are others: the first row is the
// first one with data.
func (l *locator) dataRows(rows []int) []int {
	data := slices.DeleteFunc(slices.Clone(rows), func(i int) bool { return isHeaderRow(l.x.nodes[i]) })
	if len(data) == 0 {
		return rows
	}
	return data
}

// front is the dialog that a person sees on top: the modal one, the last.
func (l *locator) front(dialogs []int) int {
	best := dialogs[0]
	for _, i := range dialogs {
		if l.x.nodes[i].Modal || !l.x.nodes[best].Modal {
			best = i
		}
	}
	return best
}

// toSpans adds the popup that a container owns elsewhere on the page.
func (l *locator) toSpans(at []int) []span {
	var out []span
	for _, i := range at {
		out = append(out, span{i, l.x.end[i]})
		if ref := l.x.nodes[i].Controls; ref != "" {
			for k, n := range l.x.nodes {
				if n.Ref == ref {
					out = append(out, span{k, l.x.end[k]})
				}
			}
		}
	}
	return out
}

// innermost drops what contains another one of the list.
func innermost(x *index, at []int) []int {
	var out []int
	for k, i := range at {
		if k+1 < len(at) && x.contains(i, at[k+1]) { // sorted: the next one would be inside
			continue
		}
		out = append(out, i)
	}
	return out
}

// holdsText reports whether a piece of text or a name inside i passes the test.
func (l *locator) holdsText(i int, test func([]string) bool) bool {
	for k := i; k < l.x.end[i]; k++ {
		n := l.x.nodes[k]
		for _, s := range n.names() {
			if test(words(s)) {
				return true
			}
		}
		if k > i && isCell(n.Role) && test(words(TextOf(n))) {
			return true
		}
		if n.Value != nil && !n.Masked && *n.Value != "" && test(words(*n.Value)) {
			return true
		}
	}
	return false
}

func (l *locator) shortText(i int) string {
	if l.x.end[i]-i > 4*largestRead {
		return ""
	}
	return TextOf(l.x.nodes[i])
}

// underHeading finds what stands under a heading: its container when that is
// more than the heading and less than the page, else everything up to the next
// heading of the same or a higher level.
func (l *locator) underHeading(test func([]string) bool) []span {
	var out []span
	for i, n := range l.x.nodes {
		if n.Role != "heading" && n.Role != "caption" && n.Role != "legend" || !l.inside(i) || n.Inert {
			continue
		}
		if !test(words(n.Name)) && !test(words(TextOf(n))) {
			continue
		}
		p := l.x.parent[i]
		for p > 0 && l.x.end[p]-p <= l.x.end[i]-i+1 { // wrappers of the heading alone
			p = l.x.parent[p]
		}
		if p > 0 && l.x.nodes[p].Role != "main" && l.headings(p) == 1 {
			out = append(out, span{p, l.x.end[p]})
			continue
		}
		limit := len(l.x.nodes)
		if p >= 0 {
			limit = l.x.end[p]
		}
		to := i + 1
		for to < limit && !(l.x.nodes[to].Role == "heading" && l.x.nodes[to].Level <= n.Level) {
			to++
		}
		out = append(out, span{i, to})
	}
	return out
}

// headings counts the headings in i, nested sections' own ones included.
func (l *locator) headings(i int) int {
	k := 0
	for j := i; j < l.x.end[i]; j++ {
		if l.x.nodes[j].Role == "heading" {
			k++
		}
	}
	return k
}

// aroundText takes, for pages without roles, the smallest part that holds the
// text and something to operate.
func (l *locator) aroundText(test func([]string) bool) []span {
	var out []span
	for i, n := range l.x.nodes {
		if !l.inside(i) || n.Inert || len(n.Children) > 0 || !test(words(TextOf(n))) {
			continue
		}
		for p := l.x.parent[i]; p > 0; p = l.x.parent[p] {
			if l.operables(p, i) > 0 {
				out = append(out, span{p, l.x.end[p]})
				break
			}
		}
	}
	return out
}

// operables counts what can be operated in i, the node except aside.
func (l *locator) operables(i, except int) int {
	k := 0
	for j := i + 1; j < l.x.end[i]; j++ {
		if j != except && l.x.nodes[j].Operable() {
			k++
		}
	}
	return k
}
