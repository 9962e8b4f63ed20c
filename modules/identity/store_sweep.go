package identity

import (
	"context"
	"fmt"
	"time"

	"dg/modules/identity/throttle"
	"dg/platform/postgres"
)

// The bounds of a sweep.
const (
	sweepInterval = time.Second // between two sweeps of an instance, at least
	maxSwept      = 1000        // rows of a table
)

// sweep removes expired rows. Its batches are larger than a second of sign-ins adds, so that no
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
	}{{&sessionRow{}, "token_hash", "expires_at"}, {&throttle.Row{}, "key_hash", "ends_at"}} {
		ended := s.gorm(ctx).Model(table.row).Select(table.key).
			Where(table.endedBy+" <= ?", now).
			Order(table.endedBy).Limit(maxSwept).Clauses(skipLocked)
		err := s.gorm(ctx).Scopes(postgres.Tag("identity.sweep")).Where(table.key+" in (?)", ended).
			Delete(table.row).Error
		if err != nil {
			return fmt.Errorf("identity: sweep: %w", err)
		}
	}
	return nil
}
