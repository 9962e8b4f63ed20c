package ui

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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

// Tick is a label below the day that it names, or where the month begins that it names.
type Tick struct {
	Label, Anchor string
	Class         string  // of the screens that it is for: "" (all), "mid" or "wide"
	at            float64 // from 0 to 100
	rank          int     // of several that have no room, the highest stays
}

// At is where the label is anchored.
func (t Tick) At() string { return fmt.Sprintf("%.2f%%", t.at) }

// How labels are anchored.
const (
	inMiddle = "middle"
	atStart  = "start"
	atEnd    = "end"
)

// What ticks need, in pixels: the width of a character, the space between two labels, and the width
// of the charts that they are for: on a phone, and on screens of 704 and 880 pixels.
const (
	charWidth               = 7
	tickSpace               = 10
	narrowChart             = 232
	midChart                = 600
	wideChart               = 784
	maxDaysWithTickEach int = 14
)

// Ticks are the beginnings of months in a long period. Else they are the first and the last day, and
// between them days or beginnings of weeks. There are as many as find room.
func Ticks(p reports.Period) []Tick {
	if p.Days > MaxChartDays {
		return monthTicks(p)
	}
	layout := layoutDayMonth
	if p.From.Year() != LastDay(p).Year() {
		layout = layoutDay
	}
	all := []Tick{{Label: p.From.Format(layout), Anchor: atStart}}
	if p.Days > 1 {
		all = append(all, Tick{Label: LastDay(p).Format(layout), Anchor: atEnd, at: 100})
	}
	var between []Tick
	for i := 1; i < p.Days-1; i++ {
		if date := p.From.AddDate(0, 0, i); p.Days <= maxDaysWithTickEach || begins(p, date) {
			between = append(between, Tick{
				Label:  date.Format(layout),
				Anchor: inMiddle,
				at:     100 * (float64(i) + .5) / float64(p.Days),
				rank:   bits.TrailingZeros(uint(len(between))),
			})
		}
	}
	return placeAll(all, between)
}

// monthTicks name each month, and with January its year: Dec, Jan 2026, Feb.
func monthTicks(p reports.Period) []Tick {
	var all []Tick
	for i := range p.Days {
		date := p.From.AddDate(0, 0, i)
		if date.Day() != 1 {
			continue
		}
		t := Tick{
			Label:  date.Format("Jan"),
			Anchor: atStart,
			at:     100 * float64(i) / float64(p.Days),
			rank:   bits.TrailingZeros(uint(date.Month() - time.January)),
		}
		if date.Month() == time.January {
			t.Label = date.Format("Jan 2006")
		}
		all = append(all, t)
	}
	return placeAll(nil, all)
}

// placeAll adds the ticks that fit on a narrow chart, then on wider ones: every eighth before every
// fourth before every second, for equal distances.
func placeAll(placed, more []Tick) []Tick {
	slices.SortStableFunc(more, func(a, b Tick) int { return cmp.Compare(b.rank, a.rank) })
	placed = place(placed, more, narrowChart, "")
	placed = place(placed, more, midChart, "mid")
	return place(placed, more, wideChart, "wide")
}

// place adds the ticks that find room on a chart of that many pixels.
func place(placed, more []Tick, pixels float64, class string) []Tick {
	for _, t := range more {
		from, to := t.extent(pixels)
		if to <= pixels && !slices.ContainsFunc(placed, func(other Tick) bool {
			a, b := other.extent(pixels)
			return from < b+tickSpace && a < to+tickSpace
		}) {
			t.Class = class
			placed = append(placed, t)
		}
	}
	return placed
}

// extent is from where to where the label reaches, in pixels.
func (t Tick) extent(pixels float64) (from, to float64) {
	at := t.at * pixels / 100
	width := charWidth * float64(utf8.RuneCountInString(t.Label))
	switch t.Anchor {
	case atStart:
		return at, at + width
	case atEnd:
		return at - width, at
	}
	return at - width/2, at + width/2
}
