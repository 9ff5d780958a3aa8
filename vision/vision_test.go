package vision

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
)

// TestChart looks for bars on a real canvas with the real OCR program, clicks
// where it is told, and asks the page what was clicked.
func TestChart(t *testing.T) {
	s := newStage(t, chartPage)
	s.serve(Options{})
	for dpr, labels := range map[float64][]string{1: {"March", "October"}, 1.5: {"October"}, 2.5: {"March"}} {
		s.screen(1000, 700, dpr)
		var scroll float64 = 40 * dpr
		s.js(nil, `(y) => new Promise(done => { scrollTo(0, y); requestAnimationFrame(() => requestAnimationFrame(done)) })`, scroll)
		for _, label := range labels {
			reply, err := bus.Call[bus.LookRequest, bus.LookReply](s.ctx, s.bus, bus.VerbLook, &s.session, bus.LookRequest{
				Session: s.session, Kind: bus.EscalateCanvas, Trigger: "Click the " + label + " bar in the chart", Ref: "e1", Label: label})
			if err != nil {
				t.Fatalf("dpr %v, %s: %v", dpr, label, err)
			}
			e := reply.Escalation
			if !reply.Found || reply.Confidence < 0.5 {
				t.Errorf("dpr %v, %s: not found: %s; read %q", dpr, label, e.Outcome, reply.Read)
				continue
			}
			s.click(reply.At)
			var hit string
			s.js(&hit, `() => document.querySelector("output").textContent`)
			if hit != label {
				t.Errorf("dpr %v: the page says that %q was hit at %v, not %q (%s)", dpr, hit, reply.At, label, e.Outcome)
			}
			if e.Kind != bus.EscalateCanvas || e.Backend != "tesseract" || e.Width < 600 || e.Tokens != 0 || e.Outcome == "" || e.Trigger == "" {
				t.Errorf("the escalation says too little: %+v", e)
			}
			data, err := s.bus.Blobs().Get(s.ctx, e.Blob)
			if err != nil {
				t.Fatalf("the picture that was read: %v", err)
			}
			if c, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width != e.Width || c.Height != e.Height {
				t.Errorf("the picture kept is %v (%v), the escalation says %d×%d", c, err, e.Width, e.Height)
			}
			t.Logf("dpr %v %s: %d×%d, %d ms, confidence %.2f, %s", dpr, label, e.Width, e.Height, e.Millis, reply.Confidence, e.Outcome)
		}
	}
	// What is not there is not found, and costs no guess.
	reply, err := bus.Call[bus.LookRequest, bus.LookReply](s.ctx, s.bus, bus.VerbLook, &s.session, bus.LookRequest{
		Session: s.session, Kind: bus.EscalateCanvas, Trigger: "t", Ref: "e1", Label: "Blockchain"})
	if err != nil || reply.Found || reply.Escalation.Outcome == "" {
		t.Errorf("an absent label: %+v, %v", reply, err)
	}
}

// TestMapping puts a dot at a random place, and finds it in a picture of a
// random region: mapped back it must lie within one CSS pixel of where the
// page says it is, at any device pixel ratio, scroll, density and size.
func TestMapping(t *testing.T) {
	s := newStage(t, dotsPage)
	r := rand.New(rand.NewPCG(7, 8))
	worst := 0.0
	for _, dpr := range []float64{1, 1.25, 1.5, 2, 2.625, 3} {
		s.screen(900, 600, dpr)
		for range 4 {
			x, y := r.Float64()*2500, r.Float64()*3500
			sx, sy := math.Max(0, x-r.Float64()*700), math.Max(0, y-r.Float64()*400)
			var at bus.Point
			s.js(&at, `(x, y, sx, sy) => new Promise(done => {
				document.querySelector("div")?.remove();
				const d = document.createElement("div");
				d.style.cssText = "position:absolute;width:8px;height:8px;background:#f00;left:" + x + "px;top:" + y + "px";
				document.body.append(d);
				scrollTo(sx, sy);
				requestAnimationFrame(() => requestAnimationFrame(() => {
					const r = d.getBoundingClientRect();
					done({x: r.x + r.width / 2, y: r.y + r.height / 2});
				}));
			})`, x, y, sx, sy)
			region := bus.Box{X: at.X - 20 - r.Float64()*200, Y: at.Y - 20 - r.Float64()*100, W: 60 + r.Float64()*400, H: 60 + r.Float64()*300}
			region.W, region.H = math.Max(region.W, at.X+20-region.X), math.Max(region.H, at.Y+20-region.Y)
			density := []float64{0, 1, 2, 1.7}[r.IntN(4)]
			f, err := capture(s.ctx, s.tab.Session(), region, dpr, density)
			if err != nil {
				t.Fatal(err)
			}
			w, h := f.Size()
			k := 0.6 + r.Float64()
			for _, g := range []Frame{f, f.Resize(scaled(w, k), scaled(h, k)), f.Crop(f.Transform.BoxToPicture(bus.Box{X: at.X - 15, Y: at.Y - 15, W: 31, H: 31}))} {
				cx, cy, n := redCentre(g.Image)
				if n == 0 {
					t.Fatalf("dpr %v: no dot in the picture of %v", dpr, region)
				}
				p := g.Transform.ToPage(cx, cy)
				off := math.Max(math.Abs(p.X-at.X), math.Abs(p.Y-at.Y))
				worst = math.Max(worst, off)
				if off > 1 {
					t.Fatalf("dpr %v density %v scroll %v,%v: mapped to %v, the page says %v", dpr, density, sx, sy, p, at)
				}
				bx, by := g.Transform.ToPicture(p)
				if math.Abs(bx-cx)+math.Abs(by-cy) > 1e-6 {
					t.Fatalf("there and back again is %v,%v, not %v,%v", bx, by, cx, cy)
				}
			}
		}
	}
	t.Logf("worst error %.2f CSS px", worst)
}

// redCentre is the centre of mass of what is red in a picture.
func redCentre(img *image.NRGBA) (x, y float64, n int) {
	var sum float64
	b := img.Bounds()
	for j := b.Min.Y; j < b.Max.Y; j++ {
		for i := b.Min.X; i < b.Max.X; i++ {
			o := img.PixOffset(i, j)
			red := float64(int(img.Pix[o])-int(img.Pix[o+1])) / 255
			if red > 0.1 {
				x, y, sum, n = x+red*(float64(i)+0.5), y+red*(float64(j)+0.5), sum+red, n+1
			}
		}
	}
	return x / sum, y / sum, n
}

// TestScreenshot paints secrets over: not one pixel of the field's own colour
// is left, and what is beside it is.
func TestScreenshot(t *testing.T) {
	s := newStage(t, `<!doctype html><body style="margin:0;background:#fff">
		<div style="position:absolute;left:100px;top:80px;width:200px;height:30px;background:#f00"></div>
		<div style="position:absolute;left:100px;top:200px;width:50px;height:30px;background:#00f"></div>`)
	s.serve(Options{})
	s.masked = []aria.Box{{X: 100, Y: 80, W: 200, H: 30}}
	for _, dpr := range []float64{1, 2} {
		s.screen(800, 600, dpr)
		reply, err := bus.Call[bus.ScreenshotRequest, bus.ScreenshotReply](s.ctx, s.bus, bus.VerbScreenshot, &s.session, bus.ScreenshotRequest{Session: s.session})
		if err != nil {
			t.Fatal(err)
		}
		data, err := s.bus.Blobs().Get(s.ctx, reply.Blob)
		if err != nil {
			t.Fatal(err)
		}
		img, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if reply.Width != 800 || reply.Height != 600 || img.Bounds().Dx() != 800 {
			t.Errorf("the picture is %v, said to be %d×%d", img.Bounds(), reply.Width, reply.Height)
		}
		if _, _, n := redCentre(img); n > 0 {
			t.Errorf("dpr %v: %d pixels of the secret are left", dpr, n)
		}
		if c := img.NRGBAAt(120, 215); c.B < 200 || c.R > 60 {
			t.Errorf("what is no secret is gone: %v", c)
		}
	}
	s.stale = true
	if _, err := bus.Call[bus.ScreenshotRequest, bus.ScreenshotReply](s.ctx, s.bus, bus.VerbScreenshot, &s.session, bus.ScreenshotRequest{Session: s.session}); err == nil {
		t.Error("a picture was taken of a page whose secrets nobody can place")
	}
	s.stale, s.dialog = false, &bus.Dialog{Type: "alert", Message: "Hi"}
	_, err := bus.Call[bus.ScreenshotRequest, bus.ScreenshotReply](s.ctx, s.bus, bus.VerbScreenshot, &s.session, bus.ScreenshotRequest{Session: s.session})
	if e := (*bus.Error)(nil); !errors.As(err, &e) || e.Code != "dialog_open" || e.Decision != bus.Retry {
		t.Errorf("with an open dialog: %v", err)
	}
}

// TestFallback asks the model where the text reader finds nothing, gives it
// numbered boxes, and maps its point back.
func TestFallback(t *testing.T) {
	s := newStage(t, chartPage)
	m := &fakeModel{answers: []string{"I think it is there", `{"x": 100, "y": 50, "confidence": 0.9}`}}
	s.serve(Options{Reader: NewTextReader("no-such-program", ""), Fallback: NewModelReader(m, Grid{Patch: 28, MaxTokens: 200, MaxSide: 400})})
	s.screen(1000, 700, 1)
	reply, err := bus.Call[bus.LookRequest, bus.LookReply](s.ctx, s.bus, bus.VerbLook, &s.session, bus.LookRequest{
		Session: s.session, Kind: bus.EscalateCanvas, Trigger: "t", Ref: "e1", Label: "March"})
	if err != nil {
		t.Fatal(err)
	}
	e := reply.Escalation
	if !reply.Found || e.Backend != "fake/model" || e.Tokens != 2*321 || e.Width > 400 || m.asked != 2 {
		t.Errorf("%+v, asked %d times", reply, m.asked)
	}
	// The canvas stands at 20, 170 and is 640 pixels wide.
	want := bus.Point{X: 20 + 100.5*640/float64(e.Width), Y: 170 + 50.5*320/float64(e.Height)}
	if math.Abs(reply.At.X-want.X) > 1 || math.Abs(reply.At.Y-want.Y) > 1 {
		t.Errorf("the point is %v, want %v", reply.At, want)
	}
}

func TestNoTesseract(t *testing.T) {
	f := Frame{Image: image.NewNRGBA(image.Rect(0, 0, 20, 20)), Transform: Transform{SX: 1, SY: 1}}
	if _, err := NewTextReader("no-such-program", "").Read(within(t, 5e9), f, Question{Label: "x"}); !errors.Is(err, ErrNoTesseract) || !strings.Contains(err.Error(), "apt-get install") {
		t.Errorf("without the program: %v", err)
	}
}

type fakeModel struct {
	answers []string
	asked   int
	png     []byte
}

func (m *fakeModel) Name() string { return "fake/model" }
func (m *fakeModel) See(_ context.Context, _, _ string, data []byte) (string, int, error) {
	m.png = data
	m.asked++
	return m.answers[min(m.asked, len(m.answers))-1], 321, nil
}
