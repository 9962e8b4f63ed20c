package reports

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"dg/modules/reports"
	"dg/web/ui"
)

type figure struct {
	Name, Value string
	Change      *change // nil: nothing is compared
}

// change is the difference to the compared period. By is that of the rounded values shown.
type change struct {
	Direction string // up or down; "": unchanged
	Small     bool   // too small to be coloured
	By, Was   string
}

// comparison has only complete days: an unfinished day would look like a decline.
type comparison struct {
	CompleteDays, EarlierDays string              // in words; CompleteDays "": the whole period
	completeStats             *reports.Statistics // nil: the whole period is complete
	earlierStats              *reports.Statistics
}

// measure is a kind of figure. read returns false if there is none, as for an average of no plays.
type measure struct {
	name       string
	format     func(n int64) string
	difference func(n, before int64) (text string, small bool)
	read       func(reports.Statistics) (n int64, ok bool)
}

var measures = []measure{
	{
		"Plays", ui.Count, formatShare,
		func(s reports.Statistics) (int64, bool) { return s.Plays, true },
	},
	{
		"Players", ui.Count, formatShare,
		func(s reports.Statistics) (int64, bool) { return s.UniquePlayers, true },
	},
	{
		"Average score", writePercent, formatPoints,
		func(s reports.Statistics) (int64, bool) { return int64(s.AvgScore), s.Completed > 0 },
	},
	{
		"Completion rate", writePercent, formatPoints,
		func(s reports.Statistics) (int64, bool) { return shownRate(s.CompletionRate), s.Plays > 0 },
	},
	{
		"Pass rate", writePercent, formatPoints,
		func(s reports.Statistics) (int64, bool) { return shownRate(s.PassRate), s.Completed > 0 },
	},
}

func writePercent(n int64) string { return ui.Percent(reports.Percent(n)) }

// shownRate returns a rate in tenths of a percent, rounded half up.
func shownRate(r reports.Rate) int64 { return int64((r + 5) / 10) }

func newFigures(s reports.Statistics, c *comparison) []figure {
	all := make([]figure, len(measures))
	for i, m := range measures {
		all[i] = figure{Name: m.name, Value: "–"}
		if n, ok := m.read(s); ok {
			all[i].Value = m.format(n)
		}
		if c != nil {
			all[i].Change = m.change(s, c)
		}
	}
	return all
}

// change compares complete days. If the period has another figure, it adds theirs: 403, was 416.
func (m measure) change(s reports.Statistics, c *comparison) *change {
	now, ok := m.read(*cmp.Or(c.completeStats, &s))
	before, known := m.read(*c.earlierStats)
	if !ok || !known {
		return &change{Was: "no comparison"}
	}
	d := &change{Was: "unchanged"}
	if now != before {
		d.By, d.Small = m.difference(max(now-before, before-now), before)
		d.Was = fmt.Sprintf("was %s", m.format(before))
		if d.Direction = "up"; now < before {
			d.Direction = "down"
		}
	}
	if shown, _ := m.read(s); now != shown {
		d.Was = fmt.Sprintf("%s, %s", m.format(now), d.Was)
	}
	return d
}

// formatShare formats n as a share of before, rounded half up. before is 0 only where players are
// not counted, and the figure is not shown.
func formatShare(n, before int64) (text string, small bool) {
	share := (200*n + before) / max(2*before, 1)
	switch {
	case share == 0:
		text = "<1%"
	case n > 9*before:
		text = fmt.Sprintf("×%s", ui.Count((share+150)/100))
	default:
		text = ui.Count(share) + "%"
	}
	return text, 100*n < before
}

func formatPoints(tenths, _ int64) (text string, small bool) {
	return fmt.Sprintf("%s points", ui.Points(tenths)), tenths < 5
}

// Values of the query parameter compare. "" selects the previous period.
const (
	compareYear = "year"
	compareOff  = "off"
)

var comparisons = []struct{ name, key string }{
	{"Previous period", ""}, {"52 weeks earlier", compareYear}, {"None", compareOff},
}

// comparedPeriods returns the complete days of p, and the period before: as many months if p is
// whole months, else as many days. compareYear goes back 52 weeks, so that weekdays match.
func comparedPeriods(
	p reports.Period, with string, today time.Time,
) (complete, earlier reports.Period, ok bool) {
	complete = p
	earlier = reports.Period{From: p.From.AddDate(0, 0, -p.Days), Days: p.Days}
	switch end := p.End(); {
	case with == compareYear:
		earlier.From = p.From.AddDate(0, 0, -52*daysPerWeek)
	case p.From.Day() == 1 && end.Day() == 1:
		from := p.From.AddDate(p.From.Year()-end.Year(), int(p.From.Month()-end.Month()), 0)
		earlier = between(from, p.From.AddDate(0, 0, -1))
	}
	if p.End().After(today) {
		complete = between(p.From, today.AddDate(0, 0, -1))
		earlier.Days = min(earlier.Days, complete.Days)
	}
	return complete, earlier, with != compareOff && reportable(earlier)
}

func reportable(p reports.Period) bool {
	_, err := reports.ParsePeriod(p.Day(0), p.Day(p.Days-1))
	return err == nil
}

// loadComparison returns nil if there is nothing to compare. The caller must not hold a report
// slot: requests that hold one and wait for another could deadlock. Suppressed figures count as no
// plays, so that the comparison reveals no more than a report on that period.
func (h *Handler) loadComparison(
	ctx context.Context, p *ui.Principal, q reports.Query, with string,
) (*comparison, error) {
	complete, earlier, ok := comparedPeriods(q.Period, with, h.Today())
	if !ok {
		return nil, nil
	}
	c := &comparison{EarlierDays: ui.Period(earlier)}
	var err error
	if c.earlierStats, err = h.totals(ctx, p, q, earlier); err != nil || c.earlierStats == nil {
		return nil, err
	}
	if complete != q.Period {
		c.CompleteDays = ui.Period(complete)
		if c.completeStats, err = h.totals(ctx, p, q, complete); err != nil || c.completeStats == nil {
			return nil, err
		}
	}
	return c, nil
}

func (h *Handler) totals(
	ctx context.Context, p *ui.Principal, q reports.Query, period reports.Period,
) (*reports.Statistics, error) {
	q.Period = period
	q.OmitLists = true
	s, err := h.statistics(ctx, p, q)
	if err != nil || s.Suppressed || s.Plays == 0 {
		return nil, err
	}
	return &s, nil
}
