package org

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// The bounds of lists.
const (
	maxMemberships = 100  // organisations of one person
	maxMembers     = 500  // members of one organisation
	maxLogs        = 1000 // organisations whose logs record a person's security event
)

// MembershipsOf returns the person's memberships by the name of the organisation, at most 100. It is not scoped to an
// organisation, and returns only what is the person's own.
func (s *Service) MembershipsOf(ctx context.Context, personID string) ([]Membership, error) {
	return s.memberships(ctx, personID, "")
}

// Membership returns the person's membership in the organisation with the slug. Errors: apperr.NotFound, the same for an unknown
// organisation and for one that the person does not belong to.
func (s *Service) Membership(ctx context.Context, personID, slug string) (Membership, error) {
	if slug == "" || !utf8.ValidString(slug) || strings.Contains(slug, "\x00") { // PostgreSQL refuses such text
		return Membership{}, errOrganisationNotFound
	}
	found, err := s.memberships(ctx, personID, slug)
	if err != nil {
		return Membership{}, err
	}
	if len(found) == 0 {
		return Membership{}, errOrganisationNotFound
	}
	return found[0], nil
}

// memberships returns the memberships of the person, or the one in the organisation with the slug.
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

// Members returns at most 500 members of the organisation, owners first, then admins, and how many there are.
func (s *Service) Members(ctx context.Context, organisationID string) (_ []Member, all int, _ error) {
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
	members := make([]Member, len(rows))
	for i, r := range rows {
		members[i], all = Member{PersonID: r.UserID, Role: Role(r.Role)}, r.Total
	}
	return members, all, nil
}

// OrganisationsOf returns the ids of at most 1,000 organisations that the person belongs to, in the caller's transaction. Like
// MembershipsOf it returns only what is the person's own.
func (s *Service) OrganisationsOf(ctx context.Context, tx pgx.Tx, personID string) ([]string, error) {
	rows, err := tx.Query(ctx, `/* org.organisationsOf */
		select org_id::text from memberships where user_id = $1 order by org_id limit $2`, personID, maxLogs)
	if err != nil {
		return nil, fmt.Errorf("org: organisations of a person: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("org: organisations of a person: %w", err)
	}
	return ids, nil
}
