package aria_test

import (
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
)

func contains(t *testing.T, r aria.Rendering, tokens int, want string) {
	t.Helper()
	if r.Tokens > tokens || !strings.Contains(r.Text, want) {
		t.Errorf("%d tokens, want at most %d, with %q:\n%s", r.Tokens, tokens, want, r.Text)
	}
}
