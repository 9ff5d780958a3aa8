package browser_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/quartet-agents/quartet/internal/browser"
)

const nested = `<!doctype html><title>top</title><body style="margin:0;height:3000px"><div id=host></div>
<iframe name=second src="{OTHER}/mid" style="position:absolute;left:100px;top:200px;width:400px;height:300px;border:7px solid;padding:3px"></iframe>
<script>
const first = document.createElement('iframe'); first.name = 'first'; first.src = '/leaf?first';
const root = host.attachShadow({mode: 'closed'}); root.append(first);
</script>`

func TestFramesAcrossProcesses(t *testing.T) {
	s := serve(t, map[string]string{
		"/":     nested,
		"/mid":  `<body style="margin:0;height:2000px"><p style="height:500px">mid</p><iframe name=inner src="{SELF}/leaf?inner" style="border:5px solid;margin:0;display:block"></iframe><iframe name=same src="/leaf?same"></iframe>`,
		"/leaf": `<body style="margin:0"><button id=b style="position:absolute;left:11px;top:13px">leaf</button>`,
	})
	_, tab := page(t, s.URL+"/", s.URL, s.Other())
	all := frames(t, tab)
	var names []string
	for _, f := range all {
		if f.Note != "" {
			t.Errorf("frame %s (%s): %s", f.Name, f.URL, f.Note)
		}
		names = append(names, f.Name)
	}
	// The order of the document, not of insertion; across two process borders.
	if got, want := strings.Join(names, " "), " first second inner same"; got != want {
		t.Fatalf("frames = %q, want %q", got, want)
	}
	top, second, inner, same := all[0], all[2], all[3], all[4]
	if inner.Parent != second || same.Parent != second || second.Parent != top || top.Parent != nil {
		t.Error("parents are wrong")
	}
	if second.Session == top.Session || inner.Session == second.Session {
		t.Error("cross-site frames are not in sessions of their own")
	}
	for _, f := range all {
		if got := eval[int](t, f, `() => globalThis.__test.n`); got != 1 {
			t.Errorf("%s: the script ran %d times", f.Name, got)
		}
		if f != top && f.OwnerNode == 0 {
			t.Errorf("%s: no owner", f.Name)
		}
	}
	check := func(f *browser.Frame, wantX, wantY float64) {
		t.Helper()
		place, err := f.Place(within(t, 2*time.Second))
		x, y := place.Out(0, 0)
		if err != nil || math.Abs(x-wantX) > 0.01 || math.Abs(y-wantY) > 0.01 {
			t.Errorf("%s: place %v,%v (%v), want %v,%v", f.Name, x, y, err, wantX, wantY)
		}
	}
	check(top, 0, 0)
	check(second, 110, 210)
	eval[any](t, top, `() => scrollTo(0, 50)`)
	eval[any](t, second, `() => scrollTo(0, 450)`)
	// 500 px paragraph plus its two 16 px margins, of which the upper one collapses
	// through the body; the oracle is the frame's own layout.
	y := eval[float64](t, second, `() => { const e = document.querySelector('iframe'); return e.getBoundingClientRect().top + e.clientTop }`)
	check(second, 110, 160)
	check(inner, 110+5, 160+y)

	// What was attached through a frame that went goes with it.
	if err := tab.Navigate(within(t, 5*time.Second), s.URL+"/leaf"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if left := frames(t, tab); len(left) != 1 || time.Since(began) > 900*time.Millisecond {
		t.Errorf("%d frames after leaving, listed in %v: want one at once", len(left), time.Since(began))
	}
}

func TestLateFrame(t *testing.T) {
	s := serve(t, map[string]string{"/": `<p>x`, "/leaf": `<p>leaf`})
	_, tab := page(t, s.URL+"/", s.URL, s.Other())
	top := frames(t, tab)[0]
	eval[any](t, top, `(u) => { const f = document.createElement('iframe'); f.src = u; document.body.append(f) }`, s.Other()+"/leaf")
	if err := tab.Settle(within(t, 10*time.Second), 50*time.Millisecond, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	all := frames(t, tab)
	if len(all) != 2 || all[1].Note != "" {
		t.Fatalf("%d frames", len(all))
	}
	if got := eval[string](t, all[1], `() => document.body.textContent`); got != "leaf" {
		t.Errorf("text = %q", got)
	}
	eval[any](t, top, `() => document.querySelector('iframe').remove()`)
	if got := len(frames(t, tab)); got != 1 {
		t.Errorf("%d frames after removal", got)
	}
	if err := all[1].Call(within(t, 2*time.Second), nil, `() => 1`); !errors.Is(err, browser.ErrNavigated) && !errors.Is(err, browser.ErrFrameGone) {
		t.Errorf("a call into the removed frame: %v", err)
	}
}

func TestBusyFrame(t *testing.T) {
	s := serve(t, map[string]string{
		"/":     `<p>top</p><iframe src="{OTHER}/busy"></iframe><iframe src="/leaf" name=leaf></iframe>`,
		"/busy": `<p>busy`, "/leaf": `<p>leaf`,
	})
	_, tab := page(t, s.URL+"/", s.URL, s.Other())
	busy := frames(t, tab)[1]
	if err := busy.Call(within(t, 300*time.Millisecond), nil, `() => { for (;;); }`); err == nil {
		t.Fatal("an endless loop ended")
	}
	began := time.Now()
	all := frames(t, tab)
	if d := time.Since(began); d > 2*time.Second {
		t.Errorf("frames took %v", d)
	}
	var notes []string
	for _, f := range all {
		notes = append(notes, f.Note)
	}
	if got := strings.Join(notes, ","); got != ",unreachable," && got != ",,unreachable" {
		t.Errorf("notes = %q", got)
	}
	if got := eval[string](t, all[0], `() => document.querySelector('p').textContent`); got != "top" {
		t.Errorf("top = %q", got)
	}
	began = time.Now()
	if err := tab.Settle(within(t, 5*time.Second), 50*time.Millisecond, 2*time.Second); err != nil {
		t.Errorf("settling: %v", err)
	}
	if d := time.Since(began); d > 2500*time.Millisecond {
		t.Errorf("settling took %v", d)
	}
}

func TestSandboxedAndHiddenFrames(t *testing.T) {
	s := serve(t, map[string]string{
		"/":     `<iframe name=sandboxed sandbox src="/leaf"></iframe><iframe name=srcdoc srcdoc="<p>doc"></iframe><iframe name=blank></iframe><iframe name=hidden style="display:none" src="/leaf"></iframe><iframe name=data src="data:text/html,<p>data"></iframe>`,
		"/leaf": `<p>leaf`,
	})
	_, tab := page(t, s.URL+"/", s.URL)
	want := map[string]string{"sandboxed": "leaf", "srcdoc": "doc", "blank": "", "hidden": "leaf", "data": "data"}
	all := frames(t, tab)
	if len(all) != 1+len(want) {
		t.Fatalf("%d frames", len(all))
	}
	for _, f := range all[1:] {
		if got := eval[string](t, f, `() => document.body.textContent`); got != want[f.Name] {
			t.Errorf("%s: %q", f.Name, got)
		}
		if got := eval[int](t, f, `() => globalThis.__test.n`); got < 1 {
			t.Errorf("%s: no script", f.Name)
		}
		_, err := f.Place(within(t, time.Second))
		if (f.Name == "hidden") != errors.Is(err, browser.ErrNotRendered) {
			t.Errorf("%s: place: %v", f.Name, err)
		}
	}
}
