package ui

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/authz"
)

// Principal is the signed-in person of a request.
type Principal struct {
	identity.Session
	// in the organisation of the path; on other screens the person's only one, or the zero value
	org.Membership
	all []org.Membership // of a person in several organisations
	at  string           // the path of the request
	// whether the request was refused only because two-step verification is off
	LacksTwoStep bool
	// whether the person is owner or admin of any organisation; set on screens of no organisation
	manages bool
	policy  Policy
}

type placeKey struct{}

// SetPlace stores how to release the request's place in the limiter of its organisation.
func SetPlace(c *fiber.Ctx, release func()) { c.Locals(placeKey{}, release) }

// ReleasePlace releases the place early, because reports and downloads have limiters of their own.
func ReleasePlace(c *fiber.Ctx) {
	if release, ok := c.Locals(placeKey{}).(func()); ok {
		release()
	}
}

type principalKey struct{}

// PrincipalOf returns the principal of the request, or nil before its authentication.
func PrincipalOf(c *fiber.Ctx) *Principal {
	p, _ := c.Locals(principalKey{}).(*Principal)
	return p
}

// Subject returns the principal for the authorisation policy.
func (p *Principal) Subject() authz.Subject {
	return authz.Subject{
		Kind:           authz.Member,
		OrganisationID: p.OrganisationID,
		Grants:         authz.MemberGrants(string(p.Role), p.Person.TwoStep),
	}
}

// KeyActor is the principal as modules/apikeys records it.
func (p *Principal) KeyActor() apikeys.Actor {
	return apikeys.Actor{
		Person:  apikeys.Person{ID: p.Person.ID, Name: p.Person.Name},
		Subject: p.Subject(),
	}
}

// AuditActor is the principal as the audit log names it.
func (p *Principal) AuditActor() audit.Actor {
	return audit.Actor{Kind: audit.Person, ID: p.Person.ID, Name: p.Person.Name}
}

// IsMember reports whether the principal has the role member, which sees no screen but the account.
func (p *Principal) IsMember() bool { return p.Role == org.RoleMember }

// Path returns the path of a screen of the organisation.
func (p *Principal) Path(screen string) string {
	return OrganisationPath(p.Organisation.Slug) + screen
}

// Account returns the path of a screen of the account. For a person in several organisations it
// keeps the current one.
func (p *Principal) Account(screen string) string {
	if len(p.all) == 0 || p.Organisation.ID == "" {
		return "/account" + screen
	}
	return WithParam("/account"+screen, "org", p.Organisation.Slug)
}

// TwoStepFor returns the path where two-step verification is set up, before it continues to next.
func (p *Principal) TwoStepFor(next string) string {
	return WithParam(p.Account("/two-step"), "next", next)
}

// sameScreen returns the path of the corresponding screen in another organisation.
func (p *Principal) sameScreen(m org.Membership) string {
	parts := append(strings.Split(p.at, "/"), "", "", "", "")
	switch other := OrganisationPath(m.Organisation.Slug); {
	case parts[1] == "docs", parts[1] == "account":
		return WithParam(p.at, "org", m.Organisation.Slug)
	case m.Role == org.RoleMember:
		return WithParam("/account", "org", m.Organisation.Slug) // the only screen of members
	case parts[1] == "o" && parts[3] == "settings" && parts[4] != "":
		return other + "/settings/" + parts[4]
	default:
		return other + "/reports"
	}
}
