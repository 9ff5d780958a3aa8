package actor

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	isoDate   = regexp.MustCompile(`(?:^|\D)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:\D|$)`)
	threeNums = regexp.MustCompile(`(?:^|\D)(\d{1,2})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{4}|\d{2})(?:\D|$)`)
	dateWord  = regexp.MustCompile(`\p{L}+`)
	dateNum   = regexp.MustCompile(`\d+`)
)

// monthPrefixes tell the months of several languages apart.
var monthPrefixes = [12][]string{
	{"jan", "jän", "ene", "gen", "janv"}, {"feb", "fév", "fev"}, {"mar", "mär", "maa", "mrz"}, {"apr", "avr", "abr"},
	{"may", "mai", "mei", "mag"}, {"jun", "juin", "giu"}, {"jul", "juil", "lug"}, {"aug", "aoû", "ago"},
	{"sep", "set"}, {"oct", "okt", "out", "ott"}, {"nov"}, {"dec", "dez", "déc", "dic"},
}

func monthOfWord(w string) int {
	w = strings.ToLower(w)
	if len(w) < 3 {
		return 0
	}
	for i, ps := range monthPrefixes {
		for _, p := range ps {
			if strings.HasPrefix(w, p) {
				return i + 1
			}
		}
	}
	return 0
}

// datesIn lists the dates that a text can mean, in ISO, likeliest first.
// "03/04/2026" can mean two.
func datesIn(text string) []string {
	var out []string
	add := func(y, m, d int) {
		if y < 100 {
			y += 2000
		}
		t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
		if m < 1 || m > 12 || d < 1 || t.Day() != d || t.Month() != time.Month(m) {
			return
		}
		if s := t.Format(time.DateOnly); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if m := isoDate.FindStringSubmatch(text); m != nil {
		add(num(m[1]), num(m[2]), num(m[3]))
		return out
	}
	if m := threeNums.FindStringSubmatch(text); m != nil {
		a, b, y := num(m[1]), num(m[2]), num(m[3])
		add(y, a, b) // month first
		add(y, b, a)
		return out
	}
	for _, w := range dateWord.FindAllString(text, -1) {
		m := monthOfWord(w)
		if m == 0 {
			continue
		}
		day, year := 0, 0
		for _, n := range dateNum.FindAllString(text, -1) {
			switch v := num(n); {
			case len(n) == 4 && year == 0:
				year = v
			case len(n) <= 2 && day == 0:
				day = v
			}
		}
		if day > 0 && year > 0 {
			add(year, m, day)
			return out
		}
	}
	return out
}

// readsAs returns the ISO date that a text shows: want when the text can mean
// it, else its likeliest meaning, else "".
func readsAs(text, want string) string {
	ds := datesIn(text)
	if slices.Contains(ds, want) {
		return want
	}
	if len(ds) > 0 {
		return ds[0]
	}
	return ""
}

func num(s string) int { n, _ := strconv.Atoi(s); return n }

// writeDate renders a date as a text field's placeholder asks for it
// ("DD/MM/YYYY", "mm.dd.yy"); ISO when the placeholder says nothing.
func writeDate(t time.Time, placeholder string) string {
	p := strings.ToLower(placeholder)
	iy, im, id := strings.IndexAny(p, "yja"), strings.Index(p, "m"), strings.IndexAny(p, "dt")
	if iy < 0 || im < 0 || id < 0 {
		return t.Format(time.DateOnly)
	}
	sep := "/"
	if m := regexp.MustCompile(`[ymdjta]([-/. ]+)[ymdjta]`).FindStringSubmatch(p); m != nil {
		sep = m[1]
	}
	type part struct {
		at   int
		text string
	}
	year := strconv.Itoa(t.Year())
	if strings.Count(p, "y") == 2 || strings.Count(p, "j") == 2 {
		year = year[2:]
	}
	parts := []part{{iy, year}, {im, fmt.Sprintf("%02d", t.Month())}, {id, fmt.Sprintf("%02d", t.Day())}}
	slices.SortFunc(parts, func(a, b part) int { return a.at - b.at })
	return parts[0].text + sep + parts[1].text + sep + parts[2].text
}

// nativeDate renders an ISO date for an HTML input of the type; keep is what
// the input holds now, for the parts that the date does not say.
func nativeDate(t time.Time, inputType, keep string) (string, bool) {
	switch inputType {
	case "date":
		return t.Format(time.DateOnly), true
	case "month":
		return t.Format("2006-01"), true
	case "week":
		y, w := t.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", y, w), true
	case "datetime-local":
		clock := "00:00"
		if t.Hour() != 0 || t.Minute() != 0 {
			clock = t.Format("15:04")
		} else if _, c, ok := strings.Cut(keep, "T"); ok {
			clock = c
		}
		return t.Format(time.DateOnly) + "T" + clock, true
	}
	return "", false
}
