package apikeys

import (
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/instant"
)

// stopReplaced stops the key that row replaces, and completes the entry.
func (m *Manager) stopReplaced(
	tx *gorm.DB, row keyRow, overlap time.Duration, entry *audit.Entry,
) error {
	old, err := readKey(tx, row.OrgID, *row.Replaces)
	if err != nil {
		return err
	}
	if err := m.reauthorize(tx, *entry, authz.ReplaceKey, old.OrganisationID,
		m.orgs.SubjectIn); err != nil {
		return err
	}
	stopsAt, err := stopLater(tx, old, overlap)
	if err != nil {
		return err
	}
	entry.Details = map[string]any{
		"name":        old.Name,
		"replacement": row.ID,
		"stopsAt":     instant.Format(stopsAt),
	}
	return nil
}

// stopLater revokes a usable key after the overlap, or at its expiry if that is earlier. Its statement
// decides between concurrent changes. Errors: ErrNotReplaceable.
func stopLater(tx *gorm.DB, k Key, overlap time.Duration) (time.Time, error) {
	var stopped keyRow
	changed := keys(tx, "apikeys.stopLater", k.OrganisationID).Model(&stopped).
		Clauses(clause.Returning{Columns: []clause.Column{{Name: "revoked_at"}}}).
		Where("id = ? and revoked_at is null", k.ID).Where(usableAt, databaseNow).
		Update("revoked_at", gorm.Expr("least(expires_at, ? + make_interval(secs => ?))",
			databaseMillisecond, overlap.Seconds()))
	if changed.Error != nil {
		return time.Time{}, fmt.Errorf("apikeys: replace: %w", changed.Error)
	}
	if changed.RowsAffected == 0 {
		return time.Time{}, ErrNotReplaceable
	}
	return *stopped.RevokedAt, nil
}
