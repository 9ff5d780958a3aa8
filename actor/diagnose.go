package actor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// maxCandidates bounds the elements listed in a refusal.
const maxCandidates = 12

// notPlaced says why words mean no element, or several, with the candidates
// and what was there instead.
func (a *Agent) notPlaced(tree *aria.Tree, t bus.Target, q aria.Query, r aria.Result) error {
	d := &bus.Diagnosis{URL: tree.URL, Title: tree.Title, ByRole: r.Diagnosis.Role, ByName: r.Diagnosis.Name, ByText: r.Diagnosis.Text}
	out := &refused{bus.Refusal{Code: bus.RefusedNotFound, Diagnosis: d}}
	if len(r.Candidates) > 1 {
		out.Code = bus.RefusedAmbiguous
		var list []string
		for _, n := range r.Candidates {
			e := elementOf(tree, n)
			if len(out.Candidates) == maxCandidates {
				break
			}
			out.Candidates = append(out.Candidates, e)
			s := aria.Describe(n)
			if e.Place != "" {
				s += " in " + e.Place
			}
			list = append(list, s)
		}
		out.Message = fmt.Sprintf("%d elements fit %q equally well: %s", len(r.Candidates), wordsOf(q), strings.Join(list, "; "))
		if n := len(r.Candidates) - len(list); n > 0 {
			out.Message += fmt.Sprintf("; and %d more", n)
		}
		return out
	}
	for _, n := range nearest(tree, r.Diagnosis.Nearest) {
		d.Nearest = append(d.Nearest, elementOf(tree, n))
	}
	out.Message = fmt.Sprintf("nothing on the page is meant by %q: %s", wordsOf(q), r.Diagnosis)
	for _, n := range tree.Notes {
		out.Message += "; " + n
	}
	return out
}

// nearest finds the nodes that a diagnosis names by their refs.
func nearest(tree *aria.Tree, described []string) []*aria.Node {
	var out []*aria.Node
	for _, s := range described {
		f := strings.Fields(s)
		if len(f) == 0 {
			continue
		}
		if n := tree.ByRef(f[len(f)-1]); n != nil && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
