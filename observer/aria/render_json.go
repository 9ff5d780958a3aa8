package aria

import (
	"encoding/json"
	"strings"
)

// renderJSON writes the tree, or with Ref a subtree, as JSON. Over the budget,
// descendants are left out from the least important on and counted in
// "folded".
func renderJSON(t *Tree, o RenderOptions) Rendering {
	c := *t
	if o.Ref != "" {
		root := t.ByRef(o.Ref)
		if root == nil {
			return rendered("null", false)
		}
		c.Root = root
	}
	if o.From > 0 && c.Root != nil {
		r := c.Root.own()
		r.Children = c.Root.Children[min(o.From, len(c.Root.Children)):]
		c.Root = r
	}
	whole := jsonText(&c)
	tokens := Tokens(whole)
	if o.Budget <= 0 || tokens <= o.Budget {
		return Rendering{Text: whole, Tokens: tokens}
	}
	blocks := jsonBlocks(c.Root)
	w := writer{tree: t, o: o}
	w.weigh([]*block{blocks})
	limit := o.Budget - 120
	for limit > 0 {
		w.choose([]*block{blocks}, limit)
		cut := c
		cut.Root, _ = keptNode(blocks)
		if cut.Root == nil {
			break
		}
		text := jsonText(&cut)
		if tokens = Tokens(text); tokens <= o.Budget {
			return Rendering{Text: text, Tokens: tokens, Truncated: true}
		}
		limit -= max(tokens-o.Budget, limit/12, 4)
	}
	empty := c
	empty.Notes = nil
	empty.Root = &Node{Role: c.Root.Role, Ref: c.Root.Ref, Folded: count(c.Root) - 1}
	r := rendered(jsonText(&empty), true)
	if r.Tokens > o.Budget {
		return Rendering{Truncated: true, Least: r.Tokens}
	}
	return r
}

func jsonText(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null" // a tree holds nothing that cannot be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func jsonBlocks(n *Node) *block {
	b := &block{node: n, text: jsonText(n.own())}
	for _, k := range n.Children {
		b.kids = append(b.kids, jsonBlocks(k))
	}
	return b
}

// keptNode copies what was chosen and counts what was not.
func keptNode(b *block) (kept *Node, left int) {
	if !b.keep {
		return nil, count(b.node)
	}
	c := b.node.own()
	for _, k := range b.kids {
		n, more := keptNode(k)
		c.Folded += more
		if n != nil {
			c.Children = append(c.Children, n)
		}
	}
	return c, 0
}

func count(n *Node) int {
	k := 1
	for _, c := range n.Children {
		k += count(c)
	}
	return k
}
