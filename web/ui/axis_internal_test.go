package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
)

// The top of an axis is a round number near the highest bar; its labels are round numbers, too.
func TestScalesAreTight(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64]string{
		0:      "1 0",
		1:      "1 0",
		2:      "2 1 0",
		5:      "5 4 3 2 1 0",
		6:      "6 4 2 0",
		11:     "15 10 5 0",
		42:     "50 40 30 20 10 0",
		51:     "60 40 20 0",
		98:     "100 80 60 40 20 0",
		101:    "125 100 75 50 25 0",
		126:    "150 100 50 0",
		1000:   "1,000 800 600 400 200 0",
		10_001: "12,500 10,000 7,500 5,000 2,500 0",
	} {
		top, step := ScaleOf(most)
		require.Equal(t, want, strings.Join(AxisLabels(top, step), " "))
	}
	require.Equal(t, "M0 0H70M0 33.3H70M0 66.7H70M0 100H70", GridOf(70, 6, 2))
}

// Labels stand where their day, week or month begins. They have room: 7 px for a character and 5 px
// between two, on a phone and on a desk.
func TestTicksStandAtTheirDaysAndHaveRoom(t *testing.T) {
	t.Parallel()
	month := reports.Period{From: time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC), Days: 28}
	require.Equal(t, "M10 0V100M80 0V100M150 0V100M220 0V100", GridLines(month))
	require.Equal(t, []Tick{
		{"26 Oct", false, 100. / 28}, {"2 Nov", true, 800. / 28}, {"9 Nov", false, 1500. / 28},
		{"16 Nov", true, 2200. / 28},
	}, Ticks(month))
	year := reports.Period{From: time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC), Days: 365}
	require.True(t, strings.HasPrefix(GridLines(year), "M90 0V100M400 0V100M710 0V100"))
	months := []string{}
	for _, tick := range Ticks(year) {
		months = append(months, tick.Label)
	}
	require.Equal(t, "Dec 2026 Feb Mar Apr May Jun Jul Aug Sep Oct", strings.Join(months, " "))
	for days := 1; days <= 366; days++ {
		all := Ticks(reports.Period{From: year.From, Days: days})
		for pixels, wide := range map[float64]bool{232: false, 784: true} {
			end := -5.0
			for _, tick := range all {
				if tick.Wide && !wide {
					continue
				}
				at := tick.at * pixels / 100
				require.GreaterOrEqual(t, at, end+5, "%d days: %v", days, all)
				end = at + 7*float64(len(tick.Label))
			}
			require.Positive(t, end, days)
			require.LessOrEqual(t, end, pixels, "%d days: %v", days, all)
		}
	}
}
