package playbook

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ResolveDate turns the Value of a pick_date intent into an ISO date
// ("2026-03-14") as of now, in now's time zone. Relative dates ("tomorrow", "in
// 3 days", "next monday": the first one after today) are kept in the intent,
// so that a run that starts later means a later day.
func ResolveDate(value string, now time.Time) (string, error) {
	d, err := parseDate(value)
	if err != nil {
		return "", err
	}
	return d.on(now).Format(time.DateOnly), nil
}

// A date is absolute (iso) or relative to the day it is asked for.
type date struct {
	iso                 string
	days, months, years int
	weekday             int  // 1 to 7 (Sunday is 7): the first one after today
	first, last         bool // day of the month, after months were added
	token               string
}

func (d date) value() string {
	if d.iso != "" {
		return d.iso
	}
	return d.token
}

func (d date) on(now time.Time) time.Time {
	if d.iso != "" {
		t, _ := time.ParseInLocation(time.DateOnly, d.iso, now.Location())
		return t
	}
	y, m, day := now.Date()
	// Noon, because midnight does not exist everywhere on every day.
	today := time.Date(y, m, day, 12, 0, 0, 0, now.Location())
	switch {
	case d.weekday > 0:
		ahead := (d.weekday%7 - int(today.Weekday()) + 7) % 7
		if ahead == 0 {
			ahead = 7
		}
		return today.AddDate(0, 0, ahead)
	case d.first:
		return time.Date(y, m+time.Month(d.months), 1, 12, 0, 0, 0, now.Location())
	case d.last:
		return time.Date(y, m+time.Month(d.months)+1, 0, 12, 0, 0, 0, now.Location())
	}
	months := d.months + 12*d.years
	if months != 0 {
		// One month after 31 January is the last of February, not 3 March.
		end := time.Date(y, m+time.Month(months)+1, 0, 12, 0, 0, 0, now.Location())
		day = min(day, end.Day())
		today = time.Date(y, m+time.Month(months), day, 12, 0, 0, 0, now.Location())
	}
	return today.AddDate(0, 0, d.days)
}

// errNoDate says that the words are no date at all; other errors say that they
// are one, but not a usable one.
var errNoDate = errors.New("not a date")

// dateWhy is what to say about a text that had to be a date.
func dateWhy(err error) string {
	if err == errNoDate {
		return "this is no date that is known; write it like 2026-03-14, 14 March 2026 or in 3 days"
	}
	return err.Error()
}

const (
	monthWord = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
	dayWord   = `(\d{1,2})(?:st|nd|rd|th)?`
	weekWord  = `(?:(mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? (?:the )?)?`
)

var (
	isoDate   = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$`)
	dottDate  = regexp.MustCompile(`^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$`)
	slashDate = regexp.MustCompile(`^(\d{1,2})[-/](\d{1,2})[-/](\d{4})$`)
	dayFirst  = regexp.MustCompile(`^` + weekWord + `(?:the )?` + dayWord + `(?: of)?[ -]` + monthWord + `,?(?:[ -](\d{4}))?$`)
	dayLater  = regexp.MustCompile(`^` + weekWord + monthWord + ` (?:the )?` + dayWord + `(?:,? (\d{4}))?$`)
	ahead     = regexp.MustCompile(`^in (\w+) (day|week|month|year)s?(?:'? time)?$`)
	fromNow   = regexp.MustCompile(`^(\w+) (day|week|month|year)s? (from (?:now|today)|later|ahead|ago|after today|before today)$`)
	nextDay   = regexp.MustCompile(`^(?:next|the coming|the next|coming) (monday|tuesday|wednesday|thursday|friday|saturday|sunday)$`)
	edgeDay   = regexp.MustCompile(`^(?:the )?(first|1st|last)(?: day)? of (this|the current|the|next|the next) month$`)
	endMonth  = regexp.MustCompile(`^(?:the )?(end|beginning|start) of (this|the|next) month$`)
)

func parseDate(text string) (date, error) {
	s := strings.ToLower(strings.Join(strings.Fields(text), " "))
	s = strings.TrimSuffix(strings.ReplaceAll(s, "’", "'"), "'s date")
	if d, ok := relative(s); ok {
		return d, nil
	}
	if m := isoDate.FindStringSubmatch(s); m != nil {
		return absolute(text, m[1], m[2], m[3], "")
	}
	if m := dottDate.FindStringSubmatch(s); m != nil {
		return absolute(text, m[3], m[2], m[1], "")
	}
	if m := slashDate.FindStringSubmatch(s); m != nil {
		a, _ := strconv.Atoi(m[1])
		b, _ := strconv.Atoi(m[2])
		switch {
		case a == b || a > 12:
			return absolute(text, m[3], m[2], m[1], "")
		case b > 12:
			return absolute(text, m[3], m[1], m[2], "")
		}
		return date{}, fmt.Errorf("%q is two dates, day first or month first; write it like 2026-03-14 or 14 March 2026", text)
	}
	if m := dayFirst.FindStringSubmatch(s); m != nil {
		return named(text, m[4], m[3], m[2], m[1])
	}
	if m := dayLater.FindStringSubmatch(s); m != nil {
		return named(text, m[4], m[2], m[3], m[1])
	}
	return date{}, errNoDate
}

func named(text, year, month, day, weekday string) (date, error) {
	if year == "" {
		return date{}, fmt.Errorf("%q has no year; write it out, or use a relative date like “in 3 days”", text)
	}
	i := strings.Index("janfebmaraprmayjunjulaugsepoctnovdec", month[:3])/3 + 1
	return absolute(text, year, strconv.Itoa(i), day, weekday)
}

func absolute(text, year, month, day, weekday string) (date, error) {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	t := time.Date(y, time.Month(m), d, 12, 0, 0, 0, time.UTC)
	if t.Day() != d || int(t.Month()) != m || y < 1 {
		return date{}, fmt.Errorf("%q does not exist in the calendar", text)
	}
	if weekday != "" && !strings.HasPrefix(strings.ToLower(t.Weekday().String()), weekday[:3]) {
		return date{}, fmt.Errorf("%q: that day is a %s", text, t.Weekday())
	}
	return date{iso: t.Format(time.DateOnly)}, nil
}

func relative(s string) (date, bool) {
	d := date{token: s}
	switch s {
	case "today", "now":
		d.token = "today"
		return d, true
	case "tomorrow":
		d.days = 1
		return d, true
	case "yesterday":
		d.days = -1
		return d, true
	case "the day after tomorrow", "day after tomorrow":
		d.days, d.token = 2, "in 2 days"
		return d, true
	case "the day before yesterday", "day before yesterday":
		d.days, d.token = -2, "2 days ago"
		return d, true
	case "a fortnight from now", "in a fortnight", "a fortnight from today":
		d.days, d.token = 14, "in 2 weeks"
		return d, true
	}
	if m := ahead.FindStringSubmatch(s); m != nil {
		return d.shift(m[1], m[2], 1)
	}
	if m := fromNow.FindStringSubmatch(s); m != nil {
		sign := 1
		if m[3] == "ago" || m[3] == "before today" {
			sign = -1
		}
		return d.shift(m[1], m[2], sign)
	}
	if m := nextDay.FindStringSubmatch(s); m != nil {
		for i, name := range [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
			if name == m[1] {
				d.weekday = i + 1
			}
		}
		return d, true
	}
	m := edgeDay.FindStringSubmatch(s)
	if m == nil {
		m = endMonth.FindStringSubmatch(s)
	}
	if m != nil {
		d.first, d.last = m[1] == "first" || m[1] == "1st" || m[1] == "beginning" || m[1] == "start", m[1] == "last" || m[1] == "end"
		if strings.Contains(m[2], "next") {
			d.months = 1
		}
		return d, true
	}
	return date{}, false
}

func (d date) shift(count, unit string, sign int) (date, bool) {
	n, ok := number(count)
	if !ok || n > 100000 {
		return date{}, false
	}
	n *= sign
	switch unit {
	case "day":
		d.days = n
	case "week":
		d.days = 7 * n
	case "month":
		d.months = n
	case "year":
		d.years = n
	}
	d.token = fmt.Sprintf("in %d %ss", n, unit)
	if sign < 0 {
		d.token = fmt.Sprintf("%d %ss ago", -n, unit)
	}
	return d, true
}

// number reads a count: digits, or a word up to twelve.
func number(s string) (int, bool) {
	for i, w := range [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		if s == w {
			return i, true
		}
	}
	if s == "a" || s == "an" {
		return 1, true
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}
