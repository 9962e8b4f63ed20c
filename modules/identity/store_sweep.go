package identity

import (
	"sync/atomic"
	"time"

	"gorm.io/gorm"

	"dg/modules/identity/throttle"
)

// The bounds of a sweep.
const (
	sweepInterval = time.Second // between two sweeps of an instance, at least
	maxSwept      = 1000        // rows of a table
)

// sweeper removes expired rows.
type sweeper struct{ last atomic.Int64 } // the last sweep, in Unix milliseconds

// sweep removes expired rows. Its batches are larger than a second of sign-ins adds, so that no
// table grows.
func (s *sweeper) sweep(db *gorm.DB, now time.Time) error {
	last := s.last.Load()
	if now.Sub(time.UnixMilli(last)).Abs() < sweepInterval ||
		!s.last.CompareAndSwap(last, now.UnixMilli()) {
		return nil
	}
	if err := sweepTable(db, &sessionRow{}, "token_hash", "expires_at", now); err != nil {
		return err
	}
	return sweepTable(db, &throttle.Row{}, "key_hash", "ends_at", now)
}

func sweepTable(db *gorm.DB, row any, key, endedBy string, now time.Time) error {
	ended := db.Model(row).Select(key).Where(endedBy+" <= ?", now).Order(endedBy).Limit(maxSwept).
		Clauses(skipLocked)
	_, err := remove(db, "identity.sweep", row, key+" in (?)", ended)
	return err
}
