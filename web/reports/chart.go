package reports

import (
	"fmt"
	"time"

	"dg/modules/reports"
	"dg/web/ui"
)

type chart struct {
	Name    string // of the measure
	Unit    string // what a bar stands for: day or week
	Count   bool   // drawn as bars; otherwise as a line
	Period  string // in words
	Earlier string // the compared period in words; "": none
	Whole   string // the figure of the whole period
	Bars    []bar
	Most    bar
	Ticks   []ui.Tick

	Panel                     ui.Panel
	Shapes, Dots, EarlierLine string // paths
	PeakX, PeakY, PeakAnchor  string // of the label of the earlier line
	measure                   measure
}

// bar is a day, a week or a part of a week, and the days at the same offset in the compared period.
type bar struct {
	Name             string
	EarlierName      string            // of the days in the compared period; "": it has none
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
			to := min(from, len(earlier))
			b.Earlier = reports.SumDays(earlier[b.From:to])
			b.EarlierName = earlierName(b.Earlier.Date, to-b.From)
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

func earlierName(first string, days int) string {
	from, _ := time.Parse(time.DateOnly, first)
	if days == 1 {
		return ui.Weekday(from)
	}
	return ui.Period(reports.Period{From: from, Days: days})
}

func newChart(
	p reports.Period, s reports.Statistics, compared *comparison, today time.Time, m measure,
) *chart {
	c := &chart{
		Name: m.name, Unit: "day", Count: m.count, Period: ui.Period(p), Whole: "–",
		Ticks: ui.Ticks(p), measure: m,
	}
	if n, ok := m.read(s); ok {
		c.Whole = m.format(n)
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
	c.draw(p)
	return c
}

// Of returns a day's value of the chart's measure.
func (c *chart) Of(d reports.DailyStat) string {
	if n, ok := c.value(d); ok && d.Date != "" {
		return c.measure.format(n)
	}
	return "–"
}

func (c *chart) value(d reports.DailyStat) (int64, bool) {
	return c.measure.read(totalOf(d))
}

func totalOf(d reports.DailyStat) reports.Statistics {
	return reports.Statistics{Plays: d.Plays, Completed: d.Completed, Passed: d.Passed, AvgScore: d.AvgScore}
}

// Widths are percent of the width of a bar's days. Below fewDays bars are narrower, because a day
// is wide. Rates are in tenths of a percent. Their axis covers the rates that occur, rounded out to
// steps, but at least two steps.
const (
	weekWidth = 80
	dayWidth  = 60
	fewDays   = 7
	fullRate  = 1000
	rateStep  = 50
	maxDots   = 31 // above it, only values without neighbours have a dot
)

func (c *chart) draw(p reports.Period) {
	low, high := c.bounds()
	step, width := int64(1), dayWidth*min(p.Days, fewDays)/fewDays
	if p.Days > ui.MaxChartDays {
		width = weekWidth
	}
	if !c.Count {
		step = rateStep
		low = min(low, fullRate-2*rateStep)
		high = max(high, low+2*rateStep)
	}
	c.Panel = ui.NewPanel(p, low, high, step, c.axisLabel)
	connected, earlierConnected := false, false
	for i, b := range c.Bars {
		now, ok := c.value(b.Current)
		if c.Count {
			c.Shapes += c.Panel.Bar(b.From, b.Days, width, now)
		} else {
			alone := !connected && (i+1 == len(c.Bars) || !c.known(c.Bars[i+1].Current))
			c.Shapes += c.point(b, now, ok, &connected)
			if ok && (alone || len(c.Bars) <= maxDots) {
				c.Dots += c.point(b, now, ok, new(bool))
			}
		}
		before, ok := c.value(b.Earlier)
		c.EarlierLine += c.point(b, before, ok && b.EarlierName != "", &earlierConnected)
	}
	c.labelPeak(p)
}

func (c *chart) known(d reports.DailyStat) bool {
	_, ok := c.value(d)
	return ok
}

// bounds returns the extreme values, and sets Most.
func (c *chart) bounds() (low, high int64) {
	if !c.Count {
		low = fullRate
	}
	most := int64(-1)
	for _, b := range c.Bars {
		if n, ok := c.value(b.Current); ok && n > most {
			most = n
			c.Most = b
		}
		for _, d := range []reports.DailyStat{b.Current, b.Earlier} {
			if n, ok := c.value(d); ok {
				low = min(low, n)
				high = max(high, n)
			}
		}
	}
	return low, high
}

func (c *chart) axisLabel(n int64) string {
	if c.Count {
		return ui.Count(n)
	}
	return ui.Count(n/10) + "%"
}

// labelPeak places the dates of the earlier line at its highest point.
func (c *chart) labelPeak(p reports.Period) {
	highest := int64(-1)
	for _, b := range c.Bars {
		n, ok := c.value(b.Earlier)
		if !ok || b.EarlierName == "" || n <= highest {
			continue
		}
		highest = n
		x := (100*b.From + 50*b.Days) / p.Days
		c.PeakX = fmt.Sprintf("%d%%", x)
		c.PeakY = fmt.Sprintf("%d%%", 100*(c.Panel.Top-n)/c.Panel.Height())
		c.PeakAnchor = [3]string{"start", "middle", "end"}[min(2, x/34)]
	}
}

// point returns b's part of a line's path. A bar without a value breaks the line: the next point is
// a moveto (M), and a line of h.01 shows it even without neighbours.
func (c *chart) point(b bar, n int64, ok bool, connected *bool) string {
	form := "M%d %dh.01"
	if *connected {
		form = "L%d %d"
	}
	if *connected = ok; !ok {
		return ""
	}
	return fmt.Sprintf(form, ui.DayWidth*b.From+ui.DayWidth*b.Days/2, c.Panel.Top-n)
}
