package aria

import (
	"math"
	"slices"
)

// anchors finds what Near measures from. done is set when the search ends
// here, with the result.
func (l *locator) anchors() (Result, bool) {
	of := l.q.Near.Of
	if of.Purpose == "" {
		of.Purpose = ForAny
	}
	if len(of.Within) == 0 {
		of.Within = l.q.Within
	}
	r := Locate(l.x.tree, of)
	switch {
	case r.Node != nil:
		l.anchor = []int{l.x.at[r.Node]}
	case len(r.Candidates) > 0:
		for _, n := range r.Candidates {
			l.anchor = append(l.anchor, l.x.at[n])
		}
	default:
		d := r.Diagnosis
		d.Reason = "the element that it stands by was not found: " + d.Reason
		return Result{Diagnosis: d}, true
	}
	return Result{}, false
}

// a placed hit is one with its distance from the anchor.
type placedHit struct {
	i   int
	far float64
}

// near keeps the hits that stand where Near says, the nearest first; without
// an ordinal only the nearest and those that are about as near. spatial is set
// when boxes decided.
func (l *locator) near(hits []int) (kept []int, spatial bool) {
	hits = slices.DeleteFunc(slices.Clone(hits), func(i int) bool {
		return slices.ContainsFunc(l.anchor, func(a int) bool { return l.x.contains(a, i) || l.x.contains(i, a) })
	})
	if len(hits) == 0 {
		return nil, false
	}
	relation := l.q.Near.Relation
	if relation == "" {
		relation = "next_to"
	}
	if relation == "next_to" {
		if group := l.sameGroup(hits); len(group) == 1 && l.q.Ordinal == 0 {
			return group, false
		} else if len(group) > 0 {
			hits = group
		}
	}
	var placed []placedHit
	boxes := true
	for _, i := range hits {
		best := math.Inf(1)
		for _, a := range l.anchor {
			x, y := l.x.nodes[a].Box, l.x.nodes[i].Box
			if x == nil {
				x = l.boxAround(a)
			}
			if x == nil || y == nil {
				boxes = false
				continue
			}
			best = min(best, apart(relation, *y, *x))
		}
		if !math.IsInf(best, 1) {
			placed = append(placed, placedHit{i, best})
		}
	}
	if !boxes && len(placed) == 0 {
		return l.nearInOrder(hits, relation), false
	}
	if len(placed) == 0 {
		return nil, true
	}
	slices.SortStableFunc(placed, func(a, b placedHit) int {
		switch {
		case a.far < b.far:
			return -1
		case a.far > b.far:
			return 1
		}
		return 0
	})
	for _, p := range placed {
		if l.q.Ordinal == 0 && p.far > placed[0].far+max(4, placed[0].far*0.1) {
			break
		}
		kept = append(kept, p.i)
	}
	return kept, true
}

// boxAround is the box of the nearest ancestor that has one and holds little
// else: text runs have none of their own.
func (l *locator) boxAround(i int) *Box {
	for p := l.x.parent[i]; p >= 0; p = l.x.parent[p] {
		if l.x.nodes[p].Box != nil {
			if l.x.end[p]-p <= 8 {
				return l.x.nodes[p].Box
			}
			return nil
		}
	}
	return nil
}

// sameGroup keeps the hits that share with an anchor the smallest row, list
// item or group, where there is one.
func (l *locator) sameGroup(hits []int) []int {
	best, out := -1, []int(nil)
	for _, i := range hits {
		deepest := -1
		for _, a := range l.anchor {
			p := l.x.parent[a]
			for p >= 0 && !l.x.contains(p, i) {
				p = l.x.parent[p]
			}
			deepest = max(deepest, p) // among ancestors of one node, later is deeper
		}
		if deepest <= 0 || !groups(l.x.nodes[deepest], l.x.end[deepest]-deepest) {
			continue
		}
		if size := l.x.end[deepest] - deepest; best < 0 || size < best {
			best, out = size, nil
		}
		if l.x.end[deepest]-deepest == best {
			out = append(out, i)
		}
	}
	return out
}

// groups holds for nodes whose children a person sees as belonging together.
func groups(n *Node, size int) bool {
	switch n.Role {
	case "row", "listitem", "treeitem", "group", "radiogroup", "toolbar", "article", "cell", "gridcell":
		return true
	case "generic", "paragraph":
		return size <= 12
	}
	return false
}

// nearInOrder goes by document order where boxes are missing: before for left
// of and above, after for right of and below, the nearest only.
func (l *locator) nearInOrder(hits []int, relation string) []int {
	best, kept := math.MaxInt, []int(nil)
	for _, i := range hits {
		for _, a := range l.anchor {
			far := i - a
			switch relation {
			case "left_of", "above":
				far = -far
			case "next_to":
				far = max(far, -far)
			}
			if far <= 0 || far > best {
				continue
			}
			if far < best {
				best, kept = far, nil
			}
			kept = append(kept, i)
		}
	}
	return kept
}

// apart is how far box b is from anchor a in the relation, +Inf where it does
// not stand so. An offset on the other axis counts half.
func apart(relation string, b, a Box) float64 {
	overX := min(b.X+b.W, a.X+a.W) - max(b.X, a.X)
	overY := min(b.Y+b.H, a.Y+a.H) - max(b.Y, a.Y)
	offX := math.Abs((b.X + b.W/2) - (a.X + a.W/2))
	offY := math.Abs((b.Y + b.H/2) - (a.Y + a.H/2))
	const slack = 3 // borders and shadows overlap a little
	var gap, off float64
	switch relation {
	case "left_of":
		gap, off = a.X-(b.X+b.W), offY
		if overY <= 0 {
			return math.Inf(1)
		}
	case "right_of":
		gap, off = b.X-(a.X+a.W), offY
		if overY <= 0 {
			return math.Inf(1)
		}
	case "above":
		gap, off = a.Y-(b.Y+b.H), offX
		if overX <= 0 {
			return math.Inf(1)
		}
	case "below":
		gap, off = b.Y-(a.Y+a.H), offX
		if overX <= 0 {
			return math.Inf(1)
		}
	default:
		dx, dy := max(0, -overX), max(0, -overY)
		if dx > 0 && dy > 0 {
			return 2 * (dx + dy) // diagonal: only when nothing stands beside
		}
		return dx + dy
	}
	if gap < -slack {
		return math.Inf(1)
	}
	if relation == "above" || relation == "below" {
		// A wide thing below a narrow label is offset by its width alone.
		off = max(0, off-(max(a.W, b.W)-min(a.W, b.W))/2)
	}
	return max(0, gap) + off/2
}

// besideBox is the field nearest to a label: on its right, below it, or, for
// check boxes and radio buttons, on its left; -1 where boxes say nothing or
// two fields are as near.
func (l *locator) besideBox(label *Node, fields []int) int {
	box := label.Box
	if box == nil {
		box = l.boxAround(l.x.at[label])
	}
	if box == nil {
		return -1
	}
	best, second, at := math.Inf(1), math.Inf(1), -1
	for _, f := range fields {
		n := l.x.nodes[f]
		if n.Box == nil {
			continue
		}
		far := math.Inf(1)
		if isCheckable(n.Role) {
			far = within(apart("left_of", *n.Box, *box), 60)
		}
		far = min(far, within(apart("right_of", *n.Box, *box), 400), within(apart("below", *n.Box, *box), 60))
		switch {
		case far < best:
			best, second, at = far, best, f
		case far < second:
			second = far
		}
	}
	if second-best < 3 {
		return -1
	}
	return at
}

func within(far, limit float64) float64 {
	if far > limit {
		return math.Inf(1)
	}
	return far
}
