package actor

import (
	"context"
	"time"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/internal/browser"
)

// monthTurns bounds how often a calendar is turned to another month.
const monthTurns = 300

// A calendar is what calendar.js reads on the page. Refs are handles of the
// actor's own.
type calendar struct {
	Year     int           `json:"year"`
	Month    int           `json:"month"`
	Days     []calendarDay `json:"days"`
	ARIA     bool          `json:"aria"`
	Next     string        `json:"next"`
	Prev     string        `json:"prev"`
	NextYear string        `json:"nextYear"`
	PrevYear string        `json:"prevYear"`
	Done     string        `json:"done"`
}

type calendarDay struct {
	Date     string `json:"date"`
	Ref      string `json:"ref"`
	Disabled bool   `json:"disabled"`
	Name     string `json:"name"`
}

func (c calendar) months() int { return c.Year*12 + c.Month - 1 }

// pickDate enters an ISO date (with a time, for inputs that take one) into any
// kind of date field, and reads back in ISO what the field then shows.
func (h *hand) pickDate(ctx context.Context) error {
	text, used, err := h.a.expand(h.in.Value)
	if err != nil {
		return err
	}
	h.rec.Masked = used
	date, err := parseISO(text)
	if err != nil {
		return refuse(bus.RefusedUnsupported, "%q is not a date in ISO form (2026-03-15)", h.in.Value)
	}
	iso := date.Format(time.DateOnly)
	el := h.req.Attempt.Target
	a, err := h.target(ctx, el, readyOptions{Purpose: forClick, ReadOnly: true})
	if err != nil {
		return err
	}
	var field struct {
		Ref string `json:"ref"`
	}
	if err := a.frame.Call(ctx, &field, `(ref) => globalThis.__quartetAct.dateField(ref)`, a.ref); err != nil {
		return err
	}
	before, err := readValue(ctx, a.frame, field.Ref)
	if err != nil {
		return err
	}
	h.rec.ValueBefore = before.shown()
	if v, ok := nativeDate(date, a.Type, before.shown()); ok {
		if err := h.arm(ctx, a.frame, a.ref, "input", "change"); err != nil {
			return err
		}
		aimed := a.at
		h.rec.Aimed = &aimed
		if err := h.setNative(ctx, a, v); err != nil {
			return err
		}
		h.collect(ctx, "input", "input")
		return h.dateReadBack(ctx, a.frame, field.Ref, iso, v)
	}
	cals, err := h.openCalendar(ctx, a, el)
	if err != nil {
		return err
	}
	if len(cals) == 0 {
		if a.Editable == "" || a.ReadOnly {
			return refuse(bus.RefusedUnsupported, "no calendar opened for %s", label(el.Role, el.Name))
		}
		// A plain field: the date is written as its placeholder asks for it.
		if err := h.arm(ctx, a.frame, a.ref, "input", "change"); err != nil {
			return err
		}
		if err := h.write(ctx, a, writeDate(date, a.Placeholder)); err != nil {
			return h.unlessClosed(err)
		}
		h.collect(ctx, "input", "input")
		return h.dateReadBack(ctx, a.frame, field.Ref, iso, "")
	}
	if !cals[0].ARIA {
		h.rec.Escalations = append(h.rec.Escalations, bus.Escalation{
			Kind: bus.EscalateDatePicker, Trigger: "a calendar of bare boxes for " + label(el.Role, el.Name), Backend: "boxes",
			Outcome: "month and days were read from text and boxes",
		})
	}
	if err := h.turnAndPick(ctx, a.frame, field.Ref, cals, iso); err != nil {
		return err
	}
	return h.dateReadBack(ctx, a.frame, field.Ref, iso, "")
}

// parseISO reads a date, or a date with a clock time.
func parseISO(s string) (time.Time, error) {
	var err error
	for _, f := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05"} {
		var t time.Time
		if t, err = time.Parse(f, s); err == nil {
			return t, nil
		}
	}
	if ds := datesIn(s); len(ds) == 1 {
		return time.Parse(time.DateOnly, ds[0])
	}
	return time.Time{}, err
}

// openCalendar clicks the field and waits for a calendar; one that is there
// already is taken as it is.
func (h *hand) openCalendar(ctx context.Context, a *aim, el *bus.Element) ([]calendar, error) {
	cals, err := calendars(ctx, a.frame, a.ref, 0, "")
	if err != nil {
		return nil, err
	}
	if len(cals) > 0 {
		h.note("the calendar was open already")
		return cals, nil
	}
	if err := h.plainClick(ctx, a, el); err != nil {
		return nil, err
	}
	return calendars(ctx, a.frame, h.rec.Target.Ref, min(patience(ctx)/3, 2*time.Second), "")
}

// calendars reads the calendars shown, the likeliest one first, waiting until
// one shows another month than was.
func calendars(ctx context.Context, f *browser.Frame, ref string, wait time.Duration, was string) ([]calendar, error) {
	var out []calendar
	err := f.Call(ctx, &out, `(ref, ms, was) => globalThis.__quartetAct.calendar(ref, ms, was)`, ref, wait.Milliseconds(), was)
	return out, err
}

// turnAndPick turns the calendar to the date's month and clicks the day.
func (h *hand) turnAndPick(ctx context.Context, f *browser.Frame, field string, cals []calendar, iso string) error {
	date, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return err
	}
	want := date.Year()*12 + int(date.Month()) - 1
	first := h.rec.Hit
	for range monthTurns {
		for _, c := range cals {
			if c.months() != want {
				continue
			}
			for _, d := range c.Days {
				if d.Date != iso {
					continue
				}
				if d.Disabled {
					return refuse(bus.RefusedDisabled, "%s cannot be picked in this calendar", iso)
				}
				if err := h.clickHandle(ctx, f, d.Ref); err != nil {
					return err
				}
				h.note("the day %s was clicked", iso)
				if first != nil && first.Seen && h.rec.Hit != nil && h.rec.Hit.Inside {
					h.rec.Hit = first
				}
				return h.confirmDate(ctx, f, field, iso)
			}
		}
		c := cals[0]
		turn, far := c.Next, c.NextYear
		if c.months() > want {
			turn, far = c.Prev, c.PrevYear
		}
		if d := want - c.months(); far != "" && (d >= 12 || d <= -12) {
			turn = far
		}
		if turn == "" {
			return refuse(bus.RefusedUnsupported, "the calendar shows %04d-%02d, and nothing on it turns it to %s", c.Year, c.Month, iso[:7])
		}
		if err := h.clickHandle(ctx, f, turn); err != nil {
			return err
		}
		was := monthKey(c)
		if cals, err = calendars(ctx, f, field, min(patience(ctx)/2, 2*time.Second), was); err != nil {
			return err
		}
		if len(cals) == 0 {
			return refuse(bus.RefusedUnsupported, "the calendar closed while it was turned to %s", iso[:7])
		}
		if monthKey(cals[0]) == was {
			return refuse(bus.RefusedUnsupported, "the calendar stays at %04d-%02d", c.Year, c.Month)
		}
		if (cals[0].months() > want) != (c.months() > want) && cals[0].months() != want && turn != far {
			return refuse(bus.RefusedUnsupported, "the calendar jumped over %s", iso[:7])
		}
	}
	return refuse(bus.RefusedUnsupported, "the calendar could not be turned to %s", iso[:7])
}

func monthKey(c calendar) string {
	return time.Date(c.Year, time.Month(c.Month), 1, 0, 0, 0, 0, time.UTC).Format("2006-1")
}

// clickHandle clicks a part of a widget by the actor's own handle, with the
// same care as any target; the receipt's target and aim stay the field's.
func (h *hand) clickHandle(ctx context.Context, f *browser.Frame, handle string) error {
	a, err := h.aimIn(ctx, f, handle, readyOptions{Purpose: forClick})
	if err != nil {
		if stale, ok := err.(*staleError); ok {
			return refuse(bus.RefusedStale, "a part of the calendar went away: %s", stale.status.Status)
		}
		return err
	}
	aimed := h.rec.Aimed
	if err := h.plainClick(ctx, a, nil); err != nil {
		return err
	}
	if aimed != nil {
		h.rec.Aimed = aimed
	}
	return nil
}

// confirmDate presses the calendar's own OK where the date is not taken over
// without it.
func (h *hand) confirmDate(ctx context.Context, f *browser.Frame, field, iso string) error {
	v, err := readValue(ctx, f, field)
	if err != nil || readsAs(v.shown(), iso) == iso {
		return err
	}
	cals, err := calendars(ctx, f, field, 0, "")
	if err != nil || len(cals) == 0 || cals[0].Done == "" {
		return err
	}
	if err := h.clickHandle(ctx, f, cals[0].Done); err != nil {
		return err
	}
	h.note("the calendar's own confirmation was clicked")
	return nil
}

// dateReadBack reads what the field shows, waiting a little for a page that
// writes it late. Literal is what a native input must hold.
func (h *hand) dateReadBack(ctx context.Context, f *browser.Frame, field, iso, literal string) error {
	until := time.Now().Add(min(patience(ctx)/2, 1500*time.Millisecond))
	for {
		v, err := readValue(ctx, f, field)
		if err != nil || v.Gone {
			h.note("the field could not be read back")
			return nil
		}
		shown := v.shown()
		got := readsAs(shown, iso)
		ok := got == iso
		if literal != "" {
			ok, got = shown == literal, shown
		}
		if ok || time.Now().After(until) {
			if got == "" {
				got = shown
			}
			h.rec.ValueAfter, h.rec.Matches = got, new(ok)
			return nil
		}
		if err := f.Call(ctx, nil, `(ms) => globalThis.__quartetAct.change(ms)`, 100); err != nil {
			return nil //nolint:nilerr // the page moved on; what was read stands
		}
	}
}
