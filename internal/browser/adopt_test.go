package browser_test

import (
	"strings"
	"testing"
	"time"
)

func TestAdoptClosedRoots(t *testing.T) {
	s := serve(t, map[string]string{"/": `<div id=a></div><div id=b></div><div id=open></div><input id=ua><script>
for (const id of ['a', 'b']) document.getElementById(id).attachShadow({mode: 'closed'}).innerHTML = '<button>in ' + id + '</button>';
document.getElementById('open').attachShadow({mode: 'open'}).innerHTML = '<i>';
</script>`})
	_, tab := page(t, s.URL+"/", s.URL)
	top := frames(t, tab)[0]
	n, err := top.AdoptClosedRoots(within(t, 5*time.Second),
		`() => [...document.body.querySelectorAll('div, input')]`,
		`(host, root) => (globalThis.found ??= []).push(host.id + ':' + root.textContent)`)
	if err != nil || n != 2 {
		t.Fatalf("adopted %d: %v", n, err)
	}
	if got := strings.Join(eval[[]string](t, top, `() => globalThis.found`), ","); got != "a:in a,b:in b" {
		t.Errorf("adopted %s", got)
	}
}

func TestMarkListeners(t *testing.T) {
	s := serve(t, map[string]string{"/": `<div id=a>a</div><div id=none>b</div><div id=other>c</div><div id=h></div><iframe src=/leaf></iframe><script>
a.addEventListener('click', () => {}); a.addEventListener('mousedown', () => {}); other.addEventListener('scroll', () => {});
const r = h.attachShadow({mode: 'closed'}); r.innerHTML = '<b id=inside>x</b>'; r.firstChild.onclick = () => {};
</script>`, "/leaf": `<div id=leaf onclick="1">x</div>`})
	_, tab := page(t, s.URL+"/", s.URL)
	all := frames(t, tab)
	top := all[0]
	// What the observer gives: the document and the shadow roots that it knows.
	if _, err := top.AdoptClosedRoots(within(t, 5*time.Second), `() => [document.getElementById('h')]`, `(host, root) => globalThis.closedRoot = root`); err != nil {
		t.Fatal(err)
	}
	const roots = `() => [document, globalThis.closedRoot].filter(Boolean)`
	const mark = `(node, events) => (globalThis.marks ??= []).push(node.id + ':' + events.sort().join('+'))`
	n, err := top.MarkListeners(within(t, 5*time.Second), roots, mark)
	if err != nil {
		t.Fatal(err)
	}
	got := eval[[]string](t, top, `() => globalThis.marks.sort()`)
	if n != 2 || strings.Join(got, ",") != "a:click+mousedown,inside:click" {
		t.Errorf("marked %d: %v", n, got)
	}
	eval[any](t, top, `() => { const d = document.createElement('p'); d.id = 'late'; d.setAttribute('onclick', '1'); document.body.append(d) }`)
	if n, err = top.MarkListeners(within(t, 5*time.Second), roots, mark); err != nil || n != 1 {
		t.Errorf("only what is new: %d, %v", n, err)
	}
	if n, err = all[1].MarkListeners(within(t, 5*time.Second), roots, mark); err != nil || n != 1 {
		t.Errorf("in the frame: %d, %v", n, err)
	}
}

// TestListenersManyTimes: one call that pierced the browser's own shadow roots,
// those of text fields, crashed the renderer of Chromium 156 after a few rounds.
func TestListenersManyTimes(t *testing.T) {
	s := serve(t, map[string]string{"/": `<form><input id=a><input type=password><textarea>x</textarea><input type=date></form><script>a.onclick = () => {}</script>`})
	_, tab := page(t, s.URL+"/", s.URL)
	top := frames(t, tab)[0]
	for i := range 60 {
		found, err := top.Listeners(within(t, 5*time.Second), `() => [document]`)
		if err != nil || len(found) != 1 {
			t.Fatalf("round %d: %v, %v", i, found, err)
		}
		// Churn makes the browser collect what the calls left behind.
		eval[int](t, top, `() => { const all = []; for (let i = 0; i < 20000; i++) all.push(document.createElement('input')); return [...document.querySelectorAll('*')].map((e) => getComputedStyle(e).display + e.getBoundingClientRect().width).length }`)
	}
}
