package vision

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os/exec"
	"strconv"
	"strings"

	"github.com/disintegration/imaging"
)

// A Word is one word that was read in a picture. Box is in picture pixels.
type Word struct {
	Text string
	Box  image.Rectangle
	// Confidence is what the reader says of it, 0 to 1.
	Confidence float64
	// Line tells which line of text it stands in; equal numbers, same line.
	Line int
}

// ErrNoTesseract is returned when the OCR program is not on the machine.
var ErrNoTesseract = errors.New("vision: tesseract is not installed; install it with: apt-get install tesseract-ocr tesseract-ocr-eng")

// maxOCRPixels bounds what is given to tesseract, whose time follows the area.
const maxOCRPixels = 12_000_000

// ocr reads text with the tesseract program. It is safe for concurrent use.
type ocr struct {
	program string // "tesseract"
	lang    string // "eng"
}

// textScale returns by how much a frame is enlarged before reading. Tesseract
// wants capitals of about 30 pixels, and a page's labels are 9 to 16 CSS pixels
// high, so a frame is brought to about 3 pixels per CSS pixel.
func textScale(f Frame) float64 {
	k := min(max(3/f.Transform.SX, 1), 3)
	w, h := f.Size()
	for k > 1 && float64(w)*k*float64(h)*k > maxOCRPixels {
		k = max(1, k-0.25)
	}
	return k
}

// A layout is how tesseract is told to take a picture apart.
type layout string

const (
	sparse layout = "11" // words anywhere, as in a chart
	block  layout = "6"  // lines one below the other
)

// margin is put around a picture, in pixels: letters at the edge are missed.
const margin = 24

// Words reads the frame's text. Boxes are in the pixels of f.
func (o ocr) Words(ctx context.Context, f Frame, l layout) ([]Word, error) {
	k := textScale(f)
	w, h := f.Size()
	big := f.Resize(scaled(w, k), scaled(h, k))
	bw, bh := big.Size()
	edge := commonest(big.Image)
	framed := imaging.New(bw+2*margin, bh+2*margin, color.NRGBA{R: edge[0], G: edge[1], B: edge[2], A: 0xff})
	data, err := Frame{Image: imaging.Paste(framed, big.Image, image.Pt(margin, margin))}.PNG()
	if err != nil {
		return nil, err
	}
	words, err := o.run(ctx, data, l)
	if err != nil {
		return nil, err
	}
	fx, fy := big.Transform.SX/f.Transform.SX, big.Transform.SY/f.Transform.SY
	for i := range words {
		b := words[i].Box.Sub(image.Pt(margin, margin))
		words[i].Box = image.Rect(
			int(float64(b.Min.X)/fx), int(float64(b.Min.Y)/fy),
			int(float64(b.Max.X)/fx+0.999), int(float64(b.Max.Y)/fy+0.999)).Intersect(f.Image.Bounds())
	}
	return words, nil
}

func (o ocr) run(ctx context.Context, png []byte, l layout) ([]Word, error) {
	cmd := exec.CommandContext(ctx, o.program, "-", "-", "-l", o.lang, "--psm", string(l), "tsv")
	// One thread: OpenMP's spinning costs more than it gains on small pictures.
	cmd.Env = append(cmd.Environ(), "OMP_THREAD_LIMIT=1")
	cmd.Stdin = bytes.NewReader(png)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("vision: reading text took too long: %w", ctx.Err())
		case errors.Is(err, exec.ErrNotFound):
			return nil, ErrNoTesseract
		}
		msg := strings.TrimSpace(errs.String())
		if len(msg) > 300 {
			msg = msg[:300]
		}
		return nil, fmt.Errorf("vision: tesseract: %w: %s", err, msg)
	}
	return parseTSV(out.String()), nil
}

// parseTSV reads tesseract's table of words. Lines that are no words are left
// out; what can't be read is too.
func parseTSV(s string) []Word {
	var words []Word
	lines := map[string]int{}
	for row := range strings.Lines(s) {
		f := strings.Split(strings.TrimRight(row, "\r\n"), "\t")
		if len(f) != 12 || f[0] != "5" {
			continue
		}
		text := strings.TrimSpace(f[11])
		conf, err := strconv.ParseFloat(f[10], 64)
		if text == "" || err != nil || !(conf >= 0) {
			continue
		}
		var n [4]int
		ok := true
		for i := range n {
			v, err := strconv.Atoi(f[6+i])
			ok = ok && err == nil && v >= 0 && v < 1<<20
			n[i] = v
		}
		if !ok || n[2] == 0 || n[3] == 0 {
			continue
		}
		key := strings.Join(f[1:5], ".")
		if _, seen := lines[key]; !seen {
			lines[key] = len(lines)
		}
		words = append(words, Word{
			Text: text, Box: image.Rect(n[0], n[1], n[0]+n[2], n[1]+n[3]),
			Confidence: min(conf/100, 1), Line: lines[key],
		})
	}
	return words
}
