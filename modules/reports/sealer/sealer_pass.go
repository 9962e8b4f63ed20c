package sealer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/modules/reports/snapshot"
)

// pass is one pass over all forks.
type pass struct {
	*Sealer
	conn    *pgxpool.Conn
	today   time.Time
	from    time.Time     // earlier days are sealed only if they are dirty
	timeout time.Duration // of each bucket's wait for another sealer
	done    Result
}

// pass seals the due days and months of all forks, until it meets another sealer. A failure in one
// fork does not keep it from the others.
func (s *Sealer) pass(
	ctx context.Context, conn *pgxpool.Conn, search bool, timeout time.Duration,
) (Result, error) {
	// held for this statement only, to fail if another sealer runs
	if err := s.lockSealer(ctx, timeout, conn); err != nil {
		return Result{}, err
	}
	forks, err := sealedForks(ctx, conn, search, s.MinPlays)
	if err != nil {
		return Result{}, err
	}
	p := &pass{Sealer: s, conn: conn, today: s.Now().UTC().Truncate(snapshot.Day), timeout: timeout}
	if !search {
		p.from = p.today.Add(-recentDays)
	}
	for _, f := range forks {
		err = errors.Join(err, p.sealFork(ctx, f))
		if ctx.Err() != nil || conn.Conn().IsClosed() || errors.Is(err, ErrLocked) {
			break
		}
	}
	return p.done, err
}

// sealFork seals days before months: a month is summed from its days.
func (p *pass) sealFork(ctx context.Context, f fork) error {
	days, err := dueDays(ctx, p.conn, f, p.today, p.from)
	if err == nil {
		err = p.sealDue(ctx, f, days, func(date time.Time) snapshot.Period {
			return snapshot.Period{From: date, Days: 1}
		}, p.sealDay)
	}
	if err != nil {
		return err
	}
	months, err := dueDates(ctx, p.conn, dueMonthsSQL, f.OrganisationID, f.ID, p.today)
	if err != nil {
		return err
	}
	return p.sealDue(ctx, f, months, snapshot.MonthOf, p.sealMonth)
}

func (p *pass) sealDue(
	ctx context.Context, f fork, due []time.Time, period func(time.Time) snapshot.Period, seal sealFunc,
) error {
	for i, first := range due {
		sealed, err := p.sealBucket(ctx, snapshot.Query{
			OrganisationID: f.OrganisationID,
			ForkID:         f.ID,
			Period:         period(first),
		}, seal)
		if err != nil {
			p.done.Remaining += len(due) - i
			return err
		}
		p.done.add(sealed)
	}
	return nil
}

// TryLocksSQL tries to lock all writers out of some days of a fork, without waiting. Statements after
// it see everything written before. $1 fork, $2 the first day, $3 the day after the last.
const TryLocksSQL = `/* reports.tryLocks */
select pg_try_advisory_xact_lock(uuid_hash($1), -2147483648)
   and (select bool_and(pg_try_advisory_xact_lock(uuid_hash($1), d))
     from generate_series($2::date - date '2000-01-01', $3::date - date '2000-01-01' - 1) d)`

// tryLockDays also keeps TRUNCATE out, which takes no locks of days.
func tryLockDays(ctx context.Context, tx pgx.Tx, q snapshot.Query) (free bool, err error) {
	if _, err := tx.Exec(ctx, snapshot.LockPlaysSQL); err != nil {
		return false, err
	}
	err = tx.QueryRow(ctx, TryLocksSQL, q.ForkID, q.Period.From, q.Period.End()).Scan(&free)
	return free, err
}

// sealFunc seals the day or month of a bucket.
type sealFunc func(context.Context, *bucket) (Result, error)

// sealBucket seals a day or a month in its own transaction, unless a writer holds its lock. At READ
// COMMITTED it sees everything written before the lock; a snapshot would not. Errors: ErrLocked.
func (p *pass) sealBucket(ctx context.Context, q snapshot.Query, seal sealFunc) (done Result, err error) {
	err = pgx.BeginTxFunc(ctx, p.conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted},
		func(tx pgx.Tx) error {
			if err := p.lockSealer(ctx, p.timeout, tx); err != nil {
				return err
			}
			free, err := tryLockDays(ctx, tx, q)
			if err != nil {
				return err
			}
			if !free {
				done.Skipped = 1
				return nil
			}
			done, err = seal(ctx, newBucket(p.conn, q))
			return err
		})
	if err != nil {
		return Result{}, fmt.Errorf("reports: seal %s of %s: %w", q.Period, q.ForkID, err)
	}
	return done, nil
}

// sealDay packs the plays of a day. A day with too many gets an empty segment, which is never read: it
// records that the day was counted, until a write marks it as dirty.
func (s *Sealer) sealDay(ctx context.Context, b *bucket) (Result, error) {
	packed, n, err := b.packDay(ctx, s.MaxDayPlays)
	switch {
	case err != nil:
		return Result{}, err
	case n == 0:
		return Result{}, b.dropDay(ctx)
	case n > s.MaxDayPlays:
		return Result{Large: 1}, b.saveDay(ctx, packed)
	}
	return Result{Days: 1}, b.saveDay(ctx, packed)
}

// maxMonthBytes bounds the plays of a month that are packed player by player, about 1.8 million.
const maxMonthBytes = 40 << 20

// sealMonth packs the plays of a month.
func (s *Sealer) sealMonth(ctx context.Context, b *bucket) (Result, error) {
	err := b.snap.ReadSealedDays(ctx)
	if err != nil {
		return Result{}, err
	}
	plays, err := b.monthPlays(ctx, s.MaxMonthBytes)
	if err == nil {
		err = snapshot.MarkDirty(ctx, b.snap.Conn, b.snap.Damaged, s.OnDamage)
	}
	switch {
	case err != nil:
		return Result{}, err
	case plays.Empty():
		return Result{}, b.dropMonth(ctx)
	}
	return Result{Months: 1}, b.saveMonth(ctx, plays.Pack())
}
