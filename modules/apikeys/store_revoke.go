package apikeys

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/authz"
)

// Revoke revokes a key of the actor's organisation, also one in its overlap. Requests that start
// after it returns are rejected. The revocation commits with its audit entry. Revoking a revoked
// key is a no-op.
//
// Errors: apperr.AccessDenied, apperr.NotFound (also for another organisation's key).
func (m *Manager) Revoke(ctx context.Context, actor Actor, id string, request audit.Request) error {
	if err := m.authorize(actor.Subject, authz.RevokeKey, actor.OrganisationID); err != nil {
		return err
	}
	return m.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		key, err := readKey(tx, actor.OrganisationID, id)
		if err != nil {
			return err
		}
		entry := actor.entry(audit.KeyRevoked, id, request)
		// The role is not locked: stopping a leaked key must never wait.
		if err := m.reauthorize(tx, entry, authz.RevokeKey, key.OrganisationID,
			m.orgs.CurrentSubjectIn); err != nil {
			return err
		}
		changed := keys(tx, "apikeys.revoke", actor.OrganisationID).Where("id = ?", id).
			Where(unrevokedAt, databaseNow).
			Update("revoked_at", gorm.Expr("date_trunc('milliseconds', clock_timestamp())"))
		if changed.Error != nil {
			return fmt.Errorf("apikeys: revoke: %w", changed.Error)
		}
		if changed.RowsAffected == 0 { // it is revoked already
			return nil
		}
		entry.Details = map[string]any{"name": key.Name}
		return m.log.AppendIn(tx, entry)
	})
}
