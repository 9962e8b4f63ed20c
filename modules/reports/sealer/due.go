package sealer

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/reports/snapshot"
	"dg/platform/apperr"
)

// Due counts the finished days that the sealer has yet to seal.
type Due struct {
	Days   int
	Oldest time.Time // zero when there is none
}

// Due returns what a pass would seal, over all organisations. It takes no lock and changes nothing.
func (s *Sealer) Due(ctx context.Context) (due Due, err error) {
	err = s.db.Pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		forks, err := sealedForks(ctx, conn, true, s.MinPlays)
		for _, f := range forks {
			days, err := dueDays(ctx, conn, f, s.Now().UTC().Truncate(snapshot.Day), time.Time{})
			if err != nil {
				return err
			}
			due.Days += len(days)
			if n := len(days); n > 0 && (due.Oldest.IsZero() || days[n-1].Before(due.Oldest)) {
				due.Oldest = days[n-1] // the newest come first
			}
		}
		return err
	})
	return due, apperr.Annotate(err, "reports: due")
}

type fork struct{ OrganisationID, ID string }

// sealedForks finds the forks with segments, of all organisations. A search also finds those with more
// than minPlays plays, for which it reads so many index entries of every other fork. Organisations
// take turns, a fork each, so that many large forks of one do not delay another's.
func sealedForks(
	ctx context.Context, conn *pgxpool.Conn, search bool, minPlays int64,
) ([]fork, error) {
	rows, _ := conn.Query(ctx, // its error is the rows'
		`/* reports.sealedForks */ select f.org_id::text, f.id::text from forks f
		 where exists (select from fork_days d where d.org_id = f.org_id and d.fork_id = f.id)
		    or exists (select from fork_months m where m.org_id = f.org_id and m.fork_id = f.id)
		    or $1::boolean and exists (select from (
		           select p.org_id from plays p where p.fork_id = f.id
		             order by p.started_at, p.id offset $2 limit 1) x where x.org_id = f.org_id)
		 order by row_number() over (partition by f.org_id order by f.id), f.id`, search, minPlays)
	forks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fork])
	return forks, apperr.Annotate(err, "reports: sealed forks")
}

// Finished days and months of a fork that are to be sealed, or whose segment is to be removed, newest
// first, because these are read most. $1 organisation, $2 fork, $3 today.
const (
	// DueDaysSQL hops from day to day along the index of the plays, from $4 on: 24 µs a day. It
	// compares the organisation outside of the subquery: inside, PostgreSQL without statistics sorted
	// all plays for each hop.
	DueDaysSQL = `/* reports.dueDays */
with recursive days (day) as (
    select (first.started_at at time zone 'UTC')::date
      from (select org_id, started_at from plays where fork_id = $2 and started_at >= $4
        order by started_at, id limit 1) first
     where first.org_id = $1
    union all
    select (next.started_at at time zone 'UTC')::date
      from days d cross join lateral (select org_id, started_at from plays
            where fork_id = $2 and started_at >= (d.day + 1)::timestamp at time zone 'UTC'
              order by started_at, id limit 1) next
     where next.org_id = $1)
select day from days
 where day < $3 and not exists (select from ` + snapshot.CleanDays +
		` s where s.org_id = $1 and s.fork_id = $2 and s.day = days.day)
union
select day from unsealed_days where fork_id = $2 and day < $3
order by day desc`
	// dueMonthsSQL includes dirty months, which may have no days any more.
	dueMonthsSQL = `/* reports.dueMonths */
select month from (
    select date_trunc('month', d.day)::date as month from fork_days d
     where d.org_id = $1 and d.fork_id = $2
       and not exists (select from ` + snapshot.SealedMonths +
		` m where m.org_id = $1 and m.fork_id = $2 and m.month = date_trunc('month', d.day)::date)
    union
    select month from unsealed_months where fork_id = $2) x
 where month + interval '1 month' <= $3::date
order by month desc`
)

func dueDays(
	ctx context.Context, conn *pgxpool.Conn, f fork, today, from time.Time,
) ([]time.Time, error) {
	return dueDates(ctx, conn, DueDaysSQL, f.OrganisationID, f.ID, today, from)
}

func dueDates(
	ctx context.Context, conn *pgxpool.Conn, sql string, args ...any,
) ([]time.Time, error) {
	rows, _ := conn.Query(ctx, sql, args...) // its error is the rows'
	dates, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	return dates, apperr.Annotate(err, "reports: due")
}
