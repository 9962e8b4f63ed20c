package reports

import (
	"fmt"
	"time"

	"dg/modules/reports"
	"dg/web/ui"
)

type chart struct {
	Name     string // name of the measure
	Interval string // of a bar: day or week
	IsCount  bool   // whether values are counts, drawn as bars; otherwise a line
	Period   string // the period in words
	Earlier  string // the compared period in words, or ""
	Value    string // the figure of the whole period
	Bars     []bar
	Highest  bar // the bar with the highest value
	Ticks    []ui.Tick

	Panel               ui.Panel
	Shapes, EarlierPath string // SVG paths
	EarlierTops         string // SVG path of the upper edges of the earlier period's bars
	Dots, FewDots       string // SVG paths; FewDots: values of fewer than fewPlays plays
	measure             measure
}

// bar is a day, a week or part of a week.
type bar struct {
	Name                       string
	EarlierName                string            // the days in the compared period, or "" after it
	From, Days                 int               // the index of the bar's first day, and the number of days
	Current, Earlier           reports.DailyStat // Earlier is zero after the compared period
	currentValue, earlierValue value
}

// value is the measure of a bar. ok is false if there is no value, such as an average of no plays.
type value struct {
	n  int64
	ok bool
}

const daysPerWeek = 7

// barsOf returns the bars of the period. earlier may be shorter or longer than daily.
func barsOf(p reports.Period, today time.Time, daily, earlier []reports.DailyStat) []bar {
	var bars []bar
	for from := 0; from < p.Days; {
		first := p.From.AddDate(0, 0, from)
		b := bar{From: from, Days: 1}
		if p.Days > ui.MaxChartDays {
			nextMonday := weekStart(first).AddDate(0, 0, daysPerWeek)
			b.Days = min(p.Days-from, int(nextMonday.Sub(first)/ui.OneDay))
		}
		from += b.Days
		b.Current = reports.SumDays(daily[b.From:from])
		if b.From < len(earlier) {
			to := min(from, len(earlier))
			b.Earlier = reports.SumDays(earlier[b.From:to])
			before, _ := time.Parse(time.DateOnly, b.Earlier.Date)
			b.EarlierName = datesOf(before, to-b.From)
		}
		b.Name = b.name(p, first, today)
		bars = append(bars, b)
	}
	return bars
}

func (b bar) name(p reports.Period, first, today time.Time) string {
	name := datesOf(first, b.Days)
	switch {
	case !today.Before(first) && today.Before(first.AddDate(0, 0, b.Days)):
		return fmt.Sprintf("%s (so far)", name)
	case p.Days > ui.MaxChartDays && b.Days < daysPerWeek:
		return fmt.Sprintf("%s (part of a week)", name)
	}
	return name
}

func datesOf(from time.Time, days int) string {
	if days == 1 {
		return ui.Weekday(from)
	}
	return ui.Period(reports.Period{From: from, Days: days})
}

func newChart(p reports.Period, s reports.Statistics, compared *comparison, today time.Time, m measure) *chart {
	c := &chart{
		Name: m.name, Interval: "day", IsCount: m.isCount, Period: ui.Period(p), Value: m.text(s),
		Ticks: ui.Ticks(p), measure: m,
	}
	if p.Days > ui.MaxChartDays {
		c.Interval = "week"
	}
	var earlier []reports.DailyStat
	if compared != nil {
		c.Earlier = compared.EarlierPeriod
		earlier = compared.earlierStats.Daily
	}
	c.Bars = barsOf(p, today, s.Daily, earlier)
	for i := range c.Bars {
		b := &c.Bars[i]
		b.currentValue.n, b.currentValue.ok = m.read(totalOf(b.Current))
		b.earlierValue.n, b.earlierValue.ok = m.read(totalOf(b.Earlier))
		b.earlierValue.ok = b.earlierValue.ok && b.EarlierName != ""
	}
	c.compareWeeks(p, s.Daily, earlier)
	c.draw(p)
	return c
}

// week is a week of a period, or a part of one, with the plays of both periods.
type week struct {
	from        int // index of the first day
	now, before int64
}

// weeksOf returns the weeks of the days that both periods have: calendar weeks where a bar is a week,
// else weeks from the first day.
func weeksOf(first time.Time, daily, earlier []reports.DailyStat) (weeks []week) {
	for i := range min(len(daily), len(earlier)) {
		begins := i%daysPerWeek == 0
		if len(daily) > ui.MaxChartDays {
			begins = i == 0 || first.AddDate(0, 0, i).Weekday() == time.Monday
		}
		if begins {
			weeks = append(weeks, week{from: i})
		}
		w := &weeks[len(weeks)-1]
		w.now += daily[i].Plays
		w.before += earlier[i].Plays
	}
	return weeks
}

// compareWeeks sets the changes of labels. earlier has as many days as are complete.
func (c *chart) compareWeeks(p reports.Period, daily, earlier []reports.DailyStat) {
	if !c.IsCount || c.Interval == "week" || p.Days <= ui.MaxDailyTicks {
		return
	}
	for i, w := range weeksOf(p.From, daily, earlier) {
		c.Ticks[i].Change = signed(w.now-w.before, ui.Count)
		if countsDiffer(w.now, w.before) {
			c.Ticks[i].Direction = downUp.choose(w.now - w.before)
		}
	}
}

// ValueOf returns a day's value of the chart's measure as text, or "–" if there is no value.
func (c *chart) ValueOf(d reports.DailyStat) string { return c.measure.text(totalOf(d)) }

func totalOf(d reports.DailyStat) reports.Statistics {
	return reports.Statistics{Plays: d.Plays, Completed: d.Completed, Passed: d.Passed, AvgScore: d.AvgScore}
}

const (
	barWidth     = 50   // percent of the width of the bar's days
	earlierWidth = 90   // percent of that width, for bars of the compared period
	fewDays      = 7    // bars of shorter periods are narrower, because a day is wide
	fullRate     = 1000 // 100% in tenths of a percent
	rateStep     = 50   // least distance of the labels of rates; the axis spans at least two
	maxDots      = 31   // with more values, only those without neighbours get a dot
	fewPlays     = 5    // values of fewer plays are drawn as FewDots
)

func (c *chart) draw(p reports.Period) {
	c.Panel = c.panel(p)
	days := min(p.Days, fewDays)
	connected, earlierConnected := false, false
	for i, b := range c.Bars {
		if c.IsCount {
			c.Shapes += c.Panel.Bar(b.From, b.Days, barWidth*days/fewDays, b.currentValue.n)
			c.EarlierPath += c.Panel.Bar(b.From, b.Days, earlierWidth*days/fewDays, b.earlierValue.n)
			c.EarlierTops += c.Panel.BarTop(b.From, b.Days, earlierWidth*days/fewDays, b.earlierValue.n)
			continue
		}
		isolated := !connected && (i+1 == len(c.Bars) || !c.Bars[i+1].currentValue.ok)
		if isolated || len(c.Bars) <= maxDots {
			dots := &c.Dots
			if b.Current.Plays < fewPlays {
				dots = &c.FewDots
			}
			*dots += c.point(b, b.currentValue, new(bool))
		}
		c.Shapes += c.point(b, b.currentValue, &connected)
		c.EarlierPath += c.point(b, b.earlierValue, &earlierConnected)
	}
}

// panel returns the frame of the chart, and sets Highest.
func (c *chart) panel(p reports.Period) ui.Panel {
	low, high := int64(fullRate), int64(0)
	for _, b := range c.Bars {
		for _, v := range []value{b.currentValue, b.earlierValue} {
			if v.ok {
				low = min(low, v.n)
				high = max(high, v.n)
			}
		}
		if b.currentValue.ok && (!c.Highest.currentValue.ok || b.currentValue.n > c.Highest.currentValue.n) {
			c.Highest = b
		}
	}
	if c.IsCount {
		return ui.NewPanel(p, 0, high, 1, ui.Count)
	}
	low = min(low, fullRate-2*rateStep)
	return ui.NewPanel(p, low, max(high, low+2*rateStep), rateStep,
		func(n int64) string { return ui.Count(n/10) + "%" })
}

// point returns the part of a line's path for b. A bar without a value breaks the line: the next
// point is a moveto (M). A line of h.01 makes the point visible even without neighbours.
func (c *chart) point(b bar, v value, connected *bool) string {
	format := "M%d %dh.01"
	if *connected {
		format = "L%d %d"
	}
	if *connected = v.ok; !v.ok {
		return ""
	}
	return fmt.Sprintf(format, ui.DayWidth*b.From+ui.DayWidth*b.Days/2, c.Panel.Top-v.n)
}
