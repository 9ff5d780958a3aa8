package verifier

import "strings"

// compareNumbers compares two texts that are both numbers, written with any
// locale's separators, perhaps with a currency or a percent sign. ok is false
// when one of them is none.
func compareNumbers(want, got string) (l likeness, ok bool) {
	w, g := readNumber(want), readNumber(got)
	if len(w) == 0 || len(g) == 0 || unitOf(want) != "" && unitOf(got) != "" && unitOf(want) != unitOf(got) {
		return likeness{}, false
	}
	// What was wanted is a workflow's own text, read as English where it could
	// be read two ways; what a page shows may be of any locale.
	for _, x := range g {
		if w[0] == x {
			return likeness{same: true, how: "the same number"}, true
		}
	}
	return likeness{}, true
}

// readNumber returns the readings of a text as a number, in canonical decimal
// form ("-1234.5"), the English one first. Numbers with leading zeros are
// codes, not numbers, and have none.
func readNumber(s string) []string {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\u2212", "-"))
	negative := false
	if strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") { // accountants' minus
		s, negative = s[1:len(s)-1], true
	}
	s = trimUnit(s)
	if rest, cut := strings.CutPrefix(s, "-"); cut {
		s, negative = rest, !negative
	} else {
		s = strings.TrimPrefix(s, "+")
	}
	s = trimUnit(s)
	s = strings.NewReplacer(" ", "", "'", "", "’", "").Replace(groupedBy(s))
	if s == "" || len(s) > 40 {
		return nil
	}
	var points, commas, digits int
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r == '.':
			points++
		case r == ',':
			commas++
		default:
			return nil
		}
	}
	if digits == 0 {
		return nil
	}
	var out []string
	add := func(group, point string) {
		if n, ok := canonical(s, group, point); ok {
			if negative && n != "0" {
				n = "-" + n
			}
			for _, o := range out {
				if o == n {
					return
				}
			}
			out = append(out, n)
		}
	}
	add(",", ".")
	add(".", ",")
	return out
}

// groupedBy returns s when its spaces and apostrophes stand between groups of
// three digits, else something that is no number.
func groupedBy(s string) string {
	for _, sep := range []string{" ", "'", "’"} {
		if !strings.Contains(s, sep) {
			continue
		}
		whole := s
		if i := strings.LastIndexAny(s, ".,"); i > strings.LastIndex(s, sep) {
			whole = s[:i]
		}
		if !grouped(strings.Split(whole, sep)) {
			return "x"
		}
	}
	return s
}

// grouped holds for 1 to 3 digits followed by groups of three.
func grouped(parts []string) bool {
	for i, p := range parts {
		if i == 0 && (p == "" || len(p) > 3) || i > 0 && len(p) != 3 {
			return false
		}
	}
	return true
}

// canonical reads s with the given group and decimal separators.
func canonical(s, group, point string) (string, bool) {
	whole, fraction, dotted := strings.Cut(s, point)
	if dotted && (strings.Contains(fraction, point) || strings.Contains(fraction, group)) {
		return "", false
	}
	if strings.Contains(whole, group) {
		if !grouped(strings.Split(whole, group)) {
			return "", false
		}
		whole = strings.ReplaceAll(whole, group, "")
	}
	if len(whole) > 1 && whole[0] == '0' {
		return "", false
	}
	if whole == "" {
		whole = "0"
	}
	fraction = strings.TrimRight(fraction, "0")
	if fraction == "" {
		return whole, true
	}
	return whole + "." + fraction, true
}

var units = []string{"$", "€", "£", "¥", "₹", "%", "USD", "EUR", "GBP", "CHF", "JPY"}

// unitOf returns the currency or percent sign at either end of a number.
func unitOf(s string) string {
	for _, u := range units {
		if strings.HasPrefix(s, u) || strings.HasSuffix(s, u) || strings.HasPrefix(s, "-"+u) {
			return u
		}
	}
	return ""
}

func trimUnit(s string) string {
	s = strings.TrimSpace(s)
	for _, u := range units {
		if r, ok := strings.CutPrefix(s, u); ok {
			return strings.TrimSpace(r)
		}
		if r, ok := strings.CutSuffix(s, u); ok {
			return strings.TrimSpace(r)
		}
	}
	return s
}
