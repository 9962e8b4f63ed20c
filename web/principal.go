package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
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
	lacksTwoStep bool             // whether the request was refused for want of two-step verification alone
	manages      bool             // whether the person is owner or admin of any organisation; set on screens of no organisation
	token        string
	position     postgres.Position // of the session
	policy       Policy
	locale       locale
}

// anyone wraps a handler for everybody: its principal is nil if nobody is signed in, or if the database does not answer. The
// documentation has to be readable then too. The query may name the organisation that the reader comes from.
func (h *Handler) anyone(handle func(*fiber.Ctx, *principal) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		p, err := h.authenticate(c)
		if err == nil && p != nil {
			var all []org.Membership
			all, err = h.memberships(c, p)
			p.joinNamed(c, all)
		}
		if err != nil {
			p = nil
		}
		return handle(c, p)
	}
}

// person wraps a handler for a signed-in person. A session that ends during the request leads to the sign-in.
func (h *Handler) person(handle func(*fiber.Ctx, *principal) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		p, err := h.requireSignIn(c)
		if err != nil || p == nil {
			return err
		}
		all, err := h.memberships(c, p)
		if err != nil {
			return err
		}
		p.joinNamed(c, all)
		err = handle(c, p)
		if errors.Is(err, identity.ErrNoSession) {
			return h.redirectToSignIn(c)
		}
		return err
	}
}

// joinNamed makes the membership of the organisation that the query names the principal's, if the person has it.
func (p *principal) joinNamed(c *fiber.Ctx, all []org.Membership) {
	for _, m := range all {
		if m.Organisation.Slug == c.Query("org") {
			p.join(m)
		}
	}
}

var errNoOrganisation = apperr.New(apperr.NotFound, "Organisation not found, or you are not a member of it.")

// member wraps a handler for members of the organisation in the path who hold the permission.
func (h *Handler) member(permission authz.Permission, handle func(*fiber.Ctx, *principal) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		p, err := h.requireSignIn(c)
		if err != nil || p == nil {
			return err
		}
		slug, err := url.PathUnescape(c.Params("org"))
		if err != nil {
			return errNoOrganisation
		}
		m, err := h.Orgs.Membership(c.UserContext(), p.Person.ID, slug)
		if apperr.Is(err, apperr.NotFound) {
			return errNoOrganisation
		}
		if err != nil {
			return err
		}
		p.join(m)
		if m.Several {
			if p.all, err = h.Orgs.MembershipsOf(c.UserContext(), p.Person.ID); err != nil {
				return err
			}
		}
		if err := p.authorize(permission, p.Organisation.ID); err != nil {
			p.lacksTwoStep = p.wouldWithTwoStep(permission)
			return err
		}
		h.known.Accept(p.token, p.Organisation.ID)
		h.inTurn(c, p.Organisation.ID)
		lease, err := h.admit(c.UserContext(), permission, p)
		if err != nil {
			return err
		}
		defer lease.Release()
		return handle(c, p)
	}
}

// requireSignIn returns the principal of the request. If nobody is signed in it redirects to the sign-in and returns neither
// principal nor error.
func (h *Handler) requireSignIn(c *fiber.Ctx) (*principal, error) {
	p, err := h.authenticate(c)
	if err != nil || p != nil {
		return p, err
	}
	return nil, h.redirectToSignIn(c)
}

// redirectToSignIn leads to the sign-in and back. A form is shown again, with its text; it is not sent again. Every form has the
// address of the page that shows it.
func (h *Handler) redirectToSignIn(c *fiber.Ctx) error {
	if c.Method() == fiber.MethodPost {
		h.keepDraft(c)
	}
	return c.Redirect(h.auth.SignInPath(cmp.Or(downloadScreen(c), localPath(c.OriginalURL()))), fiber.StatusSeeOther)
}

// errCodeDue says that the sign-in waits for its code.
var errCodeDue = fmt.Errorf("web: the code is due: %w", identity.ErrNoSession)

// authenticate returns the principal of the request, or nil if nobody is signed in.
func (h *Handler) authenticate(c *fiber.Ctx) (*principal, error) {
	p, err := h.signedIn(c)
	if errors.Is(err, identity.ErrNoSession) {
		return nil, nil
	}
	return p, err
}

// signedIn returns the principal of the request. Errors: identity.ErrNoSession, errCodeDue.
func (h *Handler) signedIn(c *fiber.Ctx) (*principal, error) {
	session, err := h.auth.Session(c.UserContext(), c)
	if err != nil {
		return nil, err
	}
	if session.SecondStepDue {
		return nil, errCodeDue
	}
	p := &principal{Person: session.Person, at: c.Path(), token: session.Token, position: session.Position, policy: h.Policy, locale: newLocale(session.Person.Region, c.Get(fiber.HeaderAcceptLanguage))}
	c.Locals(principalKey{}, p)
	httpserver.MarkAuthenticated(c)
	return p, nil
}

type principalKey struct{}

// principalOf returns the principal that authenticate found for the request, or nil.
func principalOf(c *fiber.Ctx) *principal {
	p, _ := c.Locals(principalKey{}).(*principal)
	return p
}

// memberships returns the person's memberships. If there is one, it becomes the principal's.
func (h *Handler) memberships(c *fiber.Ctx, p *principal) ([]org.Membership, error) {
	all, err := h.Orgs.MembershipsOf(c.UserContext(), p.Person.ID)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		p.manages = p.manages || m.Role != org.RoleMember
	}
	if len(all) == 1 {
		p.join(all[0])
	} else {
		p.all = all
	}
	return all, nil
}

// join makes the membership the principal's.
func (p *principal) join(m org.Membership) {
	p.memberOf, p.Organisation, p.Role = m.OrganisationID, m.Organisation, m.Role
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

// may reports whether the principal holds the permission in the organisation: a screen offers only what is allowed. An error of
// the policy counts as no.
func (p *principal) may(permission authz.Permission) bool {
	return p.authorize(permission, p.Organisation.ID) == nil
}

// authorize returns nil if the principal holds the permission on what the owner has, or an error that says who can help. The
// owner is that of the loaded thing.
func (p *principal) authorize(permission authz.Permission, owner string) error {
	err := p.policy.Authorize(p.subject(), permission, owner)
	if errors.Is(err, authz.ErrDenied) {
		return apperr.New(apperr.AccessDenied, "%s", p.denialReason(permission))
	}
	return err
}

// wouldWithTwoStep reports whether two-step verification is all that the principal lacks for the permission.
func (p *principal) wouldWithTwoStep(permission authz.Permission) bool {
	with := *p
	with.Person.TwoStep = true
	return !p.Person.TwoStep && with.may(permission)
}

// authorizeAll decides on each of the things by its owner, and on neighbours of the same owner once.
func authorizeAll[T any](p *principal, permission authz.Permission, things []T, ownerOf func(T) string) error {
	for i, thing := range things {
		if owner := ownerOf(thing); i == 0 || owner != ownerOf(things[i-1]) {
			if err := p.authorize(permission, owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// needsTwoStep is why an admin without two-step verification cannot create keys.
const needsTwoStep = "Turn on two-step verification to create keys."

// denialReason says why the principal lacks a permission, and who can help. U+2068 and U+2069 isolate the text direction of the
// organisation's name.
func (p *principal) denialReason(permission authz.Permission) string {
	switch {
	case p.Role == org.RoleMember:
		return "Only owners and admins of \u2068" + p.Organisation.Name + "\u2069 can open reports and settings. To get access, ask an owner to change your role."
	case permission == authz.ChangeReportingMode:
		return "Only an owner can change the reporting mode. Ask an owner of the organisation."
	case permission == authz.CreateKey:
		return needsTwoStep + " Set it up in your account settings."
	case permission == authz.ReplaceKey, permission == authz.RenameKey:
		return "Turn on two-step verification to replace and rename keys. Set it up in your account settings."
	}
	return "Your role does not allow this. Ask an owner of the organisation."
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
