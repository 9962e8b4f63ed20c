package ui

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"dg/modules/reports"
	"dg/platform/format"
)

const (
	layoutDay      = "2 Jan 2006"
	layoutDayMonth = "2 Jan"
)

// Count writes an integer with commas between thousands: 1,363.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Plural returns one if n is 1, otherwise other, with n in place of a %s.
func Plural(n int64, one, other string) string {
	if n == 1 {
		other = one
	}
	return strings.Replace(other, "%s", Count(n), 1)
}

// Capitalise capitalises a word in ASCII, such as a role: owner becomes Owner.
func Capitalise[T ~string](value T) string {
	if value == "" {
		return ""
	}
	return strings.ToUpper(string(value[:1])) + string(value[1:])
}

// Percent writes a percentage with one decimal: 69.6%.
func Percent(p reports.Percent) string { return Points(int64(p)) + "%" }

// Points writes tenths of a percentage point with one decimal: 12 becomes 1.2. tenths must be >= 0.
func Points(tenths int64) string {
	return Count(tenths/10) + "." + strconv.FormatInt(tenths%10, 10)
}

// Day writes a UTC day: 2 Jan 2006.
func Day(t time.Time) string { return t.UTC().Format(layoutDay) }

// Weekday writes a UTC day with its day of the week: Mon 2 Jan 2006.
func Weekday(t time.Time) string { return t.UTC().Format("Mon 2 Jan 2006") }

// Period writes a period in words: 25 Oct to 21 Nov 2026.
func Period(p reports.Period) string {
	from := p.From
	to := p.From.AddDate(0, 0, p.Days-1)
	layout := layoutDay
	switch {
	case p.Days == 1:
		return Day(to)
	case from.Year() != to.Year():
	case from.Month() != to.Month():
		layout = layoutDayMonth
	default:
		layout = "2"
	}
	return fmt.Sprintf("%s to %s", from.Format(layout), Day(to))
}

// briefInstant writes an instant in UTC to the minute. It omits the current year.
func (p *Pages) briefInstant(t time.Time) string {
	return p.shortDates(t.UTC().Format("2 Jan 2006, 15:04"))
}

// shortDates replaces " to " in formatted days by a dash, and removes the current year.
func (p *Pages) shortDates(days string) string {
	return strings.NewReplacer(" to ", "–", p.Today().Format(" 2006"), "").Replace(days)
}

// timeElement returns a function that shows an instant in UTC in a time element. dg.js rewrites the
// text in the time zone of data-tz, or else in the reader's.
func timeElement(precision, layout string) func(time.Time) template.HTML {
	return func(t time.Time) template.HTML {
		//nolint:gosec // the values need no escaping: months, digits and constants
		return template.HTML(fmt.Sprintf(`<time datetime="%s" data-local="%s">%s</time>`,
			format.Instant(t), precision, t.UTC().Format(layout)))
	}
}

// OneDay is the length of every UTC day: UTC has no summer time.
const OneDay = 24 * time.Hour
