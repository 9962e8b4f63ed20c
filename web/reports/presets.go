package reports

import (
	"time"

	"dg/modules/reports"
	"dg/web/ui"
)

// preset is a period that one click selects.
type preset struct {
	Name    string
	Path    string
	Current bool
	period  reports.Period
}

// presets are the presets of a day. "12 months" begins on the day after the same day a year ago.
func presets(today time.Time) []preset {
	month := today.AddDate(0, 0, 1-today.Day())
	quarter := month.AddDate(0, -int(month.Month()-1)%3, 0)
	year := month.AddDate(0, 1-int(month.Month()), 0)
	return []preset{
		{Name: "7 days", period: ui.LastDays(today, 7)},
		{Name: "28 days", period: ui.LastDays(today, ui.DefaultDays)},
		{Name: "90 days", period: ui.LastDays(today, 90)},
		{Name: "12 months", period: ui.Between(today.AddDate(0, 0, 1).AddDate(-1, 0, 0), today)},
		{Name: "This month", period: ui.Between(month, today)},
		{Name: "Last month", period: ui.Between(month.AddDate(0, -1, 0), month.AddDate(0, 0, -1))},
		{Name: "This quarter", period: ui.Between(quarter, today)},
		{Name: "Last quarter", period: ui.Between(quarter.AddDate(0, -3, 0), quarter.AddDate(0, 0, -1))},
		{Name: "This year", period: ui.Between(year, today)},
	}
}
