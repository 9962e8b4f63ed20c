package reports

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"dg/platform/limiter"
)

// playsOfForksSQL counts the plays of each of an organisation's forks over a period: the sums of sealed days, and a count of
// the plays of the others, in one range where a fork has no sealed day. One statement is one snapshot. Plays are found by
// their fork alone, which the index holds; that fork is the organisation's.
// $1 organisation, $2 the first day, $3 how many days, $4 and $5 the period as instants.
const playsOfForksSQL = `/* reports.playsOfForks */
with mine as materialized (select id from forks where org_id = $1),
sealed as materialized (
    select d.fork_id, d.day, d.sums from mine m join ` + sealedDays + ` d on d.fork_id = m.id
     where d.org_id = $1 and d.day >= $2::date and d.day < $2::date + $3::int)
select fork_id::text, sums, 0::bigint from sealed
union all
select m.id::text, null, (select count(*) from plays p where p.fork_id = m.id and p.started_at >= $4 and p.started_at < $5)
  from mine m where not exists (select from sealed s where s.fork_id = m.id)
union all
select m.id::text, null, (select count(*) from plays p where p.fork_id = m.id and p.started_at >= $4::timestamptz + i * interval '24 hours'
                                                       and p.started_at < $4::timestamptz + (i + 1) * interval '24 hours')
  from mine m, generate_series(0, $3::int - 1) i
 where exists (select from sealed s where s.fork_id = m.id)
   and not exists (select from sealed s where s.fork_id = m.id and s.day = $2::date + i)`

// PlaysOfForks returns how many plays each fork of the organisation had in the period: the figure plays of its statistics.
// Errors: ErrUnavailable with RetryAfter.
func (s *Service) PlaysOfForks(ctx context.Context, organisationID string, p Period) (map[string]int64, error) {
	lease, err := s.limits.small.Acquire(ctx, limiter.Request{OrganisationID: organisationID})
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	return playsOfForks(ctx, s.reads.Pool, organisationID, p)
}

// querier is a pool, or a connection in a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func playsOfForks(ctx context.Context, db querier, organisationID string, p Period) (map[string]int64, error) {
	rows, err := db.Query(ctx, playsOfForksSQL, organisationID, p.Day(0), p.Days, p.From, p.End())
	if err != nil {
		return nil, fmt.Errorf("reports: plays of forks: %w", err)
	}
	plays := map[string]int64{}
	var fork string
	var packed []byte
	var counted int64
	_, err = pgx.ForEachRow(rows, []any{&fork, &packed, &counted}, func() error {
		if packed != nil {
			day, err := unpackSums(packed)
			if err != nil {
				return err
			}
			counted = day.plays
		}
		plays[fork] += counted
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reports: plays of forks: %w", err)
	}
	return plays, nil
}
