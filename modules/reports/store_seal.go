package reports

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"dg/modules/reports/segment"
)

// tryLocksSQL tries to lock all writers out of some days of a fork, without waiting for one. It is a statement of its own:
// whatever is read after it sees everything written before. $1 fork, $2 the first day, $3 the day after the last.
const tryLocksSQL = `/* reports.tryLocks */
select pg_try_advisory_xact_lock(uuid_hash($1), -2147483648)
   and (select bool_and(pg_try_advisory_xact_lock(uuid_hash($1), d)) from generate_series($2::date - date '2000-01-01', $3::date - date '2000-01-01' - 1) d)`

// tryLockDays also keeps TRUNCATE out, which takes no lock of days.
func tryLockDays(ctx context.Context, tx pgx.Tx, q Query) (free bool, err error) {
	if _, err := tx.Exec(ctx, lockPlaysSQL); err != nil {
		return false, err
	}
	err = tx.QueryRow(ctx, tryLocksSQL, q.ForkID, q.Period.From, q.Period.End()).Scan(&free)
	return free, err
}

func (s *snapshot) countDay(ctx context.Context, limit int) (n int, err error) {
	p := s.query.Period
	err = s.conn.QueryRow(ctx, `/* reports.countDay */ select count(*) from (select from plays
		where org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4 limit $5) x`,
		s.query.OrganisationID, s.query.ForkID, p.From, p.End(), limit).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("reports: count a day: %w", err)
	}
	return n, nil
}

func (s *snapshot) readSealedDays(ctx context.Context) error {
	batch := &pgx.Batch{}
	queueSealed(batch, s.query)
	results := s.conn.SendBatch(ctx, batch)
	found, err := readSealed(results)
	s.meta.sealed.days = found.days
	return errors.Join(err, results.Close())
}

// $1 organisation, $2 fork, $3 date.
const (
	cleanDaySQL   = `/* reports.cleanDay */ delete from unsealed_days where fork_id = $1 and day = $2`
	cleanMonthSQL = `/* reports.cleanMonth */ delete from unsealed_months where fork_id = $1 and month = $2`
	dropDaySQL    = `/* reports.dropDay */ delete from fork_days where org_id = $1 and fork_id = $2 and day = $3`
	dropMonthSQL  = `/* reports.dropMonth */ delete from fork_months where org_id = $1 and fork_id = $2 and month = $3`
	sealDaySQL    = `/* reports.sealDay */ insert into fork_days (org_id, fork_id, day, sums, head_bytes, segment) values ($1, $2, $3, $4, $5, $6::bytea || coalesce($7::bytea, ''))
		on conflict (fork_id, day) do update set sums = excluded.sums, head_bytes = excluded.head_bytes, segment = excluded.segment`
	sealMonthSQL = `/* reports.sealMonth */ insert into fork_months (org_id, fork_id, month, head_bytes, segment) values ($1, $2, $3, $4, $5::bytea || coalesce($6::bytea, ''))
		on conflict (fork_id, month) do update set head_bytes = excluded.head_bytes, segment = excluded.segment`
)

func (s *snapshot) saveDay(ctx context.Context, d segment.Day) error {
	sums := d.Sums.Pack(s.query.Period.From.UnixMilli())
	return s.replace(ctx, cleanDaySQL, sealDaySQL, sums, len(d.Head), d.Head, d.Tail)
}

func (s *snapshot) dropDay(ctx context.Context) error { return s.replace(ctx, cleanDaySQL, dropDaySQL) }

func (s *snapshot) saveMonth(ctx context.Context, m segment.Month) error {
	return s.replace(ctx, cleanMonthSQL, sealMonthSQL, len(m.Head), m.Head, m.Tail)
}

func (s *snapshot) dropMonth(ctx context.Context) error {
	return s.replace(ctx, cleanMonthSQL, dropMonthSQL)
}

// replace writes what is sealed of the snapshot's day or month, and removes its mark.
func (s *snapshot) replace(ctx context.Context, cleanSQL, sql string, values ...any) error {
	q, batch := s.query, &pgx.Batch{}
	batch.Queue(cleanSQL, q.ForkID, q.Period.From)
	batch.Queue(sql, append([]any{q.OrganisationID, q.ForkID, q.Period.From}, values...)...)
	return s.conn.SendBatch(ctx, batch).Close()
}
