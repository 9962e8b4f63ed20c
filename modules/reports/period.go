package reports

import (
	"regexp"
	"time"

	"dg/platform/apperr"
	"dg/platform/input"
)

// MaxPeriodDays is the longest period, both days included.
const MaxPeriodDays = 366

const day = 24 * time.Hour

// Period is a range of UTC days, both included.
type Period struct {
	From time.Time // the first instant of the first day, UTC
	Days int       // 1 to MaxPeriodDays
}

// ParsePeriod reads the first and the last day of a period. An empty text counts as missing.
// Errors: apperr.Validation with the field.
func ParsePeriod(from, to string) (Period, error) {
	if err := checkRequired(from, to); err != nil {
		return Period{}, err
	}
	first, err := parseDay("from", from)
	if err != nil {
		return Period{}, err
	}
	last, err := parseDay("to", to)
	if err != nil {
		return Period{}, err
	}
	p := Period{From: first, Days: int(last.Sub(first)/day) + 1}
	if p.Days < 1 {
		return Period{}, apperr.NewField("to", "`to` (%s) is before `from` (%s).", to, from)
	}
	if p.Days > MaxPeriodDays {
		return Period{}, apperr.NewField("to", "The period has %d days. The maximum is %d, both days included.", p.Days, MaxPeriodDays)
	}
	return p, nil
}

func checkRequired(from, to string) error {
	switch {
	case from == "" && to == "":
		return apperr.NewField("from", "Query parameters `from` and `to` are required, for example from=2026-03-01&to=2026-03-31.")
	case from == "":
		return apperr.NewField("from", "Query parameter `from` is required, for example from=2026-03-01.")
	case to == "":
		return apperr.NewField("to", "Query parameter `to` is required, for example to=2026-03-31.")
	}
	return nil
}

var (
	dateFormat = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	timestamp  = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[T ]\d`)
)

func parseDay(field, value string) (time.Time, error) {
	if date, ok := input.ParseDay(value); ok {
		return date, nil
	}
	const calendarDay = "`%s` must be a calendar day, YYYY-MM-DD"
	_, err := time.Parse(time.DateOnly, value)
	switch {
	case err == nil:
		return time.Time{}, apperr.NewField(field, "`%s` must be a calendar day from 2000-01-01 to 2199-12-31.", field)
	case dateFormat.MatchString(value):
		return time.Time{}, apperr.NewField(field, calendarDay+": %s does not exist.", field, value)
	case timestamp.MatchString(value):
		return time.Time{}, apperr.NewField(field, calendarDay+", without a time.", field)
	}
	return time.Time{}, apperr.NewField(field, calendarDay+", for example 2026-03-01.", field)
}

// End is the first instant after the period.
func (p Period) End() time.Time { return p.From.Add(time.Duration(p.Days) * day) }

// Day returns the period's i-th day, from 0, as YYYY-MM-DD.
func (p Period) Day(i int) string { return p.From.AddDate(0, 0, i).Format(time.DateOnly) }

// monthOf is the month that begins at first.
func monthOf(first time.Time) Period {
	return Period{From: first, Days: int(first.AddDate(0, 1, 0).Sub(first) / day)}
}

// String is the period as it is named in a file name: 2026-03-01_2026-03-31.
func (p Period) String() string { return p.Day(0) + "_" + p.Day(p.Days-1) }
