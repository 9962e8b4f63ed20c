package reports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/platform/postgres"
)

// Sealer packs finished days and months of large forks into segments, where statistics read them faster than from the
// plays. It is never needed for a right answer: what is not sealed is read from the plays.
type Sealer struct {
	db   *postgres.DB
	now  func() time.Time
	log  *slog.Logger
	from int64 // forks with more plays are sealed
}

// SealFrom is how many plays a fork needs for segments to pay: below, one pass over the plays takes 20 to 30 ms.
const SealFrom = 50_000

// maxSealedDay is the largest day that is sealed, in plays: a segment is packed and read as a whole, and this bounds it to
// some 4 MB.
const maxSealedDay = 250_000

// sealEvery is how long the sealer of a serving program rests.
const sealEvery = time.Minute

// NewSealer returns a sealer over db for forks with more than from plays.
func NewSealer(db *postgres.DB, now func() time.Time, log *slog.Logger, from int64) *Sealer {
	return &Sealer{db: db, now: now, log: log, from: from}
}

// Sealed counts what one pass of the sealer did. Busy days and months were being written to: their turn comes later.
type Sealed struct{ Days, Months, Busy int }

// Run seals now and then until ctx ends. Failures are logged: the next pass tries again.
func (s *Sealer) Run(ctx context.Context) {
	for ctx.Err() == nil {
		done, err := s.Seal(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			s.log.Warn("sealing failed: statistics read the plays instead", "error", err)
		case done.Days+done.Months > 0:
			s.log.Info("sealed", "days", done.Days, "months", done.Months, "busy", done.Busy)
		}
		select {
		case <-ctx.Done():
		case <-time.After(sealEvery):
		}
	}
}

// sealerLock is the advisory lock of the one sealer that works at a time, over all instances.
const sealerLock = 0x6467_7365_616c // "dgseal"

// Seal makes one pass over all forks. Where another sealer works it does nothing.
func (s *Sealer) Seal(ctx context.Context) (done Sealed, err error) {
	conn, err := s.db.Pool.Acquire(ctx)
	if err != nil {
		return done, fmt.Errorf("reports: seal: %w", err)
	}
	defer conn.Release()
	var alone bool
	if err := conn.QueryRow(ctx, `/* reports.sealer */ select pg_try_advisory_lock($1)`, int64(sealerLock)).Scan(&alone); err != nil || !alone {
		return done, err
	}
	defer func() {
		_, unlock := conn.Exec(context.WithoutCancel(ctx), `/* reports.sealer */ select pg_advisory_unlock($1)`, int64(sealerLock))
		err = errors.Join(err, unlock)
	}()
	forks, err := s.largeForks(ctx, conn)
	if err != nil {
		return done, err
	}
	for _, f := range forks { // what fails for one fork is not to keep the others from being sealed
		err = errors.Join(err, s.sealFork(ctx, conn, f, &done))
		if ctx.Err() != nil || conn.Conn().IsClosed() {
			break
		}
	}
	return done, err
}

// fork names a fork and its organisation.
type fork struct{ OrganisationID, ID string }

// largeForks finds the forks that are worth it, of all organisations: the one who asks is the program itself.
func (s *Sealer) largeForks(ctx context.Context, conn *pgxpool.Conn) ([]fork, error) {
	// In the order of the index, so that a fork costs no more than the plays that it takes to be large.
	rows, err := conn.Query(ctx, `/* reports.largeForks */ select f.org_id::text, f.id::text from forks f
		 where exists (select from (select from plays p where p.org_id = f.org_id and p.fork_id = f.id order by p.started_at, p.id offset $1 limit 1) x)
		    or exists (select from fork_days d where d.org_id = f.org_id and d.fork_id = f.id) order by f.id`, s.from)
	if err != nil {
		return nil, fmt.Errorf("reports: large forks: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[fork])
}

// dueDaysSQL finds the finished days of a fork that have plays and are not sealed, and those that are marked. It hops
// from day to day along the index. $1 organisation, $2 fork, $3 today.
const dueDaysSQL = `/* reports.dueDays */
with recursive days (day) as (
    (select (started_at at time zone 'UTC')::date from plays where org_id = $1 and fork_id = $2 order by started_at limit 1)
    union all
    select (select (started_at at time zone 'UTC')::date from plays
             where org_id = $1 and fork_id = $2 and started_at >= (d.day + 1)::timestamp at time zone 'UTC' order by started_at limit 1)
      from days d where d.day is not null)
select day from days
 where day < $3 and not exists (select from fork_days s where s.fork_id = $2 and s.day = days.day and get_byte(s.sums, 0) = 1)
union
select day from unsealed_days where fork_id = $2 and day < $3
order by day`

// dueMonthsSQL finds the finished months of a fork that have sealed days and are not sealed.
const dueMonthsSQL = `/* reports.dueMonths */
select distinct date_trunc('month', d.day)::date as month from fork_days d
 where d.org_id = $1 and d.fork_id = $2 and date_trunc('month', d.day) + interval '1 month' <= $3::date
   and not exists (select from fork_months m where m.fork_id = $2 and m.month = date_trunc('month', d.day)::date and get_byte(substr(m.segment, 1, 1), 0) = 1
                      and not exists (select from unsealed_months u where u.fork_id = $2 and u.month = m.month))
order by month`

func (s *Sealer) sealFork(ctx context.Context, conn *pgxpool.Conn, f fork, done *Sealed) error {
	today := s.now().UTC().Truncate(day)
	for _, step := range []struct {
		due   string
		seal  func(*snapshot) error
		count *int
		days  func(time.Time) int
	}{
		{dueDaysSQL, sealDay(ctx), &done.Days, func(time.Time) int { return 1 }},
		{dueMonthsSQL, sealMonth(ctx), &done.Months, func(m time.Time) int { return int(m.AddDate(0, 1, 0).Sub(m) / day) }},
	} {
		rows, err := conn.Query(ctx, step.due, f.OrganisationID, f.ID, today)
		if err != nil {
			return fmt.Errorf("reports: due: %w", err)
		}
		due, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
		if err != nil {
			return fmt.Errorf("reports: due: %w", err)
		}
		for _, first := range due {
			q := Query{OrganisationID: f.OrganisationID, ForkID: f.ID, Period: Period{From: first, Days: step.days(first)}}
			sealed, err := sealBucket(ctx, conn, q, step.seal)
			if err != nil {
				return err
			}
			if sealed {
				*step.count++
			} else {
				done.Busy++
			}
		}
	}
	return nil
}

// tryLocksSQL tries to keep all writers out of some days of a fork, without waiting for one. It is a statement of its
// own: what is read after it sees all that was written before.
const tryLocksSQL = `/* reports.tryLocks */
select pg_try_advisory_xact_lock(uuid_hash($1), -2147483648)
   and (select bool_and(pg_try_advisory_xact_lock(uuid_hash($1), d)) from generate_series($2::date - date '2000-01-01', $3::date - date '2000-01-01' - 1) d)`

// sealBucket seals a day or a month in a transaction of its own, at READ COMMITTED. It returns false when somebody writes
// there.
func sealBucket(ctx context.Context, conn *pgxpool.Conn, q Query, seal func(*snapshot) error) (bool, error) {
	sealed := false
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, tryLocksSQL, q.ForkID, q.Period.From, q.Period.End()).Scan(&sealed); err != nil || !sealed {
			return err
		}
		return seal(&snapshot{conn: conn, query: q})
	})
	if err != nil {
		return false, fmt.Errorf("reports: seal %s of %s: %w", q.Period, q.ForkID, err)
	}
	return sealed, nil
}

// sealDay packs the plays of one day. A day without plays has no segment.
func sealDay(ctx context.Context) func(*snapshot) error {
	return func(s *snapshot) error {
		segment, n, err := s.packDay(ctx)
		if err != nil {
			return err
		}
		q := s.query
		batch := &pgx.Batch{}
		batch.Queue(`/* reports.unmarkDay */ delete from unsealed_days where fork_id = $1 and day = $2`, q.ForkID, q.Period.From)
		if n == 0 || n > maxSealedDay {
			batch.Queue(`/* reports.dropDay */ delete from fork_days where org_id = $1 and fork_id = $2 and day = $3`, q.OrganisationID, q.ForkID, q.Period.From)
		} else {
			batch.Queue(`/* reports.sealDay */ insert into fork_days (org_id, fork_id, day, sums, head_bytes, segment) values ($1, $2, $3, $4, $5, $6)
				on conflict (fork_id, day) do update set sums = excluded.sums, head_bytes = excluded.head_bytes, segment = excluded.segment`,
				q.OrganisationID, q.ForkID, q.Period.From, segment.sums.pack(nil), len(segment.head), append(segment.head, segment.tail...))
		}
		return s.conn.SendBatch(ctx, batch).Close()
	}
}

// packDay packs the plays of the snapshot's one day and returns how many there are, counted up to one more than are packed.
func (s *snapshot) packDay(ctx context.Context) (daySegment, int, error) {
	p, n := s.query.Period, 0
	err := s.conn.QueryRow(ctx, `/* reports.countDay */ select count(*) from (select from plays
		where org_id = $1 and fork_id = $2 and started_at >= $3 and started_at < $4 limit $5) x`,
		s.query.OrganisationID, s.query.ForkID, p.From, p.End(), maxSealedDay+1).Scan(&n)
	if err != nil || n > maxSealedDay {
		return daySegment{}, n, err
	}
	plays := make([]play, 0, n)
	err = s.plays(ctx, []time.Time{p.From}, []time.Time{p.End()}, func(one play) {
		one.answers = append([]byte(nil), one.answers...)
		plays = append(plays, one)
	})
	if err != nil {
		return daySegment{}, 0, err
	}
	return packDay(p.From.UnixMilli(), plays), n, nil
}

// sealMonth packs the players of one month, from its sealed days and the plays of the others.
func sealMonth(ctx context.Context) func(*snapshot) error {
	return func(s *snapshot) error {
		q := s.query
		segment, err := s.packMonth(ctx)
		if err != nil {
			return err
		}
		batch := &pgx.Batch{}
		batch.Queue(`/* reports.unmarkMonth */ delete from unsealed_months where fork_id = $1 and month = $2`, q.ForkID, q.Period.From)
		batch.Queue(`/* reports.sealMonth */ insert into fork_months (org_id, fork_id, month, segment) values ($1, $2, $3, $4)
			on conflict (fork_id, month) do update set segment = excluded.segment`, q.OrganisationID, q.ForkID, q.Period.From, segment)
		return s.conn.SendBatch(ctx, batch).Close()
	}
}

// packMonth packs the players of the snapshot's one month.
func (s *snapshot) packMonth(ctx context.Context) ([]byte, error) {
	batch := &pgx.Batch{}
	queueSealed(batch, s.query)
	results := s.conn.SendBatch(ctx, batch)
	var err error
	s.sealed, err = readSealed(results)
	if err = errors.Join(err, results.Close()); err != nil {
		return nil, err
	}
	s.sealed.months = nil // what is packed here is not its own source
	t := newTally(s.query.Period)
	if err := s.fold(ctx, t); err != nil {
		return nil, err
	}
	return packMonth(s.query.Period.From.UnixMilli(), &t.players), nil
}
