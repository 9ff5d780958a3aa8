package playbook

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	tokWord   tokenKind = iota
	tokQuoted           // a label or text in quotes
	tokRef              // ${…} alone
	tokPunct            // , ; . : =
	tokOwner            // the 's of `the dialog's "Save" button`
)

// A token keeps its place in the sentence, so that unquoted labels and values
// can be copied as they were written.
type token struct {
	kind       tokenKind
	text       string   // without the quotes
	low        string   // lower case; "" for quoted text and references
	start, end int      // bytes in the sentence
	mods       []string // keys held while what this verb says is done
}

func (t token) literal() bool { return t.kind == tokQuoted || t.kind == tokRef }

// closing gives the marks that may end a quotation, by its opening mark.
func closing(r rune) string {
	switch r {
	case '"':
		return "\""
	case '“':
		return "”“\""
	case '„':
		return "“”\""
	case '«':
		return "»"
	case '»':
		return "«"
	case '‘':
		return "’"
	case '‹':
		return "›"
	case '\'':
		return "'"
	case '`':
		return "`"
	}
	return ""
}

// lex splits a sentence. An error says which quotation is not closed.
func lex(s string) ([]token, *problem) {
	var out []token
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff':
			i += size
		case isOwner(s, i, out):
			out = append(out, token{kind: tokOwner, text: "'s", low: "'s", start: i, end: i + size + 1})
			i += size + 1
		case closing(r) != "" && opens(s, i, r):
			inner, end, ok := quotation(s, i, size, r)
			if !ok {
				return nil, &problem{words: s[i:], why: "the quotation is not closed"}
			}
			out = append(out, token{kind: tokQuoted, text: inner, start: i, end: end})
			i = end
		case strings.ContainsRune(",;=", r), (r == '.' || r == ':' || r == '!' || r == '?' || r == '…') && ends(s, i+size):
			out = append(out, token{kind: tokPunct, text: s[i : i+size], low: s[i : i+size], start: i, end: i + size})
			i += size
		default:
			end := wordEnd(s, i)
			w := s[i:end]
			t := token{kind: tokWord, text: w, low: strings.ReplaceAll(strings.ToLower(w), "’", "'"), start: i, end: end}
			if strings.HasPrefix(w, "${") && strings.Index(w, "}") == len(w)-1 {
				t.kind, t.low = tokRef, ""
			}
			out = append(out, t)
			i = end
		}
	}
	return out, nil
}

// opens tells an opening quotation mark from an apostrophe.
func opens(s string, i int, r rune) bool {
	if r != '\'' && r != '‘' {
		return true
	}
	if i > 0 {
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		if unicode.IsLetter(before) || unicode.IsDigit(before) {
			return false
		}
	}
	_, _, ok := quotation(s, i, utf8.RuneLen(r), r)
	return ok
}

func quotation(s string, i, size int, open rune) (inner string, end int, ok bool) {
	marks := closing(open)
	var b strings.Builder
	for j := i + size; j < len(s); {
		r, n := utf8.DecodeRuneInString(s[j:])
		if r == '\\' && open == '"' && j+1 < len(s) && (s[j+1] == '"' || s[j+1] == '\\') {
			b.WriteByte(s[j+1])
			j += 2
			continue
		}
		if strings.ContainsRune(marks, r) && r != utf8.RuneError {
			after, _ := utf8.DecodeRuneInString(s[j+n:])
			// In 'customer's name' the middle mark is an apostrophe.
			if (open != '\'' && open != '‘') || j+n == len(s) || !unicode.IsLetter(after) && !unicode.IsDigit(after) {
				return b.String(), j + n, true
			}
		}
		b.WriteString(s[j : j+n])
		j += n
	}
	return "", 0, false
}

func isOwner(s string, i int, out []token) bool {
	if len(out) == 0 || out[len(out)-1].end != i || i == 0 {
		return false
	}
	for _, mark := range []string{"'s", "’s"} {
		if strings.HasPrefix(s[i:], mark) && ends(s, i+len(mark)) {
			// "isOwner" is asked only at a token's start: after a quotation, or
			// where wordEnd stopped before it.
			return true
		}
	}
	return false
}

// ends reports whether a word may end at i: white space or the end follows.
func ends(s string, i int) bool {
	if i >= len(s) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsSpace(r) || strings.ContainsRune(".,;:!?\"“”", r)
}

// wordEnd finds the end of a word. Marks inside (report.pdf, Ctrl+S, 10:30,
// https://…) belong to it, marks after it don't; ${…} is never cut.
func wordEnd(s string, i int) int {
	j := i
	for j < len(s) {
		if strings.HasPrefix(s[j:], "${") {
			if k := strings.IndexByte(s[j:], '}'); k >= 0 {
				j += k + 1
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(s[j:])
		if unicode.IsSpace(r) || r == ';' || (j > i && strings.ContainsRune("\"“”„«»", r)) {
			break
		}
		if (r == ',' || r == '=') && !inAddress(s[i:j]) && (r == '=' || ends(s, j+n)) {
			break
		}
		if r == ',' && j > i && !digitAround(s, j) && !inAddress(s[i:j]) {
			break
		}
		if (r == '.' || r == ':' || r == '!' || r == '?' || r == '…') && ends(s, j+n) && j > i {
			break
		}
		if (r == '\'' || r == '’') && j > i && strings.HasPrefix(s[j+n:], "s") && ends(s, j+n+1) && !contraction(s[i:j]) {
			break
		}
		j += n
	}
	if j == i { // a mark that nothing above takes
		_, n := utf8.DecodeRuneInString(s[i:])
		j = i + n
	}
	return j
}

func inAddress(word string) bool {
	return strings.Contains(word, "/") || strings.Contains(word, "?")
}

func digitAround(s string, i int) bool {
	return i > 0 && i+1 < len(s) && s[i-1] >= '0' && s[i-1] <= '9' && s[i+1] >= '0' && s[i+1] <= '9'
}

// contraction: it's, that's, there's, let's, what's are one word.
func contraction(w string) bool {
	switch strings.ToLower(w) {
	case "it", "that", "there", "let", "what", "here", "he", "she", "who", "today", "tomorrow", "yesterday":
		return true
	}
	return false
}
