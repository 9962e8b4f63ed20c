package apikeys

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/authz"
)

// revoke reads the actor's role without locking it: stopping a leaked key must never wait.
func (m *Manager) revoke(ctx context.Context, organisationID, id string, entry audit.Entry) error {
	return m.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		key, err := readKey(tx, organisationID, id)
		if err != nil {
			return err
		}
		if err := m.reauthorize(tx, entry, authz.RevokeKey, key.OrganisationID,
			m.orgs.CurrentSubjectIn); err != nil {
			return err
		}
		changed := keys(tx, "apikeys.revoke", organisationID).Where("id = ?", id).
			Where(unrevokedAt, databaseNow).
			Update("revoked_at", gorm.Expr("date_trunc('milliseconds', clock_timestamp())"))
		if changed.Error != nil {
			return fmt.Errorf("apikeys: revoke: %w", changed.Error)
		}
		if changed.RowsAffected == 0 { // it is revoked already
			return nil
		}
		return m.log.AppendIn(tx, entry)
	})
}
