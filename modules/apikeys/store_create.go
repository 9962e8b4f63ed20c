package apikeys

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/instant"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// insert stores the key with its windows and its audit entry, if the plan includes the API and the
// quota has room. It stops the key that key replaces.
func (s *Service) insert(
	ctx context.Context, want authz.Permission, key storedKey, overlap time.Duration, entry audit.Entry,
) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		err := lockCreation(tx, key.OrganisationID)
		old := Key{OrganisationID: key.OrganisationID}
		if err == nil && key.Replaces != "" {
			old, err = readKey(tx, key.OrganisationID, key.Replaces)
		}
		if err == nil {
			err = s.reauthorize(tx, entry, want, old.OrganisationID)
		}
		if err == nil && key.Replaces != "" {
			entry.Details, err = stopReplaced(tx, old, key.ID, overlap)
		}
		if err == nil {
			err = s.checkQuota(tx, key.OrganisationID)
		}
		if err != nil {
			return err
		}
		created := tx.Scopes(postgres.Tag("apikeys.create"), tenant.Scope(key.OrganisationID)).Create(&key)
		if created.Error != nil {
			return fmt.Errorf("apikeys: create: %w", created.Error)
		}
		if err := newWindows(tx, key.ID); err != nil {
			return err
		}
		return s.log.AppendIn(tx, entry)
	})
}

// lockCreation serialises creations in an organisation, so that MaxUsable is exact. By hand: gorm
// has no advisory locks.
func lockCreation(tx *gorm.DB, organisationID string) error {
	err := tenant.Exec(tx, organisationID,
		`/* apikeys.lockCreation */ select pg_advisory_xact_lock(hashtextextended('api_keys ' || @org, 0))`).
		Error
	return apperr.Annotate(err, "apikeys: lock creation")
}

// stopReplaced revokes a usable key after the overlap, or at its expiry if that is earlier, and
// returns the details of the entry. Its statement decides between concurrent changes.
// Errors: ErrNotReplaceable.
func stopReplaced(
	tx *gorm.DB, k Key, replacement string, overlap time.Duration,
) (map[string]any, error) {
	var stopped Key
	changed := keys(tx, "apikeys.stopLater", k.OrganisationID).Model(&stopped).
		Clauses(clause.Returning{Columns: []clause.Column{{Name: "revoked_at"}}}).
		Where("id = ? and revoked_at is null", k.ID).Where(usableAt, databaseNow).
		Update("revoked_at", gorm.Expr("least(expires_at, ? + make_interval(secs => ?))",
			databaseMillisecond, overlap.Seconds()))
	if changed.Error != nil {
		return nil, fmt.Errorf("apikeys: replace: %w", changed.Error)
	}
	if changed.RowsAffected == 0 {
		return nil, ErrNotReplaceable
	}
	return map[string]any{
		"name":        k.Name,
		"replacement": replacement,
		"stopsAt":     instant.Format(*stopped.RevokedAt),
	}, nil
}

// checkQuota allows one more key. The caller holds lockCreation. Errors: apperr.AccessDenied.
func (s *Service) checkQuota(tx *gorm.DB, organisationID string) error {
	var plan org.Plan
	err := tenant.Raw(tx, organisationID,
		`/* apikeys.plan */ select plan from organisations where id = @org`).Scan(&plan).Error
	if err != nil {
		return fmt.Errorf("apikeys: plan: %w", err)
	}
	if !plan.IncludesAPI() {
		return ErrBelowPlan
	}
	var usable int64
	err = keys(tx, "apikeys.countUsable", organisationID).Where(usableAt, databaseNow).
		Count(&usable).Error
	if err != nil {
		return fmt.Errorf("apikeys: count: %w", err)
	}
	if usable >= MaxUsable {
		return ErrTooMany
	}
	return nil
}
