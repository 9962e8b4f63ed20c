package reports

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"dg/modules/reports"
	"dg/web/ui"
)

// change is the difference to the compared period in words, between the rounded values shown.
type change struct {
	Direction           string // up or down, or "" if unchanged
	Small               bool   // whether it is within the noise or below the minimum size
	Difference, Earlier string // Earlier has the earlier figure, such as "was 416"
}

// comparison covers only complete days, because an unfinished day would look like a decline.
type comparison struct {
	CompletePeriod, EarlierPeriod string              // in words; CompletePeriod may be ""
	YearEarlier                   bool                // whether the earlier period is 52 weeks before
	completeStats                 *reports.Statistics // nil if the whole period is complete
	earlierStats                  *reports.Statistics
}

// measure is a metric of Statistics. read returns false if the metric is undefined, as the average
// score is without finished plays.
type measure struct {
	key, name string // key is the value of the query parameter show, or "" without a chart
	whole     string // what a rate is a share of, such as "finished plays"
	isCount   bool   // whether the figure is a count; otherwise it is in tenths of a percent
	read      func(reports.Statistics) (n int64, ok bool)
	counted   [2]string // what a count counts, as the answer says it: singular and plural

	exceeds   func(now, before reports.Statistics) bool    // of a rate or score: whether a change exceeds its noise
	sums      func(reports.Statistics) (part, whole int64) // of a rate
	predicate string                                       // of the part of a rate, such as "passed"
}

// verbs are the words for a fall and for a rise.
type verbs [2]string

// choose returns the verb for a difference that is not 0.
func (v verbs) choose(difference int64) string { return v[min(1, max(0, difference))] }

var downUp = verbs{"down", "up"}

// signed writes a difference with its sign, such as −4, ±0 or +4.
func signed(n int64, write func(int64) string) string {
	return [...]string{"−", "±", "+"}[cmp.Compare(n, 0)+1] + write(max(n, -n))
}

var (
	plays = measure{key: "plays", name: "Plays", isCount: true, counted: [2]string{"play", "plays"},
		read: func(s reports.Statistics) (int64, bool) { return s.Plays, true }}
	uniquePlayers = measure{name: "Players", isCount: true, counted: [2]string{"person played", "people played"},
		read: func(s reports.Statistics) (int64, bool) { return s.UniquePlayers, true }}
	score = measure{
		key: "score", name: "Average score",
		read: func(s reports.Statistics) (int64, bool) { return int64(s.AvgScore), s.Completed > 0 },
		exceeds: func(now, before reports.Statistics) bool {
			return max(now.AvgScore-before.AvgScore, before.AvgScore-now.AvgScore) >= minPoints &&
				exceedsNoise(float64(now.AvgScore)/1000, float64(before.AvgScore)/1000, scoreDeviation*scoreDeviation*
					sumOfInverses(min(now.Completed, now.UniquePlayers), min(before.Completed, before.UniquePlayers)))
		},
	}
	completionRate = rate("completion", "Completion rate", "plays", "were finished",
		func(s reports.Statistics) (part, whole int64) { return s.Completed, s.Plays })
	passRate = rate("pass", "Pass rate", "finished plays", "passed",
		func(s reports.Statistics) (part, whole int64) { return s.Passed, s.Completed })
	measures = []measure{uniquePlayers, plays, score, completionRate, passRate}
)

func rate(key, name, whole, predicate string, sums func(reports.Statistics) (part, whole int64)) measure {
	return measure{
		key: key, name: name, whole: whole, predicate: predicate, sums: sums,
		read: func(s reports.Statistics) (int64, bool) {
			part, total := sums(s)
			return int64(reports.PercentOf(part, total)), total > 0
		},
		exceeds: func(now, before reports.Statistics) bool {
			a, n := sums(now)
			b, m := sums(before)
			return pointApart(a, n, b, m) && ratesDiffer(a, n, now.UniquePlayers, b, m, before.UniquePlayers)
		},
	}
}

func (m measure) text(s reports.Statistics) string {
	if n, ok := m.read(s); ok {
		return m.format(n)
	}
	return "–"
}

func (m measure) format(n int64) string {
	if m.isCount {
		return ui.Count(n)
	}
	return writePercent(n)
}

func writePercent[T ~int64](n T) string { return ui.Percent(reports.Percent(n)) }

// A change needs at least this size, and must exceed its noise, to be named and coloured.
const (
	minShare        = 20  // the inverse of the share: a twentieth of the earlier count
	minPoints       = 10  // tenths of a percentage point
	scoreDeviation  = .25 // assumed standard deviation of a score
	noiseDeviations = 2   // the noise, in standard errors
)

// countsDiffer treats counts as Poisson distributed: the variance of the difference is their sum.
func countsDiffer(now, before int64) bool {
	difference := max(now-before, before-now)
	return minShare*difference >= before && difference*difference > noiseDeviations*noiseDeviations*(now+before)
}

func exceedsNoise(a, b, variance float64) bool {
	return (a-b)*(a-b) > noiseDeviations*noiseDeviations*variance+1e-12
}

func ratio(part, whole int64) float64 { return float64(part) / float64(max(whole, 1)) }

func sumOfInverses(a, b int64) float64 { return 1/float64(max(a, 1)) + 1/float64(max(b, 1)) }

// pointApart reports whether a of n and b of m differ by at least a percentage point.
func pointApart(a, n, b, m int64) bool { return 100*max(a*m-b*n, b*n-a*m) >= n*m }

// ratesDiffer reports whether a of n and b of m differ by more than their noise. The sample sizes are n
// and m or, if smaller, the numbers of people. The variance is that of the pooled rate.
func ratesDiffer(a, n, peopleA, b, m, peopleB int64) bool {
	na, nb := min(n, peopleA), min(m, peopleB)
	pooled := (ratio(a, n)*float64(na) + ratio(b, m)*float64(nb)) / float64(max(na+nb, 1))
	return exceedsNoise(ratio(a, n), ratio(b, m), pooled*(1-pooled)*sumOfInverses(na, nb))
}

// compare compares complete days. ok is false unless both periods have a figure. c may be nil.
func (m measure) compare(s reports.Statistics, c *comparison) (now, before int64, changed, ok bool) {
	if c == nil {
		return now, before, false, false
	}
	complete := *cmp.Or(c.completeStats, &s)
	now, ok = m.read(complete)
	before, known := m.read(*c.earlierStats)
	ok = ok && known
	if m.isCount {
		return now, before, ok && countsDiffer(now, before), ok
	}
	return now, before, ok && m.exceeds(complete, *c.earlierStats), ok
}

type figure struct {
	Key, Name, Value string
	Note             string  // what the figure counts, such as "of finished plays", or ""
	Path             string  // path of the report with this chart, or ""
	Shown            bool    // whether the chart shows the figure
	Change           *change // nil if nothing is compared
}

func newFigures(s reports.Statistics, c *comparison, selected ...measure) []figure {
	figures := make([]figure, len(selected))
	for i, m := range selected {
		figures[i] = figure{Key: m.key, Name: m.name, Value: m.text(s)}
		if m.whole != "" {
			figures[i].Note = "of " + m.whole
		}
		if c != nil {
			figures[i].Change = m.change(s, c)
		}
	}
	return figures
}

// change compares complete days. Earlier states their figure if the tile shows another one: "403,
// was 416" compares 403 with 416.
func (m measure) change(s reports.Statistics, c *comparison) *change {
	now, before, changed, ok := m.compare(s, c)
	if !ok {
		return &change{Earlier: "no comparison"}
	}
	result := &change{Earlier: "unchanged"}
	if now != before {
		result.Difference = ui.Points(max(now-before, before-now)) + " points"
		if m.isCount {
			result.Difference = formatShare(now, before)
		}
		result.Small = !changed
		result.Earlier = fmt.Sprintf("was %s", m.format(before))
		result.Direction = downUp.choose(now - before)
	}
	if shown, _ := m.read(s); now != shown {
		result.Earlier = fmt.Sprintf("%s, %s", m.format(now), result.Earlier)
	}
	return result
}

// formatShare formats the change of a count as a share of before, rounded half up. before is 0 only
// if players are not counted: then no screen shows the share.
func formatShare(now, before int64) string {
	n := max(now-before, before-now)
	share := (200*n + before) / max(2*before, 1)
	switch {
	case share == 0:
		return "<1%"
	case share == 100 && 0 < now && now < before:
		return ">99%"
	case n > 9*before:
		return fmt.Sprintf("×%s", ui.Count((share+150)/100))
	}
	return ui.Count(share) + "%"
}

// The query parameter compare has one of these values. "" selects the previous period.
const (
	compareYear = "year"
	compareOff  = "off"
)

var comparisons = []struct{ name, key string }{
	{"Previous period", ""}, {"52 weeks earlier", compareYear}, {"None", compareOff},
}

// comparedPeriods returns the complete days of p, and the earlier period. The previous period has as
// many months as p if p is whole months, otherwise as many days. compareYear goes back 52 weeks, so
// that weekdays match. ok is false if nothing is compared.
func comparedPeriods(p reports.Period, choice string, today time.Time) (complete, earlier reports.Period, ok bool) {
	complete = p
	earlier = reports.Period{From: p.From.AddDate(0, 0, -p.Days), Days: p.Days}
	switch end := p.End(); {
	case choice == compareYear:
		earlier.From = p.From.AddDate(0, 0, -52*daysPerWeek)
	case p.From.Day() == 1 && end.Day() == 1:
		from := p.From.AddDate(p.From.Year()-end.Year(), int(p.From.Month()-end.Month()), 0)
		earlier = reports.NewPeriod(from, p.From.AddDate(0, 0, -1))
	}
	if p.End().After(today) {
		complete = reports.NewPeriod(p.From, today.AddDate(0, 0, -1))
		earlier.Days = min(earlier.Days, complete.Days)
	}
	_, err := reports.ParsePeriod(earlier.Day(0), earlier.Day(earlier.Days-1))
	return complete, earlier, choice != compareOff && err == nil
}

// loadComparison reads the earlier figures. It sets q.CompleteDays if the period is incomplete, and
// returns nil if there is nothing to compare. The caller must not hold a report slot: requests that
// hold one and wait for another could deadlock. Suppressed figures count as no plays, so that the
// comparison reveals no more than a report on that period.
func (h *Handler) loadComparison(
	ctx context.Context, p *ui.Principal, q *reports.Query, choice string,
) (*comparison, error) {
	complete, earlier, ok := comparedPeriods(q.Period, choice, h.Today())
	if !ok {
		return nil, nil
	}
	earlierQuery := *q
	earlierQuery.Period = earlier
	earlierQuery.OmitLists = true
	s, err := h.statistics(ctx, p, earlierQuery)
	if err != nil || s.Suppressed {
		return nil, err
	}
	c := newComparison(s, earlier, choice)
	if c != nil && complete != q.Period {
		q.CompleteDays = complete.Days
		c.CompletePeriod = ui.Period(complete)
	}
	return c, nil
}

// newComparison returns nil if the earlier period has no plays.
func newComparison(s reports.Statistics, earlier reports.Period, choice string) *comparison {
	if s.Plays == 0 {
		return nil
	}
	return &comparison{EarlierPeriod: ui.Period(earlier), earlierStats: &s,
		YearEarlier: choice == compareYear}
}

// withCompleteDays returns c with the figures of the complete days, or nil if they have no plays.
func (c *comparison) withCompleteDays(s reports.Statistics) *comparison {
	if c == nil || c.CompletePeriod == "" {
		return c
	}
	if s.CompleteStatistics == nil || s.CompleteStatistics.Plays == 0 {
		return nil
	}
	c.completeStats = s.CompleteStatistics
	return c
}
