package throttle

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// Row counts the failures of one Limit.
type Row struct {
	KeyHash []byte `gorm:"primaryKey"`
	Wrong   int
	EndsAt  time.Time
}

// TableName implements schema.Tabler.
func (Row) TableName() string { return "password_guesses" }

// ofPeople is the scope of this package's statements in SQL.
var ofPeople = tenant.Across("people belong to no organisation")

// Check returns a LockedError while one of the limits is reached.
func Check(db *gorm.DB, limits []Limit, now time.Time) error {
	reached := db
	for _, l := range limits {
		reached = reached.Or("key_hash = ? and wrong >= ?", l.key, l.max)
	}
	var last Row
	found := db.Scopes(postgres.Tag("identity.checkLimits")).Where("ends_at > ?", now).
		Where(reached).Order("ends_at desc").Limit(1).Find(&last)
	if found.Error != nil {
		return fmt.Errorf("throttle: check limits: %w", found.Error)
	}
	if found.RowsAffected > 0 {
		return newLockedError(last.EndsAt, now)
	}
	return nil
}

// take counts one attempt and returns how many there are; ok is false if the limit was reached
// before. The statement is by hand, to compare and count under the row's lock.
func (l Limit) take(tx *gorm.DB, now time.Time) (taken int, ok bool, err error) {
	counted := tx.Scopes(ofPeople).Raw(`/* identity.takeAttempt */
		insert into password_guesses as g (key_hash, wrong, ends_at) values ($1, 1, $3)
		on conflict (key_hash) do update
		   set wrong = case when g.ends_at <= $2 then 1 else g.wrong + 1 end,
		       ends_at = case when g.ends_at <= $2 or g.wrong + 1 >= $4 then $3 else g.ends_at end
		 where g.wrong < $4 or g.ends_at <= $2
		returning wrong`, l.key, now, now.Add(l.window), l.max).Scan(&taken)
	if counted.Error != nil {
		return 0, false, fmt.Errorf("throttle: count an attempt: %w", counted.Error)
	}
	return taken, counted.RowsAffected > 0, nil
}

// errLockEnded rolls back the counts of an attempt that met a lock which has ended since.
var errLockEnded = errors.New("throttle: the lock has just ended")

// CountFailure counts a wrong password in all of the limits. If one of them was reached since Check
// it counts in none and returns a LockedError. lockedUntil is the end of the account's lock that the
// attempt began, or nil.
func CountFailure(db *gorm.DB, limits []Limit, now time.Time) (lockedUntil *time.Time, err error) {
	err = db.Transaction(func(tx *gorm.DB) error {
		for _, l := range limits {
			taken, ok, err := l.take(tx, now)
			if err != nil {
				return err
			}
			if !ok {
				return cmp.Or(Check(tx, []Limit{l}, now), errLockEnded)
			}
			if until := l.lockBegun(taken, now); until != nil {
				lockedUntil = until
			}
		}
		return nil
	})
	if errors.Is(err, errLockEnded) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return lockedUntil, nil
}

// lockBegun returns the end of the lock that the attempt with this count began, or nil.
func (l Limit) lockBegun(taken int, now time.Time) *time.Time {
	if taken < l.max {
		return nil
	}
	until := now.Add(l.window)
	return &until
}

// Clear resets the counts after a right attempt. It returns a LockedError if a limit was reached
// since Check. The statement is by hand, as in take.
func Clear(tx *gorm.DB, limits []Limit, now time.Time) error {
	for _, l := range limits {
		err := tx.Scopes(ofPeople).Exec(`/* identity.clearFailures */
			insert into password_guesses as g (key_hash, wrong, ends_at) values ($1, 0, $2)
			on conflict (key_hash) do update set wrong = 0, ends_at = excluded.ends_at
			  where g.wrong < $3 or g.ends_at <= $2`,
			l.key, now, l.max).Error
		if err != nil {
			return fmt.Errorf("throttle: clear wrong attempts: %w", err)
		}
		if err := Check(tx, []Limit{l}, now); err != nil {
			return err
		}
	}
	return nil
}
