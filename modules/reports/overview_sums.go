package reports

import (
	"slices"
	"time"

	"dg/modules/reports/snapshot"
)

// overviewSums sums the plays of an overview, and then its players by fork.
type overviewSums struct {
	period    Period
	forks     []forkSums
	cost      int64    // of counting the players
	completed [2]int64 // of the four weeks before and of the last four
	players   [2]distinct
	current   int      // the fork whose players are counted; -1: none yet
	ofFork    distinct // its players of the last four weeks
}

// forkSums sums a fork before the segments of its players are read.
type forkSums struct {
	id string
	ForkOverview
	sealed   []snapshot.SealedDay // ascending
	unsealed []int32              // players of the last four weeks, outside segments
}

func newOverviewSums(p Period) *overviewSums {
	t := &overviewSums{period: p, current: -1}
	t.players[0].reset()
	t.players[1].reset()
	return t
}

// weekOf returns the week of a day of the period.
func (t *overviewSums) weekOf(day time.Time) int { return int(day.Sub(t.period.From) / week) }

// comparisonIndex returns 1 for the last four weeks, 0 for the four before, and -1 for the others.
func comparisonIndex(week int) int { return max(-1, week/comparedWeeks-1) }

// addPlays counts plays of a fork. cost is that of finding the player of one.
func (t *overviewSums) addPlays(fork *forkSums, week int, plays, cost int64) {
	if fork.Weeks[week] += plays; comparisonIndex(week) >= 0 {
		t.cost += plays * cost
	}
}

// advanceTo finishes the players of the forks before the i-th, and begins that fork with its players
// outside of segments.
func (t *overviewSums) advanceTo(i int) {
	for t.current < i {
		if t.current >= 0 {
			t.forks[t.current].Players = t.ofFork.n
		}
		t.current++
		t.ofFork.reset()
		if t.current < len(t.forks) {
			t.ofFork.addAll(t.forks[t.current].unsealed)
		}
	}
}

// compared returns the last eight weeks.
func (t *overviewSums) compared() Period {
	days := 2 * comparedWeeks * int(week/snapshot.Day)
	return Period{From: t.period.End().AddDate(0, 0, -days), Days: days}
}

// overview rounds the sums.
func (t *overviewSums) overview(counted bool) Overview {
	o := Overview{Forks: make(map[string]*ForkOverview, len(t.forks)), Counted: counted}
	for i, total := range []*OverviewTotals{&o.Before, &o.Now} {
		first := OverviewWeeks + (i-2)*comparedWeeks
		for f := range t.forks {
			total.Plays += sum(t.forks[f].Weeks[first : first+comparedWeeks])
		}
		if counted {
			total.Players = t.players[i].n
			total.Completed = t.completed[i]
			total.CompletionRate = rate(total.Completed, total.Plays)
		}
	}
	for i := range t.forks {
		o.Forks[t.forks[i].id] = &t.forks[i].ForkOverview
	}
	return o
}

// ranges returns the ranges of the period in which forks are not sealed.
func (t *overviewSums) ranges(p Period) (numbers []int32, forks []string, from, to []time.Time) {
	for i := range t.forks {
		f := &t.forks[i]
		first := slices.IndexFunc(f.sealed, func(d snapshot.SealedDay) bool {
			return !d.Date.Before(p.From)
		})
		var inside snapshot.Sealed
		if first >= 0 {
			inside.Days = f.sealed[first:]
		}
		lo, hi := inside.Gaps(p)
		for range lo {
			numbers = append(numbers, int32(i))
			forks = append(forks, f.id)
		}
		from = append(from, lo...)
		to = append(to, hi...)
	}
	return numbers, forks, from, to
}

// distinct counts distinct players. Ordinals are small and dense: seen has the last count of each.
type distinct struct {
	seen  []int32
	count int32
	n     int64
}

// reset begins another count.
func (d *distinct) reset() {
	d.count++
	d.n = 0
}

func (d *distinct) add(player int32) {
	if n := int(player) + 1; n > len(d.seen) {
		d.seen = append(d.seen, make([]int32, n-len(d.seen))...)
	}
	if d.seen[player] != d.count {
		d.seen[player] = d.count
		d.n++
	}
}

func (d *distinct) addAll(players []int32) {
	if len(players) > 0 {
		d.add(slices.Max(players)) // grows once
	}
	for _, player := range players {
		d.add(player)
	}
}
