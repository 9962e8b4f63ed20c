package reports

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
)

// Bars and lines share a scale and span their days. A score of 0 has a dot. Days without finished plays break the line.
func TestChartIsDrawnToScale(t *testing.T) {
	p := reports.Period{From: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Days: 7}
	daily := []reports.DailyStat{
		{Plays: 4, Completed: 2, ScoreSum: 14_000}, {Plays: 5, Completed: 1, ScoreSum: 5_000}, {Plays: 3},
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
	require.Equal(t, "M25 11h50v4h-50zM125 10h50v5h-50zM225 12h50v3h-50zM325 14h50v1h-50zM625 6h50v9h-50z", c.Shapes)
	require.Equal(t, []string{"M5 4h90v11h-90z", "M5 4h90"}, []string{c.EarlierPath, c.EarlierTops})
	require.Equal(t, "Thu 26 Nov 2026 (so far)", c.Highest.Name)
	require.Equal(t, "Fri 13 Nov 2026", c.Bars[0].EarlierName)
	require.Empty(t, c.Bars[2].EarlierName, "there is no such day")
	c = draw(score)
	require.Equal(t, []string{"100%", "80%", "60%", "40%", "20%", "0%"}, c.Panel.Labels)
	require.Equal(t, "M50 300h.01L150 500M350 1000h.01", c.Shapes)
	require.Equal(t, []string{"M150 500h.01", "M50 300h.01M350 1000h.01"}, []string{c.Dots, c.FewDots})
	require.Equal(t, "M50 0h.01", c.EarlierPath)
	require.Equal(t, "M50 1000h.01L150 1000M350 0h.01", draw(passRate).Shapes)
	require.Equal(t, "M50 500h.01L150 800L250 1000L350 0M650 1000h.01", draw(completionRate).Shapes)
}

// In a long period, only values without neighbours have a dot, because many dots would run together.
func TestLongPeriodsHaveDotsOnlyForIsolatedScores(t *testing.T) {
	for days, dots := range map[int]string{31: "M250 0h.01M1250 0h.01M1350 0h.01", 32: "M250 0h.01"} {
		daily := make([]reports.DailyStat, days)
		for _, day := range []int{2, 12, 13} {
			daily[day] = reports.DailyStat{Plays: 5, Completed: 1, ScoreSum: 10_000}
		}
		p := reports.Period{From: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Days: days}
		c := newChart(p, reports.Statistics{Daily: daily}, nil, p.End(), score)
		require.Equal(t, "M250 0h.01M1250 0h.01L1350 0", c.Shapes)
		require.Equal(t, dots, c.Dots)
	}
}

// Beyond 44 days, a bar is a week. Labels mark partial weeks and the current week.
func TestBarsOfALongPeriodAreWeeks(t *testing.T) {
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

// A label has the change of its week's complete days, coloured if it exceeds the noise. The changes add up.
func TestWeeksNameTheirChange(t *testing.T) {
	p := reports.Period{From: time.Date(2026, 11, 4, 0, 0, 0, 0, time.UTC), Days: 28}
	daily := slices.Repeat([]reports.DailyStat{{Date: "2026-10-01", Plays: 13}}, p.Days)
	now := reports.Statistics{Daily: daily}
	before := reports.Statistics{Daily: slices.Clone(daily[:26])} // as many days as have ended
	now.Daily[0].Plays -= 7
	now.Daily[11].Plays -= 11
	before.Daily[5].Plays += 40
	before.Daily[12].Plays += 40
	changes := func(m measure) (all string) {
		for _, tick := range newChart(p, now, &comparison{earlierStats: &before}, p.End().AddDate(0, 0, -2), m).Ticks {
			all += tick.Change + tick.Direction + " "
		}
		return all
	}
	require.Equal(t, "−47down −51down ±0 ±0 ", changes(plays))
	require.Equal(t, "    ", changes(completionRate))
}

// The axis of scores starts and ends near the values, so that changes are visible.
func TestScoreAxisStartsNearTheScores(t *testing.T) {
	for scores, want := range map[[2]int64][]string{
		{0, 0}:           {"10%", "5%", "0%"},
		{10_000, 10_000}: {"100%", "95%", "90%"},
		{5_330, 8_040}:   {"90%", "80%", "70%", "60%", "50%"},
	} {
		daily := []reports.DailyStat{{Completed: 1, ScoreSum: scores[0]}, {Completed: 1, ScoreSum: scores[1]}}
		p := reports.Period{Days: 2}
		require.Equal(t, want, newChart(p, reports.Statistics{Daily: daily}, nil, p.End(), score).Panel.Labels)
	}
}

// ParsePeriod accepts each preset on every day of four years, also on a leap day.
func TestPresetsAreValidOnEveryDay(t *testing.T) {
	leapDay := time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC)
	want := []string{"2028-02-29_2028-02-29", "2028-02-22_2028-02-28", "2028-02-01_2028-02-28", "2027-12-01_2028-02-28",
		"2027-03-01_2028-02-28", "2028-02-28_2028-02-29", "2028-02-21_2028-02-27", "2028-02-01_2028-02-29",
		"2028-01-01_2028-01-31", "2028-01-01_2028-02-29", "2027-10-01_2027-12-31", "2028-01-01_2028-02-29"}
	for i, p := range presets(leapDay) {
		require.Equal(t, want[i], p.period.String(), p.name)
	}
	for daysAgo := range 4 * 366 {
		for _, p := range presets(leapDay.AddDate(0, 0, -daysAgo)) {
			parsed, err := reports.ParsePeriod(p.period.Day(0), p.period.Day(p.period.Days-1))
			require.NoError(t, err, "%s, %d days ago", p.name, daysAgo)
			require.Equal(t, p.period, parsed)
		}
	}
}

// A change has a direction and the earlier figure. Small changes have no colour, large increases are multiples.
func TestFiguresAreCompared(t *testing.T) {
	changes := func(now reports.Statistics, before *reports.Statistics) (texts []string) {
		var c *comparison
		if before != nil {
			c = &comparison{earlierStats: before}
		}
		for _, f := range newFigures(now, c, plays, uniquePlayers, score, completionRate, passRate) {
			words := []string{f.Value}
			if c := f.Change; c != nil {
				words = append(words, c.Direction, c.Difference, c.Earlier)
			}
			texts = append(texts, strings.Join(words, "|"))
		}
		return texts
	}
	now := reports.Statistics{Plays: 163, UniquePlayers: 20, Completed: 100, AvgScore: 687, Passed: 50}
	before := reports.Statistics{Plays: 151, UniquePlayers: 25, Completed: 90, AvgScore: 674, Passed: 45}
	require.Equal(t, []string{"163|up|8%|was 151", "20|down|20%|was 25", "68.7%|up|1.3 points|was 67.4%",
		"61.3%|up|1.7 points|was 59.6%", "50.0%|||unchanged"}, changes(now, &before))
	require.Equal(t, "20", changes(now, nil)[1], "without a comparison there is no word of one")
	nothing := reports.Statistics{}
	require.Equal(t, []string{"0|down|100%|was 151", "0|down|100%|was 25", "–|||no comparison", "–|||no comparison",
		"–|||no comparison"}, changes(nothing, &before))
	require.Equal(t, "68.7%|||no comparison", changes(now, &nothing)[2])

	for _, c := range []struct {
		measure     measure
		now, before int64
		want        change
	}{
		{plays, 15_001, 15_000, change{"up", true, "<1%", "was 15,000"}},
		{plays, 1009, 1000, change{"up", true, "1%", "was 1,000"}},
		{plays, 800, 1000, change{"down", false, "20%", "was 1,000"}},
		{plays, 40, 50, change{"down", true, "20%", "was 50"}},
		{plays, 100, 10, change{"up", false, "900%", "was 10"}},
		{plays, 385, 10, change{"up", false, "×39", "was 10"}},
		{plays, 10, 385, change{"down", false, "97%", "was 385"}},
		{score, 504, 500, change{"up", true, "0.4 points", "was 50.0%"}},
		{score, 450, 500, change{"down", false, "5.0 points", "was 50.0%"}},
		{score, 470, 500, change{"down", true, "3.0 points", "was 50.0%"}},
	} {
		figures := func(n int64) *reports.Statistics {
			return &reports.Statistics{Plays: n, Completed: 400, UniquePlayers: 400, AvgScore: reports.Percent(n)}
		}
		require.Equal(t, c.want, *c.measure.change(*figures(c.now), &comparison{earlierStats: figures(c.before)}))
		complete := &comparison{completeStats: figures(c.now), earlierStats: figures(c.before)}
		c.want.Earlier = c.measure.format(c.now) + ", " + c.want.Earlier
		require.Equal(t, c.want, *c.measure.change(*figures(7), complete))
	}
}

// The previous period has as many days, or whole months. A year earlier has the same weekdays. None includes today.
func TestComparedPeriodsMatchTheirPeriod(t *testing.T) {
	for period, want := range map[string][3]string{
		// the complete days ("": all or none), the previous period, and the period 52 weeks earlier
		"2026-03-01 2026-03-01": {"", "2026-02-28_2026-02-28", "2025-03-02_2025-03-02"},
		"2026-03-01 2026-03-28": {"", "2026-02-01_2026-02-28", "2025-03-02_2025-03-29"},
		"2026-03-01 2027-03-01": {"", "2025-02-28_2026-02-28", "2025-03-02_2026-03-02"},
		"2026-07-01 2026-09-30": {"", "2026-04-01_2026-06-30", "2025-07-02_2025-10-01"},
		"2026-01-01 2026-12-31": {"", "2025-01-01_2025-12-31", "2025-01-02_2026-01-01"},
		"2026-01-01 2026-03-31": {"", "2025-10-01_2025-12-31", "2025-01-02_2025-04-01"},
		"2025-02-28 2025-02-28": {"", "2025-02-27_2025-02-27", "2024-03-01_2024-03-01"},
		"2028-02-01 2028-02-29": {"", "2028-01-01_2028-01-31", "2027-02-02_2027-03-02"},
		"2028-03-02 2029-03-02": {"", "2027-03-02_2028-03-01", "2027-03-04_2028-03-03"},
		"2000-01-29 2000-02-02": {"", "2000-01-24_2000-01-28", ""},
		"2000-01-28 2000-02-28": {"", "", ""},
		"2029-05-01 2029-05-28": {"2029-05-01_2029-05-27", "2029-04-03_2029-04-29", "2028-05-02_2028-05-28"},
		"2029-05-01 2029-05-31": {"2029-05-01_2029-05-27", "2029-04-01_2029-04-27", "2028-05-02_2028-05-28"},
		"2029-05-27 2029-05-28": {"2029-05-27_2029-05-27", "2029-05-25_2029-05-25", "2028-05-28_2028-05-28"},
		"2029-05-28 2029-05-28": {"", "", ""},
		"2029-06-28 2029-06-29": {"", "", ""},
	} {
		today := time.Date(2029, 5, 28, 0, 0, 0, 0, time.UTC)
		from, to, _ := strings.Cut(period, " ")
		p, err := reports.ParsePeriod(from, to)
		require.NoError(t, err)
		for i, choice := range []string{"", compareYear} {
			complete, earlier, ok := comparedPeriods(p, choice, today)
			require.Equal(t, want[1+i] != "", ok, period)
			if ok {
				require.Equal(t, want[1+i], earlier.String(), "%s, %q", period, choice)
				require.Equal(t, cmp.Or(want[0], p.String()), complete.String())
			}
		}
		_, _, ok := comparedPeriods(p, compareOff, today)
		require.False(t, ok)
	}
}

// Above the limit of plays, the overview does not count players, and compares only plays.
func TestOverviewOfUncountedPlayersComparesPlays(t *testing.T) {
	o := reports.Overview{Current: reports.Statistics{Plays: 300_000}, Earlier: reports.Statistics{Plays: 250_000}}
	c := newComparison(o.Earlier, reports.Period{Days: defaultDays}, "")
	require.Equal(t, []figure{{Key: "plays", Name: "Plays", Value: "300,000",
		Change: &change{"up", false, "20%", "was 250,000"}}}, overviewFigures(o, c))
	require.Nil(t, newComparison(reports.Statistics{}, reports.Period{Days: defaultDays}, ""))
	require.Equal(t, []figure{{Key: "plays", Name: "Plays", Value: "300,000"}}, overviewFigures(o, nil))
}
