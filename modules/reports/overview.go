package reports

import (
	"context"
	"slices"
)

// Overview is how much the forks of an organisation are played: week by week, and in the last four weeks beside the four before.
// Its figures are those of the forks' statistics for all players: nothing of it is suppressed.
type Overview struct {
	Forks       map[string]*ForkOverview // by id: every fork of the organisation has one
	Now, Before OverviewTotals           // of the last four weeks, and of the four before
	// Counted says that players and completion are known. They are not where too many plays would have to be read.
	Counted bool
}

// ForkOverview is how much a fork is played.
type ForkOverview struct {
	Weeks   [OverviewWeeks]int64 // plays, the oldest week first
	Players int64                // of the last four weeks
}

// Plays are those of the last four weeks.
func (f *ForkOverview) Plays() int64 { return sum(f.Weeks[OverviewWeeks-comparedWeeks:]) }

// OverviewTotals are figures over all forks.
type OverviewTotals struct {
	Plays, Completed, Players int64
	CompletionRate            Rate
}

const (
	// OverviewWeeks is how many weeks an overview has.
	OverviewWeeks = 12
	comparedWeeks = 4
	week          = 7 * day

	// maxOverviewPlays bounds the plays of eight weeks whose players an overview counts, to about 300 ms: so many in segments, a
	// twentieth of it (250,000) outside.
	maxOverviewPlays = 5_000_000
	unsealedCost     = 20
)

// Overview returns the overview of an organisation's forks for the weeks that end on the last day of the query's period.
// Errors: apperr.Unavailable with RetryAfter.
func (s *Service) Overview(ctx context.Context, q Query) (o Overview, err error) {
	admitted, err := s.limits.admitSmall(ctx, q.OrganisationID)
	if err != nil {
		return Overview{}, err
	}
	defer admitted.lease.Release()
	q.Period = overviewPeriod(q.Period)
	snap, err := openSnapshot(ctx, s.reads, q, false)
	if err != nil {
		return Overview{}, err
	}
	defer snap.close()
	err = snap.read(ctx, func() error {
		return snap.withoutDamaged(ctx, func() (err error) {
			o, err = snap.overview(ctx, s.maxOverviewPlays)
			return err
		})
	})
	s.markDamaged(ctx, snap)
	return o, err
}

// overviewPeriod are the weeks that end with a period.
func overviewPeriod(p Period) Period {
	return Period{From: p.End().Add(-OverviewWeeks * week), Days: OverviewWeeks * int(week/day)}
}

// overviewSums sums the plays of an overview, and then, fork by fork, its players.
type overviewSums struct {
	period    Period
	forks     []forkSums
	cost      int64    // of counting the players
	completed [2]int64 // of the four weeks before and of the last four
	players   [2]distinct
	current   int      // the fork whose players are counted; -1: none yet
	ofFork    distinct // its players of the last four weeks
}

// forkSums is what is known of a fork before the segments of its players are read.
type forkSums struct {
	id string
	ForkOverview
	sealed   []sealedDay // ascending
	unsealed []int32     // players of the last four weeks, outside segments
}

// weekOf is the week of a day of the period.
func (t *overviewSums) weekOf(d sealedDay) int { return int(d.date.Sub(t.period.From) / week) }

// half returns 1 for the last four weeks, 0 for the four before, and -1 for the others.
func half(week int) int { return max(-1, week/comparedWeeks-1) }

// addPlays counts plays of a fork; each costs as much to find the player of.
func (t *overviewSums) addPlays(fork *forkSums, week int, plays, cost int64) {
	if fork.Weeks[week] += plays; half(week) >= 0 {
		t.cost += plays * cost
	}
}

// turnTo counts the players of the forks before the i-th, and begins with that one's outside segments.
func (t *overviewSums) turnTo(i int) {
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

// compared are the last eight weeks.
func (t *overviewSums) compared() Period {
	days := 2 * comparedWeeks * int(week/day)
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
			total.Players, total.Completed = t.players[i].n, t.completed[i]
			total.CompletionRate = rate(total.Completed, total.Plays)
		}
	}
	for i := range t.forks {
		o.Forks[t.forks[i].id] = &t.forks[i].ForkOverview
	}
	return o
}

func sum(all []int64) (total int64) {
	for _, n := range all {
		total += n
	}
	return total
}

// distinct counts players once. Ordinals are small and dense: each has the number of the count that it was last seen in.
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
