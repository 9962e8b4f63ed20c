package reports

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
	"dg/web/ui"
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

// A bar is over its days, as high as its plays to a tenth of a hundredth of the panel. A dot is at
// its score, and the line is broken where nothing was completed. Both panels have the same axis.
func TestChartIsDrawnToScale(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 9))
	for _, days := range []int{1, 2, 7, 28, 31, 92, 93, 365, 366} {
		// a Saturday
		p := reports.Period{From: time.Date(2025, 11, 22, 0, 0, 0, 0, time.UTC), Days: days}
		s := reports.Statistics{Daily: randomDays(random, p)}
		// as a quarter is compared with a longer or a shorter one
		earlier := reports.Period{From: p.From, Days: max(1, days-1+random.IntN(3))}
		before := reports.Statistics{Plays: 1, Daily: randomDays(random, earlier)}
		c := newChart(p, s, &comparison{before: &before}, time.Time{})
		require.Equal(t, 10*days, c.Width)
		top, err := strconv.ParseInt(strings.ReplaceAll(c.Top[0], ",", ""), 10, 64)
		require.NoError(t, err)
		high, low := percentsAt(t, c.Scale)

		bars := readPath(t, `M([\d.]+) ([\d.]+)h([\d.]+)V100h-[\d.]+z`, c.Bars)
		ghosts := readPath(t, `M([\d.]+) ([\d.]+)h([\d.]+)V100h-[\d.]+z`, c.Ghosts)
		dots := readPath(t, `M([\d.]+) ([\d.]+)h\.01`, c.Dots)
		points := readPath(t, `[ML]([\d.]+) ([\d.]+)`, c.Line)
		most := int64(0)
		broken := true
		commands := ""
		rows := 0
		for from := 0; from < days; {
			n := 1
			if days > 92 {
				n = min(days-from, 7-(int(p.From.Weekday())+6+from)%7) // to the next Monday
			}
			d := reports.SumDays(s.Daily[from : from+n])
			middle := float64(10*from + 5*n)
			if from >= earlier.Days {
				require.Equal(t, "–", c.Rows[rows].EarlierPlays, "there is no such day")
			} else {
				e := reports.SumDays(before.Daily[from:min(from+n, earlier.Days)])
				require.Equal(t, ui.Count(e.Plays), c.Rows[rows].EarlierPlays)
				if most = max(most, e.Plays); e.Plays > 0 {
					require.InDelta(t, middle, ghosts[0].x+ghosts[0].width/2, 0.051)
					require.LessOrEqual(t, ghosts[0].width, float64(10*n))
					require.InDelta(t, 100*float64(e.Plays)/float64(top), 100-ghosts[0].y, 0.0501)
					ghosts = ghosts[1:]
				}
			}
			rows++
			if most = max(most, d.Plays); d.Plays > 0 {
				require.InDelta(t, middle, bars[0].x+bars[0].width/2, 0.051)
				require.LessOrEqual(t, bars[0].width, float64(8*n))
				require.InDelta(t, 100*float64(d.Plays)/float64(top), 100-bars[0].y, 0.0501)
				bars = bars[1:]
			}
			if d.Completed > 0 {
				y := 100 * (high - float64(d.AvgScore)/10) / (high - low)
				require.InDeltaSlice(t, []float64{middle, y}, []float64{dots[0].x, dots[0].y}, 0.0501)
				require.Equal(t, dots[0], points[0])
				dots = dots[1:]
				points = points[1:]
				commands += map[bool]string{true: "M", false: "L"}[broken]
			}
			broken = d.Completed == 0
			from += n
		}
		require.Empty(t, bars)
		require.Empty(t, ghosts)
		require.Empty(t, dots)
		require.Equal(t, commands, regexp.MustCompile(`[^ML]`).ReplaceAllString(c.Line, ""))
		require.Less(t, float64(top), 1.51*float64(most),
			"the highest bar fills two thirds of the panel")
	}
}

// percentsAt are the ends of a scale.
func percentsAt(t *testing.T, scale []string) (high, low float64) {
	t.Helper()
	for i, to := range []*float64{&high, &low} {
		var err error
		text := scale[i*(len(scale)-1)]
		*to, err = strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		require.NoError(t, err)
	}
	return high, low
}

// Issue 31, 6: the scale of scores shows how they move: it begins and ends near them, in round steps.
func TestScaleOfScoresShowsMovement(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ low, high, bottom, top, step int64 }{
		{0, 1000, 0, 1000, 250}, {0, 0, 0, 100, 50}, {1000, 1000, 900, 1000, 50},
		{750, 750, 750, 850, 50}, {701, 799, 700, 800, 50}, {533, 804, 500, 900, 100},
		{333, 1000, 200, 1000, 200}, {1000, 0, 900, 1000, 50},
	} {
		bottom, top, step := scoreScale(c.low, c.high)
		require.Equal(t, [3]int64{c.bottom, c.top, c.step}, [3]int64{bottom, top, step})
	}
	for low := range int64(1001) {
		for high := low; high <= 1000; high += 7 {
			bottom, top, step := scoreScale(low, high)
			require.True(t, 0 <= bottom && bottom <= low && high <= top && top <= 1000, "%d to %d",
				low, high)
			require.Zero(t, (top-bottom)%step)
			require.Contains(t, []int64{2, 3, 4}, (top-bottom)/step)
		}
	}
}

// A score of zero has a dot; the lack of one has neither dot nor number.
func TestZeroScoreHasADot(t *testing.T) {
	t.Parallel()
	p := reports.Period{From: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC), Days: 3}
	c := newChart(p, reports.Statistics{
		Daily: []reports.DailyStat{{Plays: 2, Completed: 1}, {Plays: 2}, {}},
	}, nil, ui.LastDay(p))
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
	for days, want := range map[int][]string{
		28:  {"Tue 17 Nov 2026", "Wed 18 Nov 2026 today"},
		100: {"9 to 15 Nov 2026", "16 to 18 Nov 2026 today part"},
	} {
		p := ui.LastDays(today, days)
		c := newChart(p,
			reports.Statistics{Daily: randomDays(rand.New(rand.NewPCG(1, 1)), p)}, nil, today)
		require.Equal(t, 1, strings.Count(c.Unfinished, "M"))
		got := []string{}
		for _, row := range c.Rows[len(c.Rows)-2:] {
			got = append(got,
				strings.TrimRight(row.Name+" "+map[bool]string{true: "today "}[row.Today]+
					map[bool]string{true: "part"}[row.Part], " "))
		}
		require.Equal(t, want, got)
		require.Equal(t, days == 100, c.Rows[0].Part,
			"10 August is a Monday; 100 days begin within a week")
		earlier := newChart(p,
			reports.Statistics{Daily: make([]reports.DailyStat, days)}, nil, today.AddDate(0, 0, 1))
		require.Empty(t, earlier.Unfinished, "a period before today has none")
	}
}

// The API accepts the period of each preset on every day.
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
	require.Equal(t,
		[]string{"2026-11-15_2026-11-21", "2026-10-25_2026-11-21", "2026-08-24_2026-11-21",
			"2025-11-22_2026-11-21", "2026-11-01_2026-11-21", "2026-10-01_2026-10-31",
			"2026-10-01_2026-11-21", "2026-07-01_2026-09-30", "2026-01-01_2026-11-21"},
		days("2026-11-21"))
	require.Equal(t,
		[]string{"2028-02-23_2028-02-29", "2028-02-02_2028-02-29", "2027-12-02_2028-02-29",
			"2027-03-01_2028-02-29", "2028-02-01_2028-02-29", "2028-01-01_2028-01-31",
			"2028-01-01_2028-02-29", "2027-10-01_2027-12-31", "2028-01-01_2028-02-29"},
		days("2028-02-29"))
	require.Equal(t, "2027-12-01_2027-12-31", days("2028-01-31")[5])
	for day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2030; day = day.AddDate(0, 0, 1) {
		for _, p := range presets(day) {
			again, err := reports.ParsePeriod(p.period.Day(0), p.period.Day(p.period.Days-1))
			require.NoError(t, err, "%s on %s", p.Name, day)
			require.Equal(t, p.period, again)
		}
	}
}
