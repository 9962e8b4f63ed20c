package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dg/modules/reports"
)

// DayWidth is a day's width in the viewBox. It gives bars within a day integer coordinates.
const DayWidth = 100

// Panel is the frame of a chart over days. A unit of the viewBox's height is a unit of the values,
// so that no y coordinate is rounded.
type Panel struct {
	Width       int
	Bottom, Top int64    // values at the ends of the y axis
	Labels      []string // labels of the y axis, from the top
	Grid        string   // the grid lines as an SVG path
}

// NewPanel returns the frame for values from low to high, with y labels at least minStep apart.
func NewPanel(p reports.Period, low, high, minStep int64, label func(int64) string) Panel {
	bottom, top, step := axisScale(low, high, minStep)
	v := Panel{Width: DayWidth * p.Days, Bottom: bottom, Top: top}
	for n := top; n >= bottom; n -= step {
		v.Labels = append(v.Labels, label(n))
		v.Grid += fmt.Sprintf("M0 %dH%d", top-n, v.Width)
	}
	for i := 1; i < p.Days; i++ {
		if onGrid(p, i) {
			v.Grid += fmt.Sprintf("M%d 0V%d", DayWidth*i, v.Height())
		}
	}
	return v
}

// axisScale divides the y axis into at most five steps of 1, 2, 2.5 or 5 times a power of ten.
func axisScale(low, high, minStep int64) (bottom, top, step int64) {
	for power := int64(1); ; power *= 10 {
		for _, tenths := range []int64{10, 20, 25, 50} {
			step = tenths * power / 10
			bottom = low / step * step
			top = max(1, (high+step-1)/step) * step
			if step >= minStep && top-bottom <= 5*step {
				return bottom, top, step
			}
		}
	}
}

// Height returns the height of the viewBox, in units of the values.
func (v Panel) Height() int64 { return v.Top - v.Bottom }

// Bar returns the path of a bar of height n, or "" if n is 0. The bar is centred in its days. The
// first day has the index from. percent is the bar's share of the days' width.
func (v Panel) Bar(from, days, percent int, n int64) string {
	if n == 0 {
		return ""
	}
	return v.BarTop(from, days, percent, n) + fmt.Sprintf("v%dh-%dz", n, DayWidth*days*percent/100)
}

// BarTop returns the path of the upper edge of Bar's bar.
func (v Panel) BarTop(from, days, percent int, n int64) string {
	if n == 0 {
		return ""
	}
	width := DayWidth * days * percent / 100
	return fmt.Sprintf("M%d %dh%d", DayWidth*from+(DayWidth*days-width)/2, v.Top-n, width)
}

// Sparkline is a row of bars without axes or labels.
type Sparkline struct {
	Panel
	Bars string // the path of the bars, or "" if all values are 0
}

// NewSparkline draws a bar for each value above 0. top is the value at full height. Each bar has at
// least about a 16th of the height, so that it stays visible.
func NewSparkline(values []int64, top int64) Sparkline {
	s := Sparkline{Panel: Panel{Width: DayWidth * len(values), Top: max(top, 1)}}
	for i, n := range values {
		if n > 0 {
			s.Bars += s.Bar(i, 1, 70, max(n, s.Top/16))
		}
	}
	return s
}

// MaxChartDays is the longest period, in days, with a bar a day. Longer periods have a bar a week.
const MaxChartDays = 44

// onGrid reports whether a month, in a long period, or a week of the period begins on its i-th day.
func onGrid(p reports.Period, i int) bool {
	if p.Days > MaxChartDays {
		return p.From.AddDate(0, 0, i).Day() == 1
	}
	return i%7 == 0
}

// Tick is a label of the time axis, placed where the labelled day, week or month begins.
type Tick struct {
	Label     string
	Month     string // end of the label that only a desktop shows
	WideOnly  bool
	Change    string  // signed change of the count up to the next label; "" if nothing is compared
	Direction string  // "up" or "down" if the change exceeds its noise
	percent   float64 // offset from the left, in percent of the width
}

// Left returns the label's offset from the left as CSS.
func (t Tick) Left() string { return fmt.Sprintf("%.2f%%", t.percent) }

// AtEnd reports whether the label ends at the end of the axis instead.
func (t Tick) AtEnd() bool { return t.percent >= lastTick }

// A label further right than lastTick, or lastNarrowTick on a phone, could overflow the chart.
const (
	lastTick       = 94.0 // percent of the width
	lastNarrowTick = 80.0
	minNarrowWeek  = 21.0 // on a phone, a label with its month fits into it

	narrowTicks   = 4  // how many labels of days or months fit on a phone
	MaxDailyTicks = 14 // the longest period, in days, with a label for each day
)

// Ticks returns at most 14 labels. A short period has one for each day. A longer period has one for
// each line of the grid.
func Ticks(p reports.Period) (ticks []Tick) {
	weekly := p.Days > MaxDailyTicks && p.Days <= MaxChartDays
	for i := range p.Days {
		percent := 100 * float64(i) / float64(p.Days)
		if p.Days <= MaxDailyTicks || onGrid(p, i) && (weekly || percent < lastTick) {
			ticks = append(ticks, Tick{Label: tickLabel(p, p.From.AddDate(0, 0, i)), percent: percent})
		}
	}
	if weekly {
		splitLabels(ticks)
		return ticks
	}
	stride := (len(ticks) + narrowTicks - 1) / narrowTicks
	for i := range ticks {
		ticks[i].WideOnly = i%stride > 0 || ticks[i].percent > lastNarrowTick
	}
	return ticks
}

// splitLabels splits the labels of weeks that need room.
func splitLabels(ticks []Tick) {
	next := 100.0
	for i := range slices.Backward(ticks) {
		t := &ticks[i]
		if next-t.percent < minNarrowWeek {
			t.Label, t.Month, _ = strings.Cut(t.Label, " ")
		}
		next = t.percent
	}
}

// tickLabel labels days up to MaxChartDays, else months. The year replaces January: Dec, 2026, Feb.
func tickLabel(p reports.Period, date time.Time) string {
	switch {
	case p.Days <= MaxChartDays:
		return date.Format(layoutDayMonth)
	case date.Month() == time.January:
		return date.Format("2006")
	}
	return date.Format("Jan")
}
