package page

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

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
func (c *Capturer) frame(ctx context.Context, f *browser.Frame, k *known, refs Refs, more *allowance, o Options) (*patch, error) {
	if k.walk == 0 { // else the walk tells whether that is due
		if _, err := c.reveal(ctx, f); err != nil {
			return nil, err
		}
	}
	first := o.First
	if f.Parent != nil {
		first = 0
	}
	if o.Fresh {
		k.walk = 0
	}
	supply := refSupply{Prefix: "e"} // a child frame's is known when it needs one
	var rebound, recycled []string
	reveals := 0
	for try := range 12 {
		if f.Parent == nil {
			supply.Start, supply.N = k.stock.next, k.stock.left
		}
		text, err := walk(ctx, f, more, map[string]any{"cap": o.Nodes, "first": first, "doc": k.doc, "since": k.walk, "refs": supply, "fresh": o.Fresh, "slice": o.Slice.Seconds() * 1000, "calm": o.Calm.Milliseconds()})
		if err != nil {
			return nil, err
		}
		if text == restless {
			return nil, ErrRestless
		}
		o.Calm = 0 // it was; what comes while it is walked is for the next look
		var p patch
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return nil, fmt.Errorf("walk of frame %s: %w", f.ID, err)
		}
		if p.Need > 0 {
			n := max(p.Need, stockSize) << min(try, 4) // of a page that goes on growing
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
		if reveals < 3 && (p.Of == 0 || reveals == 0) && c.due(&p) {
			reveals++
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

// restless is the whole answer of a walk that was to begin in a calm page.
const restless = `{"restless":true}`

// walk calls the walk and puts its text together, which may be long in coming
// and come in pieces.
func walk(ctx context.Context, f *browser.Frame, more *allowance, o map[string]any) (string, error) {
	var text string
	err := f.Call(ctx, &text, "(o) => __quartet.walk(o)", o)
	for {
		if err != nil {
			return "", err
		}
		var head struct {
			Working  int `json:"working"` // ask again by this key
			Elements int `json:"elements"`
			Pieces   int `json:"pieces"` // or take the pieces by this one
			Size     int `json:"size"`   // of all, in UTF-16 units
		}
		if len(text) < 100 && text != restless {
			if err := json.Unmarshal([]byte(text), &head); err != nil {
				return "", fmt.Errorf("walk of frame %s: %w", f.ID, err)
			}
		}
		switch {
		case head.Working > 0:
			more.grant(head.Elements)
			err = f.Call(ctx, &text, "(key) => __quartet.result(key)", head.Working)
		case head.Pieces > 0:
			return pieces(ctx, f, more, head.Pieces, head.Size)
		case text == "{}":
			return "", fmt.Errorf("walk of frame %s: %w: it was given up", f.ID, ErrBusy)
		default:
			return text, nil
		}
	}
}

func pieces(ctx context.Context, f *browser.Frame, more *allowance, key, size int) (string, error) {
	var b strings.Builder
	for at := 0; at < size; {
		var p struct {
			Text string `json:"text"`
			Size int    `json:"size"`
		}
		if err := f.Call(ctx, &p, "(key, at) => __quartet.piece(key, at)", key, at); err != nil {
			return "", err
		}
		if p.Size == 0 {
			return "", fmt.Errorf("walk of frame %s: its text is gone", f.ID)
		}
		b.WriteString(p.Text)
		at += p.Size
		more.grant(0)
	}
	return b.String(), nil
}
