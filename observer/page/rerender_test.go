package page_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/observer/aria"
)

// A page that renders its table anew keeps its refs, with ids and without; the
// tree counts it, so that a diff can say so. What came between is new.
func TestRerenderKeepsRefs(t *testing.T) {
	const rows = `<!doctype html><title>R</title><h1>Rows</h1><table><tbody id=b></tbody></table><script>
const mk = (i) => '<tr' + (location.search ? ' id=r' + i : '') + '><td><input type=checkbox aria-label="Pick ' + i + '"><td><a href=/t/' + i + '>T-' + i + '</a><td>Open<td><button data-k=edit' + i + '>Edit</button>';
b.innerHTML = Array.from({ length: 300 }, (_, i) => mk(i)).join('')</script>`
	bench := newBench(t, map[string]string{"/": rows})
	for _, path := range []string{"/", "/?ids"} {
		bench.open(path)
		before := bench.look()
		bench.js(nil, "() => { b.innerHTML = b.innerHTML }")
		after := bench.look()
		if was, is := refsOf(before), refsOf(after); !slices.Equal(was, is) || len(was) < 1200 {
			t.Errorf("%s: the refs changed: %d before, %d after", path, len(was), len(is))
		}
		d := aria.Diff(before, after)
		if r := aria.RenderDelta(d, aria.RenderOptions{}); !strings.Contains(r.Text, "re-rendered, refs kept") || r.Tokens > 25 || strings.Count(r.Text, "\n") != 1 {
			t.Errorf("%s: %d tokens:\n%s", path, r.Tokens, r.Text)
		}
		if !aria.Equal(d.Apply(before), after) {
			t.Errorf("%s: Apply does not give the next tree", path)
		}
		edit := after.ByRef(findAll(after.Root, "button", "Edit")[250].Ref)
		if k := bench.k("", edit.Ref); k != "edit250" {
			t.Errorf("%s: %s stands for %q", path, edit.Ref, k)
		}
		// Rendered anew with one more on top: the others are the same things.
		bench.js(nil, "() => { b.innerHTML = '<tr id=new><td><input type=checkbox aria-label=New><td>T-new<td>Open<td><button data-k=new>Edit</button>' + b.innerHTML }")
		more := bench.look()
		edits := findAll(more.Root, "button", "Edit")
		if edits[251].Ref != edit.Ref || after.ByRef(edits[0].Ref) != nil {
			t.Errorf("%s: row 250 is %s now, was %s; the new row is %s", path, edits[251].Ref, edit.Ref, edits[0].Ref)
		}
	}
}

func refsOf(t *aria.Tree) []string {
	var refs []string
	t.Walk(func(n *aria.Node, _ []*aria.Node) bool {
		if n.Ref != "" {
			refs = append(refs, n.Ref)
		}
		return true
	})
	return refs
}
