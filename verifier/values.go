package verifier

import (
	"strings"
	"unicode"
)

// A likeness says how two values agree.
type likeness struct {
	// same is true when both mean the same.
	same bool
	// doubt is set when they agree only on one of two readings (03/04/2026).
	doubt string
	// how is "" for the very same text, else how they agree or nearly do.
	how string
}

// compareValues tells whether what a control holds means what was wanted: the
// same text but for white space, the same date, the same number, or the same
// digits in a field's own mask. Words must agree to the letter. hint is text
// that tells how the field writes dates ("DD/MM/YYYY"), "" for none.
func compareValues(want, got, hint string) likeness {
	w, g := squeeze(want), squeeze(got)
	if w == g {
		return likeness{same: true}
	}
	if l, ok := compareDates(w, g, hint); ok {
		return l
	}
	if l, ok := compareNumbers(w, g); ok {
		return l
	}
	if maskedDigits(w, g) {
		return likeness{same: true, how: "the same digits in the field's own form"}
	}
	if strings.EqualFold(w, g) {
		return likeness{how: "it differs in upper and lower case only"}
	}
	return likeness{}
}

// squeeze collapses white space (also the non-breaking kinds) and drops
// characters that have no width.
func squeeze(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || r == '\u202f' || r == '\u00a0':
			return ' '
		case r >= '\u200b' && r <= '\u200f' || r >= '\u202a' && r <= '\u202e' ||
			r >= '\u2060' && r <= '\u2064' || r == '\ufeff' || r == '\u00ad':
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// holds tells whether the text holds the words, white space and case aside: a
// style sheet may write "Save" as "SAVE".
func holds(text, words string) bool {
	w := strings.ToLower(squeeze(words))
	return w != "" && strings.Contains(strings.ToLower(squeeze(text)), w)
}

// maskedDigits holds for "4242424242424242" and "4242 4242 4242 4242": the
// wanted digits, with separators that a field puts between them. A point or a
// comma is no such separator, and neither is a sign in front.
func maskedDigits(want, got string) bool {
	if len(want) < 4 || strings.ContainsFunc(want, func(r rune) bool { return r < '0' || r > '9' }) {
		return false
	}
	if got == "" || !strings.ContainsRune("0123456789(", rune(got[0])) {
		return false
	}
	bare := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -/()", r) {
			return -1
		}
		return r
	}, got)
	return bare == want
}
