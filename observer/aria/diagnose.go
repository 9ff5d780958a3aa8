package aria

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// A Diagnosis says why nothing, or not one element, was found.
type Diagnosis struct {
	Reason string `json:"reason,omitempty"`
	// How many elements there are of the role or kind, with the name (any
	// role), and with the words in their text.
	Role int `json:"role"`
	Name int `json:"name"`
	Text int `json:"text"`
	// Nearest are the names most like the one asked for, each with role and
	// ref, at most five.
	Nearest []string `json:"nearest,omitempty"`
}

// String is the diagnosis in one line.
func (d Diagnosis) String() string {
	s := fmt.Sprintf("%s (of that kind: %d, with that name: %d, with the words in their text: %d)", d.Reason, d.Role, d.Name, d.Text)
	if len(d.Nearest) > 0 {
		s += "; nearest: " + strings.Join(d.Nearest, ", ")
	}
	return s
}

func (l *locator) diagnose(reason string) Diagnosis {
	d := Diagnosis{Reason: reason}
	type likeness struct {
		text string
		far  int
	}
	var near []likeness
	want := ""
	if len(l.want) > 0 {
		want = fold(l.want[len(l.want)-1])
	}
	needle := words(want)
	listed := map[string]bool{}
	for i, n := range l.x.nodes {
		if !l.inside(i) || n.Inert {
			continue
		}
		typed := (l.q.Role != "" || l.q.Kind != "") && l.typedAs(n) > 0
		if typed {
			d.Role++
		}
		if want == "" {
			if typed && len(near) < 5 {
				near = append(near, likeness{Describe(n), len(near)})
			}
			continue
		}
		for _, s := range n.names() {
			if fold(s) == want {
				d.Name++
				break
			}
		}
		if n.Role == "text" || len(n.Children) == 0 {
			if wordsIn(words(TextOf(n)), needle) >= 0 {
				d.Text++
			}
		}
		if name := fold(n.title()); name != "" && (n.Operable() || typed) && len(name) < 200 {
			far := levenshtein.ComputeDistance(name, want)
			if wordsIn(words(name), needle) >= 0 || wordsIn(needle, words(name)) >= 0 {
				far = min(far, 2)
			}
			if text := Describe(n); far <= max(len(want), len(name))*2/3 && !listed[text] {
				listed[text] = true
				near = append(near, likeness{text, far})
			}
		}
	}
	slices.SortStableFunc(near, func(a, b likeness) int { return a.far - b.far })
	for _, k := range near[:min(5, len(near))] {
		d.Nearest = append(d.Nearest, k.text)
	}
	return d
}

// Describe names a node in one short phrase: role, name, ref.
func Describe(n *Node) string {
	if n == nil {
		return "nothing"
	}
	s := n.Role
	if n.Role == "generic" {
		s = "element"
	}
	if t := n.title(); t != "" {
		s += " " + quote(shorten(t, 60))
	}
	if n.Ref != "" {
		s += " " + n.Ref
	}
	return s
}
