package vision

import (
	"context"
	"fmt"
	"image"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// A Question is what a reader is asked about a picture.
type Question struct {
	Kind  bus.EscalationKind
	Label string // what to find: "March"
	Words string // the person's words that led here
	// Chart is true where the label names a shape (a bar) rather than itself.
	Chart bool
	// Marks are the elements with numbers in the picture; the first has 1.
	Marks []bus.Element
}

// An Answer is what a reader found. Box is in the pixels of the picture given.
type Answer struct {
	Found      bool
	Box        image.Rectangle
	Confidence float64 // 0 to 1
	Read       []string
	Tokens     int // what reading cost, 0 for a reader without a model
	// Says is one sentence on what was found, or why nothing was.
	Says string
}

// A Reader finds something in a picture. Implementations are safe for
// concurrent use, return when ctx ends, and answer Found false where nothing
// or more than one thing fits; an error means that they could not look.
type Reader interface {
	// Name says what read the picture, "tesseract" or "provider/model".
	Name() string
	// Marks tells whether numbered boxes in the picture help this reader.
	Marks() bool
	// Fit returns the size a picture of w×h pixels should have for this reader.
	Fit(w, h int) (int, int)
	Read(ctx context.Context, picture Frame, q Question) (Answer, error)
}

var (
	_ Reader = (*TextReader)(nil)
	_ Reader = (*ModelReader)(nil)
)

// A TextReader reads with the tesseract program and finds shapes by colour: the
// default, without a model.
type TextReader struct{ ocr ocr }

// NewTextReader returns a reader that runs the program ("" is "tesseract") for
// texts in the language ("" is "eng").
func NewTextReader(program, language string) *TextReader {
	if program == "" {
		program = "tesseract"
	}
	if language == "" {
		language = "eng"
	}
	return &TextReader{ocr: ocr{program: program, lang: language}}
}

// Name implements Reader.
func (t *TextReader) Name() string { return "tesseract" }

// Marks implements Reader: drawn boxes only disturb it.
func (t *TextReader) Marks() bool { return false }

// Fit implements Reader: it takes pictures as they are, up to its limit.
func (t *TextReader) Fit(w, h int) (int, int) {
	return Grid{Patch: 1, MaxTokens: maxOCRPixels, MaxSide: 8000}.Fit(w, h)
}

// Read implements Reader.
func (t *TextReader) Read(ctx context.Context, f Frame, q Question) (Answer, error) {
	var (
		a   Answer
		s   spot
		why string
	)
	// A second way of taking the picture apart finds some of what the first
	// one missed; it is tried only then.
	for _, l := range []layout{sparse, block} {
		words, err := t.ocr.Words(ctx, f, l)
		if err != nil {
			return Answer{}, err
		}
		a.Read = append(a.Read, texts(words)...)
		if s, why = place(f, words, q.Label, q.Chart); why == "" || len(findLabel(words, q.Label)) > 0 {
			break
		}
	}
	if why != "" {
		a.Says = why
		return a, nil
	}
	a.Found, a.Box, a.Confidence = true, s.box, s.confidence
	a.Says = fmt.Sprintf("%q found: %s", q.Label, s.what)
	return a, nil
}

// texts joins words into the lines that were read.
func texts(words []Word) []string {
	var out []string
	line := -1
	for _, w := range words {
		if w.Line == line && len(out) > 0 {
			out[len(out)-1] += " " + w.Text
			continue
		}
		line = w.Line
		out = append(out, w.Text)
	}
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}
