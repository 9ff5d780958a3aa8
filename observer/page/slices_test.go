package page_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/observer/aria"
	"github.com/quartet-agents/quartet/observer/page"
)

// TestWalkInSlicesEqualsFresh changes the page while a walk rests between its
// slices. The look after it is the same as one that starts anew.
func TestWalkInSlicesEqualsFresh(t *testing.T) {
	mutate, err := testdata.ReadFile("testdata/mutate.js")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil)
	seed := uint32(cmp.Or(envInt(t, "QUARTET_SEED"), 1))
	for range 10 {
		b.open("/app.html")
		for range 3 {
			seed = seed*1664525 + 1013904223
			b.js(nil, "(seed) => { const f = "+string(mutate)+"; globalThis.__busy = setInterval(() => f(seed++, 1), 4) }", seed)
			// As good as no time at once: it rests at every chance.
			if _, err := b.cap.Capture(b.ctx, b.tab, b.refs, page.Options{Deadline: 15 * time.Second, Slice: time.Microsecond, Fresh: seed>>20%2 == 0}); err != nil {
				t.Fatal(err)
			}
			b.js(nil, "async () => { clearInterval(__busy); await new Promise((r) => setTimeout(r, 60)) }")
			inc := b.capture().Tree
			fresh, err := page.NewCapturer(slog.New(slog.DiscardHandler)).Capture(b.ctx, b.tab, b.refs, page.Options{Deadline: 15 * time.Second, Fresh: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := same(inc.Root, fresh.Tree.Root, ""); err != nil {
				t.Fatalf("seed %d: %v\n--- after slices\n%s\n--- fresh\n%s", seed, err,
					aria.Render(inc, aria.Playwright, aria.RenderOptions{}).Text, aria.Render(fresh.Tree, aria.Playwright, aria.RenderOptions{}).Text)
			}
		}
	}
}

// TestLargePageIsHeldUpShortly has 100,000 elements and a page that counts how
// long it was kept from its own work. The bound leaves room for a busy machine:
// in one piece the walk takes seconds.
func TestLargePageIsHeldUpShortly(t *testing.T) {
	var p strings.Builder
	p.WriteString("<!doctype html><title>Large</title><ul>")
	for i := range 25_000 {
		fmt.Fprintf(&p, `<li class=i><a href="#%d">Item %d</a> <span>open</span> <button>Edit</button>`, i, i)
	}
	p.WriteString(`</ul><script>
		let last = 0, longest = 0, count = 0;
		let timer = 0;
		const tick = () => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; count++; };
		addEventListener('begin', () => { longest = count = 0; last = performance.now(); timer = setInterval(tick, 4); });
		addEventListener('end', () => { tick(); clearInterval(timer); document.title = Math.round(longest) + ' ' + count; });
	</script>`)
	b := newBench(t, map[string]string{"/large": p.String()})
	b.open("/large")
	for _, what := range []string{"the first look", "the next look"} {
		b.js(nil, "() => { dispatchEvent(new Event('begin')) }")
		began := time.Now()
		got, err := b.cap.Capture(b.ctx, b.tab, b.refs, page.Options{Deadline: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		b.js(nil, "() => { dispatchEvent(new Event('end')) }")
		var longest, count int
		var title string
		b.js(&title, "() => document.title")
		if _, err := fmt.Sscan(title, &longest, &count); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d elements, %v in all, the page was held up for %d ms at most, had %d turns", what, got.Elements, took.Round(time.Millisecond), longest, count)
		if longest > 1000 || took > time.Second && count < 3 {
			t.Errorf("%s: the page was held up for %d ms, had %d turns", what, longest, count)
		}
	}
}
