package web

import (
	"time"

	"dg/modules/reports"
)

// oneDay is a UTC day.
const oneDay = 24 * time.Hour

// defaultDays is how many days a report has if nobody chose others.
const defaultDays = 28

// lastDays is the period of n days that ends today.
func lastDays(today time.Time, n int) reports.Period {
	return reports.Period{From: today.AddDate(0, 0, 1-n), Days: n}
}

// between is the period of two days, both included.
func between(first, last time.Time) reports.Period {
	return reports.Period{From: first, Days: int(last.Sub(first)/oneDay) + 1}
}

func lastDay(p reports.Period) time.Time { return p.From.AddDate(0, 0, p.Days-1) }

// validDates says which dates can be chosen.
func validDates(l locale) string {
	first, last := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC)
	return "Choose a date from " + l.LongDay(first) + " to " + l.LongDay(last) + "."
}

func toBeforeFrom(l locale, from, to time.Time) string {
	return "“To” (" + l.LongDay(to) + ") is before “From” (" + l.LongDay(from) + ")."
}
