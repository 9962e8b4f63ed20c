package reports

import "context"

// Overview shows how much the forks of an organisation are played: by week, and in the last four
// weeks compared with the four before. Its figures cover all players and are never suppressed.
type Overview struct {
	Forks       map[string]*ForkOverview // by id: every fork of the organisation has one
	Now, Before OverviewTotals           // of the last four weeks, and of the four before
	Counted     bool                     // false: too many plays to count players and completion
}

// ForkOverview is the part of an Overview on one fork.
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

func (t *OverviewTotals) count(completed, players int64) {
	t.Completed = completed
	t.Players = players
	t.CompletionRate = rate(completed, t.Plays)
}

const (
	// OverviewWeeks is how many weeks an overview has.
	OverviewWeeks = 12
	comparedWeeks = 4
	week          = 7 * day

	// maxOverviewPlays bounds the query of players to about 300 ms: with more plays in the eight
	// weeks, players are not counted.
	maxOverviewPlays = 250_000
)

// Overview returns the overview of an organisation's forks for the weeks that end on the last day
// of the query's period.
// Errors: apperr.Unavailable with RetryAfter.
func (s *Service) Overview(ctx context.Context, q Query) (Overview, error) {
	q.Period = overviewPeriod(q.Period)
	report, err := s.Open(ctx, q)
	if err != nil {
		return Overview{}, err
	}
	defer report.Close()
	for {
		o, err := report.snap.overview(ctx, s.maxOverviewPlays)
		if err == nil {
			return o, nil
		}
		if report.snap, err = s.reopen(ctx, report.snap, err); err != nil {
			return Overview{}, err
		}
	}
}

// overviewPeriod returns the OverviewWeeks weeks that end with p.
func overviewPeriod(p Period) Period {
	return Period{From: p.End().Add(-OverviewWeeks * week), Days: OverviewWeeks * int(week/day)}
}

func sum(all []int64) (total int64) {
	for _, n := range all {
		total += n
	}
	return total
}
