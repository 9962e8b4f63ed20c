package ui

import (
	"fmt"
	"html/template"
	"time"

	"dg/modules/reports"
	"dg/platform/instant"
)

// dateStyle is an order of day, month and year, as layouts of package time. Order is its name for
// the script.
type dateStyle struct {
	Order                      string
	day, dayMonth, month, week string
	sameMonth, sameYear        [2]string // the first and the last day of a period
}

var (
	dayFirst = dateStyle{
		"dmy", "2 Jan 2006", "2 Jan", "Jan 2006", "Mon 2 Jan 2006",
		[2]string{"2", "2 Jan 2006"}, [2]string{"2 Jan", "2 Jan 2006"},
	}
	monthFirst = dateStyle{
		"mdy", "Jan 2, 2006", "Jan 2", "Jan 2006", "Mon, Jan 2, 2006",
		[2]string{"Jan 2", "2, 2006"}, [2]string{"Jan 2", "Jan 2, 2006"},
	}
	yearFirst = dateStyle{
		"ymd", "2006 Jan 2", "Jan 2", "2006 Jan", "Mon 2006 Jan 2",
		[2]string{"2006 Jan 2", "2"}, [2]string{"2006 Jan 2", "Jan 2"},
	}
)

// Order is the order of day, month and year, for the script.
func (l Locale) Order() string { return l.dates.Order }

// Day writes a UTC day: 2 Jan 2006.
func (l Locale) Day(t time.Time) string { return t.UTC().Format(l.dates.day) }

// Weekday writes a UTC day with its day of the week: Mon 2 Jan 2006.
func (l Locale) Weekday(t time.Time) string { return t.UTC().Format(l.dates.week) }

// DayMonth writes a UTC day whose year is clear: 2 Jan.
func (l Locale) DayMonth(t time.Time) string { return t.UTC().Format(l.dates.dayMonth) }

// Month writes a UTC month: Jan 2006.
func (l Locale) Month(t time.Time) string { return t.UTC().Format(l.dates.month) }

// Clock writes the UTC time of day to the minute: 15:04 UTC.
func (l Locale) Clock(t time.Time) string {
	return t.UTC().Format(l.clock("15:04 UTC", "3:04 PM UTC"))
}

// ClockSecond writes the UTC time of day to the second: 15:04:05 UTC.
func (l Locale) ClockSecond(t time.Time) string { return l.ClockSecondIn(t, time.UTC) }

// ClockSecondIn writes the time of day in a zone, with the zone's abbreviation or offset: 15:04:05
// CET.
func (l Locale) ClockSecondIn(t time.Time, zone *time.Location) string {
	return t.In(zone).Format(l.clock("15:04:05 MST", "3:04:05 PM MST"))
}

func (l Locale) clock(of24, of12 string) string {
	if l.Hours == 12 {
		return of12
	}
	return of24
}

// Period writes a period in words: 25 Oct to 21 Nov 2026.
func (l Locale) Period(p reports.Period) string {
	from := p.From
	to := LastDay(p)
	layouts := [2]string{l.dates.day, l.dates.day}
	switch {
	case p.Days == 1:
		return l.Day(to)
	case from.Year() != to.Year():
	case from.Month() != to.Month():
		layouts = l.dates.sameYear
	default:
		layouts = l.dates.sameMonth
	}
	return fmt.Sprintf("%s to %s", from.Format(layouts[0]), to.Format(layouts[1]))
}

// WeekOf is the first day of the week of a UTC day.
func (l Locale) WeekOf(day time.Time) time.Time {
	return day.AddDate(0, 0, -(int(day.Weekday()-l.FirstDay)+7)%7)
}

// Date shows an instant in UTC to the day. The script turns it into the reader's time zone, as it
// does those below.
func (l Locale) Date(t time.Time) template.HTML { return TimeElement(t, "day", l.Day(t)) }

// Minute shows an instant to the minute.
func (l Locale) Minute(t time.Time) template.HTML {
	return TimeElement(t, "minute", fmt.Sprintf("%s, %s", l.Day(t), l.Clock(t)))
}

// Second shows an instant to the second.
func (l Locale) Second(t time.Time) template.HTML {
	return TimeElement(t, "second", fmt.Sprintf("%s, %s", l.Day(t), l.ClockSecond(t)))
}

// TimeElement is an instant whose text the script writes anew in the reader's time zone, to the
// day, minute or second.
func TimeElement(t time.Time, precision, text string) template.HTML {
	//nolint:gosec // names of months and digits
	return template.HTML(fmt.Sprintf(`<time datetime="%s" data-local="%s">%s</time>`,
		instant.Format(t), precision, text))
}
