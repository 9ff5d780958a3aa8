package verifier

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A date is a day, with a time of day where the text has one.
type date struct {
	y, m, d int
	clock   string // "14:30" or ""
}

func (d date) valid() bool {
	if d.y < 1 || d.m < 1 || d.m > 12 || d.d < 1 {
		return false
	}
	return time.Date(d.y, time.Month(d.m), d.d, 0, 0, 0, 0, time.UTC).Day() == d.d
}

// compareDates compares two texts that are both dates (or both times of day),
// in any of the forms that readDates knows. ok is false when one is none.
func compareDates(want, got, hint string) (l likeness, ok bool) {
	if w, is := readClock(want); is {
		g, is := readClock(got)
		return likeness{same: is && w == g, how: "the same time of day"}, is
	}
	w, g := readDates(want, hint), readDates(got, hint)
	if len(w) == 0 || len(g) == 0 {
		return likeness{}, false
	}
	for _, x := range g {
		// A wanted text that could be read two ways means its first reading.
		if x.y == w[0].y && x.m == w[0].m && x.d == w[0].d && (w[0].clock == x.clock || w[0].clock == "") {
			l = likeness{same: true, how: "the same day"}
			if len(g) > 1 {
				l.doubt = "\"" + got + "\" can be read as that day or as another, by the order of day and month"
			}
			return l, true
		}
	}
	return likeness{}, true
}

var (
	isoDate   = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[t ,]+(.+))?$`)
	numDate   = regexp.MustCompile(`^(\d{1,2})([-/.]) ?(\d{1,2})[-/.] ?(\d{4}|\d{2})(?:[t ,]+(.+))?$`)
	dayFirst  = regexp.MustCompile(`^(?:[a-z]+,? )?(?:the )?(\d{1,2})(?:st|nd|rd|th|\.)?[ -](?:of )?([a-z]+)\.?,?[ -](\d{4})(?:,? (?:at )?(.+))?$`)
	nameFirst = regexp.MustCompile(`^(?:([a-z]+)\.?,? )?([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})(?:,? (?:at )?(.+))?$`)
	clockForm = regexp.MustCompile(`^(\d{1,2})(?::(\d{2}))(?::(\d{2})(?:\.\d+)?)?(?: ?([ap])\.?m\.?)?(?: ?z| ?utc)?$`)
	hourForm  = regexp.MustCompile(`^(\d{1,2}) ?([ap])\.?m\.?$`)
)

// readDates returns the days that a text can mean, the likeliest first: one,
// or two when day and month can't be told apart. hint is text that may say the
// order ("mm/dd/yyyy").
func readDates(s, hint string) []date {
	s = strings.ToLower(strings.TrimSpace(s))
	if len(s) > 60 {
		return nil
	}
	one := func(y, m, d int, rest string) []date {
		x := date{y: y, m: m, d: d}
		if rest != "" {
			c, ok := readClock(rest)
			if !ok {
				return nil
			}
			x.clock = c
		}
		if !x.valid() {
			return nil
		}
		return []date{x}
	}
	if f := isoDate.FindStringSubmatch(s); f != nil {
		return one(atoi(f[1]), atoi(f[2]), atoi(f[3]), f[4])
	}
	if f := dayFirst.FindStringSubmatch(s); f != nil {
		return one(atoi(f[3]), monthOf(f[2]), atoi(f[1]), f[4])
	}
	if f := nameFirst.FindStringSubmatch(s); f != nil {
		return one(atoi(f[4]), monthOf(f[2]), atoi(f[3]), f[5])
	}
	f := numDate.FindStringSubmatch(s)
	if f == nil {
		return nil
	}
	a, b, y := atoi(f[1]), atoi(f[3]), atoi(f[4])
	if len(f[4]) == 2 {
		y += 2000
	}
	american, european := one(y, a, b, f[5]), one(y, b, a, f[5])
	switch order(hint) {
	case "mdy":
		return american
	case "dmy":
		return european
	}
	switch {
	case f[2] == ".": // nobody writes months first with points
		return european
	case len(american) == 0:
		return european
	case len(european) == 0 || a == b:
		return american
	}
	return append(american, european...)
}

// order tells from a field's placeholder or description in which order it
// writes dates.
func order(hint string) string {
	h := strings.ToLower(hint)
	d, m := strings.Index(h, "dd"), strings.Index(h, "mm")
	switch {
	case d < 0 || m < 0 || !strings.Contains(h, "yy"):
		return ""
	case strings.Index(h, "yy") < min(d, m):
		return ""
	case m < d:
		return "mdy"
	}
	return "dmy"
}

// readClock reads a time of day as "15:04".
func readClock(s string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	h, m, half := 0, 0, ""
	if f := clockForm.FindStringSubmatch(s); f != nil {
		h, m, half = atoi(f[1]), atoi(f[2]), f[4]
	} else if f := hourForm.FindStringSubmatch(s); f != nil {
		h, half = atoi(f[1]), f[2]
	} else {
		return "", false
	}
	if half != "" {
		if h < 1 || h > 12 {
			return "", false
		}
		h %= 12
		if half == "p" {
			h += 12
		}
	}
	if h > 23 || m > 59 {
		return "", false
	}
	return strconv.Itoa(h/10) + strconv.Itoa(h%10) + ":" + strconv.Itoa(m/10) + strconv.Itoa(m%10), true
}

var months = []string{"january", "february", "march", "april", "may", "june",
	"july", "august", "september", "october", "november", "december"}

// monthOf returns the number of an English month's name or its abbreviation, 0
// for anything else.
func monthOf(s string) int {
	if len(s) < 3 {
		return 0
	}
	for i, m := range months {
		if strings.HasPrefix(m, s) || s == "sept" && i == 8 {
			return i + 1
		}
	}
	return 0
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
