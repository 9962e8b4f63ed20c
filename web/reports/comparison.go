package reports

import (
	"context"
	"fmt"

	"dg/modules/reports"
	"dg/platform/fairshare"
	"dg/web/ui"
)

// figure is one of the five figures of a period, and how it differs from that of the compared one.
type figure struct {
	Name, Value, Meaning string
	Change               *change // nil: nothing is compared
}

// change is how a figure differs. Class is the CSS class, and By has its arrow: both are "" where
// there is no difference. Spoken is what a screen reader says instead.
type change struct{ Class, By, Was, Spoken string }

// measure is how a figure is read and written. read reports whether there is one: an average of
// nothing is none. by writes a difference, and speaks it.
type measure struct {
	name, meaning, none string
	read                func(reports.Statistics) (n int64, ok bool)
	write               func(l ui.Locale, n int64) string
	by                  func(l ui.Locale, difference, before int64) (shown, spoken string)
}

var measures = []measure{
	{
		"Plays", "started, including unfinished", "",
		func(s reports.Statistics) (int64, bool) { return s.Plays, true }, ui.Locale.Count, byShare,
	},
	{
		"Players", "unique", "",
		func(s reports.Statistics) (int64, bool) { return s.UniquePlayers, true },
		ui.Locale.Count, byShare,
	},
	{
		"Average score", "of completed plays", noCompletedPlays,
		func(s reports.Statistics) (int64, bool) { return int64(s.AvgScore), s.Completed > 0 },
		writePercent, byPoints,
	},
	{
		"Completion rate", "of all plays", "no plays",
		func(s reports.Statistics) (int64, bool) { return shownRate(s.CompletionRate), s.Plays > 0 },
		writePercent, byPoints,
	},
	{
		"Pass rate", "of completed plays", noCompletedPlays,
		func(s reports.Statistics) (int64, bool) { return shownRate(s.PassRate), s.Completed > 0 },
		writePercent, byPoints,
	},
}

func writePercent(l ui.Locale, n int64) string { return l.Percent(reports.Percent(n)) }

// shownRate returns a rate as a percentage with one decimal, in tenths, rounded half up.
func shownRate(r reports.Rate) int64 { return int64((r + 5) / 10) }

const noCompletedPlays = "no completed plays"

// newFigures are the figures of a period. before is the compared one's, or nil: then no figure has
// a change.
func newFigures(l ui.Locale, s reports.Statistics, before *reports.Statistics) []figure {
	all := make([]figure, len(measures))
	for i, m := range measures {
		all[i] = figure{Name: m.name, Value: noValue, Meaning: m.none}
		n, ok := m.read(s)
		if ok {
			all[i].Value = m.write(l, n)
			all[i].Meaning = m.meaning
		}
		if before == nil {
			continue
		}
		all[i].Change = &change{Was: "no comparison", Spoken: "No comparison"}
		if earlier, known := m.read(*before); ok && known {
			all[i].Change = m.change(l, n, earlier)
		}
	}
	return all
}

// change says how a figure differs, as both are shown: ▲ 3.6 pp, was 74.0%.
func (m measure) change(l ui.Locale, now, before int64) *change {
	was := m.write(l, before)
	shown, spoken := m.by(l, max(now-before, before-now), before)
	c := &change{Was: fmt.Sprintf("was %s", was)}
	switch {
	case now > before:
		c.Class = "up"
		c.By = fmt.Sprintf("▲ %s", shown)
		c.Spoken = fmt.Sprintf("Up %s, was %s", spoken, was)
	case now < before:
		c.Class = "down"
		c.By = fmt.Sprintf("▼ %s", shown)
		c.Spoken = fmt.Sprintf("Down %s, was %s", spoken, was)
	default:
		c.Was = "unchanged"
		c.Spoken = "Unchanged"
	}
	return c
}

// byShare writes a difference in whole percent, rounded half up. A period without plays is not
// compared, so before is positive.
func byShare(l ui.Locale, difference, before int64) (shown, spoken string) {
	share := (200*difference + before) / max(2*before, 1)
	if share == 0 {
		return fmt.Sprintf("<%s", l.Share(1)), fmt.Sprintf("less than %s", l.Share(1))
	}
	return l.Share(share), l.Share(share)
}

// byPoints writes the difference of two percentages.
func byPoints(l ui.Locale, difference, _ int64) (shown, spoken string) {
	by := l.Points(difference)
	return fmt.Sprintf("%s pp", by), fmt.Sprintf("%s percentage points", by)
}

// The compared period, as a parameter of the address. "" is the previous period.
const (
	compareYear = "year"
	compareOff  = "off"
)

var comparisons = []struct{ name, key string }{
	{"Previous period", ""}, {"A year earlier", compareYear}, {"None", compareOff},
}

// comparedPeriod is the period that p is compared with, and whether there is one: reports begin in
// 2000. The period before whole months is as many months, else as many days.
func comparedPeriod(p reports.Period, with string) (reports.Period, bool) {
	from := p.From.AddDate(0, 0, -p.Days)
	end := p.From
	switch last := p.End(); {
	case with == compareOff:
		return reports.Period{}, false
	case with == compareYear:
		from = p.From.AddDate(-1, 0, 0)
		end = last.AddDate(-1, 0, 0)
	case p.From.Day() == 1 && last.Day() == 1:
		years := p.From.Year() - last.Year()
		from = p.From.AddDate(years, int(p.From.Month()-last.Month()), 0)
	}
	earlier := ui.Between(from, end.AddDate(0, 0, -1))
	// 29 February has no counterpart a year earlier, and a period over it may have one day too many
	earlier.Days = max(1, min(earlier.Days, reports.MaxPeriodDays))
	return earlier, reportable(earlier)
}

// reportable reports whether there can be a report on the period.
func reportable(p reports.Period) bool {
	_, err := reports.ParsePeriod(p.Day(0), p.Day(p.Days-1))
	return err == nil
}

// compared returns the figures and days of the period that the query's is compared with, or nil
// where nothing is compared: k-anonymity hides them, or there were no plays, or the reader turned it
// off. The reader cannot tell hidden figures from none, and learns no more than by choosing that
// period. It comes before the report that is shown, and gives its place back: no request waits for a
// place while it holds one.
func (h *Handler) compared(
	ctx context.Context, p *ui.Principal, q reports.Query, in params,
) (*reports.Statistics, error) {
	var ok bool
	if q.Period, ok = comparedPeriod(q.Period, in.Compare); !ok {
		return nil, nil
	}
	q.TotalsOnly = true
	var leases []*fairshare.Lease
	defer func() {
		for _, l := range leases {
			l.Release()
		}
	}()
	s, err := h.statistics(ctx, p, q, func(l *fairshare.Lease) { leases = append(leases, l) })
	if err != nil || s.Suppressed || s.Plays == 0 {
		return nil, err
	}
	return &s, nil
}
