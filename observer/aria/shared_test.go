package aria_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/quartet-agents/quartet/observer/aria"
)

// TestSharedNodesChangeNoDelta: that two trees hold the same nodes where nothing
// changed saves time, and tells the reader the same.
func TestSharedNodesChangeNoDelta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refs := 0
		a := genTree(t, &refs)
		b := a.Clone()
		b.Version++
		for range rapid.IntRange(0, 4).Draw(t, "edits") {
			edit(t, b, &refs)
		}
		shared := *b
		shared.Root = share(a.Root, b.Root)
		want, got := aria.Diff(a, b), aria.Diff(a, &shared)
		if next := got.Apply(a); !cmp.Equal(b, next, cmpopts.EquateEmpty()) {
			t.Fatalf("Apply(Diff) differs (-want +got):\n%s", cmp.Diff(b, next, cmpopts.EquateEmpty()))
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("another delta (-copied +shared):\n%s", diff)
		}
	})
}

// share is next with the subtrees of base in it that stand where they stood and
// say the same.
func share(base, next *aria.Node) *aria.Node {
	if reflect.DeepEqual(base, next) {
		return base
	}
	n := *next
	n.Children = append([]*aria.Node(nil), next.Children...)
	for i, k := range n.Children {
		if i < len(base.Children) {
			n.Children[i] = share(base.Children[i], k)
		}
	}
	return &n
}
