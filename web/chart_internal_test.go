package web

import (
	"cmp"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/modules/reports"
)

// drawn is a bar or a dot, as its path has it.
type drawn struct{ x, y, width float64 }

func readPath(t *testing.T, pattern, path string) []drawn {
	t.Helper()
	var all []drawn
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(path, -1) {
		var d drawn
		var err error
		for i, to := range []*float64{&d.x, &d.y, &d.width} {
			if i+1 < len(m) {
				*to, err = strconv.ParseFloat(m[i+1], 64)
				require.NoError(t, err)
			}
		}
		all = append(all, d)
	}
	return all
}

// randomDays are days of which about a fifth has no play, and another fifth no completed one.
func randomDays(random *rand.Rand, p reports.Period) []reports.DailyStat {
	days := make([]reports.DailyStat, p.Days)
	for i := range days {
		d := &days[i]
		d.Date = p.Day(i)
		if i == 0 || i == p.Days-1 || random.IntN(5) > 0 {
			d.Plays = 1 + random.Int64N(5_000)
		}
		if d.Plays > 0 && random.IntN(5) > 0 {
			d.Completed = 1 + random.Int64N(d.Plays)
			d.Score = random.Int64N(10_000 * d.Completed)
		}
		*d = reports.SumDays(days[i : i+1])
	}
	return days
}

// Bars are as high as their plays, to a tenth of the panel's hundredth, and stand over their days; a dot is at its score, and the
// line is broken where nothing was completed. The axes of both panels are the same.
func TestChartIsDrawnToScale(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 9))
	for _, days := range []int{1, 2, 7, 28, 31, 92, 93, 365, 366} {
		p := reports.Period{From: time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC), Days: days} // a Saturday
		s := reports.Statistics{Daily: randomDays(random, p)}
		c := newChart(locales[0], p, s, time.Time{})
		require.Equal(t, 10*days, c.Width)
		top, err := strconv.ParseInt(strings.ReplaceAll(c.Top[0], ",", ""), 10, 64)
		require.NoError(t, err)

		bars, dots := readPath(t, `M([\d.]+) ([\d.]+)h([\d.]+)V100h-[\d.]+z`, c.Bars), readPath(t, `M([\d.]+) ([\d.]+)h\.01`, c.Dots)
		points, most, broken := readPath(t, `[ML]([\d.]+) ([\d.]+)`, c.Line), int64(0), true
		commands := ""
		for from := 0; from < days; {
			n := 1
			if days > 92 {
				n = min(days-from, 7-(int(p.From.Weekday())+6+from)%7) // to the next Monday
			}
			d, middle := reports.SumDays(s.Daily[from:from+n]), float64(10*from+5*n)
			if most = max(most, d.Plays); d.Plays > 0 {
				require.InDelta(t, middle, bars[0].x+bars[0].width/2, 0.051)
				require.LessOrEqual(t, bars[0].width, float64(8*n))
				require.InDelta(t, 100*float64(d.Plays)/float64(top), 100-bars[0].y, 0.0501)
				bars = bars[1:]
			}
			if d.Completed > 0 {
				require.InDeltaSlice(t, []float64{middle, 100 - float64(d.AvgScore)/10}, []float64{dots[0].x, dots[0].y}, 1e-9)
				require.Equal(t, dots[0], points[0])
				dots, points, commands = dots[1:], points[1:], commands+map[bool]string{true: "M", false: "L"}[broken]
			}
			broken = d.Completed == 0
			from += n
		}
		require.Empty(t, bars)
		require.Empty(t, dots)
		require.Equal(t, commands, regexp.MustCompile(`[^ML]`).ReplaceAllString(c.Line, ""))
		require.Less(t, float64(top), 1.51*float64(most), "the highest bar fills two thirds of the panel")
	}
}

// A score of zero has a dot; the lack of one has neither dot nor number.
func TestZeroScoreHasADot(t *testing.T) {
	t.Parallel()
	p := reports.Period{From: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Days: 3}
	c := newChart(locales[0], p, reports.Statistics{Daily: []reports.DailyStat{{Plays: 2, Completed: 1}, {Plays: 2}, {}}}, lastDay(p))
	require.Equal(t, "M5 100h.01", c.Dots)
	scores := []string{}
	for _, row := range c.Rows {
		scores = append(scores, row.Score)
	}
	require.Equal(t, []string{"0.0%", "–", "–"}, scores)
	require.Equal(t, "–", c.Score)
}

// The bar of today, or of its week, is drawn apart; cut weeks are named as such.
func TestUnfinishedBarsAreMarked(t *testing.T) {
	t.Parallel()
	today := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC) // a Wednesday
	for days, want := range map[int][]string{28: {"Tue 17 Nov 2026", "Wed 18 Nov 2026 today"}, 100: {"9 to 15 November 2026", "16 to 18 November 2026 today part"}} {
		p := lastDays(today, days)
		c := newChart(locales[0], p, reports.Statistics{Daily: randomDays(rand.New(rand.NewPCG(1, 1)), p)}, today)
		require.Equal(t, 1, strings.Count(c.Unfinished, "M"))
		got := []string{}
		for _, row := range c.Rows[len(c.Rows)-2:] {
			got = append(got, strings.TrimRight(row.Name+" "+map[bool]string{true: "today "}[row.Today]+map[bool]string{true: "part"}[row.Part], " "))
		}
		require.Equal(t, want, got)
		require.Equal(t, days == 100, c.Rows[0].Part, "10 August is a Monday; 100 days begin within a week")
		earlier := newChart(locales[0], p, reports.Statistics{Daily: make([]reports.DailyStat, days)}, today.AddDate(0, 0, 1))
		require.Empty(t, earlier.Unfinished, "a period before today has none")
	}
}

// The top of an axis is a round number near the highest bar; its labels are round numbers, too.
func TestScalesAreTight(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64]string{
		0: "1 0", 1: "1 0", 2: "2 1 0", 5: "5 4 3 2 1 0", 6: "6 4 2 0", 11: "15 10 5 0", 42: "50 40 30 20 10 0", 51: "60 40 20 0",
		98: "100 80 60 40 20 0", 101: "125 100 75 50 25 0", 126: "150 100 50 0", 1000: "1,000 800 600 400 200 0", 10_001: "12,500 10,000 7,500 5,000 2,500 0",
	} {
		top, step := scaleOf(most)
		require.Equal(t, want, strings.Join(axisLabels(locales[0], top, step), " "))
	}
	require.Equal(t, "M0 0H70M0 33.3H70M0 66.7H70M0 100H70", gridOf(70, 6, 2))
}

// Labels stand below the days that they name, and do not overlap, on a phone and on a desk.
func TestTicksStandUnderTheirDays(t *testing.T) {
	t.Parallel()
	month := reports.Period{From: time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC), Days: 28}
	require.Equal(t, "M10 0V100M80 0V100M150 0V100M220 0V100", gridLines(locales[0], month))
	year := reports.Period{From: time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC), Days: 365}
	require.True(t, strings.HasPrefix(gridLines(locales[0], year), "M90 0V100M400 0V100M710 0V100"))
	for want, p := range map[string]reports.Period{
		"25 Oct 0.00%, 21 Nov 100.00%, 9 Nov 55.36%, 2 Nov 30.36% wide, 16 Nov 80.36% wide": month,
		"25 Oct 0.00%":                 {From: month.From, Days: 1},
		"25 Oct 0.00%, 26 Oct 100.00%": {From: month.From, Days: 2},
	} {
		require.Equal(t, want, tickText(ticks(locales[0], p)))
	}
	text := tickText(ticks(locales[0], year))
	require.Contains(t, text, "22 Nov 2025 0.00%, 21 Nov 2026 100.00%")
	require.Contains(t, text, "Jan 2026 10.96% wide", "40 of 365 days before it")
	for days := 1; days <= 366; days++ {
		for _, l := range []locale{locales[0], localeOfTag(t, "en-US")} {
			all := ticks(l, reports.Period{From: year.From, Days: days})
			require.LessOrEqual(t, len(all), 14)
			requireRoom(t, slices.DeleteFunc(slices.Clone(all), func(t tick) bool { return t.Wide }), narrowChart)
			requireRoom(t, all, wideChart)
		}
	}
}

func tickText(all []tick) string {
	text := []string{}
	for _, t := range all {
		text = append(text, strings.TrimRight(t.Label+" "+t.At()+" "+map[bool]string{true: "wide"}[t.Wide], " "))
	}
	return strings.Join(text, ", ")
}

func requireRoom(t *testing.T, all []tick, pixels float64) {
	t.Helper()
	slices.SortFunc(all, func(a, b tick) int { return cmp.Compare(a.at, b.at) })
	end := -1.0
	for _, tick := range all {
		from, to := tick.extent(pixels)
		require.Greater(t, from, end, "%v", all)
		end = to
	}
	require.LessOrEqual(t, end, pixels, "%v", all)
}

func TestEverySkillHasAName(t *testing.T) {
	t.Parallel()
	require.Len(t, skillLabels, games.SkillCount)
	for i := range games.SkillCount {
		require.NotEmpty(t, skillLabels[games.Skill(i).ID()], games.Skill(i).ID())
	}
}

func TestPeriodInWords(t *testing.T) {
	t.Parallel()
	for words, p := range map[string][2]string{
		"25 October to 21 November 2026":       {"2026-10-25", "2026-11-21"},
		"15 to 21 November 2026":               {"2026-11-15", "2026-11-21"},
		"22 November 2025 to 21 November 2026": {"2025-11-22", "2026-11-21"},
		"21 November 2025 to 20 November 2026": {"2025-11-21", "2026-11-20"},
		"21 November 2026":                     {"2026-11-21", "2026-11-21"},
	} {
		period, err := reports.ParsePeriod(p[0], p[1])
		require.NoError(t, err)
		require.Equal(t, words, locales[0].Period(period))
	}
}

// 7, 28, 90 days, this month, last month, last 12 months; each is one that the API takes, on
// every day of some years.
func TestPresetsAreValidOnEveryDay(t *testing.T) {
	t.Parallel()
	days := func(today string) []string {
		now, err := time.Parse(time.DateOnly, today)
		require.NoError(t, err)
		var all []string
		for _, p := range presets(now) {
			all = append(all, p.period.String())
		}
		return all
	}
	require.Equal(t, []string{"2026-11-15_2026-11-21", "2026-10-25_2026-11-21", "2026-08-24_2026-11-21", "2026-11-01_2026-11-21",
		"2026-10-01_2026-10-31", "2025-11-22_2026-11-21"}, days("2026-11-21"))
	require.Equal(t, []string{"2028-02-23_2028-02-29", "2028-02-02_2028-02-29", "2027-12-02_2028-02-29", "2028-02-01_2028-02-29",
		"2028-01-01_2028-01-31", "2027-03-01_2028-02-29"}, days("2028-02-29"))
	require.Equal(t, "2027-12-01_2027-12-31", days("2028-01-31")[4])
	for day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2030; day = day.AddDate(0, 0, 1) {
		for _, p := range presets(day) {
			again, err := reports.ParsePeriod(p.period.Day(0), p.period.Day(p.period.Days-1))
			require.NoError(t, err, "%s on %s", p.Name, day)
			require.Equal(t, p.period, again)
		}
	}
}
