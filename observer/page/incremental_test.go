package page_test

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/observer/aria"
	"github.com/quartet-agents/quartet/observer/page"
)

// TestIncrementalEqualsFresh makes random changes to a page and compares what a
// reader knows that followed them, step by step, with a walk that starts anew.
// QUARTET_SEQUENCES sets how many sequences of changes there are.
func TestIncrementalEqualsFresh(t *testing.T) {
	mutate, err := testdata.ReadFile("testdata/mutate.js")
	if err != nil {
		t.Fatal(err)
	}
	sequences := 120
	if s := os.Getenv("QUARTET_SEQUENCES"); s != "" {
		if sequences, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	app, err := testdata.ReadFile("testdata/app.html")
	if err != nil {
		t.Fatal(err)
	}
	// Rules that reach far leave little to reuse: each page has fewer of them.
	far := string(app)
	near := strings.Replace(far, "form:has(input:invalid) .warn", ".bad .warn", 1)
	plain := strings.NewReplacer("li.off~li.after", ".off .after", "ul.zebra li:nth-child(3n)", "ul.zebra li", "input:checked+label+.pane", "input:checked .pane").Replace(near)
	b := newBench(t, map[string]string{"/0": far, "/1": near, "/2": plain})
	b.limit(time.Duration(sequences) * time.Second)
	seed := uint32(cmp.Or(envInt(t, "QUARTET_SEED"), 1))
	compared, walked, elements := 0, 0, 0
	for at := 0; at < sequences; {
		b.open("/" + strconv.Itoa(at%3)) // now and then from the start: changes pile up
		for range 40 {
			if at++; at > sequences {
				break
			}
			seed = seed*1664525 + 1013904223
			var ops string
			b.js(&ops, string(mutate), seed, 1+int(seed>>28)%5)
			got := b.capture()
			inc := got.Tree
			walked, elements = walked+got.Walked, elements+got.Elements
			if seed>>20%3 == 0 {
				continue // several steps until the next comparison
			}
			fresh := b.fresh()
			if err := same(inc.Root, fresh.Root, ""); err != nil {
				t.Fatalf("sequence %d (seed %d, changes %s): %v\n--- followed\n%s\n--- fresh\n%s", at, seed, ops, err,
					aria.Render(inc, aria.Playwright, aria.RenderOptions{}).Text, aria.Render(fresh, aria.Playwright, aria.RenderOptions{}).Text)
			}
			compared++
		}
	}
	t.Logf("%d comparisons; %d of %d elements were walked again", compared, walked, elements)
	if compared == 0 || walked*10 > elements*8 {
		t.Error("too little was compared, or reused")
	}
}

// fresh is a look that starts anew.
func (b *bench) fresh() *aria.Tree {
	b.t.Helper()
	got, err := page.NewCapturer(slog.New(slog.DiscardHandler)).Capture(b.ctx, b.tab, b.refs, page.Options{Deadline: 15 * time.Second, Fresh: true})
	if err != nil {
		b.t.Fatal(err)
	}
	return got.Tree
}

// What a clip leaves to be seen depends on where it lies in those around it.
func TestClipsMove(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><title>Clips</title>
 <div id=outer style="height:100px;overflow:auto"><div style="height:60px;overflow:auto"><p>inner words</p><button>Inner</button></div><div style="height:900px"></div></div>`})
	b.open("/")
	b.look()
	for _, y := range []int{500, 0} {
		b.js(nil, `(y) => { document.getElementById('outer').scrollTop = y; }`, y)
		got, want := b.look(), b.fresh()
		if err := same(got.Root, want.Root, ""); err != nil {
			t.Errorf("scrolled to %d: %v", y, err)
		}
		if n := findAll(want.Root, "text", "inner words"); len(n) > 0 && n[0].Clipped != (y > 0) {
			t.Errorf("scrolled to %d the words are clipped: %v", y, n[0].Clipped)
		}
	}
}

func envInt(t *testing.T, name string) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), "0"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// same compares two trees, boxes to half a pixel.
func same(a, b *aria.Node, at string) error {
	at += "/" + a.Role + " " + a.Ref + " " + strconv.Quote(a.Name+a.Text)
	x, y := *a, *b
	if (a.Box == nil) != (b.Box == nil) {
		return fmt.Errorf("%s: box %v, fresh %v", at, a.Box, b.Box)
	}
	if a.Box != nil && math.Abs(a.Box.X-b.Box.X)+math.Abs(a.Box.Y-b.Box.Y)+math.Abs(a.Box.W-b.Box.W)+math.Abs(a.Box.H-b.Box.H) > 0.5 {
		return fmt.Errorf("%s: box %v, fresh %v", at, *a.Box, *b.Box)
	}
	x.Box, y.Box, x.Children, y.Children = nil, nil, nil, nil
	if l, r := fmt.Sprintf("%+v", shown(x)), fmt.Sprintf("%+v", shown(y)); l != r {
		return fmt.Errorf("%s:\n  followed %s\n  fresh    %s", at, l, r)
	}
	if len(a.Children) != len(b.Children) {
		return fmt.Errorf("%s: %d children, fresh %d", at, len(a.Children), len(b.Children))
	}
	for i := range a.Children {
		if err := same(a.Children[i], b.Children[i], at); err != nil {
			return err
		}
	}
	return nil
}

// shown replaces the pointer in a node by what it points to.
func shown(n aria.Node) any {
	v := "-"
	if n.Value != nil {
		v = *n.Value
	}
	n.Value = nil
	return struct {
		aria.Node
		V string
	}{n, v}
}

// What lies over others may be moved by something else, which did not change it.
func TestCoversMove(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><title>Covers</title><style>body{margin:0;position:relative} button{position:absolute;height:20px}</style>
 <button style="top:0;left:0">First</button><button style="top:60px;left:0">Second</button>
 <div id=above></div><section><div><div style="float:left;width:200px;height:30px;position:relative">over it</div></div></section>`})
	b.open("/")
	b.look()
	for _, c := range []struct {
		margin  int
		covered string
	}{{55, "Second"}, {0, "First"}} {
		b.js(nil, `(px) => { document.getElementById('above').style.height = px + 'px'; }`, c.margin)
		got, want := b.look(), b.fresh()
		if err := same(got.Root, want.Root, ""); err != nil {
			t.Errorf("%d px down: %v", c.margin, err)
		}
		if find(t, want, "button", c.covered).CoveredBy == "" {
			t.Errorf("%d px down nothing covers %s", c.margin, c.covered)
		}
	}
}
