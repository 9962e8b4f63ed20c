package sealer

import (
	"fmt"

	"gorm.io/gorm"

	"dg/platform/postgres/tenant"
)

// lockSealerSQL takes lockSealer's lock. The wait is short: a sealer holds the lock for one bucket.
const lockSealerSQL = `/* reports.lockSealer */
	select pg_advisory_xact_lock(hashtextextended('sealer', 0))
	 where set_config('lock_timeout', '20s', true) is not null`

// DropDirty deletes the organisation's dirty segments in the caller's transaction. A segment with
// an erased player's plays is dirty, and would keep the player until the next pass. DropDirty takes
// the sealer's lock. Otherwise it could delete a segment that was just sealed again.
func DropDirty(tx *gorm.DB, organisationID string) error {
	err := tenant.Across("one process changes segments at a time")(tx).Exec(lockSealerSQL).Error
	if err != nil {
		return fmt.Errorf("reports: wait for the sealer: %w", err)
	}
	for _, statement := range []string{
		`/* reports.dropDirtyDays */ delete from fork_days s using unsealed_days u
		  where s.org_id = @org and u.fork_id = s.fork_id and u.day = s.day`,
		`/* reports.dropDirtyMonths */ delete from fork_months s using unsealed_months u
		  where s.org_id = @org and u.fork_id = s.fork_id and u.month = s.month`,
	} { // raw SQL: gorm's builder has no "delete … using"
		if err := tenant.Exec(tx, organisationID, statement).Error; err != nil {
			return fmt.Errorf("reports: drop dirty segments: %w", err)
		}
	}
	return nil
}
