package org

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// Membership is a person's place in an organisation.
type Membership struct {
	Organisation Organisation
	Role         Role
}

// maxMemberships is how many organisations of one person are listed.
const maxMemberships = 100

// MembershipsOf returns the organisations that the person belongs to, by name; at most 100. It names no organisation,
// because it is how one is found: it returns no more than what is the person's own.
func (s *Service) MembershipsOf(ctx context.Context, personID string) ([]Membership, error) {
	return s.memberships(ctx, personID, "")
}

// Membership returns the person's place in the organisation with the slug. Errors: ErrNotFound, the same for an organisation
// that does not exist and for one that the person does not belong to.
func (s *Service) Membership(ctx context.Context, personID, slug string) (Membership, error) {
	if slug == "" || !utf8.ValidString(slug) || strings.Contains(slug, "\x00") { // PostgreSQL knows no such text
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

// Member is somebody of an organisation.
type Member struct {
	PersonID string
	Role     Role
}

// maxMembers is how many members of an organisation are listed.
const maxMembers = 500

// Members returns the members of the organisation, owners first, then admins: at most 500 of them, and how many there are.
func (s *Service) Members(ctx context.Context, organisationID string) (members []Member, all int, err error) {
	return s.members(ctx, organisationID)
}

// maxLogs is to how many of a person's organisations a security event goes.
const maxLogs = 1000

// OrganisationsOf returns the ids of the organisations that the person belongs to, as the caller's transaction sees them; at
// most 1,000. Like MembershipsOf it names no organisation: it returns no more than what is the person's own.
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
