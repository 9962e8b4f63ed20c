package apikeys

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// Organisations reads plans and roles within the transaction of a change of keys. Package org
// implements it.
type Organisations interface {
	OrganisationIn(tx *gorm.DB, organisationID string) (org.Organisation, error)
	// SubjectIn returns the person's grants and locks them until the transaction ends;
	// CurrentSubjectIn only reads them.
	SubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error)
	CurrentSubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error)
}

// insert stores the key with its windows and its audit entry, if the plan includes the API and the
// quota has room.
func (m *Manager) insert(
	ctx context.Context, row keyRow, overlap time.Duration, entry audit.Entry,
) error {
	return m.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := lockCreation(tx, row.OrgID); err != nil {
			return err
		}
		if row.Replaces == nil {
			entry.Target.ID = row.ID
			entry.Details = map[string]any{"name": row.Name}
			if err := m.reauthorize(tx, entry, authz.CreateKey, row.OrgID,
				m.orgs.SubjectIn); err != nil {
				return err
			}
		} else if err := m.stopReplaced(tx, row, overlap, &entry); err != nil {
			return err
		}
		if err := m.store(tx, row); err != nil {
			return err
		}
		return m.log.AppendIn(tx, entry)
	})
}

// lockCreation serialises creations in an organisation, for the quota. By hand: it is an advisory
// lock.
func lockCreation(tx *gorm.DB, organisationID string) error {
	err := tenant.Exec(tx, organisationID,
		`/* apikeys.lockCreation */ select pg_advisory_xact_lock(hashtextextended('api_keys ' || @org, 0))`).
		Error
	return apperr.Annotate(err, "apikeys: lock creation")
}

// store adds a key with its windows, if the plan includes the API and the quota has room. Errors:
// apperr.AccessDenied.
func (m *Manager) store(tx *gorm.DB, row keyRow) error {
	if err := m.checkQuota(tx, row); err != nil {
		return err
	}
	if err := tx.Scopes(postgres.Tag("apikeys.create"), tenant.Scope(row.OrgID)).Create(&row).Error; err != nil {
		return fmt.Errorf("apikeys: create: %w", err)
	}
	return newWindows(tx, row.ID)
}

// readRole reads the grants of a person in a transaction.
type readRole func(tx *gorm.DB, organisationID, personID string) (authz.Subject, error)

// reauthorize authorises by the actor's role in this transaction, because the role may have been
// lost since the request began. Errors: apperr.AccessDenied.
func (m *Manager) reauthorize(
	tx *gorm.DB, entry audit.Entry, permission authz.Permission, owner string, role readRole,
) error {
	subject, err := role(tx, entry.OrganisationID, entry.Actor.ID)
	if err != nil {
		return err
	}
	return m.authorize(subject, permission, owner)
}

// checkQuota decides whether the organisation may have one more key. Errors: apperr.AccessDenied.
func (m *Manager) checkQuota(tx *gorm.DB, row keyRow) error {
	o, err := m.orgs.OrganisationIn(tx, row.OrgID)
	if err != nil {
		return err
	}
	if !o.Plan.IncludesAPI() {
		return ErrBelowPlan
	}
	var usable int64
	if err := keys(tx, "apikeys.countUsable", row.OrgID).Where(usableAt, databaseNow).
		Count(&usable).
		Error; err != nil {
		return fmt.Errorf("apikeys: count: %w", err)
	}
	if usable >= MaxUsable {
		return ErrTooMany
	}
	return nil
}
