package aria

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes page text harmless for a line of output: well-formed, on one
// line, without control, zero-width, bidi and private-use characters. White
// space is collapsed.
func clean(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f || (s[i] == ' ' && (i == 0 || s[i-1] == ' ' || i == len(s)-1)) {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for i, r := range s {
		switch {
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				r = '\uFFFD'
			}
		case unicode.IsSpace(r):
			space = true
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Co, r), r == '\u00AD', r == '\uFEFF',
			r >= '\u200B' && r <= '\u200F', r >= '\u202A' && r <= '\u202E', r >= '\u2060' && r <= '\u206F':
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(r)
	}
	return b.String()
}

// collapse is clean under the name that its use in comparisons has.
func collapse(s string) string { return clean(s) }

// quote writes page text as a JSON string on one line. The fence of a code
// block is escaped: the text may stand inside one.
func quote(s string) string {
	s = clean(s)
	if strings.Contains(s, "```") {
		return strings.ReplaceAll(jsonString(s), "```", `\u0060\u0060\u0060`)
	}
	simple := true
	for i := 0; i < len(s); i++ {
		if s[i] == '"' || s[i] == '\\' || s[i] < ' ' || s[i] >= 0x7f {
			simple = false
			break
		}
	}
	if simple {
		return `"` + s + `"`
	}
	return jsonString(s)
}

func jsonString(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var shortened = regexp.MustCompile(`… \+(\d{1,12}) characters$`)

// shorten cuts s to at most max runes and says how many are missing.
func shorten(s string, max int) string {
	s = clean(s)
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	// What was shortened in the page already is counted from the whole.
	gone := 0
	if m := shortened.FindStringSubmatch(s); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			gone, s = n, strings.TrimSuffix(s, m[0])
		}
	}
	r := []rune(s)
	if len(r) > max {
		gone += len(r) - max
		r = r[:max]
	}
	return strings.TrimSpace(string(r)) + "… +" + strconv.Itoa(gone) + " characters"
}

// Shortened tells of a text that was cut, in the page or by the renderers, how it
// begins and how many characters more there are (in UTF-16 units, where the page
// cut it).
func Shortened(s string) (begin string, more int, cut bool) {
	m := shortened.FindStringSubmatch(s)
	if m == nil {
		return s, 0, false
	}
	n, err := strconv.Atoi(m[1])
	return strings.TrimSuffix(s, m[0]), n, err == nil
}

// fold is the form in which words are compared loosely: lower case, letters
// and digits only, words separated by one space.
func fold(s string) string { return strings.Join(words(s), " ") }

// words splits into lower-case words of letters and digits. An apostrophe
// inside a word is dropped, so that "don't" is one word.
func words(s string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for _, r := range clean(s) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			b.WriteRune(unicode.ToLower(r))
		case r == '\'' || r == '’':
		case r == '+' || r == '#' || unicode.Is(unicode.Sc, r):
			// Words of their own: "C++" is not "C", "€ 5" not "$ 5".
			flush()
			out = append(out, string(r))
		default:
			flush()
		}
	}
	flush()
	return out
}

// wordsIn reports where the words of needle stand together in hay: 0 for a
// prefix, the position otherwise, -1 for nowhere.
func wordsIn(hay, needle []string) int {
	if len(needle) == 0 {
		return -1
	}
	for i := 0; i+len(needle) <= len(hay); i++ {
		match := true
		for j := range needle {
			if hay[i+j] != needle[j] {
				match = false
				break
			}
		}
		if match {
			return i
		}
	}
	return -1
}
