package reports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
)

// A bar is over its days and as high as its plays, and the line of the compared period is over its
// days. A dot is at its score, and the line is broken where nothing was completed. A score of zero has
// a dot, the lack of one has none.
func TestChartIsDrawnToScale(t *testing.T) {
	t.Parallel()
	p := reports.Period{From: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Days: 7}
	daily := []reports.DailyStat{
		{Plays: 4, Completed: 2, ScoreSum: 14_000}, {Plays: 1, Completed: 1, ScoreSum: 5_000}, {Plays: 3},
		{Plays: 1, Completed: 1, Passed: 1}, {}, {}, {Plays: 9},
	}
	before := reports.Statistics{Daily: []reports.DailyStat{
		{Date: "2026-11-13", Plays: 11, Completed: 1, ScoreSum: 10_000}, {Date: "2026-11-14"},
	}}
	draw := func(m measure) *chart {
		return newChart(p, reports.Statistics{Daily: daily}, &comparison{earlierStats: &before},
			p.End().AddDate(0, 0, -1), m)
	}
	c := draw(plays)
	require.Equal(t, []string{"15", "10", "5", "0"}, c.Panel.Labels)
	require.Equal(t,
		"M20 11v4h60v-4zM120 14v1h60v-1zM220 12v3h60v-3zM320 14v1h60v-1zM620 6v9h60v-9z", c.Shapes)
	require.Equal(t, "M50 4h.01L150 15", c.EarlierLine)
	require.Equal(t, []string{"7%", "26%", "start"}, []string{c.PeakX, c.PeakY, c.PeakAnchor})
	require.Equal(t, "Thu 26 Nov 2026 (so far)", c.Most.Name)
	require.Equal(t, "Fri 13 Nov 2026", c.Bars[0].EarlierName)
	require.Empty(t, c.Bars[2].EarlierName, "there is no such day")
	c = draw(score)
	require.Equal(t, []string{"100%", "80%", "60%", "40%", "20%", "0%"}, c.Panel.Labels)
	require.Equal(t, "M50 300h.01L150 500M350 1000h.01", c.Shapes)
	require.Equal(t, "M50 300h.01M150 500h.01M350 1000h.01", c.Dots)
	require.Equal(t, "M50 0h.01", c.EarlierLine)
	require.Equal(t, "M50 1000h.01L150 1000M350 0h.01", draw(passRate).Shapes)
	require.Equal(t, "M50 500h.01L150 0L250 1000L350 0M650 1000h.01", draw(completion).Shapes)
}

// Many dots would run together: a long period has one where no line shows the score.
func TestLongPeriodsHaveDotsOfLoneScores(t *testing.T) {
	t.Parallel()
	for days, dots := range map[int]string{31: "M250 0h.01M1250 0h.01M1350 0h.01", 32: "M250 0h.01"} {
		daily := make([]reports.DailyStat, days)
		for _, day := range []int{2, 12, 13} {
			daily[day] = reports.DailyStat{Plays: 1, Completed: 1, ScoreSum: 10_000}
		}
		p := reports.Period{From: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Days: days}
		c := newChart(p, reports.Statistics{Daily: daily}, nil, p.End(), score)
		require.Equal(t, "M250 0h.01M1250 0h.01L1350 0", c.Shapes)
		require.Equal(t, dots, c.Dots)
	}
}

// Bars of more than 44 days are weeks. The cut ones, and that of today, say so.
func TestBarsOfALongPeriodAreWeeks(t *testing.T) {
	t.Parallel()
	today := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC) // a Wednesday
	p := lastDays(today.AddDate(0, 0, 1), 93)
	daily := make([]reports.DailyStat, p.Days)
	for i := range daily {
		daily[i].Plays = int64(i)
	}
	bars := barsOf(p, today, daily, daily[:8])
	require.Len(t, bars, 14)
	require.Equal(t, "18 to 23 Aug 2026 (part of a week)", bars[0].Name)
	require.Equal(t, "24 to 30 Aug 2026", bars[1].Name)
	require.Equal(t, "16 to 18 Nov 2026 (so far)", bars[13].Name)
	plays := int64(0)
	days := 0
	for _, b := range bars {
		require.Equal(t, days, b.From)
		days += b.Days
		plays += b.Current.Plays
	}
	require.Equal(t, 93, days)
	require.Equal(t, int64(93*92/2), plays)
	require.Equal(t, int64(6+7), bars[1].Earlier.Plays, "two days of the week")
	require.Len(t, barsOf(lastDays(today.AddDate(0, 0, 1), 44), today, daily, nil), 44)
	require.Len(t, barsOf(lastDays(today.AddDate(0, 0, 1), 45), today, daily, nil), 7)
}

// The axis of scores shows how they move: it begins and ends near them.
func TestScaleOfScoresShowsMovement(t *testing.T) {
	t.Parallel()
	for scores, want := range map[[2]int64][]string{
		{0, 0}:           {"10%", "5%", "0%"},
		{10_000, 10_000}: {"100%", "95%", "90%"},
		{5_330, 8_040}:   {"90%", "80%", "70%", "60%", "50%"},
	} {
		daily := make([]reports.DailyStat, len(scores))
		for i, sum := range scores {
			daily[i] = reports.DailyStat{Completed: 1, ScoreSum: sum}
		}
		p := reports.Period{Days: 2}
		c := newChart(p, reports.Statistics{Daily: daily}, nil, p.End(), score)
		require.Equal(t, want, c.Panel.Labels)
	}
}

// The API accepts the period of each preset on every day.
func TestPresetsAreValidOnEveryDay(t *testing.T) {
	t.Parallel()
	leapDay := time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC)
	want := []string{
		"2028-02-29_2028-02-29", "2028-02-22_2028-02-28", "2028-02-01_2028-02-28",
		"2027-12-01_2028-02-28", "2027-03-01_2028-02-28", "2028-02-28_2028-02-29",
		"2028-02-21_2028-02-27", "2028-02-01_2028-02-29", "2028-01-01_2028-01-31",
		"2028-01-01_2028-02-29", "2027-10-01_2027-12-31", "2028-01-01_2028-02-29",
	}
	for i, p := range presets(leapDay) {
		require.Equal(t, want[i], p.period.String(), p.name)
	}
	for ago := range 4 * 366 {
		for _, p := range presets(leapDay.AddDate(0, 0, -ago)) {
			again, err := reports.ParsePeriod(p.period.Day(0), p.period.Day(p.period.Days-1))
			require.NoError(t, err, "%s, %d days ago", p.name, ago)
			require.Equal(t, p.period, again)
		}
	}
}
