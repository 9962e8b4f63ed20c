package reports

import (
	"fmt"
	"strings"
	"time"

	"dg/modules/reports"
	"dg/web/ui"
)

// chart draws plays as bars above scores as dots, on one time axis, in front of the compared
// period. A day is 10 wide, each panel 100 high.
type chart struct {
	Weeks       bool // whether a bar is a week
	Width       int
	Top, Scale  []string // labels of the axes of plays and of scores, from the top
	Grid, Low   string   // paths of the grid lines of bars and dots
	Bars        string
	Unfinished  string // the bar of today, or of its week
	Line, Dots  string
	Shown       string // the period
	Compared    string // with which, or "": with none
	Ghosts      string // bars and line of that
	GhostLine   string
	Ticks       []ui.Tick
	First, Last string
	Most        string // the highest bar
	Score       string // over the whole period
	Rows        []chartRow
}

// chartRow is a bar in words. The script reads the row of the bar that the reader points at.
type chartRow struct {
	Date                    string // of a day, or ""
	Name                    string
	Part, Today             bool // whether it is a part of a week, and whether it contains today
	Days                    int
	Plays, Completed, Score string
	EarlierPlays            string // of as many days of the compared period
	EarlierScore            string
}

// bar is a day, a week or a part of one, with the days of the compared period at the same distance
// from its beginning.
type bar struct {
	reports.DailyStat
	from, days int               // of the period
	earlier    reports.DailyStat // without a date if the compared period is shorter
}

// barsOf are the bars of a period, from one day to the next.
func barsOf(p reports.Period, daily, earlier []reports.DailyStat) []bar {
	var all []bar
	for from := 0; from < p.Days; {
		days := 1
		if p.Days > ui.MaxChartDays {
			date := p.From.AddDate(0, 0, from)
			days = min(p.Days-from, daysOfWeek-int(date.Sub(ui.WeekOf(date))/ui.OneDay))
		}
		b := bar{DailyStat: reports.SumDays(daily[from : from+days]), from: from, days: days}
		if from < len(earlier) {
			b.earlier = reports.SumDays(earlier[from:min(from+days, len(earlier))])
		}
		all = append(all, b)
		from += days
	}
	return all
}

const daysOfWeek = 7

// newChart draws the period, and the compared one unless it is nil.
func newChart(
	p reports.Period, s reports.Statistics, compared *comparison, today time.Time,
) chart {
	if compared == nil {
		compared = &comparison{before: &reports.Statistics{}}
	}
	bars := barsOf(p, s.Daily, compared.before.Daily)
	most := highest(bars)
	high := most.Plays
	for _, b := range bars {
		high = max(high, b.earlier.Plays)
	}
	top, step := ui.ScaleOf(high)
	c := chart{
		Weeks:    p.Days > ui.MaxChartDays,
		Width:    10 * p.Days,
		Top:      ui.AxisLabels(top, step),
		First:    ui.Day(p.From),
		Last:     ui.Day(ui.LastDay(p)),
		Most:     fmt.Sprintf("%s (%s)", ui.Count(most.Plays), most.name(p)),
		Score:    percentOf(s.AvgScore, s.Completed),
		Shown:    ui.Period(p),
		Compared: compared.Earlier,
		Ticks:    ui.Ticks(p),
	}
	c.Grid = ui.GridOf(c.Width, top, step) + ui.GridLines(p)
	for _, b := range bars {
		row := b.row(p, today)
		middle := int64(100*b.from + 50*b.days)
		width := int64(b.days * barWidth(p))
		path := ui.BarPath(middle, width, b.Plays, top)
		if row.Today {
			c.Unfinished = path
		} else {
			c.Bars += path
		}
		c.Ghosts += ui.BarPath(middle, width*ghostWidth/100, b.earlier.Plays, top)
		c.Rows = append(c.Rows, row)
	}
	c.drawScores(bars)
	return c
}

// ghostWidth is the width of a bar of the compared period, in percent of the one before it.
const ghostWidth = 125

// row is the bar in words.
func (b bar) row(p reports.Period, today time.Time) chartRow {
	first := p.From.AddDate(0, 0, b.from)
	r := chartRow{
		Name:      b.name(p),
		Days:      b.days,
		Part:      p.Days > ui.MaxChartDays && b.days < daysOfWeek,
		Today:     !today.Before(first) && today.Before(first.AddDate(0, 0, b.days)),
		Plays:     ui.Count(b.Plays),
		Completed: ui.Count(b.Completed),
		Score:     percentOf(b.AvgScore, b.Completed),

		EarlierPlays: noValue,
		EarlierScore: percentOf(b.earlier.AvgScore, b.earlier.Completed),
	}
	if b.earlier.Date != "" {
		r.EarlierPlays = ui.Count(b.earlier.Plays)
	}
	if p.Days <= ui.MaxChartDays {
		r.Date = b.Date
	}
	return r
}

// name is the day or the days of the bar.
func (b bar) name(p reports.Period) string {
	first := p.From.AddDate(0, 0, b.from)
	if p.Days <= ui.MaxChartDays {
		return ui.Weekday(first)
	}
	return ui.Period(reports.Period{From: first, Days: b.days})
}

// percentOf is the average of some scores, or noValue.
func percentOf(average reports.Percent, scores int64) string {
	if scores == 0 {
		return noValue
	}
	return ui.Percent(average)
}

// drawScores draws the average scores of the bars, and the scale that they need.
func (c *chart) drawScores(bars []bar) {
	low := reports.Percent(fullScore)
	high := reports.Percent(0)
	for _, b := range bars {
		for _, s := range []reports.DailyStat{b.DailyStat, b.earlier} {
			if s.Completed > 0 {
				low = min(low, s.AvgScore)
				high = max(high, s.AvgScore)
			}
		}
	}
	bottom, top, step := scoreScale(int64(low), int64(high))
	for n := top; n >= bottom; n -= step {
		c.Scale = append(c.Scale, ui.Share(n/10))
	}
	c.Low = ui.GridOf(c.Width, top-bottom, step)
	c.Line, c.Dots = scorePaths(bars, func(b bar) reports.DailyStat { return b.DailyStat }, bottom, top)
	c.GhostLine, _ = scorePaths(bars, func(b bar) reports.DailyStat { return b.earlier }, bottom, top)
}

const fullScore = 1000 // 100% in tenths

// scoreScale is the part of 0 to 100% that the scores take, in round steps of which there are two to
// four.
func scoreScale(low, high int64) (bottom, top, step int64) {
	for _, step = range []int64{50, 100, 200, 250} {
		bottom = max(0, min(low/step*step, fullScore-2*step))
		top = max((high+step-1)/step*step, bottom+2*step)
		if top-bottom <= 4*step {
			break
		}
	}
	return bottom, top, step
}

// scorePaths are a dot in the middle of each bar, at the average score, and the line between them:
// it is broken where nothing was completed.
func scorePaths(bars []bar, of func(bar) reports.DailyStat, bottom, top int64) (line, dots string) {
	var t, d strings.Builder
	command := "M"
	for _, b := range bars {
		s := of(b)
		if s.Completed == 0 {
			command = "M"
			continue
		}
		y := (fullScore*(top-int64(s.AvgScore)) + (top-bottom)/2) / (top - bottom)
		x := 10*b.from + 5*b.days
		fmt.Fprintf(&t, "%s%d %s", command, x, ui.Decimal(y))
		fmt.Fprintf(&d, "M%d %sh.01", x, ui.Decimal(y))
		command = "L"
	}
	return t.String(), d.String()
}

// fewDays is below how many days bars grow no wider: a single one would fill the screen.
const fewDays = 7

// barWidth is the width of a bar, in tenths, for each day of it.
func barWidth(p reports.Period) int {
	if p.Days > ui.MaxChartDays {
		return 80
	}
	return 60 * min(p.Days, fewDays) / fewDays
}

// highest returns the first bar with the most plays.
func highest(bars []bar) bar {
	most := bars[0]
	for _, b := range bars {
		if b.Plays > most.Plays {
			most = b
		}
	}
	return most
}
