package aria_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quartet-agents/quartet/observer/aria"
	. "github.com/quartet-agents/quartet/observer/aria/ariatest"
)

var (
	marker  = regexp.MustCompile(`, expand ((?:f\d+)?e\d+|page)(?: from (\d+))?$`)
	onARow  = regexp.MustCompile(`row (e\d+).*… \d+ more cells|row (e\d+).*\| …`)
	anyRef  = regexp.MustCompile(`\b(?:f\d+)?e\d+\b`)
	maxAsks = 4000
)

// reach follows every marker, and every marker in the answers, and returns the
// refs that were seen on the way.
func reach(t interface{ Fatalf(string, ...any) }, tree *aria.Tree, budget int) map[string]bool {
	seen, asked := map[string]bool{}, map[string]bool{}
	queue := []aria.RenderOptions{{Budget: budget}}
	for asks := 0; len(queue) > 0; asks++ {
		if asks > maxAsks {
			t.Fatalf("the markers lead in circles: %d calls", asks)
		}
		o := queue[0]
		queue = queue[1:]
		r := aria.Render(tree, aria.Compact, o)
		if r.Least > 0 { // too small for this line: the reader is told what it takes
			o.Budget = r.Least
			r = aria.Render(tree, aria.Compact, o)
		}
		if r.Tokens > o.Budget || r.Text == "" {
			t.Fatalf("%+v: %d tokens, %q", o, r.Tokens, r.Text)
		}
		for _, line := range strings.Split(r.Text, "\n") {
			ask := func(ref, from string) {
				if key := ref + " " + from; !asked[key] {
					asked[key] = true
					k, _ := strconv.Atoi(from)
					queue = append(queue, aria.RenderOptions{Budget: budget, Ref: ref, From: k})
				}
			}
			if m := marker.FindStringSubmatch(line); m != nil {
				ask(m[1], m[2])
				continue
			}
			if m := onARow.FindStringSubmatch(line); m != nil && o.Ref == "" {
				ask(m[1]+m[2], "")
			}
			for _, ref := range anyRef.FindAllString(line, -1) {
				seen[ref] = true
			}
		}
	}
	return seen
}

func everyRef(tree *aria.Tree, visit func(n *aria.Node)) {
	tree.Walk(func(n *aria.Node, above []*aria.Node) bool {
		if n.Operable() && n.Ref != "" && len(above) > 0 {
			visit(n)
		}
		return true
	})
}

// Whatever a budget folds, the markers lead to it.
func TestMarkersLeadToEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refs := 0
		tree := genTree(t, &refs)
		for k := range rapid.IntRange(0, 60).Draw(t, "more") { // something to fold
			refs += 2
			tree.Root.Children = append(tree.Root.Children, N("group", fmt.Sprintf("Group %d", k), fmt.Sprintf("e%d", refs+5000),
				N("button", fmt.Sprintf("Save %d", k), fmt.Sprintf("e%d", refs+5001))))
		}
		seen := reach(t, tree, rapid.IntRange(1, 600).Draw(t, "budget"))
		everyRef(tree, func(n *aria.Node) {
			if !seen[n.Ref] {
				t.Fatalf("no marker leads to %s", aria.Describe(n))
			}
		})
	})
}

// What has a name can be found by it, whatever stands around it.
func TestFindReachesEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		refs := 0
		tree := genTree(t, &refs)
		everyRef(tree, func(n *aria.Node) {
			if strings.TrimSpace(n.Name) == "" || strings.ContainsAny(n.Name, "|*?") {
				return // the last are find's own
			}
			for _, scope := range []string{"", n.Ref} {
				r := aria.Find(tree, n.Name, aria.FindOptions{Limit: 10_000, Ref: scope})
				if !slices.Contains(anyRef.FindAllString(r.Text, -1), n.Ref) {
					t.Fatalf("find %q in %q does not show %s:\n%s", n.Name, scope, n.Ref, r.Text)
				}
			}
		})
	})
}

// wide is a table of many columns, most of them out of view to the right.
func wide(rows, columns int) *aria.Tree {
	head := N("row", "")
	for c := range columns {
		head.Children = append(head.Children, N("columnheader", fmt.Sprintf("Right %d", c), T(fmt.Sprintf("Right %d", c))))
	}
	table := N("table", "Rights", "e1", head)
	for r := range rows {
		row := N("row", "", fmt.Sprintf("e%d", 10+r*100), At(0, float64(60+r*30), 4000, 30))
		for c := range columns {
			x := float64(10 + c*100)
			row.Children = append(row.Children, N("cell", N("checkbox", fmt.Sprintf("Right %d of person %d", c, r), fmt.Sprintf("e%d", 11+r*100+c), At(x, float64(60+r*30), 20, 20),
				Set(func(n *aria.Node) { n.Checked, n.Offscreen = "false", x > 1280 }))))
		}
		table.Children = append(table.Children, row)
	}
	return Tree(N("heading", "Rights", T("Rights")), table)
}

func TestViewportComesFirst(t *testing.T) {
	for name, tree := range map[string]*aria.Tree{"long": customers(1000), "wide": wide(6, 60)} {
		t.Run(name, func(t *testing.T) {
			r := aria.Render(tree, aria.Compact, aria.RenderOptions{Budget: 1500})
			if r.Tokens > 1500 || !r.Truncated {
				t.Fatalf("%d tokens, truncated %v", r.Tokens, r.Truncated)
			}
			in := 0
			everyRef(tree, func(n *aria.Node) {
				if n.Offscreen || n.Box == nil {
					return
				}
				in++
				if !regexp.MustCompile(`\b` + n.Ref + `\b`).MatchString(r.Text) {
					t.Errorf("%s is in view, but not written", aria.Describe(n))
				}
			})
			if in < 30 {
				t.Errorf("only %d in view: the page tests nothing", in)
			}
			seen := reach(t, tree, 1500)
			everyRef(tree, func(n *aria.Node) {
				if !seen[n.Ref] {
					t.Errorf("no marker leads to %s", aria.Describe(n))
				}
			})
			if t.Failed() {
				t.Log(r.Text)
			}
		})
	}
}

// Equal controls stand on the line of what tells them apart.
func TestEqualControlsAreToldApart(t *testing.T) {
	star := func(k int) []*aria.Node {
		return []*aria.Node{N("checkbox", "Select comment", fmt.Sprintf("e%d", 10*k+1), Set(func(n *aria.Node) { n.Checked = "false" })), T(fmt.Sprintf("Invoice 104%d", k))}
	}
	items := N("list", "")
	rows := N("table", "Comments", "e900")
	for k := range 5 {
		item := N("listitem", fmt.Sprintf("Select comment Invoice 104%d", k), fmt.Sprintf("e%d", 10*k+10), Set(func(n *aria.Node) { n.Clickable = true }))
		item.Children = star(k)
		items.Children = append(items.Children, item)
		rows.Children = append(rows.Children, Row(fmt.Sprintf("e%d", 10*k+500), fmt.Sprintf("Invoice 104%d", k), N("checkbox", "Select comment", fmt.Sprintf("e%d", 10*k+501))))
	}
	text := aria.Render(Tree(items, rows), aria.Compact, aria.RenderOptions{}).Text
	for k := range 5 {
		for _, ref := range []int{10*k + 1, 10*k + 501} {
			if !regexp.MustCompile(fmt.Sprintf(`(?m)^.*\be%d\b.*Invoice 104%d|Invoice 104%d.*\be%d\b`, ref, k, k, ref)).MatchString(text) {
				t.Errorf("e%d does not stand with its invoice", ref)
			}
		}
	}
	if strings.Count(text, "Invoice 1040") != 2 {
		t.Errorf("said more than once:\n%s", text)
	}
}

// Where no fold fits, what is cut off is told with what brings it.
func TestCutSaysWhatToExpand(t *testing.T) {
	page := Tree(N("paragraph", T(strings.Repeat("Many words. ", 20))), N("button", "Save", "e1"), N("paragraph", T("More.")), N("button", "Drop", "e2"))
	page.URL = "https://shop.test/" + strings.Repeat("long/", 20)
	r := aria.Render(page, aria.Compact, aria.RenderOptions{Budget: 60})
	if !regexp.MustCompile(`… \d+ more lines, expand page( from \d+)?$`).MatchString(strings.TrimSpace(r.Text)) {
		t.Errorf("got\n%s", r.Text)
	}
	seen := reach(t, page, 60)
	if !seen["e1"] || !seen["e2"] {
		t.Errorf("only %v can be reached", seen)
	}
}

// A closed list shows its value; its options are there for who asks.
func TestOptionsOfAClosedList(t *testing.T) {
	list := &aria.Node{Ref: "e1", Role: "combobox", Name: "Plan", Value: new("Team"), Options: 2, Children: []*aria.Node{
		{Role: "option", Name: "Free", Selected: "false"}, {Role: "option", Name: "Team", Selected: "true"}}}
	tree := &aria.Tree{Version: 1, Root: &aria.Node{Role: "document", Children: []*aria.Node{list, {Ref: "e2", Role: "button", Name: "Go"}}}}
	if got := aria.Render(tree, aria.Compact, aria.RenderOptions{}).Text; strings.Contains(got, "Free") {
		t.Errorf("the page lists the options of a closed list:\n%s", got)
	}
	if got := aria.Render(tree, aria.Compact, aria.RenderOptions{Ref: "e1"}).Text; !strings.Contains(got, `option "Free"`) || !strings.Contains(got, `option "Team" [selected]`) {
		t.Errorf("expanded:\n%s", got)
	}
	if got := aria.Find(tree, "option: free", aria.FindOptions{}).Text; !strings.Contains(got, `option "Free" of combobox e1 "Plan"`) {
		t.Errorf("found:\n%s", got)
	}
}
