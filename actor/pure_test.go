package actor

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseChord(t *testing.T) {
	for _, c := range []struct {
		in, key, code, text string
		mods                int64
		held                int
	}{
		{"Enter", "Enter", "Enter", "\r", 0, 0},
		{"return", "Enter", "Enter", "\r", 0, 0},
		{"Page Down", "PageDown", "PageDown", "", 0, 0},
		{"a", "a", "KeyA", "a", 0, 0},
		{"A", "A", "KeyA", "A", modShift, 0},
		{"Ctrl+S", "s", "KeyS", "", modCtrl, 1}, // a capital in a shortcut names the key, not Shift
		{"Control+Shift+s", "S", "KeyS", "", modCtrl | modShift, 2},
		{"Ctrl++", "+", "Equal", "", modCtrl | modShift, 1},
		{"+", "+", "Equal", "+", modShift, 0},
		{"F5", "F5", "F5", "", 0, 0},
		{"Shift", "Shift", "ShiftLeft", "", 0, 0},
	} {
		got, err := parseChord(c.in)
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if got.key.Key != c.key || got.key.Code != c.code || got.key.Text != c.text || got.mods != c.mods || len(got.held) != c.held {
			t.Errorf("%q: %+v, want %+v", c.in, got, c)
		}
	}
	for _, bad := range []string{"", "Enterr", "Foo+a", "F99"} {
		if _, err := parseChord(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestDatesIn(t *testing.T) {
	for in, want := range map[string][]string{
		"2026-03-15":              {"2026-03-15"},
		"03/15/2026":              {"2026-03-15"},
		"15.03.2026":              {"2026-03-15"},
		"03/04/2026":              {"2026-03-04", "2026-04-03"},
		"March 15, 2026":          {"2026-03-15"},
		"Sunday, 15th March 2026": {"2026-03-15"},
		"15. März 2026":           {"2026-03-15"},
		"Start date":              nil,
		"31.02.2026":              nil,
		"12":                      nil,
	} {
		if got := datesIn(in); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
}

func TestDateRoundTrip(t *testing.T) {
	forms := []string{"DD/MM/YYYY", "MM/DD/YYYY", "dd.mm.yyyy", "YYYY-MM-DD", "yyyy/mm/dd", "TT.MM.JJJJ", "", "mm-dd-yy"}
	rapid.Check(t, func(rt *rapid.T) {
		d := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 36000).Draw(rt, "day"))
		f := rapid.SampledFrom(forms).Draw(rt, "form")
		s := writeDate(d, f)
		if got := readsAs(s, d.Format(time.DateOnly)); got != d.Format(time.DateOnly) {
			rt.Fatalf("%s by %q written %q, read %q", d.Format(time.DateOnly), f, s, got)
		}
	})
}

func TestNativeDate(t *testing.T) {
	d := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for typ, want := range map[string]string{"date": "2026-01-01", "month": "2026-01", "week": "2026-W01", "datetime-local": "2026-01-01T09:30"} {
		if got, ok := nativeDate(d, typ, "2025-05-05T09:30"); !ok || got != want {
			t.Errorf("%s: %q %v", typ, got, ok)
		}
	}
	if _, ok := nativeDate(d, "text", ""); ok {
		t.Error("a text input is no native date")
	}
}
