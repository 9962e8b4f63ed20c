package org

import (
	"fmt"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/authz"
)

var (
	errGroupNotFound        = apperr.New(apperr.NotFound, "No such group. Check groupId.")
	errOrganisationNotFound = apperr.New(apperr.NotFound, "No such organisation.")
)

type organisationRow struct {
	ID            string
	Slug          string
	Name          string
	Plan          string
	ReportingMode string
	Version       int64
}

func (r organisationRow) organisation() Organisation {
	return Organisation{ID: r.ID, Slug: r.Slug, Name: r.Name, Plan: Plan(r.Plan), ReportingMode: ReportingMode(r.ReportingMode), Version: r.Version}
}

// OrganisationIn reads an organisation in the caller's transaction.
// Errors: apperr.NotFound.
func (s *Service) OrganisationIn(tx *gorm.DB, id string) (Organisation, error) {
	var row organisationRow
	found := tx.Raw("/* org.organisation */ select id, slug, name, plan, reporting_mode, version from organisations where id = ?", id).Scan(&row)
	if found.Error != nil {
		return Organisation{}, fmt.Errorf("org: organisation: %w", found.Error)
	}
	if found.RowsAffected == 0 {
		return Organisation{}, errOrganisationNotFound
	}
	return row.organisation(), nil
}

const (
	lockedSubject  = "/* org.lockedSubject */ select role, two_step from lock_membership(?, ?)"
	currentSubject = "/* org.subject */ select m.role, u.totp_secret is not null as two_step from memberships m join users u on u.id = m.user_id where m.org_id = ? and m.user_id = ?"
)

// SubjectIn reads in the caller's transaction what the person may do in the organisation, and locks role and two-step
// verification until that ends. A person who is not a member has no grants.
func (s *Service) SubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error) {
	return subjectIn(tx, lockedSubject, organisationID, personID)
}

// CurrentSubjectIn is SubjectIn without the locks, for callers that must not wait for a long change, such as an import.
func (s *Service) CurrentSubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error) {
	return subjectIn(tx, currentSubject, organisationID, personID)
}

func subjectIn(tx *gorm.DB, sql, organisationID, personID string) (authz.Subject, error) {
	subject := authz.Subject{Kind: authz.Member, OrganisationID: organisationID}
	if !IsID(organisationID) || !IsID(personID) {
		return subject, nil
	}
	var row struct {
		Role    string
		TwoStep bool
	}
	found := tx.Raw(sql, organisationID, personID).Scan(&row)
	if found.Error != nil {
		return subject, fmt.Errorf("org: subject: %w", found.Error)
	}
	if found.RowsAffected > 0 {
		subject.Grants = authz.MemberGrants(row.Role, row.TwoStep)
	}
	return subject, nil
}
