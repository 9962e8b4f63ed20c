package apikeys

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
)

// Organisations reads roles within the transaction of a change of keys. Package org implements it.
type Organisations interface {
	// LockedSubjectIn returns the person's grants and locks them until the transaction ends;
	// SubjectIn only reads them.
	LockedSubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error)
	SubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error)
}

// If apply returns nil details, nothing has changed, and change adds no audit entry.
func (s *Service) change(
	ctx context.Context, actor Actor, want authz.Permission, entry audit.Entry,
	apply func(tx *gorm.DB, key Key) (map[string]any, error),
) error {
	if err := s.authorize(actor.Subject, want, actor.OrganisationID); err != nil {
		return err
	}
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		key, err := readKey(tx, entry.OrganisationID, entry.Target.ID)
		if err != nil {
			return err
		}
		if err := s.reauthorize(tx, entry, want, key.OrganisationID); err != nil {
			return err
		}
		if entry.Details, err = apply(tx, key); err != nil || entry.Details == nil {
			return err
		}
		return s.log.AppendIn(tx, entry)
	})
}

// The actor's role is read in this transaction: it may have been lost since the request began.
func (s *Service) reauthorize(
	tx *gorm.DB, entry audit.Entry, want authz.Permission, owner string,
) error {
	role := s.orgs.LockedSubjectIn
	if want == RevokeKey { // a revocation must not wait for the locks of an import
		role = s.orgs.SubjectIn
	}
	subject, err := role(tx, entry.OrganisationID, entry.Actor.ID)
	if err != nil {
		return err
	}
	return s.authorize(subject, want, owner)
}

// Rename changes the name and description of a key of the actor's organisation. It adds an audit
// entry unless the label is unchanged. Errors: apperr.AccessDenied, apperr.NotFound (also for
// another organisation's key), apperr.Validation with the field.
func (s *Service) Rename(
	ctx context.Context, actor Actor, id string, label Label, request audit.Request,
) error {
	if err := checks.Check(label); err != nil {
		return err
	}
	entry := actor.entry(audit.KeyRenamed, id, request)
	return s.change(ctx, actor, RenameKey, entry,
		func(tx *gorm.DB, key Key) (map[string]any, error) {
			// Locked after the role: a revocation must not wait, through the key, for that lock.
			key, err := readKey(tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}),
				key.OrganisationID, id)
			if err != nil {
				return nil, err
			}
			if label == (Label{key.Name, key.Description}) {
				return nil, nil
			}
			err = selectKeys(tx, "apikeys.rename", key.OrganisationID).Where("id = ?", id).
				Updates(map[string]any{"name": label.Name, "description": label.Description}).Error
			return renameDetails(key, label), apperr.Annotate(err, "apikeys: rename")
		})
}

func renameDetails(key Key, label Label) map[string]any {
	details := map[string]any{}
	if label.Name != key.Name {
		details["oldName"] = key.Name
		details["newName"] = label.Name
	} else {
		details["name"] = key.Name
	}
	if label.Description != key.Description {
		details["description"] = label.Description
	}
	return details
}

// returningName reads the name for the entry when the key is locked: a Rename may precede.
var returningName = clause.Returning{Columns: []clause.Column{{Name: "name"}, {Name: "revoked_at"}}}

// Revoke revokes a key at once, even during its overlap. Revoking a revoked key is a no-op. Errors:
// apperr.AccessDenied, apperr.NotFound (also for another organisation's key).
func (s *Service) Revoke(ctx context.Context, actor Actor, id string, request audit.Request) error {
	entry := actor.entry(audit.KeyRevoked, id, request)
	return s.change(ctx, actor, RevokeKey, entry,
		func(tx *gorm.DB, key Key) (details map[string]any, err error) {
			changed := selectKeys(tx, "apikeys.revoke", key.OrganisationID).Model(&key).
				Clauses(returningName).Where("id = ?", id).Where(isUnrevoked).
				Update("revoked_at", databaseMillisecond)
			if changed.RowsAffected > 0 { // otherwise the key is revoked already
				details = map[string]any{"name": key.Name}
			}
			return details, apperr.Annotate(changed.Error, "apikeys: revoke")
		})
}
