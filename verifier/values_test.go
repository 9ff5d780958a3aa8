package verifier

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestCompareValues(t *testing.T) {
	for _, c := range []struct {
		want, got, hint string
		same, doubt     bool
	}{
		{"Ada", "Ada", "", true, false},
		{"Ada  Lovelace", "Ada\u00a0Lovelace ", "", true, false},
		{"line one\nline two", "line one\r\nline two", "", true, false},
		{"ada", "Ada", "", false, false},
		{"Ada", "Adam", "", false, false},
		{"", "x", "", false, false},
		// Dates.
		{"2026-03-15", "15 March 2026", "", true, false},
		{"2026-03-15", "Sunday, 15 March 2026", "", true, false},
		{"2026-03-15", "March 15, 2026", "", true, false},
		{"2026-03-15", "Mar 15, 2026", "", true, false},
		{"2026-03-15", "Sun, Mar 15th, 2026", "", true, false},
		{"2026-03-15", "15.03.2026", "", true, false},
		{"2026-03-15", "03/15/2026", "", true, false},
		{"2026-03-15", "15/03/2026", "", true, false},
		{"2026-03-15", "3/15/26", "", true, false},
		{"2026-03-15", "14 March 2026", "", false, false},
		{"2026-03-15", "15 May 2026", "", false, false},
		{"2026-03-15", "15 March 2025", "", false, false},
		{"2026-03-04", "03/04/2026", "", true, true},
		{"2026-04-03", "03/04/2026", "", true, true},
		{"2026-03-04", "03/04/2026", "MM/DD/YYYY", true, false},
		{"2026-04-03", "03/04/2026", "MM/DD/YYYY", false, false},
		{"2026-04-03", "03/04/2026", "dd/mm/yyyy", true, false},
		{"2026-03-03", "03/03/2026", "", true, false},
		{"2026-03-15T14:30", "15 March 2026, 2:30 PM", "", true, false},
		{"2026-03-15T14:30", "15 March 2026, 2:30 AM", "", false, false},
		{"2026-02-30", "30 February 2026", "", false, false},
		{"14:30", "2:30 pm", "", true, false},
		{"12:05", "12:05 am", "", false, false},
		// Numbers.
		{"1200", "1,200.00", "", true, false},
		{"1200", "1.200,00", "", true, false},
		{"1200", "1\u202f200", "", true, false},
		{"1200", "$1,200", "", true, false},
		{"1200.5", "1.200,50 €", "", true, false},
		{"1200", "1200.01", "", false, false},
		{"1200", "12000", "", false, false},
		{"1.2", "12", "", false, false},
		{"-5", "5", "", false, false},
		{"-5", "(5)", "", true, false},
		{"-5", "\u22125", "", true, false},
		{"5", "5%", "", true, false},
		{"$5", "€5", "", false, false},
		{"1,200", "1.2", "", false, false},
		{"007", "7", "", false, false},
		{"01234", "1234", "", false, false},
		// Masks.
		{"4242424242424242", "4242 4242 4242 4242", "", true, false},
		{"5551234567", "(555) 123-4567", "", true, false},
		{"1227", "12 / 27", "", true, false},
		{"1227", "12.27", "", false, false},
		{"1227", "-1227", "", false, false},
		{"4242424242424242", "4242 4242 4242 424", "", false, false},
		{"12345678", "1234-5679", "", false, false},
	} {
		got := compareValues(c.want, c.got, c.hint)
		if got.same != c.same || (got.doubt != "") != c.doubt {
			t.Errorf("compareValues(%q, %q, %q) = %+v, want same %v, doubt %v", c.want, c.got, c.hint, got, c.same, c.doubt)
		}
	}
}

// TestDatesRandom writes days in many forms and reads them back; the oracle is
// the standard library's formatter.
func TestDatesRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	forms := []string{"2 January 2006", "January 2, 2006", "Jan 2, 2006", "Mon, 02 Jan 2006", "Monday, January 2, 2006",
		"02.01.2006", "2006/01/02", "2006-01-02", "2-Jan-2006", "2 Jan 2006"}
	for range 3000 {
		day := time.Date(1990+r.IntN(60), time.Month(1+r.IntN(12)), 1+r.IntN(31), 0, 0, 0, 0, time.UTC)
		other := day.AddDate(0, 0, 1+r.IntN(400))
		form := forms[r.IntN(len(forms))]
		if l := compareValues(day.Format(time.DateOnly), day.Format(form), ""); !l.same || l.doubt != "" {
			t.Fatalf("%s is not seen to be %q: %+v", day.Format(time.DateOnly), day.Format(form), l)
		}
		if l := compareValues(day.Format(time.DateOnly), other.Format(form), ""); l.same {
			t.Fatalf("%s passes for %q", other.Format(form), day.Format(time.DateOnly))
		}
	}
}

func TestNumbersRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	group := func(n int, sep string) string {
		s := fmt.Sprint(n)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + sep + s[i:]
		}
		return s
	}
	for range 3000 {
		whole, cents := r.IntN(10_000_000), 1+r.IntN(98)
		want := fmt.Sprintf("%d.%02d", whole, cents)
		for _, got := range []string{
			group(whole, ",") + fmt.Sprintf(".%02d", cents), group(whole, ".") + fmt.Sprintf(",%02d", cents),
			group(whole, " ") + fmt.Sprintf(",%02d", cents), "€ " + group(whole, "’") + fmt.Sprintf(".%02d", cents),
		} {
			if l := compareValues(want, got, ""); !l.same {
				t.Fatalf("%q is not seen to be %s", got, want)
			}
			wrong := strings.Replace(got, fmt.Sprintf("%02d", cents), fmt.Sprintf("%02d", cents+1), 1)
			if wrong != got && strings.HasSuffix(got, fmt.Sprintf("%02d", cents)) {
				wrong = got[:len(got)-2] + fmt.Sprintf("%02d", cents+1)
				if l := compareValues(want, wrong, ""); l.same {
					t.Fatalf("%q passes for %s", wrong, want)
				}
			}
		}
	}
}

// FuzzCompareValues holds what is always true: nothing panics, everything
// equals itself, and two values that are the same have the same digits.
func FuzzCompareValues(f *testing.F) {
	for _, s := range []string{"2026-03-15", "1,200.00", "(555) 123-4567", "Ada", "12:30 pm", "15.03.26", "1 200", "\u200b"} {
		f.Add(s, s+" ")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !compareValues(a, a, "").same {
			t.Fatalf("%q is not itself", a)
		}
		l := compareValues(a, b, "")
		if !l.same || l.how != "" {
			return
		}
		if squeeze(a) != squeeze(b) {
			t.Fatalf("%q and %q are said to be the same text", a, b)
		}
	})
}
