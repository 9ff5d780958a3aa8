package vision

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/disintegration/imaging"

	"github.com/quartet-agents/quartet/bus"
)

// maxPixels bounds a decoded picture: a page can't make the process hold more.
const maxPixels = 40_000_000

// A Transform maps between the page (CSS pixels of the top frame's viewport)
// and a picture of a part of it (picture pixels, (0,0) the top left corner of
// the top left pixel). It is exact: every crop and resize keeps it so.
type Transform struct {
	// X and Y are the page coordinates of the picture's top left corner.
	X, Y float64
	// SX and SY are picture pixels per CSS pixel.
	SX, SY float64
}

// ToPage maps a point of the picture to the page.
func (t Transform) ToPage(x, y float64) bus.Point {
	return bus.Point{X: t.X + x/t.SX, Y: t.Y + y/t.SY}
}

// ToPicture maps a point of the page to the picture.
func (t Transform) ToPicture(p bus.Point) (x, y float64) {
	return (p.X - t.X) * t.SX, (p.Y - t.Y) * t.SY
}

// BoxToPage maps a rectangle of the picture to the page.
func (t Transform) BoxToPage(r image.Rectangle) bus.Box {
	p := t.ToPage(float64(r.Min.X), float64(r.Min.Y))
	return bus.Box{X: p.X, Y: p.Y, W: float64(r.Dx()) / t.SX, H: float64(r.Dy()) / t.SY}
}

// BoxToPicture maps a box of the page to the smallest rectangle of whole
// picture pixels that holds it.
func (t Transform) BoxToPicture(b bus.Box) image.Rectangle {
	x0, y0 := t.ToPicture(bus.Point{X: b.X, Y: b.Y})
	x1, y1 := t.ToPicture(bus.Point{X: b.X + b.W, Y: b.Y + b.H})
	return image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1)))
}

// A Frame is a picture of a region of the page, with the way back.
type Frame struct {
	Image     *image.NRGBA
	Transform Transform
	// Note says what a reader should know about the picture, "" for nothing.
	Note string
}

// Size returns the picture's width and height in pixels.
func (f Frame) Size() (w, h int) { b := f.Image.Bounds(); return b.Dx(), b.Dy() }

// Crop returns the part of the frame inside r, which is cut to the picture.
func (f Frame) Crop(r image.Rectangle) Frame {
	r = r.Intersect(f.Image.Bounds())
	p := f.Transform.ToPage(float64(r.Min.X), float64(r.Min.Y))
	return Frame{
		Image:     imaging.Crop(f.Image, r),
		Transform: Transform{X: p.X, Y: p.Y, SX: f.Transform.SX, SY: f.Transform.SY},
		Note:      f.Note,
	}
}

// Resize returns the frame scaled to w×h pixels.
func (f Frame) Resize(w, h int) Frame {
	ow, oh := f.Size()
	if w == ow && h == oh {
		return f
	}
	return Frame{
		Image: imaging.Resize(f.Image, w, h, imaging.CatmullRom),
		Transform: Transform{
			X: f.Transform.X, Y: f.Transform.Y,
			SX: f.Transform.SX * float64(w) / float64(ow),
			SY: f.Transform.SY * float64(h) / float64(oh),
		},
		Note: f.Note,
	}
}

// PNG returns the picture as a PNG file.
func (f Frame) PNG() ([]byte, error) {
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&buf, f.Image); err != nil {
		return nil, fmt.Errorf("vision: encode the picture: %w", err)
	}
	return buf.Bytes(), nil
}

// A Grid is how a model counts the tokens of a picture: patches of Patch×Patch
// pixels, at most MaxTokens of them and at most MaxSide pixels on a side.
type Grid struct {
	Patch     int
	MaxTokens int
	MaxSide   int
}

// defaultGrid suits the multimodal models of 2026: 28-pixel patches.
var defaultGrid = Grid{Patch: 28, MaxTokens: 1568, MaxSide: 1568}

// Tokens returns what a picture of w×h pixels costs on the grid.
func (g Grid) Tokens(w, h int) int {
	return ((w + g.Patch - 1) / g.Patch) * ((h + g.Patch - 1) / g.Patch)
}

// Fit returns the largest size with the aspect of w×h, not larger than it,
// that the grid allows.
func (g Grid) Fit(w, h int) (int, int) {
	if w <= g.MaxSide && h <= g.MaxSide && g.Tokens(w, h) <= g.MaxTokens {
		return w, h
	}
	lo, hi := 0.0, 1.0
	for range 30 {
		mid := (lo + hi) / 2
		mw, mh := scaled(w, mid), scaled(h, mid)
		if mw <= g.MaxSide && mh <= g.MaxSide && g.Tokens(mw, mh) <= g.MaxTokens {
			lo = mid
		} else {
			hi = mid
		}
	}
	return scaled(w, lo), scaled(h, lo)
}

func scaled(n int, by float64) int { return max(1, int(math.Round(float64(n)*by))) }

// capture takes a picture of a region of the page that the session shows.
// dpr is the page's device pixel ratio as last observed; a wrong one costs
// sharpness, not exactness. density is picture pixels per CSS pixel; 0 takes the
// screen's own.
//
// The region is widened to whole pixels of the document. A part outside the viewport is
// captured too, which makes the browser lay the page out larger for a moment;
// Frame.Note then says so.
func capture(ctx context.Context, s cdp.Session, region bus.Box, dpr, density float64) (Frame, error) {
	m, err := cdp.Call(ctx, s, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return Frame{}, fmt.Errorf("vision: page metrics: %w", err)
	}
	if m.CSSVisualViewport == nil || m.CSSLayoutViewport == nil {
		return Frame{}, fmt.Errorf("vision: the page has no viewport")
	}
	vv := m.CSSVisualViewport
	// Clips are in document coordinates and device-independent pixels, which a
	// page zoom sets apart from CSS pixels. A clip begins at a whole pixel of
	// the document: the browser would round another, and shift the picture.
	zoom := vv.Zoom
	if zoom <= 0 {
		zoom = 1
	}
	scrollX, scrollY := vv.PageX-vv.OffsetX, vv.PageY-vv.OffsetY
	x0, y0 := math.Floor(region.X+scrollX), math.Floor(region.Y+scrollY)
	x1, y1 := math.Ceil(region.X+region.W+scrollX), math.Ceil(region.Y+region.H+scrollY)
	x0, y0 = max(x0, 0), max(y0, 0)
	if !(x1 > x0 && y1 > y0) {
		return Frame{}, &bus.Error{Code: "out_of_view", Decision: bus.GiveUp,
			Message: "the region is empty, or lies outside the page, where nothing is painted"}
	}
	// Up to a scroll bar's width outside the layout viewport is still painted.
	const bar = 20
	inside := x0 >= math.Floor(scrollX) && y0 >= math.Floor(scrollY) &&
		x1 <= scrollX+float64(m.CSSLayoutViewport.ClientWidth)+bar &&
		y1 <= scrollY+float64(m.CSSLayoutViewport.ClientHeight)+bar
	if !(dpr > 0) {
		dpr = 1
	}
	dpr = min(max(dpr, 0.25), 8)
	scale := 1.0
	if density > 0 {
		scale = density / dpr
	}
	w, h := x1-x0, y1-y0
	if px := w * h * dpr * dpr * scale * scale; px > maxPixels {
		scale *= math.Sqrt(maxPixels / px)
	}
	p := page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng,
		Clip: &page.Viewport{
			X: x0 * zoom, Y: y0 * zoom,
			Width: w * zoom, Height: h * zoom, Scale: scale,
		},
		OptimizeForSpeed: new(true),
	}
	note := ""
	if !inside {
		p.CaptureBeyondViewport = new(true)
		note = "a part of the region was outside the viewport"
	}
	shot, err := cdp.Call(ctx, s, page.CaptureScreenshot, p)
	if err != nil {
		return Frame{}, fmt.Errorf("vision: take the picture: %w", err)
	}
	img, err := decode(shot.Data)
	if err != nil {
		return Frame{}, err
	}
	b := img.Bounds()
	return Frame{Image: img, Note: note, Transform: Transform{
		X: x0 - scrollX, Y: y0 - scrollY,
		SX: exact(float64(b.Dx()), w, dpr*scale),
		SY: exact(float64(b.Dy()), h, dpr*scale),
	}}, nil
}

// exact returns pixels per CSS pixel: the ratio asked for where the picture's
// size agrees with it to a pixel's rounding, else what the size says.
func exact(px, css, want float64) float64 {
	if math.Abs(px-css*want) <= 1 {
		return want
	}
	return px / css
}

// decode reads a PNG of bounded size into 8-bit pixels.
func decode(data []byte) (*image.NRGBA, error) {
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("vision: the picture: %w", err)
	}
	if c.Width <= 0 || c.Height <= 0 || c.Width > maxPixels/c.Height {
		return nil, fmt.Errorf("vision: a picture of %d×%d pixels is too large", c.Width, c.Height)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("vision: the picture: %w", err)
	}
	return imaging.Clone(img), nil
}
