package apikeys

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/instant"
)

// replace follows the order of creation: lock, role, idempotency key.
func (m *Manager) replace(
	ctx context.Context, id string, overlap time.Duration, row keyRow, entry audit.Entry,
) (done Replaced, err error) {
	err = m.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := lockCreation(tx, row.OrgID); err != nil {
			return err
		}
		old, err := readKey(tx, row.OrgID, id)
		if err != nil {
			return err
		}
		if err := m.reauthorize(tx, entry, authz.ReplaceKey, old.OrganisationID,
			m.orgs.SubjectIn); err != nil {
			return err
		}
		if done.New, err = findByIdempotencyKey(tx, row); err != nil {
			return err
		}
		if done.Old, err = stopLater(tx, old, overlap); err != nil {
			return err
		}
		row.Name = old.Name
		row.Description = old.Description
		row.Scopes = old.Scopes
		row.Replaces = &old.ID
		if err := m.store(tx, row); err != nil {
			return err
		}
		done.New = row.key()
		entry.Details = map[string]any{
			"name":        old.Name,
			"replacement": row.ID,
			"stopsAt":     instant.Format(*done.Old.RevokedAt),
		}
		return m.log.AppendIn(tx, entry)
	})
	if err != nil && !errors.Is(err, ErrAlreadyCreated) {
		return Replaced{}, err
	}
	return done, err
}

// stopLater revokes a usable key after the overlap, or at its expiry if that is earlier. Its statement
// decides between concurrent changes. Errors: ErrNotReplaceable.
func stopLater(tx *gorm.DB, k Key, overlap time.Duration) (Key, error) {
	var stopped keyRow
	changed := keys(tx, "apikeys.stopLater", k.OrganisationID).Model(&stopped).
		Clauses(clause.Returning{Columns: []clause.Column{{Name: "revoked_at"}}}).
		Where("id = ? and revoked_at is null", k.ID).Where(usableAt, databaseNow).
		Update("revoked_at", gorm.Expr("least(expires_at, ? + make_interval(secs => ?))",
			databaseMillisecond, overlap.Seconds()))
	if changed.Error != nil {
		return Key{}, fmt.Errorf("apikeys: replace: %w", changed.Error)
	}
	if changed.RowsAffected == 0 {
		return Key{}, ErrNotReplaceable
	}
	k.RevokedAt = stopped.RevokedAt
	return k, nil
}
