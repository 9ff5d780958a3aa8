package aria

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Counting by lines is counting.
func TestTokensByLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"\n", "\n", "\n ", "\n   ", " ", "\t", "\r\n", "button e1 \"Save\"", "Über", "…", "| 12,345.60", "a", "don't", "/", "\"", ":", "日本", "-", "\u00a0", "x y"}), 0, 30).Draw(t, "parts")
		s := strings.Join(parts, "")
		want := 0
		if s != "" {
			want = encoded(s)
		}
		if got := Tokens(s); got != want {
			t.Fatalf("%q: %d by lines, %d as a whole", s, got, want)
		}
	})
}
