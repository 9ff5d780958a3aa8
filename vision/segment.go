package vision

import (
	"image"
	"math"
)

// Sizes of a chart's shapes, in CSS pixels.
const (
	minShape   = 4   // thinner than this is an axis, a grid line or a tick
	maxGap     = 48  // a label stands at most so far from its shape
	wideLimit  = 0.6 // a shape wider than this share of the picture is a panel
	tallLimit  = 0.97
	solidLimit = 0.55 // a shape fills at least so much of its box; a letter does not
	tolerance  = 20   // colours nearer than this (per channel) are one colour
)

// A segmenter finds the coloured shapes of a picture. It is not safe for
// concurrent use.
type segmenter struct {
	img        *image.NRGBA
	background [3]uint8
	text       []image.Rectangle // words; their strokes are no shapes
	sx, sy     float64
	seen       []bool // scratch of flood
}

func newSegmenter(f Frame, words []Word) *segmenter {
	s := &segmenter{img: f.Image, sx: f.Transform.SX, sy: f.Transform.SY}
	s.background = commonest(f.Image)
	for _, w := range words {
		s.text = append(s.text, w.Box.Inset(-1))
	}
	b := f.Image.Bounds()
	s.seen = make([]bool, b.Dx()*b.Dy())
	return s
}

// commonest returns the picture's most frequent colour, as its background.
func commonest(img *image.NRGBA) [3]uint8 {
	count := map[[3]uint8]int{}
	b := img.Bounds()
	step := max(1, b.Dx()*b.Dy()/200_000)
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if i++; i%step != 0 {
				continue
			}
			o := img.PixOffset(x, y)
			count[[3]uint8{img.Pix[o] &^ 3, img.Pix[o+1] &^ 3, img.Pix[o+2] &^ 3}]++
		}
	}
	var best [3]uint8
	n := -1
	for c, k := range count {
		if k > n || k == n && less(c, best) {
			best, n = c, k
		}
	}
	return best
}

func less(a, b [3]uint8) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func (s *segmenter) at(x, y int) [3]uint8 {
	o := s.img.PixOffset(x, y)
	return [3]uint8{s.img.Pix[o], s.img.Pix[o+1], s.img.Pix[o+2]}
}

func near(a, b [3]uint8, by int) bool {
	for i := range a {
		if d := int(a[i]) - int(b[i]); d > by || d < -by {
			return false
		}
	}
	return true
}

// ink tells whether the pixel belongs to a shape: not background, not a word.
func (s *segmenter) ink(x, y int) bool {
	if near(s.at(x, y), s.background, tolerance) {
		return false
	}
	p := image.Pt(x, y)
	for _, t := range s.text {
		if p.In(t) {
			return false
		}
	}
	return true
}

// shapeOf returns the shape that a label belongs to: the one it stands in, else
// the one above it (an axis label), below it (a value over a bar), to its right
// (a horizontal bar) or to its left.
func (s *segmenter) shapeOf(label image.Rectangle) (image.Rectangle, string, bool) {
	if r, ok := s.around(label); ok {
		return r, "the shape around the label", true
	}
	cx, cy := (label.Min.X+label.Max.X)/2, (label.Min.Y+label.Max.Y)/2
	for _, d := range []struct {
		dx, dy int
		from   image.Point
		what   string
	}{
		{0, -1, image.Pt(cx, label.Min.Y-1), "the shape above the label"},
		{0, 1, image.Pt(cx, label.Max.Y), "the shape below the label"},
		{1, 0, image.Pt(label.Max.X, cy), "the shape right of the label"},
		{-1, 0, image.Pt(label.Min.X-1, cy), "the shape left of the label"},
	} {
		if r, ok := s.ray(d.from, d.dx, d.dy); ok {
			return r, d.what, true
		}
	}
	return image.Rectangle{}, "", false
}

// ray walks from a point until it meets a shape.
func (s *segmenter) ray(p image.Point, dx, dy int) (image.Rectangle, bool) {
	limit := int(maxGap * s.sy)
	if dx != 0 {
		limit = int(maxGap * s.sx)
	}
	for range limit {
		if !p.In(s.img.Bounds()) {
			return image.Rectangle{}, false
		}
		if s.ink(p.X, p.Y) {
			if r, n := s.flood(p); s.isShape(r, n) && s.faces(r, p, dx) {
				return r, true
			}
		}
		p = p.Add(image.Pt(dx, dy))
	}
	return image.Rectangle{}, false
}

// faces tells whether the shape lies squarely before the ray: its middle may
// not be far off, or the ray has met a neighbour's edge.
func (s *segmenter) faces(r image.Rectangle, p image.Point, dx int) bool {
	if dx != 0 {
		return 4*abs(2*p.Y-r.Min.Y-r.Max.Y) <= 3*r.Dy()
	}
	return 4*abs(2*p.X-r.Min.X-r.Max.X) <= 3*r.Dx()
}

func abs(n int) int { return max(n, -n) }

// around returns the shape in which the label stands.
func (s *segmenter) around(label image.Rectangle) (image.Rectangle, bool) {
	out := label.Inset(-2)
	for _, p := range []image.Point{
		{X: out.Min.X, Y: (out.Min.Y + out.Max.Y) / 2}, {X: out.Max.X, Y: (out.Min.Y + out.Max.Y) / 2},
		{X: (out.Min.X + out.Max.X) / 2, Y: out.Min.Y - 1}, {X: (out.Min.X + out.Max.X) / 2, Y: out.Max.Y},
	} {
		if !p.In(s.img.Bounds()) || !s.ink(p.X, p.Y) {
			continue
		}
		if r, n := s.flood(p); s.isShape(r, n) && label.Overlaps(r) && r.Dx() >= label.Dx()*3/4 {
			return r, true
		}
	}
	return image.Rectangle{}, false
}

// isShape tells a bar, a slice's box or a button from an axis, a letter, a
// panel and the frame around everything.
func (s *segmenter) isShape(r image.Rectangle, pixels int) bool {
	b := s.img.Bounds()
	w, h := float64(r.Dx())/s.sx, float64(r.Dy())/s.sy
	if w < minShape && h < minShape || math.Min(w, h) < 2 {
		return false
	}
	if math.Min(w, h) < minShape && math.Max(w, h) > float64(b.Dx())/s.sx*0.3 {
		return false // a long thin line
	}
	wide := float64(r.Dx()) > wideLimit*float64(b.Dx())
	tall := float64(r.Dy()) > wideLimit*float64(b.Dy())
	if wide && tall || float64(r.Dx()) > tallLimit*float64(b.Dx()) || float64(r.Dy()) > tallLimit*float64(b.Dy()) {
		return false
	}
	return float64(pixels) >= solidLimit*float64(r.Dx()*r.Dy())
}

// flood returns the box and the number of pixels of the region of like colour
// around p. Neighbours may differ a little, so that a gradient is one region.
func (s *segmenter) flood(p image.Point) (image.Rectangle, int) {
	b := s.img.Bounds()
	clear(s.seen)
	w := b.Dx()
	index := func(q image.Point) int { return (q.Y-b.Min.Y)*w + q.X - b.Min.X }
	r := image.Rect(p.X, p.Y, p.X+1, p.Y+1)
	stack := []image.Point{p}
	s.seen[index(p)] = true
	n := 0
	for len(stack) > 0 {
		q := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n++
		r = r.Union(image.Rect(q.X, q.Y, q.X+1, q.Y+1))
		c := s.at(q.X, q.Y)
		for _, d := range [...]image.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}} {
			m := q.Add(d)
			if !m.In(b) || s.seen[index(m)] {
				continue
			}
			if cm := s.at(m.X, m.Y); near(c, cm, tolerance/2) && !near(cm, s.background, tolerance) {
				s.seen[index(m)] = true
				stack = append(stack, m)
			}
		}
	}
	return r, n
}
