package ui

import (
	"fmt"
	"time"

	"dg/modules/reports"
)

// DayWidth is the width of a day in the units of the SVG's viewBox.
const DayWidth = 100

// Panel is the frame of a chart over days: the labels of the y axis, and the grid as a path. The
// viewBox has the unit of the values, so that nothing is rounded: the SVG stretches.
type Panel struct {
	Width       int
	Bottom, Top int64
	Labels      []string // from the top
	Grid        string
}

// NewPanel returns the frame for values from low to high, with a label at each step of the scale.
func NewPanel(p reports.Period, low, high, minStep int64, label func(int64) string) Panel {
	bottom, top, step := scale(low, high, minStep)
	v := Panel{Width: DayWidth * p.Days, Bottom: bottom, Top: top}
	for n := top; n >= bottom; n -= step {
		v.Labels = append(v.Labels, label(n))
		v.Grid += fmt.Sprintf("M0 %dH%d", top-n, v.Width)
	}
	for i := range p.Days {
		if onGrid(p, p.From.AddDate(0, 0, i)) {
			v.Grid += fmt.Sprintf("M%d 0V%d", DayWidth*i, v.Height())
		}
	}
	return v
}

// scale returns round numbers around low and high, with at most five steps between them. A step is
// 1, 2, 2.5 or 5 times a power of ten.
func scale(low, high, minStep int64) (bottom, top, step int64) {
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

// Height returns the height of the viewBox.
func (v Panel) Height() int64 { return v.Top - v.Bottom }

// Bar returns the path of a bar over days, as wide as percent of them, or "" if n is 0.
func (v Panel) Bar(from, days, percent int, n int64) string {
	if n == 0 {
		return ""
	}
	width := DayWidth * days * percent / 100
	left := DayWidth*from + (DayWidth*days-width)/2
	return fmt.Sprintf("M%d %dv%dh%dv-%dz", left, v.Top-n, n, width, n)
}

// Spark is a sparkline of bars.
type Spark struct {
	Panel
	Bars string // a path; "": all values are 0
}

// NewSpark draws values up to top, which the sparklines of a list share. A bar has at least a 16th
// of the height, so that small values stay visible.
func NewSpark(values []int64, top int64) Spark {
	s := Spark{Panel: Panel{Width: DayWidth * len(values), Top: max(top, 1)}}
	for i, n := range values {
		if n > 0 {
			s.Bars += s.Bar(i, 1, 70, max(n, s.Top/16))
		}
	}
	return s
}

// MaxChartDays is the longest period with a bar for each day. In longer ones a bar is a week.
const MaxChartDays = 92

// onGrid reports whether the grid has a line at a day: the first of a week, or of a month in a long
// period.
func onGrid(p reports.Period, date time.Time) bool {
	if p.Days > MaxChartDays {
		return date.Day() == 1
	}
	return date.Weekday() == time.Monday
}

// Tick is a label of the time axis, where its day, week or month begins.
type Tick struct {
	Label string
	Wide  bool    // hidden on narrow screens
	at    float64 // percent of the width
}

// At returns the CSS position of the label.
func (t Tick) At() string { return fmt.Sprintf("%.2f%%", t.at) }

// Later labels would overflow the chart, and a phone has room for narrowTicks.
const (
	lastTick            = 94.0
	lastNarrowTick      = 80.0
	narrowTicks         = 3
	maxDaysWithTickEach = 14
)

// Ticks labels each day of a short period, otherwise the first days of weeks or months: at most 14.
func Ticks(p reports.Period) []Tick {
	var all []Tick
	for i := range p.Days {
		date := p.From.AddDate(0, 0, i)
		at := 100 * float64(i) / float64(p.Days)
		if at < lastTick && (p.Days <= maxDaysWithTickEach || onGrid(p, date)) {
			all = append(all, Tick{Label: tickLabel(p, date), at: at})
		}
	}
	every := (len(all) + narrowTicks - 1) / narrowTicks
	for i := range all {
		all[i].Wide = i%every > 0 || all[i].at > lastNarrowTick
	}
	return all
}

// tickLabel names a day or, in a long period, its month. January is the year: Dec, 2026, Feb.
func tickLabel(p reports.Period, date time.Time) string {
	switch {
	case p.Days <= MaxChartDays:
		return date.Format(layoutDayMonth)
	case date.Month() == time.January:
		return date.Format("2006")
	}
	return date.Format("Jan")
}
