package playbook

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// An Unreadable says exactly what of a sentence was not understood.
type Unreadable struct {
	Source
	// Words are the ones not understood, or the ones with two readings.
	Words string
	// Why is one clause: "nothing known begins with these words".
	Why string
	// Nearest are forms that are known, the most similar first.
	Nearest []string
}

func (e *Unreadable) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File + ":")
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "%d:", e.Line)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	fmt.Fprintf(&b, "can't read the step %s: ", show(e.Text))
	if e.Words != "" {
		b.WriteString(show(e.Words) + ": ")
	}
	b.WriteString(e.Why)
	for i, n := range e.Nearest {
		if i == 0 {
			b.WriteString("; known forms: ")
		} else {
			b.WriteString(" · ")
		}
		b.WriteString(n)
	}
	return b.String()
}

// show puts words into guillemets, because sentences are full of quotes.
func show(s string) string { return "«" + strings.Join(strings.Fields(s), " ") + "»" }

// A problem is an Unreadable in the making.
type problem struct {
	words, why string
	verb       verb     // whose forms are the nearest; "" unknown
	forms      []string // said instead of the verb's forms
}

func unreadable(src Source, p *problem) *Unreadable {
	e := &Unreadable{Source: src, Words: strings.TrimSpace(p.words), Why: p.why, Nearest: p.forms}
	if e.Nearest == nil {
		e.Nearest = nearestForms(p.verb, src.Text)
	}
	return e
}

// nearestForms picks the forms of the verb, or, where none was recognised, the
// forms that share most words with the sentence.
func nearestForms(v verb, text string) []string {
	if forms := formsOf(v); len(forms) > 0 {
		return forms
	}
	words := strings.Fields(strings.ToLower(text))
	type scored struct {
		form  string
		score int
	}
	var best []scored
	for _, v := range allVerbs {
		for _, form := range formsOf(v) {
			score := 0
			for i, fw := range strings.Fields(strings.ToLower(form)) {
				for j, w := range words {
					w = strings.Trim(w, ".,;:")
					switch {
					case w == fw && len(w) > 2:
						score += 2
					case len(w) > 3 && len(fw) > 3 && levenshtein.ComputeDistance(w, fw) <= 2:
						score += 2
					default:
						continue
					}
					if i == 0 && j == 0 {
						score += 6
					}
				}
			}
			best = append(best, scored{form, score})
		}
	}
	var out []string
	for len(out) < 3 {
		top := -1
		for i, b := range best {
			if b.form != "" && (top < 0 || b.score > best[top].score) {
				top = i
			}
		}
		if top < 0 || best[top].score == 0 && len(out) > 0 {
			break
		}
		out = append(out, best[top].form)
		best[top].form = ""
	}
	return out
}
