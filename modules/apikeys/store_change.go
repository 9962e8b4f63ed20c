package apikeys

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/format"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// MaxUsable bounds the keys of an organisation that are neither revoked nor expired.
const MaxUsable = 100

var (
	// ErrTooMany says that the organisation has MaxUsable or more usable keys.
	ErrTooMany = apperr.New(apperr.AccessDenied,
		"This organisation has %d usable keys, which is the maximum. Revoke one to create another.",
		MaxUsable)
	// ErrBelowPlan says that the organisation's plan does not include the API.
	ErrBelowPlan = apperr.New(apperr.AccessDenied,
		"API keys are part of the Pro and Enterprise plans. Change the plan to create one.")
	// ErrNotReplaceable says that a key is revoked, expired or already replaced.
	ErrNotReplaceable = apperr.New(apperr.AccessDenied,
		"This key is revoked, has expired or was already replaced. Create another key.")
	// ErrAlreadyCreated says that a key with the id exists: the form was sent twice.
	ErrAlreadyCreated = apperr.New(apperr.AccessDenied, "This form was sent twice. The key exists once.")
)

// Create creates a key of the actor's organisation and returns it with its token, which is never
// returned again. A replaced key is revoked after the overlap, and counts towards MaxUsable until
// then. Errors: apperr.AccessDenied (role, two-step verification, ErrBelowPlan, ErrTooMany,
// ErrAlreadyCreated, ErrNotReplaceable), apperr.NotFound (the organisation has no such key to
// replace), apperr.Validation with the field.
func (s *Service) Create(
	ctx context.Context, actor Actor, newKey NewKey, request audit.Request,
) (Key, Token, error) {
	permission := CreateKey
	if newKey.Replaces != "" {
		permission = ReplaceKey
	}
	if err := s.authorize(actor.Subject, permission, actor.OrganisationID); err != nil {
		return Key{}, Token{}, err
	}
	key, err := newKey.key(s.now().UTC())
	if err != nil {
		return Key{}, Token{}, err
	}
	token := NewToken()
	if IsID(newKey.ID) {
		token = newToken(newKey.ID)
	}
	key.ID = token.ID
	key.OrganisationID = actor.OrganisationID
	key.CreatedBy = actor.Person
	entry := actor.entry(audit.KeyCreated, key.ID, request)
	entry.Details = map[string]any{"name": key.Name}
	if newKey.Replaces != "" {
		entry = actor.entry(audit.KeyReplaced, newKey.Replaces, request)
	}
	if err := s.insert(ctx, permission, storedKey{key, token.hash()}, newKey.Overlap, entry); err != nil {
		return Key{}, Token{}, err
	}
	return key, token, nil
}

func (s *Service) insert(
	ctx context.Context, permission authz.Permission, key storedKey, overlap time.Duration,
	entry audit.Entry,
) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := lockCreation(tx, key.OrganisationID); err != nil {
			return err
		}
		if _, err := readKey(tx, key.OrganisationID, key.ID); !apperr.Is(err, apperr.NotFound) {
			return cmp.Or[error](err, ErrAlreadyCreated) // first: a repeated form gets no ErrNotReplaceable
		}
		if key.Replaces == "" {
			if err := s.reauthorize(tx, entry, permission, key.OrganisationID); err != nil {
				return err
			}
		} else {
			old, err := readKey(tx, key.OrganisationID, key.Replaces)
			if err != nil {
				return err
			}
			if err := s.reauthorize(tx, entry, permission, old.OrganisationID); err != nil {
				return err
			}
			if entry.Details, err = revokeAfterOverlap(tx, old, key.ID, overlap); err != nil {
				return err
			}
		}
		if err := checkPlanAndQuota(tx, key.OrganisationID); err != nil {
			return err
		}
		result := tx.Scopes(postgres.Tag("apikeys.create"), tenant.Scope(key.OrganisationID)).
			Clauses(clause.OnConflict{DoNothing: true}).Create(&key)
		switch {
		case result.Error != nil:
			return fmt.Errorf("apikeys: create: %w", result.Error)
		case result.RowsAffected == 0:
			return ErrAlreadyCreated
		}
		if err := createWindows(tx, key.ID); err != nil {
			return err
		}
		return s.auditLog.AppendIn(tx, entry)
	})
}

// lockCreation serialises an organisation's creations of keys, so that MaxUsable is exact.
func lockCreation(tx *gorm.DB, organisationID string) error {
	err := tenant.Exec(tx, organisationID,
		`/* apikeys.lockCreation */ select pg_advisory_xact_lock(hashtextextended('api_keys ' || lower(@org), 0))`).
		Error
	return apperr.Annotate(err, "apikeys: lock creation")
}

// revokeAfterOverlap revokes a replaced key and returns the details of the audit entry. One
// statement checks and revokes the key, because a concurrent Revoke does not take lockCreation.
func revokeAfterOverlap(
	tx *gorm.DB, old Key, replacementID string, overlap time.Duration,
) (map[string]any, error) {
	var revoked Key
	result := selectKeys(tx, "apikeys.stopLater", old.OrganisationID).Model(&revoked).
		Clauses(returningLocked).
		Where("id = ? and revoked_at is null", old.ID).Where(usableCondition).
		Update("revoked_at", gorm.Expr("least(expires_at, ? + make_interval(secs => ?))",
			databaseNow, overlap.Seconds()))
	if result.Error != nil {
		return nil, fmt.Errorf("apikeys: replace: %w", result.Error)
	}
	if result.RowsAffected == 0 {
		return nil, ErrNotReplaceable
	}
	return map[string]any{
		"name":        revoked.Name,
		"replacement": replacementID,
		"stopsAt":     format.Instant(*revoked.RevokedAt),
	}, nil
}

// checkPlanAndQuota returns ErrBelowPlan, ErrTooMany or nil. The caller must hold lockCreation.
func checkPlanAndQuota(tx *gorm.DB, organisationID string) error {
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
	err = selectKeys(tx, "apikeys.countUsable", organisationID).Where(usableCondition).
		Count(&usable).Error
	if err != nil {
		return fmt.Errorf("apikeys: count: %w", err)
	}
	if usable >= MaxUsable {
		return ErrTooMany
	}
	return nil
}

// Organisations reads roles in the transaction that changes a key. Package org implements it.
type Organisations interface {
	// LockedSubjectIn returns the person's grants and locks them until the transaction ends;
	// SubjectIn only reads them.
	LockedSubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error)
	SubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error)
}

// change runs apply in a transaction, and adds entry with the details that apply returns. It adds
// no entry for nil details, which mean that the key has not changed.
func (s *Service) change(
	ctx context.Context, actor Actor, permission authz.Permission, entry audit.Entry,
	apply func(tx *gorm.DB, key Key) (map[string]any, error),
) error {
	if err := s.authorize(actor.Subject, permission, actor.OrganisationID); err != nil {
		return err
	}
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		key, err := readKey(tx, entry.OrganisationID, entry.Target.ID)
		if err != nil {
			return err
		}
		if err := s.reauthorize(tx, entry, permission, key.OrganisationID); err != nil {
			return err
		}
		if entry.Details, err = apply(tx, key); err != nil || entry.Details == nil {
			return err
		}
		return s.auditLog.AppendIn(tx, entry)
	})
}

// reauthorize reads the actor's role again: the actor may have lost it since the request began.
func (s *Service) reauthorize(
	tx *gorm.DB, entry audit.Entry, permission authz.Permission, owner string,
) error {
	readSubject := s.orgs.LockedSubjectIn
	if permission == RevokeKey { // a revocation must not wait for an import, which locks roles
		readSubject = s.orgs.SubjectIn
	}
	subject, err := readSubject(tx, entry.OrganisationID, entry.Actor.ID)
	if err != nil {
		return err
	}
	return s.authorize(subject, permission, owner)
}

// Rename sets the fields of label that differ from shown, the label in the form. It keeps the other
// fields, which another person may have changed since. It adds an audit entry unless the stored
// label is unchanged. Errors: apperr.AccessDenied, apperr.NotFound (also for another organisation's
// key), apperr.Validation with the field.
func (s *Service) Rename(
	ctx context.Context, actor Actor, id string, shown, label Label, request audit.Request,
) error {
	if err := keyChecks.Check(label); err != nil {
		return err
	}
	entry := actor.entry(audit.KeyRenamed, id, request)
	return s.change(ctx, actor, RenameKey, entry,
		func(tx *gorm.DB, key Key) (map[string]any, error) {
			// The key is locked after the role, so that Rename does not block a revocation while it
			// waits for the role.
			key, err := readKey(tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}),
				key.OrganisationID, id)
			if err != nil {
				return nil, err
			}
			if label.Name == shown.Name {
				label.Name = key.Name
			}
			if label.Description == shown.Description {
				label.Description = key.Description
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

// returningLocked reads the columns in the update, because another change may have committed since
// readKey.
var returningLocked = clause.Returning{Columns: []clause.Column{{Name: "name"}, {Name: "revoked_at"}}}

// Revoke revokes a key at once, even during its overlap. Revoking a revoked key is a no-op. Errors:
// apperr.AccessDenied, apperr.NotFound (also for another organisation's key).
func (s *Service) Revoke(ctx context.Context, actor Actor, id string, request audit.Request) error {
	entry := actor.entry(audit.KeyRevoked, id, request)
	return s.change(ctx, actor, RevokeKey, entry,
		func(tx *gorm.DB, key Key) (details map[string]any, err error) {
			result := selectKeys(tx, "apikeys.revoke", key.OrganisationID).Model(&key).
				Clauses(returningLocked).Where("id = ?", id).Where(unrevokedCondition).
				Update("revoked_at", databaseNow)
			if result.RowsAffected > 0 { // otherwise the key was revoked already
				details = map[string]any{"name": key.Name}
			}
			return details, apperr.Annotate(result.Error, "apikeys: revoke")
		})
}
