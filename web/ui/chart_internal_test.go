package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
)

// An axis ends at round numbers near its values; its labels are round numbers, too.
func TestScalesAreTight(t *testing.T) {
	t.Parallel()
	friday := reports.Period{From: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Days: 4}
	for most, want := range map[int64]string{
		0:      "1 0",
		5:      "5 4 3 2 1 0",
		6:      "6 4 2 0",
		11:     "15 10 5 0",
		101:    "125 100 75 50 25 0",
		10_001: "12,500 10,000 7,500 5,000 2,500 0",
	} {
		panel := NewPanel(friday, 0, most, 1, Count)
		require.Equal(t, want, strings.Join(panel.Labels, " "))
	}
	panel := NewPanel(friday, 701, 801, 50, Count)
	require.Equal(t, []string{"850", "800", "750", "700"}, panel.Labels)
	require.Equal(t, int64(150), panel.Height())
	require.Equal(t, "M0 0H400M0 50H400M0 100H400M0 150H400M300 0V150", panel.Grid)
	require.Equal(t, "M110 49v801h80v-801z", panel.Bar(1, 1, 80, 801))
	require.Empty(t, panel.Bar(1, 1, 80, 0))
}

// Labels stand where their day, week or month begins. They have room: 7 px for a character and 5 px
// between two, on a phone and on a desk.
func TestTicksStandAtTheirDaysAndHaveRoom(t *testing.T) {
	t.Parallel()
	month := reports.Period{From: time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC), Days: 28}
	require.Equal(t, []Tick{
		{"26 Oct", false, 100. / 28}, {"2 Nov", true, 800. / 28}, {"9 Nov", false, 1500. / 28},
		{"16 Nov", true, 2200. / 28},
	}, Ticks(month))
	year := reports.Period{From: time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC), Days: 365}
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
