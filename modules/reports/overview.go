package reports

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// Overview compares the plays of an organisation's forks in a period with an earlier one. It covers
// all players and is never suppressed.
type Overview struct {
	Forks            map[string]*ForkOverview // every fork of the organisation, by id
	Current, Earlier Statistics               // of all forks: Plays and, if Counted, players and results
	Counted          bool                     // false if plays are too many to count players and results
}

// ForkOverview has the figures of one fork in an Overview.
type ForkOverview struct {
	Statistics                        // Plays and, if Overview.Counted, players, results and AvgScore
	Weeks        [OverviewWeeks]int64 // plays; the last week ends with the period, the oldest is first
	EarlierPlays int64
}

const (
	// OverviewWeeks is the number of weeks in a ForkOverview.
	OverviewWeeks = 12
	week          = 7 * day

	// maxOverviewPlays is the threshold of Overview.Counted: more plays would make the query slow.
	maxOverviewPlays = 250_000
)

// Overview returns the overview of an organisation's forks for the query's period. earlier must
// begin before that period. Nothing is compared if earlier has 0 Days. Errors: apperr.NotFound for
// an unknown organisation, apperr.Unavailable with RetryAfter.
func (s *Service) Overview(ctx context.Context, q Query, earlier Period) (o Overview, err error) {
	compared := [...]Period{q.Period, earlier}
	q.Period = overviewPeriod(compared)
	report, err := s.Open(ctx, q)
	if err != nil {
		return Overview{}, err
	}
	defer report.Close()
	err = s.readWithRetry(ctx, &report.snapshot, func(snap *snapshot) (err error) {
		o, err = snap.overview(ctx, compared, s.maxOverviewPlays)
		return err
	})
	return o, err
}

// overviewPeriod returns the days that an overview reads: both periods and its weeks.
func overviewPeriod(compared [2]Period) Period {
	last := compared[0].End().Add(-day)
	first := last.Add(day - OverviewWeeks*week)
	for _, p := range compared {
		if p.Days > 0 && p.From.Before(first) {
			first = p.From
		}
	}
	return NewPeriod(first, last)
}

const (
	// forkDaysSQL returns one row, without a day, for a fork without sealed days.
	forkDaysSQL = `/* reports.forkDays */
select f.id::text, d.day, d.sums from forks f
  left join ` + segment.SealedDaysSQL + ` d on d.org_id = @org and d.fork_id = f.id and d.day >= @from
   and d.day < @to and @segments
 where f.org_id = @org order by f.id, d.day`

	// playCountsOfForksSQL does not compare org_id, which would prevent an index-only scan.
	// forkDaysSQL has selected @forks, which all belong to the organisation.
	playCountsOfForksSQL = `/* reports.playsOfForks */
select r.i, w.* from unnest(@numbers::int[], @forks::uuid[], @starts::timestamptz[],
  @ends::timestamptz[]) r (i, fork, lo, hi), lateral (
    select date_bin('1 day', p.started_at, @from), count(*) from plays p
     where p.fork_id = r.fork and p.started_at >= r.lo and p.started_at < r.hi group by 1) w`

	// playResultsOfForksSQL returns the plays of each range fork by fork, in the order of @forks.
	// OFFSET 0 is an optimisation fence, which forces a nested loop. Counting players in SQL would
	// sort the plays three times.
	playResultsOfForksSQL = `/* reports.playersOfForks */
select f.i::int, r.i::int, p.score, p.player, p.passed
  from unnest(@forks::uuid[]) with ordinality f (id, i),
    unnest(@starts::timestamptz[], @ends::timestamptz[]) with ordinality r (lo, hi, i), lateral (
    select * from plays where org_id = @org and fork_id = f.id and started_at >= r.lo
       and started_at < r.hi offset 0) p`
)

func (s *snapshot) overview(ctx context.Context, compared [2]Period, maxPlays int64) (Overview, error) {
	r := &overviewReader{snapshot: s, compared: compared, byID: map[string]*ForkOverview{}}
	if err := r.readForkDays(ctx); err != nil {
		return Overview{}, err
	}
	if err := r.readUnsealedPlayCounts(ctx); err != nil {
		return Overview{}, err
	}
	o := Overview{Forks: r.byID}
	for _, f := range r.forks {
		o.Current.Plays += f.Plays
		o.Earlier.Plays += f.EarlierPlays
	}
	o.Counted = o.Current.Plays+o.Earlier.Plays <= maxPlays
	if !o.Counted {
		return o, nil
	}
	err := r.readPlayers(ctx, &o)
	return o, err
}

// overviewReader takes the play counts of sealed days from their stored sums, and counts the plays
// of other days. It counts players and results from the plays of all days.
type overviewReader struct {
	*snapshot
	compared [2]Period // the overview's period, then the earlier one
	forks    []forkSums
	byID     map[string]*ForkOverview
}

type forkSums struct {
	id string
	*ForkOverview
	sealed []segment.SealedDay // by date
}

// addPlayCount adds the plays of a day to its week and its period.
func (r *overviewReader) addPlayCount(f *ForkOverview, date time.Time, plays int64) {
	if age := int(r.query.Period.End().Add(-day).Sub(date) / week); age < OverviewWeeks {
		f.Weeks[OverviewWeeks-1-age] += plays
	}
	for i, total := range []*int64{&f.Plays, &f.EarlierPlays} {
		if p := r.compared[i]; !date.Before(p.From) && date.Before(p.End()) {
			*total += plays
		}
	}
}

func (r *overviewReader) readForkDays(ctx context.Context) error {
	rows := r.queryRows(ctx, forkDaysSQL, pgx.NamedArgs{"segments": r.useSegments})
	var id string
	var date *time.Time
	var packed []byte
	_, err := pgx.ForEachRow(rows, []any{&id, &date, &packed}, func() error {
		if r.byID[id] == nil {
			r.byID[id] = &ForkOverview{}
			r.forks = append(r.forks, forkSums{id: id, ForkOverview: r.byID[id]})
		}
		if date == nil {
			return nil
		}
		sums, err := segment.UnpackSums(date.UnixMilli(), packed)
		if err != nil {
			return segment.DamagedError(*date)
		}
		f := &r.forks[len(r.forks)-1]
		f.sealed = append(f.sealed, segment.SealedDay{Date: *date})
		r.addPlayCount(f.ForkOverview, *date, sums.Plays)
		return nil
	})
	return apperr.Annotate(err, "reports: days of forks")
}

func (r *overviewReader) readUnsealedPlayCounts(ctx context.Context) error {
	var forkNumbers []int
	var forkIDs []string
	var starts, ends []time.Time
	for i, f := range r.forks {
		gapStarts, gapEnds := segment.Gaps(f.sealed, r.query.Period.From, r.query.Period.End())
		for range gapStarts {
			forkNumbers = append(forkNumbers, i)
			forkIDs = append(forkIDs, f.id)
		}
		starts = append(starts, gapStarts...)
		ends = append(ends, gapEnds...)
	}
	rows := r.queryRows(ctx, playCountsOfForksSQL,
		pgx.NamedArgs{"numbers": forkNumbers, "forks": forkIDs, "starts": starts, "ends": ends})
	var i int
	var date time.Time
	var plays int64
	_, err := pgx.ForEachRow(rows, []any{&i, &date, &plays}, func() error {
		r.addPlayCount(r.forks[i].ForkOverview, date, plays)
		return nil
	})
	return apperr.Annotate(err, "reports: plays of forks")
}

func (r *overviewReader) readPlayers(ctx context.Context, o *Overview) error {
	var forkIDs []string
	for _, f := range r.forks {
		forkIDs = append(forkIDs, f.id)
	}
	current, earlier := r.compared[0], r.compared[1]
	rows := r.queryRows(ctx, playResultsOfForksSQL, pgx.NamedArgs{
		"forks":  forkIDs,
		"starts": []time.Time{current.From, earlier.From},
		"ends":   []time.Time{current.End(), earlier.End()},
	})
	defer rows.Close()
	counters := [...]playerCounter{{Statistics: &o.Current}, {Statistics: &o.Earlier}}
	scoreSums := make([]int64, len(forkIDs))
	for rows.Next() {
		values := rows.RawValues()
		forkNumber := int32(binary.BigEndian.Uint32(values[0]))
		period := binary.BigEndian.Uint32(values[1]) - 1
		player := binary.BigEndian.Uint32(values[3])
		completed := values[2] != nil
		passed := len(values[4]) > 0 && values[4][0] != 0 // NULL for a play that was not completed
		first := counters[period].add(player, forkNumber, completed, passed)
		if period > 0 {
			continue
		}
		f := r.forks[forkNumber-1]
		if first {
			f.UniquePlayers++
		}
		if passed {
			f.Passed++
		}
		if completed {
			f.Completed++
			scoreSums[forkNumber-1] += int64(binary.BigEndian.Uint16(values[2]))
		}
	}
	for i, f := range r.forks {
		f.AvgScore = meanScore(scoreSums[i], f.Completed)
	}
	return apperr.Annotate(rows.Err(), "reports: players of forks")
}

// playerCounter counts the players of a period, whose plays are added fork by fork. latestFork has,
// by player's ordinal, the number of the fork of the play that was added last, or 0 without a play.
type playerCounter struct {
	*Statistics
	latestFork []int32
}

// add counts the player and the result of a play. Plays already has the play. add reports whether
// the play is the player's first on the fork.
func (c *playerCounter) add(player uint32, fork int32, completed, passed bool) bool {
	if more := int(player) + 1 - len(c.latestFork); more > 0 {
		c.latestFork = append(c.latestFork, make([]int32, more)...)
	}
	latest := c.latestFork[player]
	c.latestFork[player] = fork
	if latest == 0 {
		c.UniquePlayers++
	}
	if completed {
		c.Completed++
	}
	if passed {
		c.Passed++
	}
	return latest != fork
}
