// Package ariatest builds small trees for tests.
package ariatest

import "github.com/quartet-agents/quartet/observer/aria"

// An Option sets something on a node.
type Option func(*aria.Node)

// N makes a node. Strings among the arguments are, in order, its name and its
// ref; nodes are its children; options set the rest.
func N(role string, args ...any) *aria.Node {
	n := &aria.Node{Role: role}
	strings := 0
	for _, a := range args {
		switch a := a.(type) {
		case string:
			if strings == 0 {
				n.Name = a
			} else {
				n.Ref = a
			}
			strings++
		case *aria.Node:
			n.Children = append(n.Children, a)
		case []*aria.Node:
			n.Children = append(n.Children, a...)
		case Option:
			a(n)
		default:
			panic("ariatest: an argument is neither string, node nor option")
		}
	}
	return n
}

// T makes a run of text.
func T(text string) *aria.Node { return &aria.Node{Role: "text", Text: text} }

// Value gives the node a value.
func Value(v string) Option { return func(n *aria.Node) { n.Value = &v } }

// At gives the node a box.
func At(x, y, w, h float64) Option {
	return func(n *aria.Node) { n.Box = &aria.Box{X: x, Y: y, W: w, H: h} }
}

// Set changes the node by a function.
func Set(f func(*aria.Node)) Option { return f }

// Tree makes a page of the nodes, of version 1, 1280 by 800.
func Tree(children ...*aria.Node) *aria.Tree {
	return &aria.Tree{Version: 1, Document: "D1", URL: "http://shop.test/", Title: "Shop",
		Viewport: aria.Viewport{W: 1280, H: 800, PageW: 1280, PageH: 800, DPR: 1},
		Root:     &aria.Node{Role: "generic", Children: children}}
}

// Row makes a table row of texts and nodes.
func Row(ref string, cells ...any) *aria.Node {
	row := &aria.Node{Role: "row", Ref: ref}
	for _, c := range cells {
		cell := &aria.Node{Role: "cell"}
		switch c := c.(type) {
		case string:
			cell.Children = []*aria.Node{T(c)}
		case *aria.Node:
			cell.Children = []*aria.Node{c}
		}
		row.Children = append(row.Children, cell)
	}
	return row
}
