package apikeys

import (
	"context"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/authz"
)

// Organisations reads roles within the transaction of a change of keys. Package org implements it.
type Organisations interface {
	// SubjectIn returns the person's grants and locks them until the transaction ends;
	// CurrentSubjectIn only reads them.
	SubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error)
	CurrentSubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error)
}

// change calls apply with the target of the entry, and adds the entry with the details that apply
// returns, in one transaction. Nil details mean that nothing changed: no entry is added.
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

// reauthorize authorises by the actor's role in this transaction, because the role may have been
// lost since the request began. Errors: apperr.AccessDenied.
func (s *Service) reauthorize(
	tx *gorm.DB, entry audit.Entry, want authz.Permission, owner string,
) error {
	role := s.orgs.SubjectIn
	if want == authz.RevokeKey { // without a lock: stopping a leaked key must never wait
		role = s.orgs.CurrentSubjectIn
	}
	subject, err := role(tx, entry.OrganisationID, entry.Actor.ID)
	if err != nil {
		return err
	}
	return s.authorize(subject, want, owner)
}
