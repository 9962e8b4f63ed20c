package reports

import (
	"time"

	"dg/platform/apperr"
	"dg/platform/input"
)

// MaxPeriodDays is the longest period, both days included (specification, section 8).
const MaxPeriodDays = 366

const day = 24 * time.Hour

// Period is a range of UTC days, both included.
type Period struct {
	From time.Time // the first instant of the first day, UTC
	Days int       // 1 to MaxPeriodDays
}

// ParsePeriod reads a period's first and last day (specification, section 4.3; decisions, "Formats").
// Errors: ErrValidation with the field.
func ParsePeriod(from, to string) (Period, error) {
	err := input.Check(struct {
		From string `json:"from" validate:"required,day"`
		To   string `json:"to" validate:"required,day"`
	}{from, to})
	if err != nil {
		return Period{}, err
	}
	first, _ := input.Day(from)
	last, _ := input.Day(to)
	p := Period{From: first, Days: int(last.Sub(first)/day) + 1}
	switch {
	case p.Days < 1:
		return Period{}, apperr.NewField("to", "to is before from. Swap them.")
	case p.Days > MaxPeriodDays:
		return Period{}, apperr.NewField("to", "The period has %d days. Ask for at most %d, both days included.", p.Days, MaxPeriodDays)
	}
	return p, nil
}

// End is the first instant after the period.
func (p Period) End() time.Time { return p.From.Add(time.Duration(p.Days) * day) }

// place returns which day of the period, from 0, a day is.
func (p Period) place(date time.Time) int { return int(date.Sub(p.From) / day) }

// Day returns the period's i-th day, from 0, as YYYY-MM-DD.
func (p Period) Day(i int) string { return p.From.AddDate(0, 0, i).Format(time.DateOnly) }

// String is the period as it is named in a file name: 2026-03-01_2026-03-31.
func (p Period) String() string { return p.Day(0) + "_" + p.Day(p.Days-1) }
