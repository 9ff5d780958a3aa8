package vision

import (
	"image"
	"image/color"
	"image/draw"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/quartet-agents/quartet/bus"
)

// markColours are told apart by people with any colour vision.
var markColours = [...]color.NRGBA{
	{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff},
	{R: 0x00, G: 0x72, B: 0xb2, A: 0xff},
	{R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
	{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
}

// mark returns a copy of the frame with a numbered box around each element
// that is in it, and the numbers: marked[n-1] is the element with number n.
func mark(f Frame, elements []bus.Element) (out Frame, marked []bus.Element) {
	img := image.NewNRGBA(f.Image.Bounds())
	draw.Draw(img, img.Bounds(), f.Image, f.Image.Bounds().Min, draw.Src)
	for _, e := range elements {
		r := f.Transform.BoxToPicture(e.Box)
		if r.Empty() || !r.Overlaps(img.Bounds()) {
			continue
		}
		marked = append(marked, e)
		c := markColours[(len(marked)-1)%len(markColours)]
		outline(img, r, c)
		tag(img, r, strconv.Itoa(len(marked)), c)
	}
	return Frame{Image: img, Transform: f.Transform, Note: f.Note}, marked
}

// outline draws a frame of two pixels just outside the box, so that it hides
// nothing of what is in it.
func outline(img *image.NRGBA, r image.Rectangle, c color.NRGBA) {
	o := r.Inset(-2)
	for _, s := range []image.Rectangle{
		{Min: o.Min, Max: image.Pt(o.Max.X, r.Min.Y)},
		{Min: image.Pt(o.Min.X, r.Max.Y), Max: o.Max},
		{Min: o.Min, Max: image.Pt(r.Min.X, o.Max.Y)},
		{Min: image.Pt(r.Max.X, o.Min.Y), Max: o.Max},
	} {
		draw.Draw(img, s, image.NewUniform(c), image.Point{}, draw.Src)
	}
}

// tag writes the number on a plate at the box's top left corner, above it where
// there is room.
func tag(img *image.NRGBA, r image.Rectangle, text string, c color.NRGBA) {
	face := basicfont.Face7x13
	w, h := font.MeasureString(face, text).Ceil()+4, 14
	p := image.Pt(max(r.Min.X-2, 0), r.Min.Y-2-h)
	if p.Y < 0 {
		p.Y = max(r.Min.Y, 0)
	}
	draw.Draw(img, image.Rect(p.X, p.Y, p.X+w, p.Y+h), image.NewUniform(c), image.Point{}, draw.Src)
	d := font.Drawer{Dst: img, Src: image.White, Face: face, Dot: fixed.P(p.X+2, p.Y+11)}
	d.DrawString(text)
}

// cover paints boxes of the page over in one colour: secrets, in a picture for
// people. Each is widened by two CSS pixels.
func cover(f Frame, boxes []bus.Box) {
	for _, b := range boxes {
		r := f.Transform.BoxToPicture(bus.Box{X: b.X - 2, Y: b.Y - 2, W: b.W + 4, H: b.H + 4})
		draw.Draw(f.Image, r, image.NewUniform(color.NRGBA{R: 0x33, G: 0x33, B: 0x33, A: 0xff}), image.Point{}, draw.Src)
	}
}
