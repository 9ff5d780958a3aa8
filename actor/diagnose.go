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
		out.Message = fmt.Sprintf("%d elements fit %s equally well: %s", len(r.Candidates), said(q), strings.Join(list, "; "))
		if n := len(r.Candidates) - len(list); n > 0 {
			out.Message += fmt.Sprintf("; and %d more", n)
		}
		return out
	}
	for _, n := range nearest(tree, r.Diagnosis.Nearest) {
		d.Nearest = append(d.Nearest, elementOf(tree, n))
	}
	out.Message = "nothing on the page fits " + said(q)
	if len(d.Nearest) > 0 {
		var names []string
		for _, e := range d.Nearest[:min(3, len(d.Nearest))] {
			names = append(names, fmt.Sprintf("%s %s", label(e.Role, e.Name), e.Ref))
		}
		out.Message += "; did you mean " + strings.Join(names, ", or ") + "?"
	}
	out.Message += fmt.Sprintf(" (elements of that kind: %d, with that name: %d, with these words in their text: %d)", d.ByRole, d.ByName, d.ByText)
	for _, n := range tree.Notes {
		out.Message += "; " + n
	}
	return out
}

// said is what a target was called, in quotes of its own or of ours.
func said(q aria.Query) string {
	if w := wordsOf(q); strings.Contains(w, `"`) {
		return w
	}
	return fmt.Sprintf("%q", wordsOf(q))
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
