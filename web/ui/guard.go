package ui

import (
	"context"
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
)

// Guard authenticates the person of a request and authorises them in their organisation.
type Guard struct {
	Sessions Sessions
	Orgs     Memberships
	Policy   Policy

	// for AccessCheck: on a pool of their own, so that a check does not wait for requests
	RecheckSessions Sessions
	RecheckOrgs     Memberships
}

// Reader returns the principal of a public page, or nil without a signed-in session. It ignores
// database failures, so that the documentation stays readable. The error is always nil.
func (g *Guard) Reader(c *fiber.Ctx) (*Principal, error) {
	p, _ := g.WithMemberships(c)
	return p, nil
}

// WithMemberships is SignedIn with the person's memberships, for paths without an organisation. An
// only membership also becomes the principal's Membership.
func (g *Guard) WithMemberships(c *fiber.Ctx) (*Principal, error) {
	p, err := g.SignedIn(c)
	if err != nil {
		return nil, err
	}
	p.Memberships, err = g.Orgs.MembershipsOf(c.UserContext(), p.Person.ID)
	if len(p.Memberships) == 1 {
		p.Membership = p.Memberships[0]
	}
	return p, err
}

var errNoOrganisation = apperr.New(apperr.NotFound,
	"Organisation not found, or you are not a member of it.")

// Member returns the signed-in person as a member of the path's organisation, or SignedIn's error,
// apperr.NotFound for non-members, or apperr.AccessDenied without the permission.
func (g *Guard) Member(c *fiber.Ctx, permission authz.Permission) (*Principal, error) {
	p, err := g.SignedIn(c)
	if err != nil {
		return nil, err
	}
	slug, err := url.PathUnescape(c.Params("org"))
	if err != nil {
		return nil, errNoOrganisation
	}
	m, err := g.Orgs.Membership(c.UserContext(), p.Person.ID, slug)
	if apperr.Is(err, apperr.NotFound) {
		return nil, errNoOrganisation
	}
	if err != nil {
		return nil, err
	}
	p.Membership = m
	if m.HasOthers {
		p.Memberships, err = g.Orgs.MembershipsOf(c.UserContext(), p.Person.ID)
		if err != nil {
			return nil, err
		}
	}
	if err := p.authorize(permission, p.Organisation.ID); err != nil {
		p.LacksTwoStep = p.lacksOnlyTwoStep(permission)
		return nil, err
	}
	return p, nil
}

// ErrCodeDue wraps ErrNoSession: until the code is verified, the session is not signed in.
var ErrCodeDue = fmt.Errorf("web: the code is due: %w", identity.ErrNoSession)

// SignedIn returns the principal of the request's session, without a membership, and stores it for
// PrincipalOf. Errors: identity.ErrNoSession or ErrCodeDue if no session is signed in,
// apperr.AccessDenied for a form that another account opened, as in another tab.
func (g *Guard) SignedIn(c *fiber.Ctx) (*Principal, error) {
	token := c.Cookies(SessionCookie)
	if token == "" {
		return nil, identity.ErrNoSession
	}
	session, err := g.Sessions.Session(c.UserContext(), token)
	if err != nil {
		return nil, err
	}
	if session.SecondStepDue {
		return nil, ErrCodeDue
	}
	p := &Principal{Session: session, policy: g.Policy}
	c.Locals(principalKey{}, p)
	httpserver.MarkAuthenticated(c)
	if opener := FormValue(c, "account"); opener != "" && opener != p.Person.ID {
		return nil, apperr.New(apperr.AccessDenied, "This form was opened by another account. "+
			"You are signed in as \u2068%s\u2069. Nothing was changed.", p.Person.Name)
	}
	return p, nil
}

// AccessCheck returns a function that fails once the principal is signed out or lacks the permission.
// Downloads call it between blocks, also after their handler has returned.
func (g *Guard) AccessCheck(p *Principal, permission authz.Permission) func(context.Context) error {
	return func(ctx context.Context) error {
		session, err := g.RecheckSessions.Session(ctx, p.Token)
		if err != nil {
			return err
		}
		now := Principal{Session: session, policy: g.Policy}
		now.Membership, err = g.RecheckOrgs.Membership(ctx, session.Person.ID, p.Organisation.Slug)
		if err != nil {
			return err
		}
		// by the id from the start, because the slug may name another organisation by now
		return now.authorize(permission, p.Organisation.ID)
	}
}
