package sealer

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
)

type fork struct{ OrganisationID, ID string }

// forksToSeal finds the forks with segments or more than minPlays plays, of all organisations.
// Their order is round-robin by organisation: many large forks of one do not delay another's.
func forksToSeal(ctx context.Context, conn *pgxpool.Conn, minPlays int64) ([]fork, error) {
	rows, _ := conn.Query(ctx, // its error is the rows'
		`/* reports.forksToSeal */ select f.org_id::text, f.id::text from forks f
		 where exists (select from fork_days d where d.org_id = f.org_id and d.fork_id = f.id)
		    or exists (select from fork_months m where m.org_id = f.org_id and m.fork_id = f.id)
		    or exists (select from (
		           select p.org_id from plays p where p.fork_id = f.id
		             order by p.started_at, p.id offset @minPlays limit 1) x where x.org_id = f.org_id)
		 order by row_number() over (partition by f.org_id order by f.id), f.id`,
		pgx.NamedArgs{"minPlays": minPlays})
	forks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fork])
	return forks, apperr.Annotate(err, "reports: forks to seal")
}

// Due are finished days and months that are not sealed, or whose segment has lost its plays. The
// newest come first, because they are read most.
const (
	// DueDaysSQL is a loose index scan of the plays, from day to day. It compares the organisation
	// outside of the subquery: inside, PostgreSQL without statistics sorted all plays for each day.
	DueDaysSQL = `/* reports.dueDays */
with recursive days (day) as (
    select (first.started_at at time zone 'UTC')::date
      from (select org_id, started_at from plays where fork_id = @fork
        order by started_at, id limit 1) first
     where first.org_id = @org
    union all
    select (next.started_at at time zone 'UTC')::date
      from days d cross join lateral (select org_id, started_at from plays
            where fork_id = @fork and started_at >= (d.day + 1)::timestamp at time zone 'UTC'
              order by started_at, id limit 1) next
     where next.org_id = @org)
select day from days
 where day < @to::date and not exists (select from ` + segment.CleanDays +
		` s where s.org_id = @org and s.fork_id = @fork and s.day = days.day)
union
select day from unsealed_days where fork_id = @fork and day < @to::date
order by day desc`
	// dueMonthsSQL includes dirty months, which may have no days any more.
	dueMonthsSQL = `/* reports.dueMonths */
select month from (
    select date_trunc('month', d.day)::date as month from fork_days d
     where d.org_id = @org and d.fork_id = @fork
       and not exists (select from ` + segment.SealedMonths +
		` m where m.org_id = @org and m.fork_id = @fork and m.month = date_trunc('month', d.day)::date)
    union
    select month from unsealed_months where fork_id = @fork) x
 where month + interval '1 month' <= @to::date
order by month desc`
)
