package reports

import "context"

// Overview shows how much the forks of an organisation are played: by week, and in the last four
// weeks compared with the four before. Its figures cover all players and are never suppressed.
type Overview struct {
	Forks       map[string]*ForkOverview // by id: every fork of the organisation has one
	Now, Before OverviewTotals           // of the last four weeks, and of the four before
	Counted     bool                     // false: too many plays to count players and completion
}

// ForkOverview shows how much a fork is played.
type ForkOverview struct {
	Weeks   [OverviewWeeks]int64 // plays, the oldest week first
	Players int64                // of the last four weeks
}

// Plays returns the plays of the last four weeks.
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

	// maxOverviewPlays bounds the plays of eight weeks whose players an overview counts, for about
	// 300 ms. A play outside of segments counts as unsealedCost.
	maxOverviewPlays = 5_000_000
	unsealedCost     = 20
)

// Overview returns the overview of an organisation's forks for the weeks that end on the last day
// of the query's period.
// Errors: apperr.Unavailable with RetryAfter.
func (s *Service) Overview(ctx context.Context, q Query) (o Overview, err error) {
	release, err := s.limits.acquire(ctx, q)
	if err != nil {
		return Overview{}, err
	}
	defer release()
	q.Period = overviewPeriod(q.Period)
	snap, err := open(ctx, s.db, q, true)
	if err != nil {
		return Overview{}, err
	}
	for {
		o, err = snap.overview(ctx, s.maxOverviewPlays)
		if err == nil {
			snap.close()
			return o, nil
		}
		if snap, err = s.reopen(ctx, snap, err); err != nil {
			snap.close()
			return Overview{}, err
		}
	}
}

// overviewPeriod returns the weeks of an overview, which end with a period.
func overviewPeriod(p Period) Period {
	return Period{From: p.End().Add(-OverviewWeeks * week), Days: OverviewWeeks * int(week/day)}
}

func sum(all []int64) (total int64) {
	for _, n := range all {
		total += n
	}
	return total
}
