package page_test

import (
	"os"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
)

func TestZZEye(t *testing.T) {
	d, _ := os.ReadFile("/tmp/eye.html")
	b := newBench(t, map[string]string{"/": string(d)})
	b.open("/")
	tree := b.look()
	t.Log("\n" + aria.Render(tree, aria.Playwright, aria.RenderOptions{}).Text + "\n====\n" + aria.Render(tree, aria.Compact, aria.RenderOptions{}).Text)
}
