package playbook

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is read now into testdata; look at every line of the difference")

// TestSentences reads testdata/sentences.txt: a sentence a line, and below it,
// after "=>", what a person means by it. "=> ! words" is a sentence that must be
// refused, naming the words.
func TestSentences(t *testing.T) {
	const file = "testdata/sentences.txt"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	read, refused := 0, 0
	var out []string
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		out = append(out, line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		want := ""
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\t=> ") {
			want = strings.TrimPrefix(lines[i+1], "\t=> ")
			i++
		}
		got := ""
		cs, err := Read(Source{Text: line, File: "s.yaml", Line: i})
		if err != nil {
			var u *Unreadable
			if !errors.As(err, &u) || u.Why == "" || !strings.Contains(err.Error(), "s.yaml:") {
				t.Errorf("%s: the error says too little: %v", line, err)
			}
			if u != nil {
				got = "! " + u.Words
			}
			refused++
		} else {
			got = notation(cs)
			read++
			for _, c := range cs {
				if c.Intent.Risk == "" || c.Intent.Text == "" || c.Text == "" {
					t.Errorf("%s: an intent without risk or words", line)
				}
			}
		}
		if *update {
			out = append(out, "\t=> "+got)
			continue
		}
		if got != want {
			t.Errorf("line %d: %s\n got %s\nwant %s\n err %v", i, line, got, want, err)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if read < 300 || refused < 30 {
		t.Errorf("%d sentences read and %d refused; the table has lost some", read, refused)
	}
}
