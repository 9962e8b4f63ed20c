package ui

import (
	"context"

	"dg/modules/apikeys"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/authz"
)

// Sessions is the part of identity.Service that authenticates the holder of a session token.
type Sessions interface {
	Session(ctx context.Context, token string) (identity.Session, error)
	// Reauthenticate returns nil if the person entered the password recently, or if the proof is
	// right. Otherwise it returns identity.ErrPasswordDue, ErrWrongPassword, ErrWrongCode,
	// ErrNoSession, a LockedError or apperr.Unavailable.
	Reauthenticate(ctx context.Context, token string, proof identity.Proof) error
}

// Memberships finds a person's organisations, and the person's role in each.
type Memberships interface {
	Membership(ctx context.Context, personID, slug string) (org.Membership, error)
	MembershipsOf(ctx context.Context, personID string) ([]org.Membership, error)
}

// Policy decides whether a subject holds a permission on what an organisation owns.
type Policy interface {
	Authorize(s authz.Subject, want authz.Permission, organisationID string) error
}

// ForkLister lists all forks of an organisation.
type ForkLister interface {
	Forks(ctx context.Context, organisationID string) ([]games.Fork, error)
}

// GroupLister lists the first org.MaxGroups groups, and the chosen one if the organisation has it.
type GroupLister interface {
	Groups(ctx context.Context, organisationID, chosen string) ([]org.Group, error)
}

// KeyLister lists up to apikeys.MaxListed keys of the actor's organisation, newest first.
type KeyLister interface {
	List(ctx context.Context, actor apikeys.Actor) ([]apikeys.Key, error)
}

// ForksOf returns the forks of the principal's organisation. It fails if the policy denies one.
func ForksOf(ctx context.Context, list ForkLister, p *Principal) ([]games.Fork, error) {
	forks, err := list.Forks(ctx, p.Organisation.ID)
	if err != nil {
		return nil, err
	}
	return forks, AuthorizeAll(p, authz.ListForks, forks, func(f games.Fork) string {
		return f.OrganisationID
	})
}

// GroupsOf returns the groups of the principal's organisation. It fails if the policy denies one.
func GroupsOf(
	ctx context.Context, list GroupLister, p *Principal, permission authz.Permission, chosen string,
) ([]org.Group, error) {
	groups, err := list.Groups(ctx, p.Organisation.ID, chosen)
	if err != nil {
		return nil, err
	}
	return groups, AuthorizeAll(p, permission, groups, func(g org.Group) string {
		return g.OrganisationID
	})
}
