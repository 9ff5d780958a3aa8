package browser_test

import (
	"errors"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/internal/browser"
)

func TestCallInWorld(t *testing.T) {
	s := serve(t, map[string]string{"/": `<title>Hi</title><script>var own = 1; Array.prototype.map = () => 'patched'; window.__test = 'page'</script><p id=p>x`})
	_, tab := page(t, s.URL+"/", s.URL)
	top := frames(t, tab)[0]
	if got := eval[string](t, top, `async (a) => document.title + a`, "!"); got != "Hi!" {
		t.Errorf("title = %q", got)
	}
	if got := eval[string](t, top, `() => typeof own`); got != "undefined" {
		t.Errorf("the page's variable is seen in the world: %s", got)
	}
	if got := eval[[]int](t, top, `() => [1,2].map(x => x * 2)`); len(got) != 2 || got[1] != 4 {
		t.Errorf("built-ins are the page's: %v", got)
	}
	if got := eval[int](t, top, `() => globalThis.__test.n`); got != 1 {
		t.Errorf("the script ran %d times, want once", got)
	}
	h, err := top.Handle(within(t, time.Second), `() => document.getElementById('p')`)
	if err != nil || h == "" {
		t.Fatalf("handle %q: %v", h, err)
	}
	if got := eval[string](t, top, `(el, attr) => el[attr]`, h, "id"); got != "p" {
		t.Errorf("through the handle: %q", got)
	}
	var script *browser.ScriptError
	if err := top.Call(within(t, time.Second), nil, `() => { throw new TypeError('no') }`); !errors.As(err, &script) || script.Error() != "script: TypeError: no" {
		t.Errorf("exception = %v", err)
	}
}

func TestCallAcrossNavigation(t *testing.T) {
	s := serve(t, map[string]string{"/a": `<title>a</title>`, "/b": `<title>b</title>`})
	_, tab := page(t, s.URL+"/a", s.URL)
	top := frames(t, tab)[0]
	if got := eval[string](t, top, `() => document.title`); got != "a" {
		t.Fatalf("title %q", got)
	}
	if err := tab.Navigate(within(t, 5*time.Second), s.URL+"/b"); err != nil {
		t.Fatal(err)
	}
	if got := eval[string](t, top, `() => document.title`); got != "b" {
		t.Errorf("the call before the document was looked up anew: %q", got)
	}
	err := top.Call(within(t, 5*time.Second), nil, `(u) => { location.href = u; return new Promise(() => {}) }`, s.URL+"/a")
	if !errors.Is(err, browser.ErrNavigated) {
		t.Errorf("a navigation during the call: %v", err)
	}
}
