package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
)

// A Place says where a frame's viewport lies in the top frame's, both in CSS
// pixels: moved, scaled, zoomed or turned.
type Place struct {
	x, y           float64 // of the frame's upper left corner
	rx, ry, dx, dy float64 // one frame pixel to the right, one down
}

// here is the place of the top frame itself.
var here = Place{rx: 1, dy: 1}

// Out is where a point of the frame lies in the top frame.
func (p Place) Out(x, y float64) (float64, float64) {
	return p.x + p.rx*x + p.dx*y, p.y + p.ry*x + p.dy*y
}

// In is the frame's point at a point of the top frame.
func (p Place) In(x, y float64) (float64, float64) {
	x, y = x-p.x, y-p.y
	det := p.rx*p.dy - p.dx*p.ry
	return (p.dy*x - p.dx*y) / det, (p.rx*y - p.ry*x) / det
}

// within is the place of a frame that is at p in a frame at outer.
func (p Place) within(outer Place) Place {
	x, y := outer.Out(p.x, p.y)
	return Place{
		x: x, y: y,
		rx: outer.rx*p.rx + outer.dx*p.ry, ry: outer.ry*p.rx + outer.dy*p.ry,
		dx: outer.rx*p.dx + outer.dx*p.dy, dy: outer.ry*p.dx + outer.dy*p.dy,
	}
}

// Place finds the frame's place, through scrolling, borders, paddings, zoom and
// transforms of the iframes on the way. It returns ErrNotRendered when one of
// them has no box.
func (f *Frame) Place(ctx context.Context) (Place, error) {
	ctx, end, err := f.tab.unlessDialog(ctx)
	if err != nil {
		return Place{}, err
	}
	defer end()
	at := here
	for k := f; k.Parent != nil; {
		p, err := k.placeInProcess(ctx)
		if err != nil {
			return Place{}, err
		}
		at = at.within(p)
		part := k.Parent.part
		for k = k.Parent; k.Parent != nil && k.Parent.part == part; {
			k = k.Parent
		}
	}
	return at, nil
}

// placeInProcess is the frame's place in the root frame of its parent's process,
// which is what the browser gives boxes in.
func (f *Frame) placeInProcess(ctx context.Context) (Place, error) {
	if f.OwnerNode == 0 {
		return Place{}, fmt.Errorf("frame %s: its owner element is unknown: %w", f.ID, ErrNotRendered)
	}
	res, err := cdp.Call(ctx, f.Parent.part.s, dom.GetBoxModel, dom.GetBoxModelParams{BackendNodeID: f.OwnerNode})
	if err != nil {
		if protocolError(err) != nil {
			return Place{}, fmt.Errorf("frame %s: %w: %w", f.ID, ErrNotRendered, err)
		}
		return Place{}, because(ctx, err)
	}
	q := res.Model.Content // four corners, clockwise from the upper left one
	if len(q) < 8 {
		return Place{}, fmt.Errorf("frame %s: %w", f.ID, ErrNotRendered)
	}
	p := Place{x: q[0], y: q[1], rx: 1, dy: 1}
	var size [2]float64
	if err := f.Call(ctx, &size, `() => [innerWidth, innerHeight]`); err != nil {
		return Place{}, err
	}
	if w, h := size[0], size[1]; w > 0 && h > 0 {
		p.rx, p.ry, p.dx, p.dy = (q[2]-q[0])/w, (q[3]-q[1])/w, (q[6]-q[0])/h, (q[7]-q[1])/h
	}
	if p.rx*p.dy == p.dx*p.ry {
		return Place{}, fmt.Errorf("frame %s: %w", f.ID, ErrNotRendered)
	}
	return p, nil
}
