package workflow

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// A Problem is one thing wrong in a file: where, what, and what to do.
type Problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1; 0 where no line is to blame
	Column  int    `json:"column"` // from 1, in runes
	What    string `json:"what"`
	Do      string `json:"do,omitempty"`
	Excerpt string `json:"excerpt,omitempty"` // the line, with a mark under the place
}

func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
	}
	b.WriteString(": " + p.What)
	if p.Do != "" {
		b.WriteString("; " + p.Do)
	}
	if p.Excerpt != "" {
		b.WriteString("\n" + p.Excerpt)
	}
	return b.String()
}

// Problems are all that is wrong in a file, in the order of its lines.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single Problem.
func (ps Problems) Unwrap() []error {
	out := make([]error, len(ps))
	for i, p := range ps {
		out[i] = p
	}
	return out
}

// excerpt shows the line with one line before it and a mark under the column.
func excerpt(source []string, line, column int) string {
	if line < 1 || line > len(source) {
		return ""
	}
	var b strings.Builder
	if line > 1 {
		fmt.Fprintf(&b, "  %4d | %s\n", line-1, source[line-2])
	}
	fmt.Fprintf(&b, "> %4d | %s", line, source[line-1])
	if column > 0 {
		pad := []rune(source[line-1])
		if column-1 < len(pad) {
			pad = pad[:column-1]
		}
		for i, r := range pad {
			if r != '\t' {
				pad[i] = ' '
			}
		}
		fmt.Fprintf(&b, "\n       | %s^", string(pad))
	}
	return b.String()
}

// nearest returns the one of names that word was most likely meant to be, or "".
func nearest(word string, names []string) string {
	best, at := "", 3
	for _, n := range names {
		if d := levenshtein.ComputeDistance(word, n); d < at {
			best, at = n, d
		}
	}
	return best
}
