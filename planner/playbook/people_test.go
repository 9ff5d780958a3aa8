package playbook

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPeople holds what is read to what people meant: testdata/people.txt and
// people_checks.txt are written by hand, each expectation before the sentence was
// first run, and there is no way to write them from what the parser says. "||"
// separates readings that come to the same; "!" alone is a refusal, also as one
// of several.
//
// A clear sentence that is refused would be a pity; one that is read as something
// else would click it. Both fail here, counted apart.
func TestPeople(t *testing.T) {
	read := func(line string) (string, error) {
		cs, err := Read(Source{Text: line, File: "p.yaml", Line: 1})
		return notation(cs), err
	}
	checks := func(line string) (string, error) {
		es, err := ReadChecks(line)
		return noteChecks(es), err
	}
	n := people(t, "testdata/people.txt", read) + people(t, "testdata/people_checks.txt", checks)
	if n < 300 {
		t.Errorf("%d sentences; the tables have lost some", n)
	}
}

func people(t *testing.T, file string, read func(string) (string, error)) int {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	right, misread, refused := 0, 0, 0
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		i++
		if i == len(lines) || !strings.HasPrefix(lines[i], "\t=> ") {
			t.Fatalf("%s:%d: a sentence without what it means", file, i)
		}
		var want []string
		for _, w := range strings.Split(strings.TrimPrefix(lines[i], "\t=> "), "||") {
			want = append(want, strings.TrimSpace(w))
		}
		got, err := read(line)
		var u *Unreadable
		switch {
		case err != nil && (!errors.As(err, &u) || u.Why == "" || u.Words == ""):
			t.Errorf("%s:%d: %s\n  the refusal says too little: %v", file, i, line, err)
		case err != nil && slices.Contains(want, "!"), err == nil && slices.Contains(want, got):
			right++
		case err != nil:
			refused++
			t.Errorf("%s:%d: refused: %s\n  %v\n  want %s", file, i, line, err, strings.Join(want, " || "))
		default:
			misread++
			t.Errorf("%s:%d: MISREAD: %s\n   got %s\n  want %s", file, i, line, got, strings.Join(want, " || "))
		}
	}
	t.Logf("%s: %d as meant, %d misread, %d refused", file, right, misread, refused)
	return right + misread + refused
}
