package aria_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/quartet-agents/quartet/observer/aria"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A section of a golden file: "-- name --" and what follows.
type section struct{ name, text string }

func readGolden(t *testing.T, path string) (comment string, sections []section) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.SplitAfter(string(data), "\n") {
		s := strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(s, "-- ") && strings.HasSuffix(s, " --") && isSectionName(s[3:len(s)-3]):
			sections = append(sections, section{name: s[3 : len(s)-3]})
		case len(sections) == 0:
			comment += line
		default:
			sections[len(sections)-1].text += line
		}
	}
	return comment, sections
}

// isSectionName keeps the compact form's own "-- offscreen --" apart.
func isSectionName(s string) bool {
	for _, p := range []string{"tree.json", "next.json", "compact", "playwright", "delta", "find"} {
		if s == p || strings.HasPrefix(s, p+" ") && (p == "compact" || p == "playwright" || p == "find") {
			return true
		}
	}
	return false
}

// A golden file holds tree.json, maybe next.json, and what is made of them:
// compact, compact BUDGET, playwright, delta, find QUERY.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			comment, sections := readGolden(t, path)
			var tree, next *aria.Tree
			var out bytes.Buffer
			out.WriteString(comment)
			for _, s := range sections {
				want := s.text
				got := want
				kind, arg, _ := strings.Cut(s.name, " ")
				switch kind {
				case "tree.json":
					tree = parseTree(t, s.text)
				case "next.json":
					next = parseTree(t, s.text)
				case "compact", "playwright":
					budget := 0
					if arg != "" {
						if budget, err = strconv.Atoi(arg); err != nil {
							t.Fatal(err)
						}
					}
					r := aria.Render(tree, aria.Format(kind), aria.RenderOptions{Budget: budget})
					if budget > 0 && r.Tokens > budget {
						t.Errorf("%s: %d tokens", s.name, r.Tokens)
					}
					if kind == "playwright" {
						var v any
						if err := yaml.Unmarshal([]byte(r.Text), &v); err != nil {
							t.Errorf("not YAML: %v", err)
						}
					}
					got = r.Text
				case "delta":
					got = aria.RenderDelta(aria.Diff(tree, next), aria.RenderOptions{}).Text + "\n"
				case "find":
					got = aria.Find(tree, arg, aria.FindOptions{}).Text + "\n"
				}
				if !*update && got != want {
					t.Errorf("%s:\ngot:\n%s\nwant:\n%s", s.name, got, want)
				}
				out.WriteString("-- " + s.name + " --\n" + got)
			}
			if *update {
				if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func parseTree(t *testing.T, text string) *aria.Tree {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var tree aria.Tree
	if err := d.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	return &tree
}
