package secret_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quartet-agents/quartet/internal/secret"
)

func TestExpand(t *testing.T) {
	src := secret.Map(map[string]string{"A": "alpha", "B_2": "$1${secret:A}"})
	for _, c := range []struct {
		in, want, missing string
		used              bool
	}{
		{"plain", "plain", "", false},
		{"${secret:A}", "alpha", "", true},
		{"x ${secret:A} y ${secret:A}", "x alpha y alpha", "", true},
		{"${secret:B_2}", "$1${secret:A}", "", true}, // a value is never expanded again
		{"${secret:C}", "", "C", true},
		{"${SECRET:A}", "${SECRET:A}", "", false},
		{"${secret:}", "${secret:}", "", false},
	} {
		got, used, err := secret.Expand(c.in, src)
		var miss *secret.MissingError
		if errors.As(err, &miss) != (c.missing != "") || (miss != nil && miss.Name != c.missing) {
			t.Errorf("%q: error %v, want missing %q", c.in, err, c.missing)
		}
		if got != c.want || used != c.used {
			t.Errorf("%q: %q %v, want %q %v", c.in, got, used, c.want, c.used)
		}
	}
	if _, _, err := secret.Expand("${secret:A}", nil); err == nil {
		t.Error("a nil source gave a value")
	}
}

func TestParse(t *testing.T) {
	in := "\ufeff# head\n\nA=1\nexport B = two words # note\nC='raw $X \\n'\nD=\"a\\nb \\\"q\\\"\" # c\nE=\nF=a#b\r\nG=\"x\" \n"
	got, err := secret.Parse(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"A": "1", "B": "two words", "C": `raw $X \n`, "D": "a\nb \"q\"", "E": "", "F": "a#b", "G": "x"}
	if !maps.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for _, bad := range []string{"novalue", "1A=x", "A='open", `A="open`, `A="x" y`, "=x"} {
		if _, err := secret.Parse(strings.NewReader("OK=1\n" + bad)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: error %v, want one that names line 2", bad, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("A=sesame\nB='x'\n")
	f.Fuzz(func(t *testing.T, v string) {
		// What is written quoted is read back whole.
		if !strings.ContainsAny(v, "\n\r") && len(v) < 1000 {
			q := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
			m, err := secret.Parse(strings.NewReader("K=" + q))
			if err != nil || m["K"] != v {
				t.Fatalf("%s read as %s, %v", strconv.Quote(v), strconv.Quote(m["K"]), err)
			}
		}
		_, err := secret.Parse(strings.NewReader(v))
		if err != nil && len(v) > 12 && strings.Contains(err.Error(), v) {
			t.Fatal("an error shows the content")
		}
	})
}

func TestSources(t *testing.T) {
	p := filepath.Join(t.TempDir(), ".env")
	if _, err := secret.File(p); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("missing file: %v", err)
	}
	if err := os.WriteFile(p, []byte("FROM_FILE=f\nBOTH=file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := secret.File(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("BOTH", "env")
	t.Setenv("OTHER", "o")
	src := secret.First(secret.Environment("BOTH"), nil, file)
	for name, want := range map[string]string{"BOTH": "env", "FROM_FILE": "f", "OTHER": ""} {
		if got, ok := src(name); got != want || ok != (want != "") {
			t.Errorf("%s = %q %v", name, got, ok)
		}
	}
	if got := secret.Missing(src, []string{"BOTH", "OTHER"}); !slices.Equal(got, []string{"OTHER"}) {
		t.Errorf("missing %q", got)
	}
	if got := secret.Names("${secret:A} ${secret:B}", "${secret:A}"); !slices.Equal(got, []string{"A", "B"}) {
		t.Errorf("names %q", got)
	}
	if got := secret.Mask("key sesame, abc", []string{"sesame", "abc"}); got != "key •••, abc" {
		t.Errorf("mask %q", got)
	}
}
