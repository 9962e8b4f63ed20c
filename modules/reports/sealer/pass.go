package sealer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/reports/segment"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

const day = 24 * time.Hour

type pass struct {
	*Sealer
	conn    *pgxpool.Conn
	today   time.Time
	timeout time.Duration // limit of each wait for another sealer; 0 means no wait
	result  Result
}

func (s *Sealer) sealAll(ctx context.Context, timeout time.Duration) (Result, error) {
	conn, err := s.db.Pool.Acquire(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("reports: seal: %w", err)
	}
	defer conn.Release()
	// This fails early if another sealer works. The lock ends with the statement: seal takes it again
	// for each bucket.
	if err := s.lockSealer(ctx, timeout, conn); err != nil {
		return Result{}, err
	}
	forks, err := allForks(ctx, conn)
	if err != nil {
		return Result{}, err
	}
	p := &pass{Sealer: s, conn: conn, today: s.Now().UTC().Truncate(day), timeout: timeout}
	for _, f := range forks {
		// days before months: a month is packed from the segments of its days
		failure := p.sealDue(ctx, f, DueDaysSQL, false)
		if !p.isOver(ctx, failure) {
			failure = errors.Join(failure, p.sealDue(ctx, f, dueMonthsSQL, true))
		}
		err = errors.Join(err, failure)
		if p.isOver(ctx, failure) {
			break
		}
	}
	return p.result, err
}

func (p *pass) isOver(ctx context.Context, failure error) bool {
	return ctx.Err() != nil || p.conn.Conn().IsClosed() || errors.Is(failure, postgres.ErrLocked)
}

// sealDue seals the due days or months. It continues after a failure, such as a damaged day of a
// month. It returns the first failure, joined with an error that ended the pass early.
func (p *pass) sealDue(ctx context.Context, f fork, sql string, isMonth bool) (failure error) {
	args := segment.Args(f.OrganisationID, f.ID, time.Time{}, p.today)
	args["minPlays"] = p.MinPlays
	rows, _ := p.conn.Query(ctx, sql, args) // rows.Err returns Query's error
	dueDates, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return fmt.Errorf("reports: due: %w", err)
	}
	for i, first := range dueDates {
		b := bucket{p.conn, f, first, first.AddDate(0, 0, 1), isMonth}
		if isMonth {
			b.end = first.AddDate(0, 1, 0)
		}
		err := p.seal(ctx, b)
		if p.isOver(ctx, err) {
			p.result.Remaining += len(dueDates) - i
			return errors.Join(failure, err)
		}
		if err != nil {
			p.result.Remaining++
			failure = cmp.Or(failure, err)
		}
	}
	return failure
}

// seal seals a bucket at READ COMMITTED, to see all writes that committed before its locks.
func (p *pass) seal(ctx context.Context, b bucket) error {
	var result Result
	err := pgx.BeginTxFunc(ctx, p.conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted},
		func(tx pgx.Tx) (err error) {
			if err := p.lockSealer(ctx, p.timeout, tx); err != nil {
				return err
			}
			acquired, err := b.tryLock(ctx)
			switch {
			case err != nil:
				return err
			case !acquired:
				result.Skipped = 1
			case b.isMonth:
				result, err = p.sealMonth(ctx, b)
			default:
				result, err = p.sealDay(ctx, b)
			}
			return err
		})
	if err != nil {
		return fmt.Errorf("reports: seal %s of %s: %w", b.first.Format(time.DateOnly), b.fork.ID, err)
	}
	p.result.add(result)
	return nil
}

// TryLocksSQL locks writers out of the days from @from until before @to, or returns false without
// waiting. Later statements see all earlier writes to these days.
const TryLocksSQL = `/* reports.tryLocks */
select pg_try_advisory_xact_lock(uuid_hash(@fork), -2147483648)
   and (select bool_and(pg_try_advisory_xact_lock(uuid_hash(@fork), d))
     from generate_series(@from::date - date '2000-01-01', @to::date - date '2000-01-01' - 1) d)`

// tryLock waits only for ACCESS EXCLUSIVE locks, such as that of TRUNCATE.
func (b bucket) tryLock(ctx context.Context) (acquired bool, err error) {
	if _, err := b.conn.Exec(ctx, segment.LockPlaysSQL); err != nil {
		return false, err
	}
	err = b.conn.QueryRow(ctx, TryLocksSQL, b.args()).Scan(&acquired)
	return acquired, err
}

type fork struct{ OrganisationID, ID string }

// allForks returns small forks too, because a statement that counted the plays of all forks would
// time out. The order is round-robin by organisation: the first fork of each, then the second
// forks.
func allForks(ctx context.Context, conn *pgxpool.Conn) ([]fork, error) {
	rows, _ := conn.Query(ctx, // rows.Err returns Query's error
		`/* reports.allForks */ select org_id::text, id::text from forks
		 order by row_number() over (partition by org_id order by id), id`)
	forks, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fork])
	return forks, apperr.Annotate(err, "reports: forks to seal")
}

// Dirty days and months are due even without plays, so that their segments are deleted. The newest
// come first, because they are read most.
const (
	// DueDaysSQL is a loose index scan of the plays, from day to day, if the fork has segments or
	// more than @minPlays plays. The count does not compare the organisation, so that it is an
	// index-only scan. The loose scan compares the organisation outside the subquery: inside,
	// PostgreSQL without statistics would sort all plays for each day.
	DueDaysSQL = `/* reports.dueDays */
with recursive days (day) as (
    select (first.started_at at time zone 'UTC')::date
      from (select org_id, started_at from plays where fork_id = @fork
        order by started_at, id limit 1) first
     where first.org_id = @org and (
           exists (select from fork_days where org_id = @org and fork_id = @fork)
        or exists (select from fork_months where org_id = @org and fork_id = @fork)
        or exists (select from plays where fork_id = @fork
             order by started_at, id offset @minPlays limit 1))
    union all
    select (next.started_at at time zone 'UTC')::date
      from days d cross join lateral (select org_id, started_at from plays
            where fork_id = @fork and started_at >= (d.day + 1)::timestamp at time zone 'UTC'
              order by started_at, id limit 1) next
     where next.org_id = @org)
select day from days
 where day < @to::date and not exists (select from ` + segment.CleanDaysSQL +
		` s where s.org_id = @org and s.fork_id = @fork and s.day = days.day)
union
select day from unsealed_days where fork_id = @fork and day < @to::date
order by day desc`
	// dueMonthsSQL selects unsealed months with packed days, and all dirty months.
	dueMonthsSQL = `/* reports.dueMonths */
select month from (
    select date_trunc('month', d.day)::date as month from fork_days d
     where d.org_id = @org and d.fork_id = @fork
       and not exists (select from ` + segment.CleanMonthsSQL +
		` m where m.org_id = @org and m.fork_id = @fork and m.month = date_trunc('month', d.day)::date)
    union
    select month from unsealed_months where fork_id = @fork) x
 where month + interval '1 month' <= @to::date
order by month desc`
)
