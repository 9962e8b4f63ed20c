package reports

import (
	"time"

	"dg/modules/reports"
	"dg/web/ui"
)

// preset is a period that one click selects.
type preset struct {
	name   string
	period reports.Period
}

// presets returns the presets as of today. Those of days and months end yesterday.
func presets(today time.Time) []preset {
	month := today.AddDate(0, 0, 1-today.Day())
	quarter := month.AddDate(0, -int(month.Month()-1)%3, 0)
	year := month.AddDate(0, 1-int(month.Month()), 0)
	week := ui.WeekOf(today)
	return []preset{
		{"Today", ui.Between(today, today)},
		{"7 days", ui.LastDays(today, 7)},
		{"28 days", ui.LastDays(today, ui.DefaultDays)},
		{"90 days", ui.LastDays(today, 90)},
		{"12 months", ui.Between(today.AddDate(-1, 0, 0), today.AddDate(0, 0, -1))},
		{"This week", ui.Between(week, today)},
		{"Last week", ui.Between(week.AddDate(0, 0, -7), week.AddDate(0, 0, -1))},
		{"This month", ui.Between(month, today)},
		{"Last month", ui.Between(month.AddDate(0, -1, 0), month.AddDate(0, 0, -1))},
		{"This quarter", ui.Between(quarter, today)},
		{"Last quarter", ui.Between(quarter.AddDate(0, -3, 0), quarter.AddDate(0, 0, -1))},
		{"This year", ui.Between(year, today)},
	}
}
