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
	db      *postgres.DB
	now     func() time.Time
	log     *slog.Logger
	from    int64 // forks with more plays are sealed
	largest int   // days with more plays are not

	OnDamage func(Damage) // called for what was found damaged; logs it where nobody says otherwise
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
	return &Sealer{db: db, now: now, log: log, from: from, largest: maxSealedDay, OnDamage: func(d Damage) { d.Log(log) }}
}

// Sealed counts what one pass of the sealer did. Large days have too many plays to be sealed: they were looked at, and are
// again when a play of theirs has changed. Busy days and months were being written to: their turn comes later.
type Sealed struct{ Days, Months, Large, Busy int }

// Run seals now and then until ctx ends. Failures are logged: the next pass tries again.
func (s *Sealer) Run(ctx context.Context) {
	for ctx.Err() == nil {
		done, err := s.Seal(ctx)
		switch {
		case errors.Is(err, ErrSealing):
			s.log.Info("another process holds the sealer lock: the next pass tries again", "in", sealEvery.String())
		case err != nil && ctx.Err() == nil:
			s.log.Warn("sealing failed: statistics read the plays instead", "error", err)
		case done.Days+done.Months+done.Large > 0:
			s.log.Info("sealed", "days", done.Days, "months", done.Months, "large", done.Large, "busy", done.Busy)
		}
		select {
		case <-ctx.Done():
		case <-time.After(sealEvery):
		}
	}
}

// Seal makes one pass over all forks. Errors: ErrSealing.
func (s *Sealer) Seal(ctx context.Context) (done Sealed, err error) {
	err = s.alone(ctx, 0, func(conn *pgxpool.Conn) error { return s.pass(ctx, conn, &done) })
	return done, err
}

// Rebuild marks every segment, so that none is read, and seals everything again. It waits for another sealer as long as
// patience says; where that works on, nothing is marked. It wants the rights of the tables' owner. Errors: ErrSealing.
func (s *Sealer) Rebuild(ctx context.Context, patience time.Duration) (done Sealed, err error) {
	err = s.alone(ctx, patience, func(conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, `/* reports.markAll */
			with days as (insert into unsealed_days select fork_id, day from fork_days)
			insert into unsealed_months select fork_id, month from fork_months`)
		if err != nil {
			return fmt.Errorf("reports: mark all: %w", err)
		}
		return s.pass(ctx, conn, &done)
	})
	return done, err
}

// ErrSealing says that another sealer works at the moment: one does at a time, over all instances.
var ErrSealing = errors.New("another process holds the sealer lock: try again when it has finished its pass")

const (
	sealerLock    = 0x6467_7365_616c // "dgseal", the advisory lock of the one sealer
	unlockTimeout = 2 * time.Second
)

// alone does work on a connection that holds the sealer's lock. It waits for it as long as patience says.
func (s *Sealer) alone(ctx context.Context, patience time.Duration, work func(*pgxpool.Conn) error) (err error) {
	conn, err := s.db.Pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("reports: seal: %w", err)
	}
	defer conn.Release()
	err = postgres.AwaitLock(ctx, s.log, "sealer", patience, func() (alone bool, err error) {
		err = conn.QueryRow(ctx, `/* reports.sealer */ select pg_try_advisory_lock($1)`, int64(sealerLock)).Scan(&alone)
		return alone, err
	})
	if errors.Is(err, postgres.ErrLocked) {
		return ErrSealing
	}
	if err != nil {
		return fmt.Errorf("reports: seal: %w", err)
	}
	defer func() { err = errors.Join(err, unlock(ctx, conn)) }()
	return work(conn)
}

// unlock gives the sealer's lock back, however the work has ended, in a time of its own. Where that fails the connection
// is closed, as a dead one is already: the lock goes with its session.
func unlock(ctx context.Context, conn *pgxpool.Conn) error {
	if conn.Conn().IsClosed() {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), unlockTimeout)
	defer stop()
	if _, err := conn.Exec(ctx, `/* reports.sealer */ select pg_advisory_unlock($1)`, int64(sealerLock)); err != nil {
		return errors.Join(fmt.Errorf("reports: unlock: %w", err), conn.Conn().Close(ctx))
	}
	return nil
}

// pass seals what is due of all forks.
func (s *Sealer) pass(ctx context.Context, conn *pgxpool.Conn, done *Sealed) error {
	forks, err := s.largeForks(ctx, conn)
	if err != nil {
		return err
	}
	for _, f := range forks { // what fails for one fork is not to keep the others from being sealed
		err = errors.Join(err, s.sealFork(ctx, conn, f, done))
		if ctx.Err() != nil || conn.Conn().IsClosed() {
			break
		}
	}
	return err
}

// fork names a fork and its organisation.
type fork struct{ OrganisationID, ID string }

// largeForks finds the forks that are worth it, of all organisations: the one who asks is the program itself.
func (s *Sealer) largeForks(ctx context.Context, conn *pgxpool.Conn) ([]fork, error) {
	// In the order of the index, so that a fork costs no more than the plays that it takes to be large.
	rows, err := conn.Query(ctx, `/* reports.largeForks */ select f.org_id::text, f.id::text from forks f
		 where exists (select from (select from plays p where p.org_id = f.org_id and p.fork_id = f.id order by p.started_at, p.id offset $1 limit 1) x)
		    or exists (select from fork_days d where d.org_id = f.org_id and d.fork_id = f.id)
		    or exists (select from fork_months m where m.org_id = f.org_id and m.fork_id = f.id) order by f.id`, s.from)
	if err != nil {
		return nil, fmt.Errorf("reports: large forks: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[fork])
}

// dueDaysSQL finds the finished days of a fork that have plays and are not sealed, and those that are marked. It hops
// from day to day along the index. The newest come
// first: they are read most. $1 organisation, $2 fork, $3 today.
const dueDaysSQL = `/* reports.dueDays */
with recursive days (day) as (
    (select (started_at at time zone 'UTC')::date from plays where org_id = $1 and fork_id = $2 order by started_at limit 1)
    union all
    select (select (started_at at time zone 'UTC')::date from plays
             where org_id = $1 and fork_id = $2 and started_at >= (d.day + 1)::timestamp at time zone 'UTC' order by started_at limit 1)
      from days d where d.day is not null)
select day from days
 where day < $3 and not exists (select from ` + currentDays + ` s where s.org_id = $1 and s.fork_id = $2 and s.day = days.day)
union
select day from unsealed_days where fork_id = $2 and day < $3
order by day desc`

// dueMonthsSQL finds the finished months of a fork that have days and are not sealed, and those that are marked: they may
// have no days any more.
const dueMonthsSQL = `/* reports.dueMonths */
select month from (
    select date_trunc('month', d.day)::date as month from fork_days d
     where d.org_id = $1 and d.fork_id = $2
       and not exists (select from ` + sealedMonths + ` m where m.org_id = $1 and m.fork_id = $2 and m.month = date_trunc('month', d.day)::date)
    union
    select month from unsealed_months where fork_id = $2) x
 where month + interval '1 month' <= $3::date
order by month desc`

func (s *Sealer) sealFork(ctx context.Context, conn *pgxpool.Conn, f fork, done *Sealed) error {
	today := s.now().UTC().Truncate(day)
	for _, step := range []struct {
		due  string
		seal func(context.Context, *snapshot, *Sealed) error
		days func(time.Time) int
	}{
		{dueDaysSQL, s.sealDay, func(time.Time) int { return 1 }},
		{dueMonthsSQL, s.sealMonth, func(m time.Time) int { return int(m.AddDate(0, 1, 0).Sub(m) / day) }},
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
			if err := sealBucket(ctx, conn, q, done, step.seal); err != nil {
				return err
			}
		}
	}
	return nil
}
