package org

import (
	"context"
	"strings"
	"unicode/utf8"
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
