package reports

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"dg/modules/reports"
	"dg/web/ui"
)

// chart is bars of plays above dots of scores, on one time axis. A day is 10 wide, each panel 100
// high.
type chart struct {
	Weeks       bool // whether a bar is a week
	Width       int
	Top, Full   []string // labels of the axes of plays and of scores, from the top
	Grid, Low   string   // paths of the grid lines of bars and dots
	Bars        string
	Unfinished  string // the bar of today, or of its week
	Line, Dots  string
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
}

// bar is a day, or a week or what the period has of it.
type bar struct {
	reports.DailyStat
	from, days int // of the period
}

// barsOf are the bars of a period, from one day to the next.
func barsOf(l ui.Locale, p reports.Period, daily []reports.DailyStat) []bar {
	var all []bar
	for from := 0; from < p.Days; {
		days := 1
		if p.Days > ui.MaxChartDays {
			date := p.From.AddDate(0, 0, from)
			days = min(p.Days-from, daysOfWeek-int(date.Sub(l.WeekOf(date))/ui.OneDay))
		}
		all = append(all, bar{reports.SumDays(daily[from : from+days]), from, days})
		from += days
	}
	return all
}

const daysOfWeek = 7

func newChart(l ui.Locale, p reports.Period, s reports.Statistics, today time.Time) chart {
	bars := barsOf(l, p, s.Daily)
	most := highest(bars)
	top, step := ui.ScaleOf(most.Plays)
	c := chart{
		Weeks: p.Days > ui.MaxChartDays,
		Width: 10 * p.Days,
		Top:   ui.AxisLabels(l, top, step),
		Full:  []string{l.Share(100), l.Share(0)},
		First: l.Day(p.From),
		Last:  l.Day(ui.LastDay(p)),
		Most:  fmt.Sprintf("%s (%s)", l.Count(most.Plays), most.name(l, p)),
		Score: percentOf(l, s.AvgScore, s.Completed),
		Ticks: ui.Ticks(l, p),
	}
	c.Low = fmt.Sprintf("M0 0H%dM0 100H%d", c.Width, c.Width)
	c.Grid = ui.GridOf(c.Width, top, step) + ui.GridLines(l, p)
	for _, b := range bars {
		row := b.row(l, p, today)
		path := ui.BarPath(int64(100*b.from+50*b.days), int64(b.days*barWidth(p)), b.Plays, top)
		if row.Today {
			c.Unfinished = path
		} else {
			c.Bars += path
		}
		c.Rows = append(c.Rows, row)
	}
	c.Line, c.Dots = scorePaths(bars)
	return c
}

// row is the bar in words.
func (b bar) row(l ui.Locale, p reports.Period, today time.Time) chartRow {
	first := p.From.AddDate(0, 0, b.from)
	r := chartRow{
		Name:      b.name(l, p),
		Days:      b.days,
		Part:      p.Days > ui.MaxChartDays && b.days < daysOfWeek,
		Today:     !today.Before(first) && today.Before(first.AddDate(0, 0, b.days)),
		Plays:     l.Count(b.Plays),
		Completed: l.Count(b.Completed),
		Score:     percentOf(l, b.AvgScore, b.Completed),
	}
	if p.Days <= ui.MaxChartDays {
		r.Date = b.Date
	}
	return r
}

// name is the day or the days of the bar.
func (b bar) name(l ui.Locale, p reports.Period) string {
	first := p.From.AddDate(0, 0, b.from)
	if p.Days <= ui.MaxChartDays {
		return l.Weekday(first)
	}
	return l.Period(reports.Period{From: first, Days: b.days})
}

// percentOf is the average of some scores, or noValue.
func percentOf(l ui.Locale, average reports.Percent, scores int64) string {
	if scores == 0 {
		return noValue
	}
	return l.Percent(average)
}

// scorePaths are a dot in the middle of each bar, at its average score, and the line between them:
// it is broken where nothing was completed.
func scorePaths(bars []bar) (line, dots string) {
	var t, d strings.Builder
	command := "M"
	for _, b := range bars {
		if b.Completed == 0 {
			command = "M"
			continue
		}
		at := strconv.Itoa(10*b.from+5*b.days) + " " + ui.Decimal(1000-int64(b.AvgScore))
		t.WriteString(command + at)
		d.WriteString("M" + at + "h.01")
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
