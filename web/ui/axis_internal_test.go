package ui

import (
	"cmp"
	"slices"
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

// Labels are below their days and do not overlap, on a phone and on a desk.
func TestTicksStandUnderTheirDays(t *testing.T) {
	t.Parallel()
	month := reports.Period{From: time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC), Days: 28}
	require.Equal(t, "M10 0V100M80 0V100M150 0V100M220 0V100", GridLines(month))
	year := reports.Period{From: time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC), Days: 365}
	require.True(t, strings.HasPrefix(GridLines(year), "M90 0V100M400 0V100M710 0V100"))
	for want, p := range map[string]reports.Period{
		"25 Oct 0.00%, 21 Nov 100.00%, 9 Nov 55.36%, 2 Nov 30.36%, 16 Nov 80.36% mid": month,
		"25 Oct 0.00%":                 {From: month.From, Days: 1},
		"25 Oct 0.00%, 26 Oct 100.00%": {From: month.From, Days: 2},
	} {
		require.Equal(t, want, tickText(Ticks(p)))
	}
	require.Equal(t, "Jan 2026 10.96%, Sep 77.53%, May 43.84%, Jul 60.55%, Mar 27.12% mid, "+
		"Nov 94.25% mid, Dec 2.47% mid, Apr 35.62% mid, Jun 52.33% mid, Aug 69.04% mid, "+
		"Oct 85.75% mid, Feb 19.45% wide", tickText(Ticks(year)),
		"every month of a year, 40 of 365 days before January")
	for days := 1; days <= 366; days++ {
		all := Ticks(reports.Period{From: year.From, Days: days})
		require.LessOrEqual(t, len(all), 14)
		on := func(classes ...string) []Tick {
			return slices.DeleteFunc(slices.Clone(all),
				func(t Tick) bool { return !slices.Contains(classes, t.Class) })
		}
		requireRoom(t, on(""), narrowChart)
		requireRoom(t, on("", "mid"), midChart)
		requireRoom(t, all, wideChart)
	}
}

func tickText(all []Tick) string {
	text := []string{}
	for _, t := range all {
		text = append(text, strings.TrimRight(t.Label+" "+t.At()+" "+t.Class, " "))
	}
	return strings.Join(text, ", ")
}

func requireRoom(t *testing.T, all []Tick, pixels float64) {
	t.Helper()
	slices.SortFunc(all, func(a, b Tick) int { return cmp.Compare(a.at, b.at) })
	end := -1.0
	for _, tick := range all {
		from, to := tick.extent(pixels)
		require.Greater(t, from, end, "%v", all)
		end = to
	}
	require.LessOrEqual(t, end, pixels, "%v", all)
}
