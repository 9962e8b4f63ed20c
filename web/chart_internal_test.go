package web

import (
	"fmt"
	"math/rand/v2"
	"regexp"
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

// Bars are as high as their plays, to a tenth of the panel's hundredth; a dot is at its score; the first
// day is at the left edge and the last one at the right, in both panels alike.
func TestChartIsDrawnToScale(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 9))
	for _, days := range []int{1, 2, 7, 28, 31, 92, 93, 365, 366} {
		p := reports.Period{From: time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC), Days: days}
		s := reports.Statistics{Daily: make([]reports.DailyStat, days)}
		most := int64(0)
		for i := range s.Daily {
			d := &s.Daily[i]
			if d.Date = p.Day(i); i == 0 || i == days-1 || random.IntN(5) > 0 {
				d.Plays, d.AvgScore = 1+random.Int64N(5_000), reports.Percent(1+random.IntN(1000))
			}
			most = max(most, d.Plays)
		}
		c := newChart(locales[0], p, s)
		require.Equal(t, 10*days, c.Width)
		top, err := strconv.ParseInt(strings.ReplaceAll(c.Top[0], ",", ""), 10, 64)
		require.NoError(t, err)
		require.GreaterOrEqual(t, top, most)
		require.Less(t, top, 3*most, "the highest bar fills a third of the panel at least")

		path, offset, width := c.Bars, 1.0, 8.0
		if days <= 92 {
			require.Empty(t, c.Bars)
			require.Len(t, c.Days, days)
			if offset, width = 2, 6; days < 7 {
				offset, width = []float64{0, 4.6, 4.2}[days], []float64{0, 0.8, 1.7}[days]
			}
			for i, d := range c.Days {
				path += d.Bar
				require.Equal(t, fmt.Sprintf("M%d 0h10v100h-10z", 10*i), d.HitArea)
				require.Contains(t, d.Title, locales[0].Percent(s.Daily[i].AvgScore))
			}
		} else {
			require.Empty(t, c.Days)
		}
		bars, dots := readPath(t, `M([\d.]+) ([\d.]+)h([\d.]+)V100h-[\d.]+z`, path), readPath(t, `M([\d.]+) ([\d.]+)h\.01`, c.Dots)
		thread := readPath(t, `[ML]([\d.]+) ([\d.]+)`, c.Line)
		require.Len(t, dots, len(thread))
		n := 0
		for i, d := range s.Daily {
			if d.Plays == 0 {
				continue
			}
			require.Equal(t, drawn{float64(10*i) + offset, bars[n].y, width}, bars[n])
			require.InDelta(t, 100*float64(d.Plays)/float64(top), 100-bars[n].y, 0.0501)
			require.Equal(t, drawn{float64(10*i) + 5, bars[n].y, 0}, drawn{dots[n].x, bars[n].y, 0})
			require.InDelta(t, float64(d.AvgScore)/10, 100-dots[n].y, 1e-9)
			require.Equal(t, drawn{dots[n].x, dots[n].y, 0}, thread[n])
			n++
		}
		require.Len(t, bars, n)
		require.Len(t, dots, n)
		last := bars[n-1]
		require.InDelta(t, float64(c.Width), last.x+last.width+offset, 0.11, "the last day is at the right edge")
	}
}

func TestChartAxes(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64]string{1: "2", 2: "2", 3: "4", 5: "6", 42: "60", 98: "100", 101: "200", 1000: "1,000", 10_001: "20,000"} {
		_, top := highest([]reports.DailyStat{{Plays: 0}, {Plays: most}})
		require.Equal(t, want, locales[0].Count(top))
	}
	month := reports.Period{From: time.Date(2026, 10, 25, 0, 0, 0, 0, time.UTC), Days: 28}
	require.Equal(t, "M10 0V100M80 0V100M150 0V100M220 0V100", gridLines(locales[0], month))
	require.Equal(t, []string{"25 Oct", "7 Nov", "21 Nov"}, ticks(locales[0], month))
	year := reports.Period{From: time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC), Days: 365}
	require.True(t, strings.HasPrefix(gridLines(locales[0], year), "M90 0V100M400 0V100M710 0V100"))
	require.Equal(t, []string{"22 Nov 2025", "23 May 2026", "21 Nov 2026"}, ticks(locales[0], year))
	require.Equal(t, []string{"25 Oct"}, ticks(locales[0], reports.Period{From: month.From, Days: 1}))
	require.Equal(t, []string{"25 Oct", "26 Oct"}, ticks(locales[0], reports.Period{From: month.From, Days: 2}))
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
