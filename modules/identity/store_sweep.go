package identity

import (
	"time"

	"gorm.io/gorm"
)

// maxSwept bounds what one sweep removes from a table, so that no sign-in waits for a backlog.
const maxSwept = 1000

// sweep removes expired rows. It runs with each sign-in, which adds fewer than it removes.
func sweep(db *gorm.DB, now time.Time) error {
	if err := sweepTable(db, &sessionRow{}, "token_hash", "expires_at", now); err != nil {
		return err
	}
	return sweepTable(db, &guessRow{}, "key_hash", "ends_at", now)
}

func sweepTable(db *gorm.DB, row any, key, endedBy string, now time.Time) error {
	ended := db.Model(row).Select(key).Where(endedBy+" <= ?", now).Limit(maxSwept).
		Clauses(skipLocked)
	_, err := deleteRows(db, "identity.sweep", row, key+" in (?)", ended)
	return err
}
