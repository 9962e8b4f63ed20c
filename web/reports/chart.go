package reports

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"dg/modules/reports"
	"dg/web/ui"
)

type chart struct {
	Unit    string // what a bar stands for: day or week
	Period  string // in words
	Earlier string // the compared period in words; "": none
	Total   reports.Statistics
	Bars    []bar
	Most    bar
	Ticks   []ui.Tick

	Plays                             ui.Panel
	PlayBars, EarlierBars             string // paths; EarlierBars: of the compared period
	Scores                            ui.Panel
	ScoreLine, ScoreDots, EarlierLine string // paths
}

// bar is a day, a week or a part of a week, and the days at the same offset in the compared period.
type bar struct {
	Name             string
	From, Days       int               // the first day of the bar, from 0, and the number of days
	Current, Earlier reports.DailyStat // Earlier is zero after the end of the compared period
}

const daysPerWeek = 7

// barsOf returns the bars of the period. earlier may have fewer or more days than daily.
func barsOf(p reports.Period, today time.Time, daily, earlier []reports.DailyStat) []bar {
	var all []bar
	for from := 0; from < p.Days; {
		first := p.From.AddDate(0, 0, from)
		b := bar{From: from, Days: 1}
		if p.Days > ui.MaxChartDays {
			monday := weekStart(first).AddDate(0, 0, daysPerWeek)
			b.Days = min(p.Days-from, int(monday.Sub(first)/ui.OneDay))
		}
		from += b.Days
		b.Current = reports.SumDays(daily[b.From:from])
		if b.From < len(earlier) {
			b.Earlier = reports.SumDays(earlier[b.From:min(from, len(earlier))])
		}
		b.Name = b.name(p, first, today)
		all = append(all, b)
	}
	return all
}

func (b bar) name(p reports.Period, first, today time.Time) string {
	name := ui.Period(reports.Period{From: first, Days: b.Days})
	if p.Days <= ui.MaxChartDays {
		name = ui.Weekday(first)
	}
	switch {
	case !today.Before(first) && today.Before(first.AddDate(0, 0, b.Days)):
		return fmt.Sprintf("%s (so far)", name)
	case p.Days > ui.MaxChartDays && b.Days < daysPerWeek:
		return fmt.Sprintf("%s (part of a week)", name)
	}
	return name
}

func newChart(
	p reports.Period, s reports.Statistics, compared *comparison, today time.Time,
) chart {
	c := chart{
		Unit:   "day",
		Period: ui.Period(p),
		Total:  s,
		Ticks:  ui.Ticks(p),
	}
	if p.Days > ui.MaxChartDays {
		c.Unit = "week"
	}
	var earlier []reports.DailyStat
	if compared != nil {
		c.Earlier = compared.EarlierDays
		earlier = compared.earlierStats.Daily
	}
	c.Bars = barsOf(p, today, s.Daily, earlier)
	c.drawPlays(p)
	c.drawScores(p)
	return c
}

// Widths are percent of the width of a bar's days. Below fewDays bars are narrower, because a day
// is wide. Bars of the compared period are a quarter wider, so that they show behind the others.
const (
	weekWidth = 80
	dayWidth  = 60
	fewDays   = 7
)

func (c *chart) drawPlays(p reports.Period) {
	c.Most = slices.MaxFunc(c.Bars, func(a, b bar) int {
		return cmp.Compare(a.Current.Plays, b.Current.Plays)
	})
	high := c.Most.Current.Plays
	for _, b := range c.Bars {
		high = max(high, b.Earlier.Plays)
	}
	c.Plays = ui.NewPanel(p, 0, high, 1, ui.Count)
	width := dayWidth * min(p.Days, fewDays) / fewDays
	if p.Days > ui.MaxChartDays {
		width = weekWidth
	}
	for _, b := range c.Bars {
		c.PlayBars += c.Plays.Bar(b.From, b.Days, width, b.Current.Plays)
		c.EarlierBars += c.Plays.Bar(b.From, b.Days, width*5/4, b.Earlier.Plays)
	}
}

// Scores are in tenths of a percent. The axis covers the scores that occur, rounded out to steps,
// but at least two steps.
const (
	fullScore = 1000
	scoreStep = 50
	maxDots   = 31 // above it, only scores without neighbours have a dot
)

func (c *chart) drawScores(p reports.Period) {
	low := int64(fullScore)
	high := int64(0)
	for _, b := range c.Bars {
		for _, s := range []reports.DailyStat{b.Current, b.Earlier} {
			if s.Completed > 0 {
				low = min(low, int64(s.AvgScore))
				high = max(high, int64(s.AvgScore))
			}
		}
	}
	low = min(low, fullScore-2*scoreStep)
	high = max(high, low+2*scoreStep)
	c.Scores = ui.NewPanel(p, low, high, scoreStep, func(n int64) string { return ui.Count(n/10) + "%" })
	connected, earlierConnected := false, false
	for i, b := range c.Bars {
		alone := !connected && (i+1 == len(c.Bars) || c.Bars[i+1].Current.Completed == 0)
		c.ScoreLine += c.point(b, b.Current, &connected)
		c.EarlierLine += c.point(b, b.Earlier, &earlierConnected)
		if connected && (alone || len(c.Bars) <= maxDots) {
			c.ScoreDots += c.point(b, b.Current, new(bool))
		}
	}
}

// point returns b's part of a line's path. A bar without completed plays breaks the line: the next
// point is a moveto (M), and a line of h.01 shows it even without neighbours.
func (c *chart) point(b bar, s reports.DailyStat, connected *bool) string {
	form := "M%d %dh.01"
	if *connected {
		form = "L%d %d"
	}
	if *connected = s.Completed > 0; !*connected {
		return ""
	}
	x := ui.DayWidth*b.From + ui.DayWidth*b.Days/2
	return fmt.Sprintf(form, x, c.Scores.Top-int64(s.AvgScore))
}
