package reports

import (
	"context"
	"fmt"

	"dg/modules/reports"
	"dg/platform/fairshare"
	"dg/web/ui"
)

// figure is one of the five figures of a period, and how it differs from that of the previous one.
type figure struct{ Name, Value, Meaning, Change string }

// measure is how a figure is read and written. read reports whether there is one: an average of
// nothing is none.
type measure struct {
	name, meaning, none string
	read                func(reports.Statistics) (n int64, ok bool)
	write               func(l ui.Locale, n int64) string
	change              func(l ui.Locale, m measure, now, before int64) string
}

var measures = []measure{
	{
		"Plays", "started, including unfinished", "", func(s reports.Statistics) (int64, bool) {
			return s.Plays, true
		}, ui.Locale.Count, changeOfCount,
	},
	{
		"Players", "unique", "", func(s reports.Statistics) (int64, bool) {
			return s.UniquePlayers, true
		}, ui.Locale.Count, changeOfCount,
	},
	{"Average score", "of completed plays", noCompletedPlays,
		func(s reports.Statistics) (int64, bool) {
			return int64(s.AvgScore), s.Completed > 0
		}, writePercent, changeOfPercentage(ui.Locale.PercentPoints)},
	{"Completion rate", "of all plays", "no plays",
		func(s reports.Statistics) (int64, bool) {
			return int64(s.CompletionRate), s.Plays > 0
		}, writeRate, changeOfPercentage(ui.Locale.RatePoints)},
	{"Pass rate", "of completed plays", noCompletedPlays,
		func(s reports.Statistics) (int64, bool) {
			return int64(s.PassRate), s.Completed > 0
		}, writeRate, changeOfPercentage(ui.Locale.RatePoints)},
}

func writePercent(l ui.Locale, n int64) string { return l.Percent(reports.Percent(n)) }
func writeRate(l ui.Locale, n int64) string    { return l.Rate(reports.Rate(n)) }

const noCompletedPlays = "no completed plays"

// newFigures are the figures of a period. before is the previous one's, or nil: then no figure has
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
		all[i].Change = "no comparison"
		if earlier, known := m.read(*before); ok && known {
			all[i].Change = m.change(l, m, n, earlier)
		}
	}
	return all
}

// changeOfCount says how a number differs: +12, up 8% from 151. Of nothing there is no share.
func changeOfCount(l ui.Locale, m measure, now, before int64) string {
	difference := now - before
	if before == 0 && difference > 0 {
		return fmt.Sprintf("%s, up from %s", l.Signed(difference), m.write(l, before))
	}
	// in whole percent, rounded half up
	share := (200*max(difference, -difference) + before) / max(2*before, 1)
	switch {
	case difference > 0 && share == 0:
		return fmt.Sprintf("%s, up less than %s from %s", l.Signed(difference), l.Share(1),
			m.write(l, before))
	case difference > 0:
		return fmt.Sprintf("%s, up %s from %s", l.Signed(difference), l.Share(share),
			m.write(l, before))
	case difference < 0 && share == 0:
		return fmt.Sprintf("%s, down less than %s from %s", l.Signed(difference), l.Share(1),
			m.write(l, before))
	case difference < 0:
		return fmt.Sprintf("%s, down %s from %s", l.Signed(difference), l.Share(share),
			m.write(l, before))
	}
	return fmt.Sprintf("unchanged from %s", m.write(l, before))
}

// changeOfPercentage says by how many percentage points a percentage differs, as both are shown.
func changeOfPercentage(
	points func(l ui.Locale, difference int64) string,
) func(l ui.Locale, m measure, now, before int64) string {
	return func(l ui.Locale, m measure, now, before int64) string {
		switch difference := now - before; {
		case difference > 0:
			return fmt.Sprintf("%s percentage points, up from %s", points(l, difference),
				m.write(l, before))
		case difference < 0:
			return fmt.Sprintf("%s percentage points, down from %s", points(l, difference),
				m.write(l, before))
		}
		return fmt.Sprintf("unchanged from %s", m.write(l, before))
	}
}

// previousPeriod is the period of equal length directly before, and whether there is one: reports
// begin in 2000.
func previousPeriod(p reports.Period) (reports.Period, bool) {
	p.From = p.From.AddDate(0, 0, -p.Days)
	return p, reportable(p)
}

// reportable reports whether there can be a report on the period.
func reportable(p reports.Period) bool {
	_, err := reports.ParsePeriod(p.Day(0), p.Day(p.Days-1))
	return err == nil
}

// previous returns the figures of the period before the query's, or nil where nothing is compared:
// k-anonymity hides them, or there were no plays, or the reader turned it off. The reader cannot
// tell hidden figures from none, and learns no more than by choosing that period. It comes before
// the report that is shown, and gives its place back: no request waits for a place while it holds
// one.
func (h *Handler) previous(
	ctx context.Context, p *ui.Principal, q reports.Query, in params,
) (*reports.Statistics, error) {
	var ok bool
	if q.Period, ok = previousPeriod(q.Period); !ok || !in.Compares() {
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
