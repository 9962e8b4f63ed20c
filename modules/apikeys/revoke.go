package apikeys

import (
	"context"

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
	return m.revoke(ctx, actor.OrganisationID, id, actor.entry(audit.KeyRevoked, id, request))
}
