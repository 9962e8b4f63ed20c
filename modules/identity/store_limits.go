package identity

import (
	"fmt"
	"time"

	"gorm.io/gorm"

	"dg/platform/postgres"
)

// guessRow counts the failures of one guessLimit. The table is unlogged: a crash of PostgreSQL loses
// the counts of the last minutes.
type guessRow struct {
	KeyHash []byte `gorm:"primaryKey"`
	Wrong   int
	EndsAt  time.Time
}

func (guessRow) TableName() string { return "password_guesses" }

// checkLimits returns a LockedError while one of the limits is reached.
func checkLimits(db *gorm.DB, limits []guessLimit, now time.Time) error {
	reached := db
	for _, l := range limits {
		reached = reached.Or("key_hash = ? and wrong >= ?", l.key, l.max)
	}
	var last guessRow
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

// countFailure counts a wrong attempt in all of the limits, or in none with a LockedError if one of
// them was reached since checkLimits. lockedUntil is the end of the lock that the attempt began, or nil.
func countFailure(db *gorm.DB, limits []guessLimit, now time.Time) (lockedUntil *time.Time, err error) {
	err = db.Transaction(func(tx *gorm.DB) error {
		for _, l := range limits {
			counted, err := l.count(tx, 1, now)
			if err != nil {
				return err
			}
			if counted.Wrong == l.max {
				lockedUntil = &counted.EndsAt
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return lockedUntil, nil
}

// clearLimits resets the counts after a right attempt, or returns a LockedError if a limit was reached
// since checkLimits.
func clearLimits(tx *gorm.DB, limits []guessLimit, now time.Time) error {
	for _, l := range limits {
		if _, err := l.count(tx, 0, now); err != nil {
			return err
		}
	}
	return nil
}

// count adds a failure (1) or resets the count (0), under the row's lock. If the limit was reached
// before, the count exceeds it, and the caller rolls back with the LockedError. By hand: one
// statement compares and counts.
func (l guessLimit) count(tx *gorm.DB, failures int, now time.Time) (counted guessRow, err error) {
	ends := now.Add(l.window * time.Duration(failures))
	err = tx.Scopes(ofPeople).
		Raw(`/* identity.countAttempt */
		insert into password_guesses as g (key_hash, wrong, ends_at) values ($1, $2, $4)
		on conflict (key_hash) do update
		   set (wrong, ends_at) = (select
		         case when anew then $2 else g.wrong + 1 end,
		         case when anew or g.wrong + 1 = $5 then $4 else g.ends_at end
		       from (select g.ends_at <= $3 or $2 = 0 and g.wrong < $5) n (anew))
		returning wrong, ends_at`, l.key, failures, now, ends, l.max).Scan(&counted).Error
	if err != nil {
		return counted, fmt.Errorf("identity: count an attempt: %w", err)
	}
	if counted.Wrong > l.max {
		return counted, newLockedError(counted.EndsAt, now)
	}
	return counted, nil
}
