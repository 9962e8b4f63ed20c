package ui

import (
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
)

// Principal is the signed-in person of a request.
type Principal struct {
	identity.Session
	// in the organisation of the path; on other screens the person's only one, or the zero value
	org.Membership
	all []org.Membership // of a person in several organisations
	// whether the request was refused only because two-step verification is off
	LacksTwoStep bool
	// whether the person is owner or admin of any organisation; set on screens of no organisation
	manages bool
	policy  Policy
}

type slotKey struct{}

// SetSlot stores how to release the request's slot in the limiter of its organisation.
func SetSlot(c *fiber.Ctx, release func()) { c.Locals(slotKey{}, release) }

// ReleaseSlot releases the slot early, because reports and downloads have limiters of their own.
func ReleaseSlot(c *fiber.Ctx) {
	if release, ok := c.Locals(slotKey{}).(func()); ok {
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

// KeyActor returns the principal as modules/apikeys records it.
func (p *Principal) KeyActor() apikeys.Actor {
	return apikeys.Actor{
		Person:  apikeys.Person{ID: p.Person.ID, Name: p.Person.Name},
		Subject: p.Subject(),
	}
}

// AuditActor returns the principal as the audit log names it.
func (p *Principal) AuditActor() audit.Actor {
	return audit.Actor{Kind: audit.Person, ID: p.Person.ID, Name: p.Person.Name}
}

// IsMember reports whether the principal has the role member, which sees no screen but the account.
func (p *Principal) IsMember() bool { return p.Role == org.RoleMember }

// Path returns the path of a screen of the organisation.
func (p *Principal) Path(screen string) string {
	return OrganisationPath(p.Organisation.Slug) + screen
}

// TwoStepFor returns the path where two-step verification is set up, before it continues to next.
func (p *Principal) TwoStepFor(next string) string {
	return WithParam("/account/two-step", "next", next)
}

// May reports whether the principal holds the permission in the organisation. An error of the
// policy counts as no.
func (p *Principal) May(permission authz.Permission) bool {
	return p.authorize(permission, p.Organisation.ID) == nil
}

// authorize returns an error that says who can help if the principal lacks the permission on what
// owner owns. owner comes from the loaded row, never from the request.
func (p *Principal) authorize(permission authz.Permission, owner string) error {
	err := p.Decide(permission, owner)
	if errors.Is(err, authz.ErrDenied) {
		return apperr.New(apperr.AccessDenied, "%s", p.denialReason(permission))
	}
	return err
}

// Decide asks the policy, without explaining a denial. Errors: authz.ErrDenied.
func (p *Principal) Decide(permission authz.Permission, owner string) error {
	return p.policy.Authorize(p.Subject(), permission, owner)
}

// wouldWithTwoStep reports whether two-step verification is all that the principal lacks for the
// permission.
func (p *Principal) wouldWithTwoStep(permission authz.Permission) bool {
	with := *p
	with.Person.TwoStep = true
	return !p.Person.TwoStep && with.May(permission)
}

// AuthorizeAll decides on each item by its owner. It asks the policy once for consecutive items of
// one owner.
func AuthorizeAll[T any](
	p *Principal, permission authz.Permission, things []T, ownerOf func(T) string,
) error {
	for i, thing := range things {
		if owner := ownerOf(thing); i == 0 || owner != ownerOf(things[i-1]) {
			if err := p.authorize(permission, owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// denialReason says why the principal lacks a permission, and who can help. U+2068 and U+2069
// isolate the text direction of the organisation's name.
func (p *Principal) denialReason(permission authz.Permission) string {
	switch {
	case p.IsMember():
		return fmt.Sprintf("Only owners and admins of \u2068%s\u2069 can open reports and settings. "+
			"The operator of DG can change your role.", p.Organisation.Name)
	case p.wouldWithTwoStep(permission):
		return "Turn on two-step verification first, in your account settings."
	}
	return "Your role does not allow this. Ask an owner of the organisation."
}
