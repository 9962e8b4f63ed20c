package ui

import (
	"fmt"
	"time"

	"dg/modules/reports"
)

// DayWidth is the width of a day in a chart.
const DayWidth = 100

// Panel is the frame of a drawing over days: the labels of its axis, and its grid as a path. Its
// height is in the unit of the values, so that nothing is rounded: the SVG stretches.
type Panel struct {
	Width       int
	Bottom, Top int64
	Labels      []string // from the top
	Grid        string
}

// NewPanel returns the frame for values from low to high, with labels at steps of least or more.
func NewPanel(p reports.Period, low, high, least int64, label func(int64) string) Panel {
	bottom, top, step := scale(low, high, least)
	v := Panel{Width: DayWidth * p.Days, Bottom: bottom, Top: top}
	for n := top; n >= bottom; n -= step {
		v.Labels = append(v.Labels, label(n))
		v.Grid += fmt.Sprintf("M0 %dH%d", top-n, v.Width)
	}
	for i := range p.Days {
		if begins(p, p.From.AddDate(0, 0, i)) {
			v.Grid += fmt.Sprintf("M%d 0V%d", DayWidth*i, v.Height())
		}
	}
	return v
}

// scale returns round numbers around low and high, with at most five steps between them. A step is
// 1, 2, 2.5 or 5 times a power of ten.
func scale(low, high, least int64) (bottom, top, step int64) {
	for power := int64(1); ; power *= 10 {
		for _, tenths := range []int64{10, 20, 25, 50} {
			step = tenths * power / 10
			bottom = low / step * step
			top = max(1, (high+step-1)/step) * step
			if step >= least && top-bottom <= 5*step {
				return bottom, top, step
			}
		}
	}
}

// Height is that of the drawing.
func (v Panel) Height() int64 { return v.Top - v.Bottom }

// Bar is the path of a bar that takes a percentage of some days, or "" of nothing.
func (v Panel) Bar(from, days, percent int, n int64) string {
	if n == 0 {
		return ""
	}
	width := DayWidth * days * percent / 100
	left := DayWidth*from + (DayWidth*days-width)/2
	return fmt.Sprintf("M%d %dv%dh%dv-%dz", left, v.Top-n, n, width, n)
}

// Spark is a small chart of bars.
type Spark struct {
	Panel
	Bars string // a path; "": there is nothing
}

// NewSpark draws values below top, which is that of all sparks of a list. Each is at least a 16th
// of it, so that few are seen beside many.
func NewSpark(values []int64, top int64) Spark {
	s := Spark{Panel: Panel{Width: DayWidth * len(values), Top: max(top, 1)}}
	for i, n := range values {
		if n > 0 {
			s.Bars += s.Bar(i, 1, 70, max(n, s.Top/16))
		}
	}
	return s
}

// MaxChartDays is up to how many days each has a bar. In longer periods a bar is a week.
const MaxChartDays = 92

// begins reports whether the grid has a line at a day: the beginning of a week, or of a month in a
// long period.
func begins(p reports.Period, date time.Time) bool {
	if p.Days > MaxChartDays {
		return date.Day() == 1
	}
	return date.Weekday() == time.Monday
}

// Tick is a label of the axis of time, at the line where its day, week or month begins.
type Tick struct {
	Label string
	Wide  bool    // whether it has room on wide screens alone
	at    float64 // from 0 to 100
}

// At is where the label begins.
func (t Tick) At() string { return fmt.Sprintf("%.2f%%", t.at) }

// Where the last label begins that ends within the chart, and the labels that a phone has room for.
const (
	lastTick            = 94.0
	lastNarrowTick      = 80.0
	narrowTicks         = 3
	maxDaysWithTickEach = 14
)

// Ticks are days of a short period, else the beginnings of weeks or months. Those are at most 14.
func Ticks(p reports.Period) []Tick {
	var all []Tick
	for i := range p.Days {
		date := p.From.AddDate(0, 0, i)
		at := 100 * float64(i) / float64(p.Days)
		if at < lastTick && (p.Days <= maxDaysWithTickEach || begins(p, date)) {
			all = append(all, Tick{Label: tickLabel(p, date), at: at})
		}
	}
	every := (len(all) + narrowTicks - 1) / narrowTicks
	for i := range all {
		all[i].Wide = i%every > 0 || all[i].at > lastNarrowTick
	}
	return all
}

// tickLabel names a day, or the month that begins with it: Dec, 2026, Feb.
func tickLabel(p reports.Period, date time.Time) string {
	switch {
	case p.Days <= MaxChartDays:
		return date.Format(layoutDayMonth)
	case date.Month() == time.January:
		return date.Format("2006")
	}
	return date.Format("Jan")
}
