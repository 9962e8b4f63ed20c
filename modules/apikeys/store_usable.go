package apikeys

import (
	"context"
	"fmt"

	"dg/platform/apperr"
	"dg/platform/postgres/tenant"
)

var errKeyStopped = apperr.New(apperr.AuthRequired,
	"This API key was revoked, has expired, or needs the Pro plan.")

// StillUsable returns nil while the key is usable, by the database's clock. Running exports call it.
// It does not count towards the rate limit.
//
// Errors: apperr.AuthRequired once the key is revoked, expired or paused; any other says nothing
// about the key.
func (s *Service) StillUsable(ctx context.Context, organisationID, id string) error {
	var usable int64
	db := s.Recheck.Gorm.WithContext(ctx)
	paying := db.Table("organisations").Scopes(tenant.Scope(organisationID)).Select("id").
		Where("plan in ('pro', 'enterprise')")
	err := keys(db, "apikeys.usable", organisationID).
		Where("id = ? and exists (?)", id, paying).Where(usableAt, databaseNow).Count(&usable).Error
	if err != nil {
		return fmt.Errorf("apikeys: usable: %w", err)
	}
	if usable == 0 {
		return errKeyStopped
	}
	return nil
}
