package apikeys

import (
	"context"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
)

// Revoke revokes a key of the actor's organisation at once, also a replaced one in its overlap. The
// revocation commits with its audit entry. Revoking a revoked key is a no-op.
//
// Errors: apperr.AccessDenied, apperr.NotFound (also for another organisation's key).
func (s *Service) Revoke(ctx context.Context, actor Actor, id string, request audit.Request) error {
	entry := actor.entry(audit.KeyRevoked, id, request)
	return s.change(ctx, actor, authz.RevokeKey, entry,
		func(tx *gorm.DB, key Key) (details map[string]any, err error) {
			changed := keys(tx, "apikeys.revoke", key.OrganisationID).Where("id = ?", id).
				Where(unrevokedAt, databaseNow).Update("revoked_at", databaseMillisecond)
			if changed.RowsAffected > 0 { // otherwise it is revoked already
				details = map[string]any{"name": key.Name}
			}
			return details, apperr.Annotate(changed.Error, "apikeys: revoke")
		})
}
