package page_test

import "testing"

// A shadow root that comes after a look changes no node: its host is asked.
func TestLateShadowRoots(t *testing.T) {
	b := newBench(t, map[string]string{"/": `<!doctype html><title>Late</title><div id=open><span>light words</span></div><x-pay id=closed>fallback words</x-pay>`})
	b.open("/")
	b.look()
	b.js(nil, `() => { document.getElementById('open').attachShadow({mode: 'open'}).innerHTML = '<button>In the open</button>' }`)
	find(t, b.look(), "button", "In the open")
	// Refs that are needed before and after the host was asked are not the same.
	b.js(nil, `() => { document.body.insertAdjacentHTML('beforeend', '<button>New beside it</button>'); document.getElementById('closed').attachShadow({mode: 'closed'}).innerHTML = '<button>Behind doors</button>' }`)
	tree := b.look()
	if doors, beside := find(t, tree, "button", "Behind doors"), find(t, tree, "button", "New beside it"); doors.Ref == beside.Ref {
		t.Errorf("both are %s", doors.Ref)
	}
	for _, gone := range []string{"light words", "fallback words"} {
		if len(findAll(tree.Root, "text", gone)) > 0 {
			t.Errorf("%q is not rendered any more, but listed", gone)
		}
	}
}
