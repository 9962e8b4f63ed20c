package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"dg/modules/reports"
)

// ScaleOf returns the top of an axis, a round number near most and not below it, and the step
// between its labels, of which there are at most six: 1, 2, 2.5 or 5 times a power of ten.
func ScaleOf(most int64) (top, step int64) {
	for power := int64(1); ; power *= 10 {
		for _, tenths := range []int64{10, 20, 25, 50} {
			if step = tenths * power / 10; 5*step >= most {
				return max(1, (most+step-1)/step) * step, step
			}
		}
	}
}

// AxisLabels are the labels of the axis, from the top.
func AxisLabels(top, step int64) []string {
	var all []string
	for n := top; n >= 0; n -= step {
		all = append(all, Count(n))
	}
	return all
}

// GridOf is the path of horizontal lines at the labels of the axis.
func GridOf(width int, top, step int64) string {
	var b strings.Builder
	for n := int64(0); n <= top; n += step {
		fmt.Fprintf(&b, "M0 %sH%d", Decimal((1000*n+top/2)/top), width)
	}
	return b.String()
}

// BarPath is the path of a bar around its middle, both in tenths, or "" of nothing.
func BarPath(middle, width, n, top int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("M%s %sh%sV100h-%sz", Decimal(middle-width/2),
		Decimal(1000-(2000*n+top)/(2*top)), Decimal(width), Decimal(width))
}

// Decimal writes tenths: 277 is 27.7, and 270 is 27.
func Decimal(tenths int64) string {
	if tenths%10 == 0 {
		return strconv.FormatInt(tenths/10, 10)
	}
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10)
}

// MaxChartDays is up to how many days each has a bar. In longer periods a bar is a week.
const MaxChartDays = 92

// GridLines are vertical lines at the beginning of each week, or of each month of a long period.
func GridLines(p reports.Period) string {
	var b strings.Builder
	for i := range p.Days {
		if begins(p, p.From.AddDate(0, 0, i)) {
			fmt.Fprintf(&b, "M%d 0V100", 10*i)
		}
	}
	return b.String()
}

// begins reports whether the axis of time has a line at a day.
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
