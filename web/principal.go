package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/authz"
	"dg/platform/postgres"
)

// principal is the signed-in person of a request.
type principal struct {
	Person       identity.Person
	Organisation org.Organisation // of the path; on other screens the person's only one, or the zero value
	Role         org.Role
	memberOf     string           // the organisation of the membership
	all          []org.Membership // of a person in several organisations
	at           string           // the path of the request
	LacksTwoStep bool             // whether the request was refused for want of two-step verification alone
	manages      bool             // whether the person is owner or admin of any organisation; set on screens of no organisation
	token        string
	position     postgres.Position // of the session
	policy       Policy
	locale       locale
}

type principalKey struct{}

// principalOf returns the principal that authenticate found for the request, or nil.
func principalOf(c *fiber.Ctx) *principal {
	p, _ := c.Locals(principalKey{}).(*principal)
	return p
}

// join makes the membership the principal's.
func (p *principal) join(m org.Membership) {
	p.memberOf, p.Organisation, p.Role = m.OrganisationID, m.Organisation, m.Role
}

// joinNamed makes the membership of the organisation that the query names the principal's, if the person has it.
func (p *principal) joinNamed(c *fiber.Ctx, all []org.Membership) {
	for _, m := range all {
		if m.Organisation.Slug == c.Query("org") {
			p.join(m)
		}
	}
}

// subject is the principal as the policy sees it.
func (p *principal) subject() authz.Subject {
	return authz.Subject{
		Kind: authz.Member, OrganisationID: p.memberOf, Grants: authz.MemberGrants(string(p.Role), p.Person.TwoStep),
	}
}

// keyActor is the principal as modules/apikeys records it.
func (p *principal) keyActor() apikeys.Actor {
	return apikeys.Actor{Person: apikeys.Person{ID: p.Person.ID, Name: p.Person.Name}, Subject: p.subject()}
}

// auditActor is the principal as the audit log names it.
func (p *principal) auditActor() audit.Actor {
	return audit.Actor{Kind: audit.Person, ID: p.Person.ID, Name: p.Person.Name}
}

// path is the address of a screen of the organisation.
func (p *principal) path(screen string) string { return organisationPath(p.Organisation.Slug) + screen }

// account is the address of a screen of the account. It keeps the organisation of a person who belongs to several.
func (p *principal) account(screen string) string {
	if len(p.all) == 0 || p.Organisation.ID == "" {
		return "/account" + screen
	}
	return withParam("/account"+screen, "org", p.Organisation.Slug)
}

// twoStepFor is where two-step verification is set up, and which then continues to next.
func (p *principal) twoStepFor(next string) string {
	return withParam(p.account("/two-step"), "next", next)
}

// sameScreen is the address of the screen of this kind in another organisation.
func (p *principal) sameScreen(m org.Membership) string {
	parts := append(strings.Split(p.at, "/"), "", "", "", "")
	switch other := organisationPath(m.Organisation.Slug); {
	case parts[1] == "docs", parts[1] == "account":
		return withParam(p.at, "org", m.Organisation.Slug)
	case m.Role == org.RoleMember:
		return withParam("/account", "org", m.Organisation.Slug) // the only screen of members
	case parts[1] == "o" && parts[3] == "settings" && parts[4] != "":
		return other + "/settings/" + parts[4]
	default:
		return other + "/reports"
	}
}
