package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/audit"
)

// querier is a pool or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// checkLimits returns a LockedError while one of the limits is reached. The column email_hash holds the key of any limit: it
// keeps its name because programs of other versions may run beside this one.
func checkLimits(ctx context.Context, db querier, limits []attemptLimit, now time.Time) error {
	keys, maxima := make([][]byte, len(limits)), make([]int, len(limits))
	for i, l := range limits {
		keys[i], maxima[i] = l.key, l.max
	}
	var until *time.Time
	err := db.QueryRow(ctx, `/* identity.checkLimits */
		select max(g.ends_at) from unnest($1::bytea[], $2::int[]) l(key, max)
		  join password_guesses g on g.email_hash = l.key and g.wrong >= l.max and g.ends_at > $3`, keys, maxima, now).Scan(&until)
	if err != nil {
		return fmt.Errorf("identity: check limits: %w", err)
	}
	if until != nil {
		return newLockedError(*until, now)
	}
	return nil
}

// take counts one attempt and returns how many there are; ok is false where the limit was reached before. The row's lock
// makes the count exact, however many run concurrently.
func (l attemptLimit) take(ctx context.Context, tx pgx.Tx, now time.Time) (taken int, ok bool, err error) {
	err = tx.QueryRow(ctx, `/* identity.takeAttempt */
		insert into password_guesses as g (email_hash, wrong, ends_at) values ($1, 1, $3)
		on conflict (email_hash) do update
		   set wrong = case when g.ends_at <= $2 then 1 else g.wrong + 1 end,
		       ends_at = case when g.ends_at <= $2 or g.wrong + 1 >= $4 then $3 else g.ends_at end
		 where g.wrong < $4 or g.ends_at <= $2
		returning wrong`, l.key, now, now.Add(l.window), l.max).Scan(&taken)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("identity: count an attempt: %w", err)
	}
	return taken, true, nil
}

// countFailure counts a wrong password in all of the limits or, where another has reached one meanwhile, in none, and
// returns a LockedError. lockedUntil is the end of the account's lock that it began, or nil.
func (s *Service) countFailure(ctx context.Context, limits []attemptLimit, now time.Time) (lockedUntil *time.Time, err error) {
	err = pgx.BeginFunc(ctx, s.db.Pool, func(tx pgx.Tx) error {
		for _, l := range limits {
			taken, ok, err := l.take(ctx, tx, now)
			if err != nil {
				return err
			}
			if !ok {
				if err := checkLimits(ctx, tx, []attemptLimit{l}, now); err != nil {
					return err
				}
				return ErrWrongPassword // the lock has just ended
			}
			if taken == l.max && !l.keepOnSuccess {
				until := now.Add(l.window)
				lockedUntil = &until
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lockedUntil, nil
}

// clearFailures is for a right attempt. It returns a LockedError where a limit was reached meanwhile: under the rows' locks a
// right attempt is among those that are compared, or is refused.
func clearFailures(ctx context.Context, tx pgx.Tx, limits []attemptLimit, now time.Time) error {
	for _, l := range limits {
		if !l.keepOnSuccess {
			_, err := tx.Exec(ctx, `/* identity.clearFailures */
				insert into password_guesses as g (email_hash, wrong, ends_at) values ($1, 0, $2)
				on conflict (email_hash) do update set wrong = 0, ends_at = excluded.ends_at where g.wrong < $3 or g.ends_at <= $2`,
				l.key, now, l.max)
			if err != nil {
				return fmt.Errorf("identity: clear wrong attempts: %w", err)
			}
		}
		if err := checkLimits(ctx, tx, []attemptLimit{l}, now); err != nil {
			return err
		}
	}
	return nil
}

// takeEntry reports whether an event gets an entry of its own. In a flood it looks and does not wait for the row.
func takeEntry(ctx context.Context, tx pgx.Tx, action audit.Action, account string, now time.Time) (bool, error) {
	l := entryLimit(action, account)
	err := checkLimits(ctx, tx, []attemptLimit{l}, now)
	if _, reached := errors.AsType[*LockedError](err); reached {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, ok, err := l.take(ctx, tx, now)
	return ok, err
}

// flushWAL makes a commit that wrote nothing durable take as long as one that did.
func flushWAL(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `/* identity.flushWAL */ select pg_logical_emit_message(true, 'dg', '')`); err != nil {
		return fmt.Errorf("identity: flush: %w", err)
	}
	return nil
}

// sweepInterval is the time between two sweeps of an instance, at least.
const sweepInterval = time.Second

// sweep removes some of what has expired: more than the sign-ins of a second add, so that no table grows for long. Rows that
// another instance removes at the same time are left to it.
func (s *Service) sweep(ctx context.Context, now time.Time) error {
	last := s.lastSweep.Load()
	if now.Sub(time.UnixMilli(last)).Abs() < sweepInterval || !s.lastSweep.CompareAndSwap(last, now.UnixMilli()) {
		return nil
	}
	for sql, before := range map[string]time.Time{
		`/* identity.sweepSessions */ delete from sessions where token_hash in
			(select token_hash from sessions where expires_at <= $1 order by expires_at limit 1000 for update skip locked)`: now,
		`/* identity.sweepAttempts */ delete from password_guesses where email_hash in
			(select email_hash from password_guesses where ends_at <= $1 order by ends_at limit 1000 for update skip locked)`: now,
		`/* identity.sweepBrowsers */ delete from known_browsers where token_hash in
			(select token_hash from known_browsers where last_used_at <= $1 order by last_used_at limit 1000 for update skip locked)`: now.Add(-KnownBrowserTTL),
	} {
		if _, err := s.db.Pool.Exec(ctx, sql, before); err != nil {
			return fmt.Errorf("identity: sweep: %w", err)
		}
	}
	return nil
}
