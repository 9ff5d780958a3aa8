package report

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"os"
	"path/filepath"
	"strings"
	texttemplate "text/template"

	"github.com/quartet-agents/quartet/bus"
)

var (
	//go:embed report.html.tmpl
	htmlText string
	//go:embed report.md.tmpl
	mdText string
	//go:embed report.css
	css string
)

// Write renders report.md and report.html into the run's folder and returns the
// path of report.html. The HTML is one file: pictures, taken from blobs, are
// inside, and it loads nothing. A picture that is gone is left out.
func Write(ctx context.Context, dir string, s *bus.RunState, blobs bus.Store) (string, error) {
	v := newView(ctx, s, blobs)
	page, err := renderHTML(v)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "report.html")
	if err := os.WriteFile(path, page, 0o644); err != nil {
		return "", err
	}
	text, err := renderMarkdown(v)
	if err != nil {
		return "", err
	}
	return path, os.WriteFile(filepath.Join(dir, "report.md"), text, 0o644)
}

func renderHTML(v *view) ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{"css": func() template.CSS { return template.CSS(css) }}).Parse(htmlText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, v)
	return b.Bytes(), err
}

func renderMarkdown(v *view) ([]byte, error) {
	t, err := texttemplate.New("report").Funcs(texttemplate.FuncMap{"line": markdownLine, "fence": fence}).Parse(mdText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, v)
	return b.Bytes(), err
}

// markdownLine keeps page text from becoming Markdown or HTML.
func markdownLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "|", `\|`, "#", `\#`).Replace(s)
}

// fence is a code fence longer than any in the text.
func fence(s string) string {
	f := "```"
	for strings.Contains(s, f) {
		f += "`"
	}
	return f
}
