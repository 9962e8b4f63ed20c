package reports

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
)

// playsOfForksSQL counts the plays of each fork of an organisation: sums of sealed days, and the plays of the other days, in
// one range where a fork has no sealed day. One statement is one snapshot. Plays are found by their fork alone, as the index
// has it; the fork is the organisation's. $1 organisation, $2 the first day, $3 the number of days, $4 and $5 the period,
// $6 and $7 forks and days whose segments are ignored.
const playsOfForksSQL = `/* reports.playsOfForks */
with mine as materialized (select id from forks where org_id = $1),
sealed as materialized (
    select d.fork_id, d.day, d.sums from mine m join ` + sealedDays + ` d on d.fork_id = m.id
     where d.org_id = $1 and d.day >= $2::date and d.day < $2::date + $3::int
       and not exists (select from unnest($6::uuid[], $7::date[]) x (f, d) where x.f = d.fork_id and x.d = d.day))
select fork_id::text, day, sums, 0::bigint from sealed
union all
select m.id::text, null, null, (select count(*) from plays p where p.fork_id = m.id and p.started_at >= $4 and p.started_at < $5)
  from mine m where not exists (select from sealed s where s.fork_id = m.id)
union all
select m.id::text, null, null, (select count(*) from plays p where p.fork_id = m.id and p.started_at >= $4::timestamptz + i * interval '24 hours'
                                                       and p.started_at < $4::timestamptz + (i + 1) * interval '24 hours')
  from mine m, generate_series(0, $3::int - 1) i
 where exists (select from sealed s where s.fork_id = m.id)
   and not exists (select from sealed s where s.fork_id = m.id and s.day = $2::date + i)`

// querier is a pool, or a connection in a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// countPlays ignores the segments of the days in exclude, and returns which others are damaged.
func countPlays(ctx context.Context, db querier, organisationID string, p Period, exclude []Damage) (plays map[string]int64, damaged []Damage, err error) {
	forks, days := make([]string, len(exclude)), make([]time.Time, len(exclude))
	for i, d := range exclude {
		forks[i], days[i] = d.ForkID, d.Period.From
	}
	rows, err := db.Query(ctx, playsOfForksSQL, organisationID, p.Day(0), p.Days, p.From, p.End(), forks, days)
	if err != nil {
		return nil, nil, fmt.Errorf("reports: plays of forks: %w", err)
	}
	plays = map[string]int64{}
	var fork string
	var date *time.Time
	var packed []byte
	var counted int64
	_, err = pgx.ForEachRow(rows, []any{&fork, &date, &packed, &counted}, func() error {
		if date == nil {
			plays[fork] += counted
			return nil
		}
		sums, err := segment.UnpackSums(date.UnixMilli(), packed)
		if err != nil {
			damaged = append(damaged, Damage{fork, Period{From: *date, Days: 1}})
		}
		plays[fork] += sums.Plays
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("reports: plays of forks: %w", err)
	}
	return plays, damaged, nil
}
