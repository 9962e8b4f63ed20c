package ui

import (
	"context"

	"dg/modules/apikeys"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/authz"
)

// The interfaces of other modules that several packages of screens call. Each package has its own
// besides. The modules' services document the methods and their errors.

// Sessions finds the session of a token, and asks its person for the password.
type Sessions interface {
	Session(ctx context.Context, token string) (identity.Session, error)
	// Reauthenticate returns nil if the token's person entered the password, and the code with
	// two-step verification on, recently or gives both in the proof.
	// Errors: identity.ErrPasswordDue, ErrWrongPassword, ErrWrongCode, ErrNoSession, a LockedError.
	Reauthenticate(ctx context.Context, token string, proof identity.Proof) error
}

// Memberships finds the organisations of a person, and their role in each.
type Memberships interface {
	Membership(ctx context.Context, personID, slug string) (org.Membership, error)
	MembershipsOf(ctx context.Context, personID string) ([]org.Membership, error)
}

// Policy decides what a person may do.
type Policy interface {
	Authorize(s authz.Subject, want authz.Permission, organisationID string) error
}

// ForkLister lists an organisation's forks.
type ForkLister interface {
	Forks(ctx context.Context, organisationID string) ([]games.Fork, error)
}

// GroupLister lists an organisation's groups, the chosen one included.
type GroupLister interface {
	Groups(ctx context.Context, organisationID, chosen string) ([]org.Group, error)
}

// KeyLister lists an organisation's API keys.
type KeyLister interface {
	List(ctx context.Context, actor apikeys.Actor) ([]apikeys.Key, error)
}

// ForksOf returns the forks of the principal's organisation.
func ForksOf(ctx context.Context, list ForkLister, p *Principal) ([]games.Fork, error) {
	forks, err := list.Forks(ctx, p.Organisation.ID)
	if err != nil {
		return nil, err
	}
	return forks, AuthorizeAll(p, authz.ListForks, forks, func(f games.Fork) string {
		return f.OrganisationID
	})
}

// GroupsOf returns the groups of the principal's organisation.
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
