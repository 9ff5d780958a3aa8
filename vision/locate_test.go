package vision

import (
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quartet-agents/quartet/bus"
)

// A sketch is a picture drawn by hand for a test, one pixel per CSS pixel.
type sketch struct {
	img   *image.NRGBA
	words []Word
}

func newSketch(w, h int) *sketch {
	s := &sketch{img: image.NewNRGBA(image.Rect(0, 0, w, h))}
	s.fill(s.img.Bounds(), color.NRGBA{R: 250, G: 250, B: 250, A: 255})
	return s
}

func (s *sketch) fill(r image.Rectangle, c color.NRGBA) {
	draw.Draw(s.img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// word puts a word there: its box, with strokes in it.
func (s *sketch) word(text string, x, y, line int) {
	r := image.Rect(x, y, x+7*len(text), y+10)
	for i := r.Min.X; i < r.Max.X; i += 4 {
		s.fill(image.Rect(i, r.Min.Y, i+2, r.Max.Y), color.NRGBA{R: 40, G: 40, B: 40, A: 255})
	}
	s.words = append(s.words, Word{Text: text, Box: r, Confidence: 0.9, Line: line})
}

func (s *sketch) place(label string) (spot, string) {
	return place(Frame{Image: s.img, Transform: Transform{SX: 1, SY: 1}}, s.words, label, true)
}

func TestPlace(t *testing.T) {
	blue, grey := color.NRGBA{R: 50, G: 90, B: 200, A: 255}, color.NRGBA{R: 60, G: 60, B: 60, A: 255}
	bar := image.Rect(100, 60, 140, 180)
	for _, c := range []struct {
		name string
		draw func(s *sketch)
		want image.Rectangle // of the shape; empty: the label itself
		none string          // why there is no place
	}{
		{"label below, axis between", func(s *sketch) {
			s.fill(bar, blue)
			s.fill(image.Rect(20, 182, 380, 184), grey)
			s.word("March", 102, 190, 1)
		}, bar, ""},
		{"bar on the axis", func(s *sketch) {
			s.fill(bar, blue)
			s.fill(image.Rect(20, 180, 380, 181), grey)
			s.word("March", 102, 186, 1)
		}, bar, ""},
		{"value over the bar, label below", func(s *sketch) {
			s.fill(bar, blue)
			s.word("12", 112, 45, 1)
			s.word("March", 102, 186, 2)
		}, bar, ""},
		{"label over the bar", func(s *sketch) {
			s.fill(bar, blue)
			s.word("March", 102, 44, 1)
		}, bar, ""},
		{"label in the bar", func(s *sketch) {
			s.fill(bar, blue)
			s.word("March", 103, 110, 1)
		}, bar, ""},
		{"horizontal bar", func(s *sketch) {
			r := image.Rect(60, 90, 300, 110)
			s.fill(r, blue)
			s.word("March", 20, 95, 1)
		}, image.Rect(60, 90, 300, 110), ""},
		{"gradient", func(s *sketch) {
			for y := bar.Min.Y; y < bar.Max.Y; y++ {
				s.fill(image.Rect(bar.Min.X, y, bar.Max.X, y+1), color.NRGBA{R: uint8(y - 40), G: 90, B: 200, A: 255})
			}
			s.word("March", 102, 186, 1)
		}, bar, ""},
		{"no bar of its own, a neighbour's high one", func(s *sketch) {
			s.fill(image.Rect(145, 20, 185, 180), blue)
			s.fill(image.Rect(20, 180, 380, 181), grey)
			s.word("March", 102, 186, 1)
		}, image.Rectangle{}, ""},
		{"bar among others", func(s *sketch) {
			for i := range 6 {
				s.fill(image.Rect(40+60*i, 60+i*10, 80+60*i, 180), blue)
				s.word([]string{"Jan", "March", "May", "June", "July", "Sept"}[i], 42+60*i, 186, 1)
			}
		}, image.Rect(100, 70, 140, 180), ""},
		{"abbreviated", func(s *sketch) {
			s.fill(bar, blue)
			s.word("Mar", 110, 186, 1)
		}, bar, ""},
		{"one letter misread", func(s *sketch) {
			s.fill(bar, blue)
			s.word("Narch", 102, 186, 1)
		}, bar, ""},
		{"also in the title", func(s *sketch) {
			s.word("March", 20, 5, 1)
			s.word("report", 60, 5, 1)
			s.fill(bar, blue)
			s.word("March", 102, 186, 2)
		}, bar, ""},
		{"twice with a bar", func(s *sketch) {
			s.fill(bar, blue)
			s.word("March", 102, 186, 1)
			s.fill(image.Rect(200, 60, 240, 180), blue)
			s.word("March", 202, 186, 1)
		}, image.Rectangle{}, "two places"},
		{"absent", func(s *sketch) { s.word("April", 100, 100, 1) }, image.Rectangle{}, "not read"},
		{"other digits are not a slip", func(s *sketch) { s.word("2025", 100, 100, 1) }, image.Rectangle{}, "not read"},
	} {
		s := newSketch(400, 220)
		c.draw(s)
		label := "March"
		if strings.Contains(c.name, "digits") {
			label = "2026"
		}
		got, why := s.place(label)
		switch {
		case c.none != "":
			if !strings.Contains(why, c.none) {
				t.Errorf("%s: %+v, %q; want %q", c.name, got, why, c.none)
			}
		case why != "":
			t.Errorf("%s: %s", c.name, why)
		case c.want.Empty():
			if got.confidence > 0.6 || !strings.Contains(got.what, "label itself") {
				t.Errorf("%s: %+v; want the label itself, with little confidence", c.name, got)
			}
		case got.box != c.want:
			t.Errorf("%s: %v (%s), want %v", c.name, got.box, got.what, c.want)
		}
	}
}

// TestPlaceMoved shifts and scales one chart: the place moves along.
func TestPlaceMoved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.IntRange(30, 300).Draw(t, "x"), rapid.IntRange(10, 100).Draw(t, "y")
		w, h := rapid.IntRange(8, 60).Draw(t, "w"), rapid.IntRange(6, 120).Draw(t, "h")
		s := newSketch(400, 260)
		bar := image.Rect(x, y, x+w, y+h)
		s.fill(bar, color.NRGBA{R: uint8(rapid.IntRange(0, 200).Draw(t, "r")), G: 30, B: 90, A: 255})
		s.word("March", x+w/2-17, y+h+rapid.IntRange(2, 12).Draw(t, "gap"), 1)
		if got, why := s.place("March"); got.box != bar {
			t.Fatalf("%v (%s), want %v", got, why, bar)
		}
	})
}

func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Grid{Patch: rapid.IntRange(1, 40).Draw(t, "patch"), MaxTokens: rapid.IntRange(1, 3000).Draw(t, "tokens"), MaxSide: rapid.IntRange(40, 2000).Draw(t, "side")}
		w, h := rapid.IntRange(1, 5000).Draw(t, "w"), rapid.IntRange(1, 5000).Draw(t, "h")
		nw, nh := g.Fit(w, h)
		if nw > w || nh > h || nw < 1 || nh < 1 {
			t.Fatalf("%d×%d became %d×%d", w, h, nw, nh)
		}
		if (nw > 1 && nh > 1) && (nw > g.MaxSide || nh > g.MaxSide || g.Tokens(nw, nh) > g.MaxTokens) {
			t.Fatalf("%d×%d on %+v became %d×%d, %d tokens", w, h, g, nw, nh, g.Tokens(nw, nh))
		}
	})
}

func TestModelReply(t *testing.T) {
	f := Frame{Image: image.NewNRGBA(image.Rect(0, 0, 100, 50)), Transform: Transform{X: 10, Y: 20, SX: 2, SY: 2}}
	marked := []bus.Element{{Role: "button", Name: "A", Box: bus.Box{X: 15, Y: 25, W: 10, H: 5}}}
	for _, c := range []struct {
		text  string
		found bool
		box   image.Rectangle
		err   string
	}{
		{`{"mark": 1}`, true, image.Rect(10, 10, 30, 20), ""},
		{"```json\n{\"x\": 99.5, \"y\": 0, \"confidence\": 0.4}\n```", true, image.Rect(99, 0, 100, 1), ""},
		{`{"found": false, "why": "two fit"}`, false, image.Rectangle{}, ""},
		{`{"mark": 2}`, false, image.Rectangle{}, "no box number 2"},
		{`{"mark": 0}`, false, image.Rectangle{}, "no box"},
		{`{"x": 100, "y": 1}`, false, image.Rectangle{}, "outside"},
		{`{"x": 1, "y": -1}`, false, image.Rectangle{}, "outside"},
		{`{"x": 1, "y": 1, "confidence": 3}`, false, image.Rectangle{}, "confidence"},
		{`{"x": 1}`, false, image.Rectangle{}, "neither"},
		{`{"x": 1, "y": 1, "click": true}`, false, image.Rectangle{}, "not the JSON"},
		{`{"mark": 1} {"mark": 1}`, false, image.Rectangle{}, "more than one"},
		{`It is at 10, 20.`, false, image.Rectangle{}, "not the JSON"},
		{``, false, image.Rectangle{}, "not the JSON"},
	} {
		a, err := readReply(c.text, f, marked)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if err != nil || a.Found != c.found || a.Box != c.box {
			t.Errorf("%s: %+v, %v", c.text, a, err)
		}
	}
}

func TestMark(t *testing.T) {
	f := Frame{Image: newSketch(200, 100).img, Transform: Transform{X: 50, Y: 50, SX: 1, SY: 1}}
	out, marked := mark(f, []bus.Element{
		{Ref: "e1", Box: bus.Box{X: 100, Y: 90, W: 40, H: 20}},
		{Ref: "e2", Box: bus.Box{X: 900, Y: 90, W: 40, H: 20}}, // not in the picture
		{Ref: "e3", Box: bus.Box{X: 160, Y: 90, W: 40, H: 20}},
	})
	if len(marked) != 2 || marked[1].Ref != "e3" {
		t.Errorf("marked %+v", marked)
	}
	if out.Image.NRGBAAt(49, 50) != markColours[0] || out.Image.NRGBAAt(109, 50) != markColours[1] {
		t.Error("there is no frame around an element")
	}
	if out.Image.NRGBAAt(60, 55) != f.Image.NRGBAAt(60, 55) {
		t.Error("the frame hides what is in it")
	}
	if f.Image.NRGBAAt(49, 50) == markColours[0] {
		t.Error("the frame given was drawn on")
	}
}

func FuzzParseTSV(f *testing.F) {
	f.Add("5\t1\t2\t1\t1\t1\t36\t92\t60\t10\t96.5\tMarch\n")
	f.Add("level\tpage_num\n5\t1\t1\t1\t1\t1\t-1\t0\t0\t0\tNaN\tx\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range parseTSV(s) {
			if w.Text == "" || w.Box.Empty() || !(w.Confidence >= 0 && w.Confidence <= 1) {
				t.Fatalf("%+v", w)
			}
		}
	})
}

func TestParseTSV(t *testing.T) {
	got := parseTSV("level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n" +
		"4\t1\t1\t1\t1\t0\t0\t0\t90\t10\t-1\t\n" +
		"5\t1\t1\t1\t1\t1\t10\t20\t30\t12\t91.5\tMarch\n" +
		"5\t1\t1\t1\t1\t2\t50\t20\t30\t12\t80\t2026\n" +
		"5\t1\t2\t1\t1\t1\t50\t90\t30\t12\t-1\tghost\n" +
		"5\t1\t2\t1\t1\t1\t50\t90\t30\t12\t70\tApril\n")
	if len(got) != 3 || got[0].Text != "March" || got[0].Confidence != 0.915 || got[0].Line != got[1].Line || got[2].Line == got[0].Line ||
		got[0].Box != image.Rect(10, 20, 40, 32) {
		t.Errorf("%+v", got)
	}
}
