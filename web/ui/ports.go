package ui

import (
	"context"

	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/authz"
)

// The interfaces that all wings use of other modules. Each wing has more in its ports.go. The
// modules' services document the methods and their errors.

// Sessions finds the session of a token, and asks its person for the password.
type Sessions interface {
	Session(ctx context.Context, token string) (identity.Session, error)
	// Reauthenticate returns nil if the token's person entered the password, and the code with
	// two-step verification on, recently or gives both in the proof.
	// Errors: identity.ErrPasswordDue, ErrWrongPassword, ErrWrongCode, ErrNoSession, a LockedError.
	Reauthenticate(ctx context.Context, token string, proof identity.Proof) error
}

// Memberships finds a person's role in an organisation.
type Memberships interface {
	Membership(ctx context.Context, personID, slug string) (org.Membership, error)
}

// MembershipLister finds the organisations of a person.
type MembershipLister interface {
	Memberships
	MembershipsOf(ctx context.Context, personID string) ([]org.Membership, error)
}

// Policy decides what a person may do.
type Policy interface {
	Authorize(s authz.Subject, want authz.Permission, organisationID string) error
}
