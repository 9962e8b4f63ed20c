package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/postgres"
)

// checkLimits returns a LockedError while one of the limits is reached.
func checkLimits(db *gorm.DB, limits []attemptLimit, now time.Time) error {
	reached := db
	for _, l := range limits {
		reached = reached.Or("email_hash = ? and wrong >= ?", l.key, l.max)
	}
	var last attemptRow
	found := db.Scopes(postgres.Tag("identity.checkLimits")).Where("ends_at > ?", now).
		Where(reached).Order("ends_at desc").Limit(1).Find(&last)
	if found.Error != nil {
		return fmt.Errorf("identity: check limits: %w", found.Error)
	}
	if found.RowsAffected > 0 {
		return newLockedError(last.EndsAt, now)
	}
	return nil
}

// take counts one attempt and returns how many there are; ok is false where the limit was reached
// before. The row's lock makes the count exact, however many run concurrently: the statement is by
// hand because it compares and counts under it.
func (l attemptLimit) take(tx transaction, now time.Time) (taken int, ok bool, err error) {
	counted := tx.Scopes(ofPeople).Raw(`/* identity.takeAttempt */
		insert into password_guesses as g (email_hash, wrong, ends_at) values ($1, 1, $3)
		on conflict (email_hash) do update
		   set wrong = case when g.ends_at <= $2 then 1 else g.wrong + 1 end,
		       ends_at = case when g.ends_at <= $2 or g.wrong + 1 >= $4 then $3 else g.ends_at end
		 where g.wrong < $4 or g.ends_at <= $2
		returning wrong`, l.key, now, now.Add(l.window), l.max).Scan(&taken)
	if counted.Error != nil {
		return 0, false, fmt.Errorf("identity: count an attempt: %w", counted.Error)
	}
	return taken, counted.RowsAffected > 0, nil
}

// countFailure counts a wrong password in all of the limits or, where another has reached one
// meanwhile, in none, and returns a LockedError. lockedUntil is the end of the account's lock that
// it began, or nil.
func (s *Service) countFailure(
	ctx context.Context, limits []attemptLimit, now time.Time,
) (lockedUntil *time.Time, err error) {
	err = s.inTransaction(ctx, func(tx transaction) error {
		for _, l := range limits {
			taken, ok, err := l.take(tx, now)
			if err != nil {
				return err
			}
			if !ok {
				if err := checkLimits(tx, []attemptLimit{l}, now); err != nil {
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

// clearFailures is for a right attempt. It returns a LockedError where a limit was reached
// meanwhile: under the rows' locks a right attempt is among those that are compared, or is refused.
// The statement is by hand, as in take.
func clearFailures(tx transaction, limits []attemptLimit, now time.Time) error {
	for _, l := range limits {
		if !l.keepOnSuccess {
			err := tx.Scopes(ofPeople).Exec(`/* identity.clearFailures */
				insert into password_guesses as g (email_hash, wrong, ends_at) values ($1, 0, $2)
				on conflict (email_hash) do update set wrong = 0, ends_at = excluded.ends_at
				  where g.wrong < $3 or g.ends_at <= $2`,
				l.key, now, l.max).Error
			if err != nil {
				return fmt.Errorf("identity: clear wrong attempts: %w", err)
			}
		}
		if err := checkLimits(tx, []attemptLimit{l}, now); err != nil {
			return err
		}
	}
	return nil
}

// takeEntry reports whether an event gets an entry of its own. In a flood it looks and does not
// wait for the row.
func takeEntry(tx transaction, action audit.Action, account string, now time.Time) (bool, error) {
	l := entryLimit(action, account)
	err := checkLimits(tx, []attemptLimit{l}, now)
	if _, reached := errors.AsType[*LockedError](err); reached {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, ok, err := l.take(tx, now)
	return ok, err
}

// flushWAL equalises the time of commits with and without WAL, against timing attacks. By hand: it
// is on no table.
func flushWAL(tx transaction) error {
	err := tx.Scopes(ofPeople).
		Exec(`/* identity.flushWAL */ select pg_logical_emit_message(true, 'dg', '')`).Error
	if err != nil {
		return fmt.Errorf("identity: flush: %w", err)
	}
	return nil
}

// The bounds of a sweep.
const (
	sweepInterval = time.Second // between two sweeps of an instance, at least
	maxSwept      = 1000        // rows of a table
)

// sweep removes expired rows in batches that are larger than a second of sign-ins adds, so that no
// table grows.
func (s *Service) sweep(ctx context.Context, now time.Time) error {
	last := s.lastSweep.Load()
	if now.Sub(time.UnixMilli(last)).Abs() < sweepInterval ||
		!s.lastSweep.CompareAndSwap(last, now.UnixMilli()) {
		return nil
	}
	for _, table := range []struct {
		row          any
		key, endedBy string
		before       time.Time
	}{
		{&sessionRow{}, "token_hash", "expires_at", now},
		{&attemptRow{}, "email_hash", "ends_at", now},
		{&browserRow{}, "token_hash", "last_used_at", now.Add(-KnownBrowserTTL)},
	} {
		ended := s.gorm(ctx).Model(table.row).Select(table.key).
			Where(table.endedBy+" <= ?", table.before).
			Order(table.endedBy).Limit(maxSwept).Clauses(skipLocked)
		err := s.gorm(ctx).Scopes(postgres.Tag("identity.sweep")).Where(table.key+" in (?)", ended).
			Delete(table.row).Error
		if err != nil {
			return fmt.Errorf("identity: sweep: %w", err)
		}
	}
	return nil
}
