package page

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/quartet-agents/quartet/internal/browser"
	"github.com/quartet-agents/quartet/observer/aria"
)

// walked is what the script's walk answers.
type walked struct {
	Doc      string        `json:"doc"`
	URL      string        `json:"url"`
	Title    string        `json:"title"`
	Viewport aria.Viewport `json:"viewport"`
	Nodes    []flat        `json:"nodes"`
	Token    string        `json:"token"`
	Pending  int           `json:"pending"`
	Rebound  []string      `json:"rebound"`
	Recycled []string      `json:"recycled"`
	Notes    []string      `json:"notes"`
	Elements int           `json:"elements"`
	Millis   float64       `json:"millis"`
}

// flat is a node in page order with its depth.
type flat struct {
	aria.Node
	Depth int    `json:"d"`
	Frame *point `json:"frame,omitempty"` // iframes: where the content begins
}

type point struct{ X, Y float64 }

// A hole is an iframe node, to be filled with its frame's tree.
type hole struct {
	node *aria.Node
	at   point // of the content, in the top frame's viewport once spliced
}

// frame walks one frame, into w.
func (c *Capturer) frame(ctx context.Context, w *frameWalk, refs Refs, o Options) error {
	f := w.frame
	if err := c.reveal(ctx, f); err != nil {
		return err
	}
	for try := 0; ; try++ {
		var text string
		if err := f.Call(ctx, &text, "(o) => __quartet.walk(o)", map[string]any{"cap": o.Nodes}); err != nil {
			return err
		}
		var doc walked
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			return fmt.Errorf("walk of frame %s: %w", f.ID, err)
		}
		given, err := c.assign(ctx, f, refs, &doc)
		if err != nil {
			return err
		}
		if given == nil && doc.Pending > 0 {
			if try < 3 {
				continue // eight other walks came between; their refs are there now
			}
			return fmt.Errorf("walk of frame %s: its refs were not handed out", f.ID)
		}
		w.doc = doc
		w.root, w.holes = build(doc.Nodes, given)
		w.doc.Nodes = nil
		return nil
	}
}

// assign hands refs to the elements that wait for one.
func (c *Capturer) assign(ctx context.Context, f *browser.Frame, refs Refs, doc *walked) ([]string, error) {
	if doc.Pending == 0 {
		return nil, nil
	}
	prefix, start := "e", 0
	var err error
	if f.Parent == nil {
		start, err = refs.Reserve(ctx, doc.Pending)
	} else {
		prefix, err = refs.FramePrefix(ctx, doc.Doc)
	}
	if err != nil {
		return nil, fmt.Errorf("refs for frame %s: %w", f.ID, err)
	}
	var given []string
	err = f.Call(ctx, &given, "(prefix, start, token) => __quartet.assign(prefix, start, token)", prefix, start, doc.Token)
	return given, err
}

// build makes the tree of the flat list. A ref that begins with NUL is the
// index of one handed out just now.
func build(list []flat, given []string) (*aria.Node, map[string]hole) {
	ref := func(s string) string {
		if !strings.HasPrefix(s, "\x00") {
			return s
		}
		if i, err := strconv.Atoi(s[1:]); err == nil && i >= 0 && i < len(given) {
			return given[i]
		}
		return ""
	}
	holes := map[string]hole{}
	var path []*aria.Node
	for i := range list {
		n := &list[i].Node
		n.Ref, n.CoveredBy, n.Controls = ref(n.Ref), ref(n.CoveredBy), ref(n.Controls)
		d := min(list[i].Depth, len(path))
		if d > 0 {
			p := path[d-1]
			p.Children = append(p.Children, n)
		}
		path = append(path[:d], n)
		if at := list[i].Frame; at != nil && n.Ref != "" {
			holes[n.Ref] = hole{node: n, at: *at}
		}
	}
	if len(path) == 0 {
		return &aria.Node{Role: "document"}, holes
	}
	return path[0], holes
}

// nodes yields n and everything below it, in page order.
func nodes(n *aria.Node) iter.Seq[*aria.Node] {
	return func(yield func(*aria.Node) bool) {
		todo := []*aria.Node{n}
		for len(todo) > 0 {
			n := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !yield(n) {
				return
			}
			for i := len(n.Children) - 1; i >= 0; i-- {
				todo = append(todo, n.Children[i])
			}
		}
	}
}
