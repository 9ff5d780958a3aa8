package aria_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/quartet-agents/quartet/observer/aria"
)

// The properties are checked on enough trees to find what broke in seconds; a flag asks for
// more (-rapid.checks=5000).
func TestMain(m *testing.M) {
	flag.Parse()
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == "rapid.checks" })
	if !set {
		if err := flag.Set("rapid.checks", "60"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

var roles = []string{"text", "text", "generic", "button", "link", "row", "cell", "table", "list", "listitem", "heading", "textbox", "checkbox", "dialog", "region", "article", "alert", "status"}

// genNode draws a random subtree; refs come from the counter, so that they are
// unique in a session.
func genNode(t *rapid.T, refs *int, depth int) *aria.Node {
	n := &aria.Node{Role: rapid.SampledFrom(roles).Draw(t, "role")}
	if n.Role == "text" {
		n.Text = rapid.SampledFrom([]string{"a", "b", "a b", "total 5", ""}).Draw(t, "text")
		return n
	}
	mutate(t, n)
	if rapid.IntRange(0, 2).Draw(t, "ref") > 0 {
		*refs++
		n.Ref = fmt.Sprintf("e%d", *refs)
	}
	if depth > 0 {
		for range rapid.IntRange(0, 4).Draw(t, "kids") {
			n.Children = append(n.Children, genNode(t, refs, depth-1))
		}
	}
	return n
}

func mutate(t *rapid.T, n *aria.Node) {
	switch rapid.IntRange(0, 8).Draw(t, "field") {
	case 0:
		if n.Role == "alert" || n.Role == "status" || n.Role == "article" {
			return // these have no value
		}
		v := rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "value")
		n.Value = &v
	case 1:
		n.Value = nil
	case 2:
		n.Checked = rapid.SampledFrom([]string{"", "true", "false", "mixed"}).Draw(t, "checked")
	case 3:
		n.Box = &aria.Box{X: float64(rapid.IntRange(0, 9).Draw(t, "x")), W: 1, H: 1}
	case 4:
		n.Disabled = !n.Disabled
	case 5:
		n.Options = rapid.IntRange(0, 3).Draw(t, "options")
	case 6:
		n.Text = rapid.SampledFrom([]string{"", "loose"}).Draw(t, "loose")
	default:
		n.Name = rapid.SampledFrom([]string{"", "a", "b", "c d"}).Draw(t, "name")
	}
}

func genTree(t *rapid.T, refs *int) *aria.Tree {
	root := genNode(t, refs, 3)
	if root.Role == "text" {
		root = &aria.Node{Role: "document", Children: []*aria.Node{root}}
	}
	return &aria.Tree{Version: 1, Document: "D1", URL: "http://x/", Root: root}
}

func all(t *aria.Tree) (nodes, parents []*aria.Node) {
	t.Walk(func(n *aria.Node, above []*aria.Node) bool {
		nodes = append(nodes, n)
		var p *aria.Node
		if len(above) > 0 {
			p = above[len(above)-1]
		}
		parents = append(parents, p)
		return true
	})
	return nodes, parents
}

// edit changes a tree as pages do: fields, insertions, removals, moves, sorts,
// re-renders with fresh refs.
func edit(t *rapid.T, tree *aria.Tree, refs *int) {
	nodes, parents := all(tree)
	k := rapid.IntRange(0, len(nodes)-1).Draw(t, "node")
	n, p := nodes[k], parents[k]
	switch rapid.IntRange(0, 12).Draw(t, "edit") {
	case 0:
		mutate(t, n)
	case 1:
		if n.Role == "text" {
			return // nothing is inside a text
		}
		i := rapid.IntRange(0, len(n.Children)).Draw(t, "at")
		n.Children = append(n.Children[:i:i], append([]*aria.Node{genNode(t, refs, 2)}, n.Children[i:]...)...)
	case 2:
		remove(p, n)
	case 3: // move anywhere outside itself
		to := nodes[rapid.IntRange(0, len(nodes)-1).Draw(t, "to")]
		inside := false
		(&aria.Tree{Root: n}).Walk(func(c *aria.Node, _ []*aria.Node) bool { inside = inside || c == to; return true })
		if p != nil && !inside && to.Role != "text" {
			remove(p, n)
			i := rapid.IntRange(0, len(to.Children)).Draw(t, "at")
			to.Children = append(to.Children[:i:i], append([]*aria.Node{n}, to.Children[i:]...)...)
		}
	case 4:
		if len(n.Children) > 1 {
			n.Children = rapid.Permutation(n.Children).Draw(t, "order")
		}
	case 5: // wrap
		if p != nil {
			for i, c := range p.Children {
				if c == n {
					p.Children[i] = &aria.Node{Role: "generic", Children: []*aria.Node{n}}
				}
			}
		}
	case 6: // re-render
		(&aria.Tree{Root: n}).Walk(func(c *aria.Node, _ []*aria.Node) bool {
			if c.Ref != "" {
				*refs++
				c.Ref = fmt.Sprintf("e%d", *refs)
			}
			return true
		})
	case 7:
		tree.Title += "!"
		tree.Notes = append(tree.Notes, "note")
	case 8: // re-render, refs kept
		(&aria.Tree{Root: n}).Walk(func(c *aria.Node, _ []*aria.Node) bool {
			if c.Ref != "" {
				c.Rebinds++
			}
			return true
		})
	case 9: // sort
		slices.SortStableFunc(n.Children, func(a, b *aria.Node) int { return strings.Compare(aria.TextOf(a), aria.TextOf(b)) })
	case 10: // reverse, as a second click on a column's head does
		slices.Reverse(n.Children)
	case 11: // another text
		(&aria.Tree{Root: n}).Walk(func(c *aria.Node, _ []*aria.Node) bool {
			if c.Role == "text" {
				c.Text += "!"
			}
			return true
		})
	case 12: // unwrap
		if p != nil && n.Role == "generic" {
			i := slices.Index(p.Children, n)
			p.Children = slices.Concat(p.Children[:i], n.Children, p.Children[i+1:])
		}
	}
}

func remove(p, n *aria.Node) {
	if p == nil {
		return
	}
	for i, c := range p.Children {
		if c == n {
			p.Children = append(p.Children[:i:i], p.Children[i+1:]...)
			return
		}
	}
}

func TestApplyOfDiffIsNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refs := 0
		a := genTree(t, &refs)
		for range 6 {
			b := a.Clone()
			b.Version++
			for range rapid.IntRange(0, 6).Draw(t, "edits") {
				edit(t, b, &refs)
			}
			if rapid.IntRange(0, 19).Draw(t, "unrelated") == 0 {
				b = genTree(t, &refs)
			}
			checkDiff(t, a, b)
			a = b
		}
	})
}

func checkDiff(t *rapid.T, a, b *aria.Tree) {
	before, _ := json.Marshal(a)
	d := aria.Diff(a, b)
	if got := d.Apply(a); !cmp.Equal(b, got, cmpopts.EquateEmpty()) {
		t.Fatalf("Apply(Diff(a, b), a) differs from b (-want +got):\n%s", cmp.Diff(b, got, cmpopts.EquateEmpty()))
	}
	// The delta crosses the bus as JSON and must say the same there.
	wire, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var d2 aria.Delta
	if err := json.Unmarshal(wire, &d2); err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(d, &d2, cmpopts.EquateEmpty()) {
		t.Fatalf("the delta is another after JSON: %s", cmp.Diff(d, &d2, cmpopts.EquateEmpty()))
	}
	if got := d2.Apply(a); !aria.Equal(b, got) {
		t.Fatalf("after JSON: %s", cmp.Diff(b, got, cmpopts.EquateEmpty()))
	}
	if after, _ := json.Marshal(a); string(before) != string(after) {
		t.Fatal("Apply changed its base")
	}
	checkText(t, d)
	if same := aria.Diff(b, b); len(same.Changes) != 0 || !same.Empty() {
		t.Fatalf("a tree differs from itself: %+v", same.Changes)
	}
}

// checkText holds the text to the delta: whatever went is named, whatever came
// and can be operated is there with its ref, and what speaks up comes first.
func checkText(t *rapid.T, d *aria.Delta) {
	text := aria.RenderDelta(d, aria.RenderOptions{}).Text
	says := func(ref string) bool { return regexp.MustCompile(`\b` + ref + `\b`).MatchString(text) }
	if d.Empty() != strings.Contains(text, ": no change") {
		changes, _ := json.Marshal(d)
		t.Fatalf("empty %v, but\n%s\n%s", d.Empty(), text, changes)
	}
	removed := map[string]int{}
	for _, c := range d.Changes {
		if c.Kind == aria.Removed {
			removed[c.Place+c.Node.Role]++
		}
	}
	for _, c := range d.Changes {
		switch c.Kind {
		case aria.Removed:
			if !c.Quiet && c.Node.Ref != "" && removed[c.Place+c.Node.Role] <= 10 && !says(c.Node.Ref) {
				t.Fatalf("nothing says that %s went:\n%s", aria.Describe(c.Node), text)
			}
			held := map[string]int{}
			(&aria.Tree{Root: c.Node}).Walk(func(n *aria.Node, _ []*aria.Node) bool {
				if n != c.Node && n.Ref != "" && n.Operable() && !c.Quiet && removed[c.Place+c.Node.Role] == 1 {
					if held[n.Role]++; held[n.Role] == 1 && !says(n.Ref) {
						t.Fatalf("nothing says that %s went:\n%s", aria.Describe(n), text)
					}
				}
				return true
			})
		case aria.Added:
			(&aria.Tree{Root: c.Node}).Walk(func(n *aria.Node, _ []*aria.Node) bool {
				if n.Ref != "" && n.Operable() && !says(n.Ref) {
					t.Fatalf("%s came, but is not in\n%s", aria.Describe(n), text)
				}
				return true
			})
			if !c.Quiet && (c.Node.Role == "dialog" || c.Node.Role == "alert") && aria.TextOf(c.Node) != "" {
				if line := strings.Split(text, "\n")[1]; !strings.HasPrefix(line, "+ ") {
					t.Fatalf("a %s came, but the first line is %q", c.Node.Role, line)
				}
			}
		}
	}
}

// Every field of a node must be compared.
func TestDiffSeesEveryField(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[aria.Node]()) {
		if f.Name == "Children" {
			continue
		}
		a := &aria.Tree{Root: &aria.Node{Role: "generic"}}
		b := a.Clone()
		v := reflect.ValueOf(b.Root).Elem().FieldByIndex(f.Index)
		switch v.Kind() {
		case reflect.String:
			v.SetString("x")
		case reflect.Int:
			v.SetInt(3)
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		default:
			t.Fatalf("no value for %s", f.Name)
		}
		if d := aria.Diff(a, b); len(d.Changes) != 1 || len(d.Changes[0].Fields) != 1 || !aria.Equal(d.Apply(a), b) {
			t.Errorf("%s: %+v", f.Name, d.Changes)
		}
	}
}
