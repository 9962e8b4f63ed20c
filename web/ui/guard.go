package ui

import (
	"context"
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/postgres"
)

// FindReader returns the principal of a public page, or nil without a signed-in session. It ignores
// database failures, so that the documentation stays readable. Its error is always nil.
func (s Services) FindReader(c *fiber.Ctx) (*Principal, error) {
	p, _ := s.RequireSignInWithMemberships(c)
	return p, nil
}

// RequireSignInWithMemberships is RequireSignIn with the person's memberships, for paths without an organisation.
// A person's only membership also becomes the principal's Membership.
func (s Services) RequireSignInWithMemberships(c *fiber.Ctx) (*Principal, error) {
	p, err := s.RequireSignIn(c)
	if err != nil {
		return nil, err
	}
	p.Memberships, err = s.Orgs.MembershipsOf(c.UserContext(), p.Person.ID)
	if len(p.Memberships) == 1 {
		p.Membership = p.Memberships[0]
	}
	return p, err
}

var errNoOrganisation = apperr.New(apperr.NotFound,
	"Organisation not found, or you are not a member of it.")

// RequireMember returns the signed-in person as a member of the path's organisation. Errors: those of
// RequireSignIn, apperr.NotFound for non-members, and apperr.AccessDenied without the permission or
// for a form that was opened in another organisation.
func (s Services) RequireMember(c *fiber.Ctx, permission authz.Permission) (*Principal, error) {
	p, err := s.RequireSignIn(c)
	if err != nil {
		return nil, err
	}
	slug, _ := url.PathUnescape(c.Params("org")) // a malformed slug becomes "", which no organisation has
	p.Membership, err = s.Orgs.Membership(c.UserContext(), p.Person.ID, slug)
	if apperr.Is(err, apperr.NotFound) {
		return nil, errNoOrganisation
	}
	if err != nil {
		return nil, err
	}
	if tenant := FormValue(c, "tenant"); tenant != "" && tenant != p.OrganisationID { // an import moved the slug
		return nil, apperr.New(apperr.AccessDenied,
			"This form was opened in another organisation. Nothing was changed.")
	}
	if p.HasOthers {
		p.Memberships, err = s.Orgs.MembershipsOf(c.UserContext(), p.Person.ID)
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

// RequireSignIn returns the principal of the request's session, without a membership, and stores
// the principal for PrincipalOf. Errors: identity.ErrNoSession or ErrCodeDue without a signed-in
// session, and apperr.AccessDenied for a form that another account opened.
func (s Services) RequireSignIn(c *fiber.Ctx) (*Principal, error) {
	token := c.Cookies(SessionCookie)
	if token == "" {
		return nil, identity.ErrNoSession
	}
	session, err := s.Identity.Session(c.UserContext(), token)
	if err != nil {
		return nil, err
	}
	if session.SecondStepDue {
		return nil, ErrCodeDue
	}
	p := &Principal{Session: session, policy: s.Policy}
	c.Locals(principalKey{}, p)
	httpserver.MarkAuthenticated(c)
	if opener := FormValue(c, "account"); opener != "" && opener != p.Person.ID {
		return nil, apperr.New(apperr.AccessDenied, "This form was opened by another account. "+
			"You are signed in as \u2068%s\u2069. Nothing was changed.", p.Person.Name)
	}
	return p, nil
}

// AccessCheck returns a check that fails once the principal is signed out or lacks the permission.
func (s Services) AccessCheck(p *Principal, permission authz.Permission) exports.Recheck {
	return accessCheck(p, permission, s.Identity.Recheck, s.Orgs.MembershipOn)
}

func accessCheck(
	p *Principal, permission authz.Permission,
	recheckSession func(context.Context, *postgres.DB, identity.Session) error,
	membershipOn func(_ context.Context, _ *postgres.DB, personID, organisationID string) (org.Membership, error),
) exports.Recheck {
	return func(ctx context.Context, db *postgres.DB) error {
		err := recheckSession(ctx, db, p.Session)
		if err != nil {
			return err
		}
		now := Principal{Session: p.Session, policy: p.policy}
		now.Membership, err = membershipOn(ctx, db, p.Person.ID, p.Organisation.ID)
		if err != nil {
			return err
		}
		return now.authorize(permission, p.Organisation.ID)
	}
}

// ForksOf returns the forks of the principal's organisation. It fails if the policy denies one.
func (s Services) ForksOf(ctx context.Context, p *Principal) ([]games.Fork, error) {
	forks, err := s.Games.Forks(ctx, p.Organisation.ID)
	if err != nil {
		return nil, err
	}
	return forks, AuthorizeAll(p, games.ListForks, forks, func(f games.Fork) string {
		return f.OrganisationID
	})
}

// GroupsOf returns the first org.MaxGroups groups of the principal's organisation, and its group
// with the id chosenID, if there is one. It fails if the policy denies one of the groups.
func (s Services) GroupsOf(
	ctx context.Context, p *Principal, permission authz.Permission, chosenID string,
) ([]org.Group, error) {
	groups, err := s.Orgs.Groups(ctx, p.Organisation.ID, chosenID)
	if err != nil {
		return nil, err
	}
	return groups, AuthorizeAll(p, permission, groups, func(g org.Group) string {
		return g.OrganisationID
	})
}
