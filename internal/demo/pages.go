package demo

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"
)

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

// pages holds the parsed templates by name, "login" for templates/login.html.
type pages map[string]*template.Template

func loadPages() (pages, error) {
	funcs := template.FuncMap{"pounds": pounds, "pence": pence, "day": day, "last": func(i, n int) bool { return i == n-1 }}
	layout, err := template.New("").Funcs(funcs).ParseFS(templateFiles, "templates/layout.html")
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	entries, err := templateFiles.ReadDir("templates")
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	out := pages{}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".html")
		t, err := layout.Clone()
		if err == nil {
			t, err = t.ParseFS(templateFiles, "templates/"+e.Name())
		}
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		out[name] = t
	}
	return out, nil
}

// A view is what every template gets.
type view struct {
	Title  string
	Nav    string // the current entry of the navigation
	Script string // static/NAME.js
	Email  string // "" for a visitor
	PayURL string
	Today  string
	Data   any
}

// render writes a page. The root template is "app" (with navigation) or, for
// visitors and bare pages, "plain".
func (s *Server) render(w http.ResponseWriter, root, name string, v view) {
	v.PayURL, v.Today = s.payURL, s.opt.Today.Format(time.DateOnly)
	if root == "app" {
		v.Email = Email
	}
	var b bytes.Buffer
	if err := s.pages[name].ExecuteTemplate(&b, root, v); err != nil {
		http.Error(w, "the page can't be shown", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = b.WriteTo(w)
}

func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func pounds(n int) string { return "£" + grouped(n) }

func pence(n int) string { return fmt.Sprintf("£%s.%02d", grouped(n/100), n%100) }

// day writes an ISO date as a person does.
func day(iso string) string {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return iso
	}
	return t.Format("2 January 2006")
}
