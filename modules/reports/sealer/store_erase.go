package sealer

import (
	"fmt"

	"gorm.io/gorm"

	"dg/platform/postgres/tenant"
)

// DropDirty deletes the organisation's dirty segments in the caller's transaction. A segment of an
// erased player's plays is dirty, and would hold the player until the next pass.
func DropDirty(tx *gorm.DB, organisationID string) error {
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
