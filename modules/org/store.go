package org

import (
	"errors"
	"fmt"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/input"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// The permissions on organisations.
var (
	ReadOrganisation    = authz.Permission{Resource: "organisation", Action: "read"}
	ChangeReportingMode = authz.Permission{Resource: "reporting_mode", Action: "change"}
)

// Service manages organisations and memberships, lists groups, and erases players.
type Service struct {
	db     *postgres.DB
	log    *audit.Log
	policy *authz.Policy
}

// New returns the service over db.
func New(db *postgres.DB, log *audit.Log, policy *authz.Policy) *Service {
	return &Service{db: db, log: log, policy: policy}
}

var errOrganisationNotFound = apperr.New(apperr.NotFound, "No such organisation.")

// OrganisationIn reads an organisation by id in the caller's transaction. Errors: apperr.NotFound.
func (s *Service) OrganisationIn(tx *gorm.DB, id string) (Organisation, error) {
	return takeOrganisation(tx.Scopes(postgres.Tag("org.organisation"), tenant.Scope(id)))
}

func takeOrganisation(query *gorm.DB) (o Organisation, _ error) {
	err := query.Take(&o).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Organisation{}, errOrganisationNotFound
	}
	return o, apperr.Annotate(err, "org: organisation")
}

// LockedSubjectIn reads in the caller's transaction what the person may do in the organisation. The
// role and two-step verification stay locked until the transaction ends. A person who is not a
// member, or an id that is no UUID, has no grants.
func (s *Service) LockedSubjectIn(
	tx *gorm.DB, organisationID, personID string,
) (authz.Subject, error) {
	// lock_membership runs as the owner of the tables: the serving role may not lock these rows.
	return loadSubject(tenant.Raw(tx, organisationID,
		`/* org.lockedSubject */ select role, two_step from lock_membership(@org, ?)`, personID),
		organisationID, personID)
}

// SubjectIn is LockedSubjectIn without the locks, for callers that must not wait for a long
// transaction such as an import.
func (s *Service) SubjectIn(
	tx *gorm.DB, organisationID, personID string,
) (authz.Subject, error) {
	return loadSubject(tenant.Raw(tx, organisationID, `/* org.subject */ select role,
		exists (select from users where id = user_id and totp_secret is not null) as two_step
		from memberships where org_id = @org and user_id = ?`, personID), organisationID, personID)
}

func loadSubject(query *gorm.DB, organisationID, personID string) (authz.Subject, error) {
	subject := authz.Subject{Kind: authz.Member, OrganisationID: organisationID}
	if !input.IsID(organisationID) || !input.IsID(personID) {
		return subject, nil
	}
	var row struct {
		Role    string
		TwoStep bool
	}
	err := query.Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return subject, nil
	}
	if err != nil {
		return subject, fmt.Errorf("org: subject: %w", err)
	}
	subject.Grants = authz.MemberGrants(row.Role, row.TwoStep)
	return subject, nil
}
