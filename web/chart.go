package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dg/modules/reports"
)

// chart is bars of plays above dots of scores, on one time axis. A day is 10 wide, each panel 100 high.
type chart struct {
	Width       int
	Top         []string // labels of the axis of plays, from the top
	Grid, Low   string   // paths of the grid lines of bars and dots
	Days        []chartDay
	Bars        string // all bars in one path, if days have none of their own
	Line, Dots  string
	Fine        bool // whether dots are smaller
	Ticks       []string
	First, Last string
	Most        string // the highest bar
	Score       string // over the whole period
}

// chartDay is a day with a tooltip.
type chartDay struct{ Title, HitArea, Bar string }

// maxChartDays is up to how many days each has a tooltip: those of a year would be most of the page.
const maxChartDays = 92

func newChart(l locale, p reports.Period, s reports.Statistics) chart {
	fine := p.Days > maxChartDays
	most, top := highest(s.Daily)
	c := chart{
		Width: 10 * p.Days, Fine: fine, Top: []string{l.Count(top), l.Count(top / 2), "0"},
		First: l.Day(p.From), Last: l.Day(lastDay(p)), Score: l.Percent(s.AvgScore),
		Most: l.Count(s.Daily[most].Plays) + " on " + l.Day(p.From.AddDate(0, 0, most)), Ticks: ticks(l, p),
	}
	c.Low = fmt.Sprintf("M0 0H%dM0 100H%d", c.Width, c.Width)
	c.Grid = fmt.Sprintf("M0 0H%dM0 50H%dM0 100H%d", c.Width, c.Width, c.Width) + gridLines(l, p)
	var bars strings.Builder
	for i, d := range s.Daily {
		if fine {
			bars.WriteString(bar(i, 80, d.Plays, top))
		} else {
			c.Days = append(c.Days, newChartDay(l, p, i, d, top))
		}
	}
	c.Bars = bars.String()
	c.Line, c.Dots = scorePaths(s.Daily)
	return c
}

// scorePaths are a dot in the middle of each day, at its average score, and the line between them. A day of 0.0 has none: nearly
// always no play was completed then, and the figures do not tell the two apart.
func scorePaths(days []reports.DailyStat) (line, dots string) {
	var t, d strings.Builder
	command := "M"
	for i, day := range days {
		if day.AvgScore > 0 {
			at := strconv.Itoa(10*i+5) + " " + decimal(1000-int64(day.AvgScore))
			t.WriteString(command + at)
			d.WriteString("M" + at + "h.01")
			command = "L"
		}
	}
	return t.String(), d.String()
}

// fewDays is below how many days bars grow no wider: a single one would fill the screen.
const fewDays = 7

func newChartDay(l locale, p reports.Period, i int, d reports.DailyStat, top int64) chartDay {
	plays := l.Count(d.Plays) + " plays"
	if d.Plays == 1 {
		plays = "1 play"
	}
	return chartDay{
		Title:   fmt.Sprintf("%s: %s, average score %s", l.Weekday(p.From.AddDate(0, 0, i)), plays, l.Percent(d.AvgScore)),
		HitArea: fmt.Sprintf("M%d 0h10v100h-10z", 10*i), Bar: bar(i, int64(60*min(p.Days, fewDays)/fewDays), d.Plays, top),
	}
}

// bar is the path of a bar in the middle of the i-th day, of a width in tenths, or "" without plays.
func bar(i int, width, plays, top int64) string {
	if plays == 0 {
		return ""
	}
	x, y := 100*int64(i)+50-width/2, 1000-(2000*plays+top)/(2*top)
	return fmt.Sprintf("M%s %sh%sV100h-%sz", decimal(x), decimal(y), decimal(width), decimal(width))
}

// decimal writes tenths: 277 is 27.7, and 270 is 27.
func decimal(tenths int64) string {
	if tenths%10 == 0 {
		return strconv.FormatInt(tenths/10, 10)
	}
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10)
}

// highest returns the first day with the most plays, and the top of the axis: an even round number that is not below them.
func highest(days []reports.DailyStat) (most int, top int64) {
	for i, d := range days {
		if d.Plays > days[most].Plays {
			most = i
		}
	}
	for scale := int64(1); ; scale *= 10 {
		for _, n := range []int64{2, 4, 6, 10} {
			if top = n * scale; top >= days[most].Plays {
				return most, top
			}
		}
	}
}

// gridLines are vertical lines at the beginning of each week, or of each month of a long period.
func gridLines(l locale, p reports.Period) string {
	var b strings.Builder
	for i := range p.Days {
		date := p.From.AddDate(0, 0, i)
		begins := date.Weekday() == l.FirstDay
		if p.Days > maxChartDays {
			begins = date.Day() == 1
		}
		if begins {
			fmt.Fprintf(&b, "M%d 0V100", 10*i)
		}
	}
	return b.String()
}

// ticks are the first, middle and last day, with the year if there is more than one.
func ticks(l locale, p reports.Period) []string {
	write := l.DayMonth
	if p.From.Year() != lastDay(p).Year() {
		write = l.Day
	}
	places := slices.Compact([]int{0, (p.Days - 1) / 2, p.Days - 1})
	all := make([]string, len(places))
	for i, day := range places {
		all[i] = write(p.From.AddDate(0, 0, day))
	}
	return all
}
