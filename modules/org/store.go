package org

import (
	"errors"
	"fmt"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/input"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

var errOrganisationNotFound = apperr.New(apperr.NotFound, "No such organisation.")

type organisationRow struct {
	ID            string
	Slug          string
	Name          string
	Plan          string
	ReportingMode string
	Version       int64
}

func (organisationRow) TableName() string { return "organisations" }

func (r organisationRow) organisation() Organisation {
	return Organisation{
		ID:            r.ID,
		Slug:          r.Slug,
		Name:          r.Name,
		Plan:          Plan(r.Plan),
		ReportingMode: ReportingMode(r.ReportingMode),
		Version:       r.Version,
	}
}

// OrganisationIn reads an organisation in the caller's transaction. Errors: apperr.NotFound.
func (s *Service) OrganisationIn(tx *gorm.DB, id string) (Organisation, error) {
	var row organisationRow
	err := tx.Scopes(postgres.Tag("org.organisation"), tenant.Scope(id)).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Organisation{}, errOrganisationNotFound
	}
	if err != nil {
		return Organisation{}, fmt.Errorf("org: organisation: %w", err)
	}
	return row.organisation(), nil
}

type subjectRow struct {
	Role    string
	TwoStep bool
}

// SubjectIn reads in the caller's transaction what the person may do in the organisation, and locks
// role and two-step verification until that ends. A person who is not a member has no grants.
func (s *Service) SubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error) {
	// A function of the database's owner: a lock wants rights that the serving role does not have.
	return loadSubject(tenant.Raw(tx, organisationID,
		`/* org.lockedSubject */ select role, two_step from lock_membership(@org, ?)`, personID),
		organisationID, personID)
}

// CurrentSubjectIn is SubjectIn without the locks, for callers that must not wait for a long
// change, such as an import.
func (s *Service) CurrentSubjectIn(
	tx *gorm.DB, organisationID, personID string,
) (authz.Subject, error) {
	return loadSubject(tx.Scopes(postgres.Tag("org.subject"), tenant.Scope(organisationID)).
		Model(&membershipRow{}).
		Select(
			"role, exists (select from users where id = user_id and totp_secret is not null) as two_step",
		).
		Where("user_id = ?", personID),
		organisationID, personID)
}

func loadSubject(query *gorm.DB, organisationID, personID string) (authz.Subject, error) {
	subject := authz.Subject{Kind: authz.Member, OrganisationID: organisationID}
	if !input.IsID(organisationID) || !input.IsID(personID) {
		return subject, nil
	}
	var row subjectRow
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
