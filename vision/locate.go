package vision

import (
	"image"
	"strings"
	"unicode"
)

// A match is a place where a label was read.
type match struct {
	box   image.Rectangle // in picture pixels
	text  string
	score float64 // 0 to 1: how well the text fits, times the reader's confidence
	exact bool
}

// findLabel returns the places where the label was read, best kind only: the
// exact words, else words that differ by one letter (a reader's slip), else an
// abbreviation on either side ("Mar" for "March"). Upper and lower case are one.
func findLabel(words []Word, label string) []match {
	want := tokens(label)
	if len(want) == 0 {
		return nil
	}
	for _, fit := range []struct {
		equal func(want, got string) bool
		score float64
		exact bool
	}{
		{func(w, g string) bool { return w == g }, 1, true},
		{oneSlip, 0.8, false},
		{abbreviates, 0.7, false},
	} {
		if m := runs(words, want, fit.equal, fit.score, fit.exact); len(m) > 0 {
			return m
		}
	}
	return nil
}

// runs finds consecutive words of one line that fit the wanted ones.
func runs(words []Word, want []string, equal func(w, g string) bool, score float64, exact bool) []match {
	var out []match
	for i := 0; i+len(want) <= len(words); i++ {
		m := match{exact: exact, score: score}
		ok := true
		for j, w := range want {
			g := words[i+j]
			got := strings.Join(tokens(g.Text), "")
			if g.Line != words[i].Line || got == "" || !equal(w, got) {
				ok = false
				break
			}
			m.box = m.box.Union(g.Box)
			m.text = strings.TrimSpace(m.text + " " + g.Text)
			// To read just the word that is looked for, by mistake, is unlikely
			// even where the reader is not sure of its letters.
			confidence := g.Confidence
			if exact && len(w) >= 4 {
				confidence = (1 + confidence) / 2
			}
			m.score = min(m.score, score*confidence)
		}
		if ok {
			out = append(out, m)
		}
	}
	return out
}

// tokens splits a phrase into lower-case words without the punctuation around
// them, which a reader sees or misses by chance.
func tokens(s string) []string {
	var out []string
	for f := range strings.FieldsSeq(strings.ToLower(s)) {
		f = strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if f != "" {
			out = append(out, f)
		}
	}
	return out
}

// oneSlip tells whether two words of at least four letters differ by one
// letter put in, left out or changed. Digits must agree: "15" is not "16".
func oneSlip(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) < 4 || len(y) < 4 || strings.ContainsFunc(a, unicode.IsDigit) || strings.ContainsFunc(b, unicode.IsDigit) {
		return false
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	switch len(y) - len(x) {
	case 0:
		return i == len(x) || string(x[i+1:]) == string(y[i+1:])
	case 1:
		return string(x[i:]) == string(y[i+1:])
	}
	return false
}

// abbreviates tells whether one word is the beginning of the other, at least
// three letters of it, without digits.
func abbreviates(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 3 && strings.HasPrefix(b, a) && !strings.ContainsFunc(b, unicode.IsDigit)
}

// A spot is what a label turned out to stand for.
type spot struct {
	box        image.Rectangle
	confidence float64
	what       string // "bar above the label", "the label itself", …
}

// place decides what to click for a label. In a chart that is the shape the
// label belongs to, elsewhere the label's own place. It returns nothing and a
// sentence when no place, or more than one, fits.
func place(f Frame, words []Word, label string, chart bool) (spot, string) {
	found := findLabel(words, label)
	if len(found) == 0 {
		return spot{}, "the text \"" + label + "\" was not read in the picture"
	}
	if !chart {
		if len(found) > 1 {
			return spot{}, several(label, len(found))
		}
		return spot{box: found[0].box, confidence: found[0].score, what: "the label itself"}, ""
	}
	seg := newSegmenter(f, words)
	var shaped []spot
	for _, m := range found {
		if r, how, ok := seg.shapeOf(m.box); ok {
			shaped = append(shaped, spot{box: r, confidence: m.score, what: how})
		}
	}
	switch {
	case len(shaped) == 1:
		if len(found) > 1 {
			shaped[0].confidence *= 0.9
		}
		return shaped[0], ""
	case len(shaped) > 1:
		return spot{}, several(label, len(shaped))
	case len(found) > 1:
		return spot{}, several(label, len(found))
	}
	return spot{box: found[0].box, confidence: found[0].score * 0.6, what: "the label itself, no shape belongs to it"}, ""
}

func several(label string, n int) string {
	return "the text \"" + label + "\" was read in " + number(n) + " places, and nothing tells them apart"
}

func number(n int) string {
	if n < 10 {
		return []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}[n]
	}
	return "many"
}
