package reports

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

// Overview has the plays of an organisation's forks by week, and compares the last four weeks with
// the four before. It covers all players and is never suppressed.
type Overview struct {
	Forks            map[string]*ForkOverview // every fork of the organisation, by id
	Current, Earlier OverviewTotals           // last four weeks, and the four before
	Counted          bool                     // false: too many plays to count players and results
}

// ForkOverview has the figures of one fork in an Overview.
type ForkOverview struct {
	Weeks [OverviewWeeks]int64 // plays, the oldest week first
	// figures of the last four weeks; 0 unless Overview.Counted
	Players, Completed, Passed int64
	AvgScore                   Percent // mean score of the completed plays
}

// Plays returns the number of plays in the last four weeks.
func (f *ForkOverview) Plays() int64 { return sum(f.Weeks[OverviewWeeks-comparedWeeks:]) }

// EarlierPlays returns the number of plays in the four weeks before the last four.
func (f *ForkOverview) EarlierPlays() int64 {
	return sum(f.Weeks[OverviewWeeks-2*comparedWeeks : OverviewWeeks-comparedWeeks])
}

// OverviewTotals are figures of four weeks. Unless Overview.Counted, only Plays is set.
type OverviewTotals struct {
	Plays, Completed, Passed, Players int64
}

const (
	// OverviewWeeks is the number of weeks that an overview shows.
	OverviewWeeks = 12
	comparedWeeks = 4 // number of weeks in an OverviewTotals
	week          = 7 * day

	// maxOverviewPlays is the threshold of Overview.Counted: more plays would make the query slow.
	maxOverviewPlays = 250_000
)

// Overview returns the overview of an organisation's forks for the OverviewWeeks that end on the
// last day of the query's period. Errors: apperr.NotFound for an unknown organisation,
// apperr.Unavailable with RetryAfter.
func (s *Service) Overview(ctx context.Context, q Query) (o Overview, err error) {
	q.Period = overviewPeriod(q.Period)
	report, err := s.Open(ctx, q)
	if err != nil {
		return Overview{}, err
	}
	defer report.Close()
	err = s.read(ctx, &report.snap, func(snap *snapshot) (err error) {
		o, err = snap.overview(ctx, s.maxOverviewPlays)
		return err
	})
	return o, err
}

func overviewPeriod(p Period) Period {
	return Period{From: p.End().Add(-OverviewWeeks * week), Days: OverviewWeeks * int(week/day)}
}

func sum(counts []int64) (total int64) {
	for _, n := range counts {
		total += n
	}
	return total
}

const (
	// forkDaysSQL returns one row, without a day, for a fork without sealed days.
	forkDaysSQL = `/* reports.forkDays */
select f.id::text, d.day, d.sums from forks f
  left join ` + segment.SealedDaysSQL + ` d on d.org_id = @org and d.fork_id = f.id and d.day >= @from
   and d.day < @to and @segments
 where f.org_id = @org order by f.id, d.day`

	// playsOfForksSQL does not compare org_id, which would prevent an index-only scan. @forks are from
	// forkDaysSQL, which returns forks of the organisation only.
	playsOfForksSQL = `/* reports.playsOfForks */
select r.i, w.* from unnest(@numbers::int[], @forks::uuid[], @starts::timestamptz[],
  @ends::timestamptz[]) r (i, fork, lo, hi), lateral (
    select date_bin('7 days', p.started_at, @from), count(*) from plays p
     where p.fork_id = r.fork and p.started_at >= r.lo and p.started_at < r.hi group by 1) w`

	// playersOfForksSQL returns plays fork by fork, in the order of @forks. OFFSET 0 is an
	// optimisation fence, which forces a nested loop. Counting players in SQL would sort the plays
	// three times.
	playersOfForksSQL = `/* reports.playersOfForks */
select f.i::int, p.started_at >= @middle, p.score, p.player, p.passed
  from unnest(@forks::uuid[]) with ordinality f (id, i), lateral (
    select * from plays where org_id = @org and fork_id = f.id and started_at >= @compared
       and started_at < @to offset 0) p`
)

func (s *snapshot) overview(ctx context.Context, maxPlays int64) (Overview, error) {
	r := &overviewReader{snapshot: s, byID: map[string]*ForkOverview{}}
	if err := r.readForkDays(ctx); err != nil {
		return Overview{}, err
	}
	if err := r.readPlays(ctx); err != nil {
		return Overview{}, err
	}
	o := Overview{Forks: r.byID}
	for _, f := range r.forks {
		o.Current.Plays += f.Plays()
		o.Earlier.Plays += f.EarlierPlays()
	}
	o.Counted = o.Current.Plays+o.Earlier.Plays <= maxPlays
	if !o.Counted {
		return o, nil
	}
	err := r.readPlayers(ctx, &o)
	return o, err
}

// overviewReader takes sealed days from their stored sums, and counts the plays of other days.
type overviewReader struct {
	*snapshot
	forks []forkSums
	byID  map[string]*ForkOverview
}

type forkSums struct {
	id string
	*ForkOverview
	sealed []segment.SealedDay // by date
}

func (r *overviewReader) weekOf(day time.Time) int { return int(day.Sub(r.query.Period.From) / week) }

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
		return r.addForkDay(&r.forks[len(r.forks)-1], *date, packed)
	})
	return apperr.Annotate(err, "reports: days of forks")
}

func (r *overviewReader) addForkDay(f *forkSums, date time.Time, packed []byte) error {
	sums, err := segment.UnpackSums(date.UnixMilli(), packed)
	if err != nil {
		return segment.DamagedError(date)
	}
	f.sealed = append(f.sealed, segment.SealedDay{Date: date})
	f.Weeks[r.weekOf(date)] += sums.Plays
	return nil
}

func (r *overviewReader) readPlays(ctx context.Context) error {
	var forkNumbers []int
	var forks []string
	var starts, ends []time.Time
	for i, f := range r.forks {
		gapStarts, gapEnds := segment.Gaps(f.sealed, r.query.Period.From, r.query.Period.End())
		for range gapStarts {
			forkNumbers = append(forkNumbers, i)
			forks = append(forks, f.id)
		}
		starts = append(starts, gapStarts...)
		ends = append(ends, gapEnds...)
	}
	rows := r.queryRows(ctx, playsOfForksSQL,
		pgx.NamedArgs{"numbers": forkNumbers, "forks": forks, "starts": starts, "ends": ends})
	var i int
	var weekStart time.Time
	var plays int64
	_, err := pgx.ForEachRow(rows, []any{&i, &weekStart, &plays}, func() error {
		r.forks[i].Weeks[r.weekOf(weekStart)] += plays
		return nil
	})
	return apperr.Annotate(err, "reports: plays of forks")
}

func (r *overviewReader) readPlayers(ctx context.Context, o *Overview) error {
	var forks []string
	for _, f := range r.forks {
		forks = append(forks, f.id)
	}
	end := r.query.Period.End()
	rows := r.queryRows(ctx, playersOfForksSQL, pgx.NamedArgs{
		"forks":    forks,
		"compared": end.Add(-2 * comparedWeeks * week),
		"middle":   end.Add(-comparedWeeks * week),
	})
	defer rows.Close()
	current := playerCounter{OverviewTotals: &o.Current}
	earlier := playerCounter{OverviewTotals: &o.Earlier}
	scoreSums := make([]int64, len(forks))
	for rows.Next() {
		values := rows.RawValues()
		fork := int32(binary.BigEndian.Uint32(values[0]))
		player := binary.BigEndian.Uint32(values[3])
		completed := values[2] != nil
		passed := len(values[4]) > 0 && values[4][0] != 0 // NULL for a play that was not completed
		if values[1][0] == 0 {
			earlier.add(player, fork, completed, passed)
			continue
		}
		f := r.forks[fork-1]
		if current.add(player, fork, completed, passed) {
			f.Players++
		}
		if passed {
			f.Passed++
		}
		if completed {
			f.Completed++
			scoreSums[fork-1] += int64(binary.BigEndian.Uint16(values[2]))
		}
	}
	for i, f := range r.forks {
		f.AvgScore = meanScore(scoreSums[i], f.Completed)
	}
	return apperr.Annotate(rows.Err(), "reports: players of forks")
}

// playerCounter counts the players of four weeks, whose plays are added fork by fork. latest has
// the number of each player's last fork, by ordinal; 0: no play.
type playerCounter struct {
	*OverviewTotals
	latest []int32
}

// add counts a play, and reports whether it is the player's first on the fork.
func (c *playerCounter) add(player uint32, fork int32, completed, passed bool) bool {
	if more := int(player) + 1 - len(c.latest); more > 0 {
		c.latest = append(c.latest, make([]int32, more)...)
	}
	latest := c.latest[player]
	c.latest[player] = fork
	if latest == 0 {
		c.Players++
	}
	if completed {
		c.Completed++
	}
	if passed {
		c.Passed++
	}
	return latest != fork
}
