package org

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/input"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// configs/authz_policy.csv grants these permissions to roles.
var (
	ReadOrganisation    = authz.Permission{Resource: "organisation", Action: "read"}
	ChangeReportingMode = authz.Permission{Resource: "reporting_mode", Action: "change"}
)

// Service manages organisations and memberships, lists groups, and erases players.
type Service struct {
	db       *postgres.DB
	auditLog *audit.Log
	policy   *authz.Policy
}

// New returns the service over db.
func New(db *postgres.DB, auditLog *audit.Log, policy *authz.Policy) *Service {
	return &Service{db: db, auditLog: auditLog, policy: policy}
}

var errOrganisationNotFound = apperr.New(apperr.NotFound, "No such organisation.")

// OrganisationIn reads an organisation by id in the caller's transaction. Errors: apperr.NotFound.
func (s *Service) OrganisationIn(tx *gorm.DB, id string) (Organisation, error) {
	return takeOrganisation(tx.Scopes(postgres.Tag("org.organisation"), tenant.Scope(id)))
}

func takeOrganisation(query *gorm.DB) (o Organisation, _ error) {
	err := query.Take(&o).Error
	return o, postgres.OrMissing(err, "org: organisation", errOrganisationNotFound)
}

// LockedSubjectIn returns the person's grants in the organisation, read in the caller's
// transaction. The role and two-step verification stay locked until the transaction ends. The grants
// are empty for a person who is not a member, and for an id that is no UUID.
func (s *Service) LockedSubjectIn(
	tx *gorm.DB, organisationID, personID string,
) (authz.Subject, error) {
	// lock_membership runs as the owner of the tables: the serving role may not lock these rows.
	return loadSubject(tenant.Raw(tx, organisationID,
		`/* org.lockedSubject */ select role, two_step from lock_membership(@org, ?)`, personID),
		organisationID, personID)
}

// SubjectIn is LockedSubjectIn without locks, for callers that must not wait for an import.
func (s *Service) SubjectIn(tx *gorm.DB, organisationID, personID string) (authz.Subject, error) {
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
	result := query.Scan(&row)
	if result.Error != nil || result.RowsAffected == 0 {
		return subject, apperr.Annotate(result.Error, "org: subject")
	}
	subject.Grants = authz.MemberGrants(row.Role, row.TwoStep)
	return subject, nil
}

const (
	maxMemberships = 100  // organisations of one person
	maxMembers     = 500  // members of one organisation
	maxLogs        = 1000 // audit logs that record a change of one account
)

func selectMemberships(ctx context.Context, db *postgres.DB, personID string) *gorm.DB {
	return db.Gorm.WithContext(ctx).
		Scopes(postgres.Tag("org.memberships"),
			tenant.Across("a person's own memberships")).
		InnerJoins("Organisation").Where("user_id = ?", personID)
}

// MembershipsOf returns at most 100 memberships of the person, ordered by the organisation's name.
func (s *Service) MembershipsOf(
	ctx context.Context, personID string,
) (memberships []Membership, _ error) {
	err := selectMemberships(ctx, s.db, personID).Order(`"Organisation".name, org_id`).
		Limit(maxMemberships).Find(&memberships).Error
	for i := range memberships {
		memberships[i].HasOthers = len(memberships) > 1
	}
	return memberships, apperr.Annotate(err, "org: memberships")
}

// Membership returns the person's membership in the organisation with the slug. Errors:
// apperr.NotFound, which hides whether the slug is unknown or the person is not a member.
func (s *Service) Membership(ctx context.Context, personID, slug string) (Membership, error) {
	if !utf8.ValidString(slug) || strings.Contains(slug, "\x00") { // PostgreSQL refuses such text
		return Membership{}, errOrganisationNotFound
	}
	var memberships []Membership
	slugFirst := clause.OrderBy{
		Expression: clause.Expr{SQL: `"Organisation".slug = ? desc`, Vars: []any{slug}},
	}
	err := selectMemberships(ctx, s.db, personID).Order(slugFirst).Limit(2).Find(&memberships).Error
	if err != nil {
		return Membership{}, fmt.Errorf("org: membership: %w", err)
	}
	if len(memberships) == 0 || memberships[0].Organisation.Slug != slug {
		return Membership{}, errOrganisationNotFound
	}
	memberships[0].HasOthers = len(memberships) > 1
	return memberships[0], nil
}

// MembershipOn returns the person's membership in the organisation with the id, read from db.
// Unlike a slug, an id does not change during a download. Errors: apperr.NotFound.
func (s *Service) MembershipOn(
	ctx context.Context, db *postgres.DB, personID, organisationID string,
) (m Membership, _ error) {
	err := selectMemberships(ctx, db, personID).Where("org_id = ?", organisationID).Take(&m).Error
	return m, postgres.OrMissing(err, "org: membership", errOrganisationNotFound)
}

// Members returns at most 500 members of the organisation: owners first, then admins. total also
// counts the members that it omits.
func (s *Service) Members(
	ctx context.Context, organisationID string,
) (members []Member, total int, _ error) {
	var rows []struct {
		Member
		Total int
	}
	err := tenant.Raw(s.db.Gorm.WithContext(ctx), organisationID, `/* org.members */
		select org_id, user_id, role, count(*) over () as total from memberships where org_id = @org
		order by array_position(array['owner', 'admin', 'member'], role), user_id limit ?`,
		maxMembers).Scan(&rows).Error
	for _, r := range rows {
		members = append(members, r.Member)
		total = r.Total
	}
	return members, total, apperr.Annotate(err, "org: members")
}

// OrganisationIDsIn returns the ids of at most 1,000 of the person's organisations, read in tx.
func (s *Service) OrganisationIDsIn(tx *gorm.DB, personID string) (ids []string, err error) {
	err = tx.Scopes(postgres.Tag("org.organisationsOf"),
		tenant.Across("a person's own memberships")).Model(&Member{}).
		Where("user_id = ?", personID).Order("org_id").Limit(maxLogs).Pluck("org_id", &ids).Error
	return ids, apperr.Annotate(err, "org: organisations of a person")
}
