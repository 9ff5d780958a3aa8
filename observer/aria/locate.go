package aria

import (
	"slices"
	"strings"
)

// A Query says in words which element is meant. Its fields mirror the bus's
// targets.
type Query struct {
	Ref     string  `json:"ref,omitempty"`
	Words   string  `json:"words,omitempty"` // the phrase as the person wrote it
	Name    string  `json:"name,omitempty"`  // the quoted label
	Role    string  `json:"role,omitempty"`  // an ARIA role
	Kind    string  `json:"kind,omitempty"`  // a person's word: "field", "box", …
	Ordinal int     `json:"ordinal,omitempty"`
	Within  []Scope `json:"within,omitempty"` // outermost first
	Near    *Near   `json:"near,omitempty"`
	Focused bool    `json:"focused,omitempty"`
	Purpose Purpose `json:"purpose,omitempty"`
}

// A Scope narrows a query to a container.
type Scope struct {
	Kind string `json:"kind"`
	Name string `json:"name,omitempty"`
	// Ordinal chooses among equal containers in page order: 1 the first, -1 the
	// last, 0 unset.
	Ordinal int `json:"ordinal,omitempty"`
}

// Near places the target by another element's position.
type Near struct {
	Relation string `json:"relation"` // next_to, left_of, right_of, above, below
	Of       Query  `json:"of"`
}

// A Result is the outcome of Locate: Node, or nil and why.
type Result struct {
	Node *Node
	// Candidates are the equals among which nothing decided, in page order, also
	// when Node was chosen among them by ordinal or position.
	Candidates []*Node
	// Rung names what placed the target: "ref", "focus", "name", "label",
	// "normalised", "contains", "words", "within" (the words hold the name),
	// "proximity" (a field beside text or under a header), "kind", or "other role" for an exact name on a related role.
	Rung string
	// Spatial is set when boxes decided.
	Spatial   bool
	Diagnosis Diagnosis
}

// Ambiguous reports whether several elements fit equally well.
func (r Result) Ambiguous() bool { return r.Node == nil && len(r.Candidates) > 1 }

// Locate places a described target: scopes first, then rung by rung from the
// exact accessible name to loose words. A rung gives exactly one element, or
// the result is ambiguous and lists the candidates; Locate never guesses.
func Locate(t *Tree, q Query) Result {
	x := newIndex(t)
	l := &locator{x: x, q: q}
	switch {
	case len(x.nodes) == 0:
		return Result{Diagnosis: Diagnosis{Reason: "the page is empty"}}
	case q.Ref != "":
		if n := t.ByRef(q.Ref); n != nil {
			return Result{Node: n, Rung: "ref"}
		}
		return Result{Diagnosis: Diagnosis{Reason: "no element " + q.Ref + " on this page"}}
	case q.Focused:
		for i := len(x.nodes) - 1; i >= 0; i-- { // the innermost comes last
			if x.nodes[i].Active {
				return Result{Node: x.nodes[i], Rung: "focus"}
			}
		}
		return Result{Diagnosis: Diagnosis{Reason: "nothing has the focus"}}
	}
	l.want = l.phrase()
	if failed, ok := l.enter(q.Within); !ok {
		return Result{Diagnosis: l.diagnose(failed)}
	}
	if q.Near != nil {
		if r, done := l.anchors(); done {
			return r
		}
	}
	r := l.climb()
	if q.Purpose == ForDrag && r.Node != nil {
		r.Node = l.dragged(r.Node)
	}
	return r
}

// dragged is what moves when somebody drags a thing by its title: the card,
// item or row that the words stand in.
func (l *locator) dragged(n *Node) *Node {
	if n.Operable() {
		return n
	}
	i := l.x.at[n]
	p := l.x.up(i, func(n *Node) bool {
		switch n.Role {
		case "article", "listitem", "treeitem", "option", "row", "figure":
			return true
		}
		return false
	})
	if p < 0 || l.x.end[p]-p > largestRead || l.x.nodes[p].Ref == "" {
		return n
	}
	return l.x.nodes[p]
}

// A locator is one call of Locate.
type locator struct {
	x      *index
	q      Query
	want   []string // phrases, the first is the one asked for
	spans  []span   // where to look; empty: everywhere
	anchor []int    // what Near is measured from
	read   map[int][]reading
}

// A span is a range of node numbers.
type span struct{ from, to int }

// phrase is what names are compared with: the quoted label, else the words
// without articles and role words.
func (l *locator) phrase() []string {
	if l.q.Name != "" {
		return []string{clean(l.q.Name)}
	}
	if l.q.Words == "" || l.q.Role != "" || l.q.Kind != "" || l.q.Near != nil || len(l.q.Within) > 0 {
		return nil
	}
	w := clean(l.q.Words)
	out := []string{w}
	if s := bare(w); s != "" && s != w {
		out = append(out, s)
	}
	return out
}

// bare drops articles and a role word at the end.
func bare(s string) string {
	f := strings.Fields(s)
	for len(f) > 1 {
		switch strings.ToLower(f[0]) {
		case "the", "a", "an", "this", "that":
			f = f[1:]
			continue
		}
		break
	}
	for len(f) > 1 && isKind(f[len(f)-1]) {
		f = f[:len(f)-1]
	}
	return strings.Trim(strings.Join(f, " "), `"'“”‘’`)
}

// isKind reports whether the word is one for a kind of element.
func isKind(word string) bool {
	_, known := kindIs(word, &Node{})
	return known
}

// kindSaid is the kind of element that free words end with ("the Save button"),
// "" where they end otherwise.
func kindSaid(s string) string {
	f := strings.Fields(clean(s))
	if len(f) < 2 || !isKind(f[len(f)-1]) {
		return ""
	}
	return f[len(f)-1]
}

func (l *locator) inside(i int) bool {
	if len(l.spans) == 0 {
		return true
	}
	for _, s := range l.spans {
		if i >= s.from && i < s.to {
			return true
		}
	}
	return false
}

// tier says how well a person can reach a node: 0 in the front, 1 elsewhere on
// the page, 2 behind a modal or hidden from assistive technology only.
func (l *locator) tier(i, modal int) int {
	n := l.x.nodes[i]
	switch {
	case n.Inert || n.AriaHidden && !n.Operable() || n.Unreachable:
		return 2
	case modal >= 0 && !l.x.contains(modal, i):
		return 1
	}
	return 0
}

// modal is the number of the modal dialog in front, or -1.
func (l *locator) modal() int {
	for i := len(l.x.nodes) - 1; i >= 0; i-- {
		if n := l.x.nodes[i]; n.Modal && !n.Inert {
			return i
		}
	}
	return -1
}

// A step of the ladder: a rung for one group of elements at one tier.
type step struct {
	rung      rung
	operable  bool // only what serves the purpose
	otherRole bool // a related role will do
	tier      int
}

// ladder lists the steps in the order in which they may decide. Exact words on
// an operable element come first; loose words on an operable element come
// after exact words on anything, so that the cell "Acme" is not taken for the
// button "Delete Acme".
func (l *locator) ladder() []step {
	strict := []rung{rungName, rungLabel, rungFolded}
	loose := []rung{rungContains, rungWords}
	if l.q.Name == "" {
		loose = append(loose, rungWithin)
	}
	typed := l.q.Role != "" || l.q.Kind != ""
	var steps []step
	for _, tier := range []int{0, 1} {
		for _, r := range strict {
			steps = append(steps, step{rung: r, operable: true, tier: tier})
		}
	}
	statics := !typed && (l.purpose() == ForClick || l.purpose() == ForAny || l.purpose() == ForRead || l.purpose() == ForHover || l.purpose() == ForDrag)
	if statics {
		for _, tier := range []int{0, 1} {
			for _, r := range strict {
				steps = append(steps, step{rung: r, tier: tier})
			}
		}
	}
	for _, tier := range []int{0, 1} {
		steps = append(steps, step{rung: rungProximity, operable: true, tier: tier})
	}
	if typed {
		for _, r := range strict {
			steps = append(steps, step{rung: r, otherRole: true}, step{rung: r, otherRole: true, tier: 1})
		}
	}
	for _, tier := range []int{0, 1} {
		for _, r := range loose {
			steps = append(steps, step{rung: r, operable: true, tier: tier})
		}
	}
	if statics {
		for _, r := range loose {
			steps = append(steps, step{rung: r}, step{rung: r, tier: 1})
		}
	}
	for _, r := range slices.Concat(strict, loose) {
		steps = append(steps, step{rung: r, operable: true, tier: 2})
	}
	return steps
}

func (l *locator) purpose() Purpose {
	if l.q.Purpose == "" {
		return ForAny
	}
	return l.q.Purpose
}

// climb walks the ladder.
func (l *locator) climb() Result {
	if len(l.want) == 0 {
		return l.byKind()
	}
	modal := l.modal()
	for _, s := range l.ladder() {
		var hits []int
		if s.rung == rungProximity {
			hits = l.besideLabel(s.tier, modal)
		} else {
			hits = l.hits(s, modal)
		}
		if len(hits) == 0 {
			continue
		}
		name := s.rung.String()
		if s.otherRole {
			name = "other role"
		}
		r := l.decide(hits, name)
		if s.rung == rungProximity && r.Node != nil && r.Node.Box != nil {
			r.Spatial = true
		}
		if r.Node == nil && len(r.Candidates) == 0 {
			continue // the position or the ordinal ruled all of them out
		}
		if r.Node == nil {
			r.Diagnosis = l.diagnose("several elements fit equally well")
		}
		return r
	}
	return Result{Diagnosis: l.diagnose("nothing fits")}
}

// hits are the nodes that a step accepts, nested duplicates collapsed.
func (l *locator) hits(s step, modal int) []int {
	var out []int
	for i, n := range l.x.nodes {
		if !l.inside(i) || l.tier(i, modal) != s.tier || !l.eligible(n, s) {
			continue
		}
		if l.fits(s.rung, i, l.want) {
			out = append(out, i)
		}
	}
	if s.rung == rungWithin {
		out = l.longestNames(out)
	}
	return l.prefer(l.collapse(out))
}

// eligible reports whether the node is of the kind that the step looks for.
func (l *locator) eligible(n *Node, s step) bool {
	q := l.q
	if n.Role == "option" && l.closedOption(n) && q.Role != "option" && q.Kind == "" {
		return false
	}
	switch {
	case s.otherRole:
		return l.typedAs(n) == 0 && l.related(n)
	case q.Role != "" || q.Kind != "":
		return l.typedAs(n) > 0
	case s.operable:
		return serves(l.purpose(), n)
	default:
		return true
	}
}

// closedOption holds for an option that only its select's value shows.
func (l *locator) closedOption(n *Node) bool {
	i := l.x.up(l.x.at[n], func(p *Node) bool { return p.Role == "combobox" || p.Role == "listbox" })
	return i >= 0 && l.x.nodes[i].Role == "combobox" && l.x.nodes[i].Expanded != "true"
}

// typedAs reports how the node meets the role or kind asked for: 2 the role
// itself, 1 the kind, 0 not.
func (l *locator) typedAs(n *Node) int {
	q := l.q
	if q.Role != "" {
		if n.Role == q.Role {
			return 2
		}
		if q.Role == "textbox" && (n.Role == "searchbox" || editable(n)) || q.Role == "image" && n.Role == "img" ||
			q.Role == "cell" && n.Role == "gridcell" || q.Role == "table" && isTable(n.Role) {
			return 1
		}
		if q.Kind == "" {
			return 0
		}
	}
	if q.Kind != "" {
		if k := normalKind(q.Kind); n.Role == "heading" && q.Name != "" && (l.purpose() == ForDrag || l.purpose() == ForAny || l.purpose() == ForRead) && (k == "column" || k == "section" || k == "group" || k == "list") {
			return 1 // a board's column, or a section without a role, is where its heading stands
		}
		is, known := kindIs(q.Kind, n)
		if is || !known && n.Role == q.Kind || !known && serves(l.purpose(), n) {
			return 1
		}
	}
	return 0
}

// related reports whether people take the node's role for the one asked for.
func (l *locator) related(n *Node) bool {
	if !n.Operable() {
		return false
	}
	if l.q.Role != "" {
		return sameFamily(n.Role, l.q.Role)
	}
	switch normalKind(l.q.Kind) {
	case "button", "link", "tab", "option", "menu", "item", "image":
		return family(n.Role) == "press" || family(n.Role) == "choose"
	case "list", "dropdown":
		return n.Role == "button" || n.Role == "radiogroup" || isField(n.Role)
	case "box", "field":
		return isCheckable(n.Role) || n.Role == "slider"
	}
	return false
}

// collapse keeps one of nested hits: the operable one, of two operable ones
// the one with a role of its own, of those the inner one.
func (l *locator) collapse(hits []int) []int {
	drop := map[int]bool{}
	for a := range hits {
		for b := a + 1; b < len(hits) && l.x.contains(hits[a], hits[b]); b++ {
			outer, inner := l.x.nodes[hits[a]], l.x.nodes[hits[b]]
			if rank(inner) >= rank(outer) {
				drop[hits[a]] = true
			} else {
				drop[hits[b]] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(hits), func(i int) bool { return drop[i] })
}

// rank orders what equals in words: controls, clickable things, other things
// with a name, text.
func rank(n *Node) int {
	switch {
	case isControl(n.Role):
		return 3
	case n.Operable():
		return 2
	case n.Role != "text" && n.Role != "generic":
		return 1
	}
	return 0
}

// prefer leaves only the hits that nothing better outranks: the exact role
// over its kin, a control over a clickable wrapper or label, an enabled
// element never over a disabled one (that is for the actor to say).
func (l *locator) prefer(hits []int) []int {
	if len(hits) < 2 {
		return hits
	}
	best := func(score func(n *Node) int) {
		top := -1
		for _, i := range hits {
			top = max(top, score(l.x.nodes[i]))
		}
		hits = slices.DeleteFunc(hits, func(i int) bool { return score(l.x.nodes[i]) < top })
	}
	if l.q.Role != "" {
		best(l.typedAs)
	}
	if p := l.purpose(); p != ForRead && l.q.Role == "" && l.q.Kind == "" {
		best(rank)
	}
	if l.q.Kind != "" && l.q.Role == "" {
		best(func(n *Node) int { return kindRank(l.q.Kind, n, l.purpose()) })
	}
	return hits
}

// kindRank prefers, among what a kind covers, what people mean first.
func kindRank(kind string, n *Node, p Purpose) int {
	serve := 0
	if p != ForAny && p != "" && serves(p, n) {
		serve = 4
	}
	switch normalKind(kind) {
	case "list":
		switch n.Role {
		case "listbox", "combobox":
			return serve + 2
		}
	case "row":
		if n.Role == "row" {
			return serve + 1
		}
	case "date":
		if isDate(n) {
			return serve + 2
		}
	case "chart":
		if n.Role == "canvas" {
			return serve + 2
		}
		if n.Role == "img" {
			return serve + 1
		}
	case "button":
		if n.Role == "button" {
			return serve + 2
		}
	case "switch":
		if n.Role == "switch" {
			return serve + 2
		}
	case "menu":
		if n.Role == "menu" || n.Role == "menubar" {
			return serve + 1
		}
	}
	return serve
}

// byKind places a target without a name: by kind, scope, ordinal and position
// alone.
func (l *locator) byKind() Result {
	if l.q.Role == "" && l.q.Kind == "" && l.q.Near == nil && l.q.Ordinal == 0 && len(l.q.Within) == 0 {
		return Result{Diagnosis: l.diagnose("the words name no element")}
	}
	modal := l.modal()
	for tier := 0; tier <= 2; tier++ {
		var hits []int
		for i, n := range l.x.nodes {
			if l.inside(i) && l.tier(i, modal) == tier && l.eligible(n, step{operable: true}) {
				hits = append(hits, i)
			}
		}
		// A scope is not what is looked for inside it, unless nothing else is.
		if len(l.spans) > 0 {
			inner := slices.DeleteFunc(slices.Clone(hits), func(i int) bool {
				return slices.ContainsFunc(l.spans, func(s span) bool { return s.from == i })
			})
			if len(inner) > 0 {
				hits = inner
			}
		}
		if normalKind(l.q.Kind) == "row" {
			hits = l.dataRows(hits)
		}
		if normalKind(l.q.Kind) != "cell" && l.q.Role == "" {
			hits = l.collapseSame(hits)
		}
		hits = l.prefer(hits)
		if len(hits) == 0 {
			continue
		}
		r := l.decide(hits, "kind")
		if r.Node == nil && len(r.Candidates) == 0 {
			continue
		}
		if r.Node == nil {
			r.Diagnosis = l.diagnose("several elements fit equally well")
		}
		return r
	}
	return Result{Diagnosis: l.diagnose("nothing of that kind")}
}

// collapseSame collapses nested hits only where both carry the same words.
func (l *locator) collapseSame(hits []int) []int {
	drop := map[int]bool{}
	for a := range hits {
		for b := a + 1; b < len(hits) && l.x.contains(hits[a], hits[b]); b++ {
			outer, inner := l.x.nodes[hits[a]], l.x.nodes[hits[b]]
			if fold(TextOf(outer)) != fold(TextOf(inner)) {
				continue
			}
			if rank(inner) >= rank(outer) {
				drop[hits[a]] = true
			} else {
				drop[hits[b]] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(hits), func(i int) bool { return drop[i] })
}

// decide chooses among the hits by position and ordinal.
func (l *locator) decide(hits []int, rung string) Result {
	r := Result{Rung: rung}
	if l.anchor != nil {
		hits, r.Spatial = l.near(hits)
		if len(hits) == 0 {
			return Result{}
		}
	}
	for _, i := range hits {
		r.Candidates = append(r.Candidates, l.x.nodes[l.refed(i)])
	}
	switch k := l.q.Ordinal; {
	case k > 0 && k <= len(hits):
		r.Node = r.Candidates[k-1]
	case k < 0 && -k <= len(hits):
		r.Node = r.Candidates[len(hits)+k]
	case k != 0:
		return Result{}
	case len(hits) == 1:
		r.Node = r.Candidates[0]
	}
	return r
}

// refed is the node itself, or for a text run the element around it that says
// nothing else: text has no ref to act on.
func (l *locator) refed(i int) int {
	at := i
	for n := l.x.nodes[at]; n.Ref == "" && l.purpose() != ForRead; n = l.x.nodes[at] {
		p := l.x.parent[at]
		if p < 0 || len(l.x.nodes[p].Children) > 1 {
			return i
		}
		at = p
	}
	return at
}
