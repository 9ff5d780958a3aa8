package target

import (
	"strings"
	"unicode"
)

// Renamed says whether a control that a person knows as was is another one to
// them as is: "Following" that became "Unfollow". Counts, case and a name that
// only grew or shrank ("Like (1)", "Save…") make no other control.
func Renamed(was, is string) bool {
	a, b := letters(was), letters(is)
	return a != "" && b != "" && !strings.Contains(a, b) && !strings.Contains(b, a)
}

// letters are the words of s with blanks around each, digits left out.
func letters(s string) string {
	f := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(f) == 0 {
		return ""
	}
	return " " + strings.Join(f, " ") + " "
}
