package org

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
)

var (
	errGroupNotFound        = apperr.New(apperr.NotFound, "There is no such group. Check groupId.")
	errOrganisationNotFound = apperr.New(apperr.NotFound, "There is no such organisation.")
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
// Errors: ErrNotFound.
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

// How SubjectIn reads: with the membership and the person locked until the transaction ends, or as they are.
const (
	lockedSubject  = "/* org.lockedSubject */ select role, two_step from lock_membership(?, ?)"
	currentSubject = "/* org.subject */ select m.role, u.totp_secret is not null as two_step from memberships m join users u on u.id = m.user_id where m.org_id = ? and m.user_id = ?"
)

// SubjectIn reads in the caller's transaction what the person is in the organisation now, and keeps it so until that ends: a
// change of the role or of two-step verification waits. Who is no member has no grants.
func (s *Service) SubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error) {
	return subjectIn(tx, lockedSubject, organisationID, personID)
}

// CurrentSubjectIn is SubjectIn without the locks, for what must not wait for others' changes, such as a long import.
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

func (s *Service) groupOwner(ctx context.Context, groupID string) (string, error) {
	var owner string
	found := s.db.Gorm.WithContext(ctx).Raw("/* org.groupOwner */ select org_id from player_groups where id = ?", groupID).Scan(&owner)
	if found.Error != nil {
		return "", fmt.Errorf("org: group owner: %w", found.Error)
	}
	if found.RowsAffected == 0 {
		return "", errGroupNotFound
	}
	return owner, nil
}

// memberships returns the person's memberships, or the one in the organisation with the slug.
func (s *Service) memberships(ctx context.Context, personID, slug string) ([]Membership, error) {
	var rows []struct {
		Organisation organisationRow `gorm:"embedded"`
		Role         string
	}
	err := s.db.Gorm.WithContext(ctx).Raw(`/* org.memberships */
		select o.id, o.slug, o.name, o.plan, o.reporting_mode, o.version, m.role
		  from memberships m join organisations o on o.id = m.org_id
		 where m.user_id = ? and (? = '' or o.slug = ?) order by o.name, o.id limit ?`, personID, slug, slug, maxMemberships).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("org: memberships: %w", err)
	}
	found := make([]Membership, len(rows))
	for i, r := range rows {
		found[i] = Membership{Organisation: r.Organisation.organisation(), Role: Role(r.Role)}
	}
	return found, nil
}

func (s *Service) members(ctx context.Context, organisationID string) ([]Member, int, error) {
	var rows []struct {
		UserID string
		Role   string
		Total  int
	}
	err := s.db.Gorm.WithContext(ctx).Raw(`/* org.members */
		select user_id, role, count(*) over () as total from memberships where org_id = ?
		 order by array_position(array['owner', 'admin', 'member'], role), user_id limit ?`, organisationID, maxMembers).Scan(&rows).Error
	if err != nil {
		return nil, 0, fmt.Errorf("org: members: %w", err)
	}
	members, all := make([]Member, len(rows)), 0
	for i, r := range rows {
		members[i], all = Member{PersonID: r.UserID, Role: Role(r.Role)}, r.Total
	}
	return members, all, nil
}

// setReportingMode records the change from what the mode was, which of two at once the second one learns when the first has
// committed. The actor's role is read again: it may have been taken away since it was looked at. The row is locked no more than its update does, so that refused uses of keys are recorded meanwhile.
func (s *Service) setReportingMode(ctx context.Context, mode ReportingMode, entry audit.Entry) error {
	return s.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		now, err := s.SubjectIn(tx, entry.OrganisationID, entry.Actor.ID)
		if err != nil {
			return err
		}
		if err := s.mayChangeMode(now, entry.OrganisationID); err != nil {
			return err
		}
		var before string
		was := tx.Raw("/* org.reportingMode */ select reporting_mode from organisations where id = ? for no key update", entry.OrganisationID).Scan(&before)
		if was.Error != nil {
			return fmt.Errorf("org: reporting mode: %w", was.Error)
		}
		if was.RowsAffected == 0 {
			return errOrganisationNotFound
		}
		if before == string(mode) {
			return nil
		}
		err = tx.Exec("/* org.setReportingMode */ update organisations set reporting_mode = ? where id = ?", mode, entry.OrganisationID).Error
		if err != nil {
			return fmt.Errorf("org: set the reporting mode: %w", err)
		}
		entry.Details = map[string]any{"from": before, "to": string(mode)}
		return s.log.AppendIn(tx, entry)
	})
}
