package ui

import (
	"time"

	"dg/modules/reports"
)

// OneDay is a UTC day.
const OneDay = 24 * time.Hour

// DefaultDays is the default length of a report.
const DefaultDays = 28

// LastDays is the period of n days that ends with today.
func LastDays(today time.Time, n int) reports.Period {
	return reports.Period{From: today.AddDate(0, 0, 1-n), Days: n}
}

// Between is the period of two days, both included.
func Between(first, last time.Time) reports.Period {
	return reports.Period{From: first, Days: int(last.Sub(first)/OneDay) + 1}
}
