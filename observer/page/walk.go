package page

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/quartet-agents/quartet/internal/browser"
)

// stockSize is how many ref numbers are reserved at least, so that a few new
// elements cost no round trip.
const stockSize = 64

// refSupply goes to the script's walk: n refs, numbered from start on, or by
// the document itself where start is 0.
type refSupply struct {
	Prefix string `json:"prefix"`
	Start  int    `json:"start"`
	N      int    `json:"n"`
}

// frame walks one frame and brings k up to date. The walk goes again when it
// wants refs first, or when k knows a state that the page does not.
func (c *Capturer) frame(ctx context.Context, f *browser.Frame, k *known, refs Refs, o Options) (*patch, error) {
	if k.walk == 0 { // else the walk tells whether that is due
		if _, err := c.reveal(ctx, f); err != nil {
			return nil, err
		}
	}
	if o.Fresh {
		k.walk = 0
	}
	supply := refSupply{Prefix: "e"} // a child frame's is known when it needs one
	var rebound, recycled []string
	for range 8 {
		if f.Parent == nil {
			supply.Start, supply.N = k.stock.next, k.stock.left
		}
		var text string
		if err := f.Call(ctx, &text, "(o) => __quartet.walk(o)", map[string]any{"cap": o.Nodes, "doc": k.doc, "since": k.walk, "refs": supply, "fresh": o.Fresh}); err != nil {
			return nil, err
		}
		var p patch
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return nil, fmt.Errorf("walk of frame %s: %w", f.ID, err)
		}
		if p.Need > 0 {
			n := max(p.Need, stockSize)
			var err error
			if f.Parent == nil {
				k.stock.next, err = refs.Reserve(ctx, n)
				k.stock.left = n
			} else {
				supply.N = 1 << 30
				supply.Prefix, err = refs.FramePrefix(ctx, p.Doc)
			}
			if err != nil {
				return nil, fmt.Errorf("refs for frame %s: %w", f.ID, err)
			}
			continue
		}
		k.stock.next += p.Used
		k.stock.left -= p.Used
		if !k.apply(&p) {
			k.walk = 0
			continue
		}
		rebound, recycled = append(rebound, p.Rebound...), append(recycled, p.Recycled...)
		if c.due(&p) {
			found, err := c.reveal(ctx, f)
			if err != nil {
				return nil, err
			}
			if found {
				continue
			}
		}
		p.Rebound, p.Recycled = rebound, recycled
		return &p, nil
	}
	return nil, fmt.Errorf("walk of frame %s: it does not come to an end", f.ID)
}
