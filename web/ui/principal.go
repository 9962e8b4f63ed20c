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

// Principal is the signed-in person of a request, with the membership that applies to the request.
type Principal struct {
	identity.Session
	// membership in the path's organisation; on other paths the person's only one, or the zero value
	org.Membership
	Memberships  []org.Membership // all of the person; nil if the path's organisation is the only one
	LacksTwoStep bool             // whether access was denied only for lack of two-step verification
	policy       *authz.Policy
}

type principalKey struct{}

// PrincipalOf returns the principal that Services.RequireSignIn found for the request, or nil.
func PrincipalOf(c *fiber.Ctx) *Principal {
	p, _ := c.Locals(principalKey{}).(*Principal)
	return p
}

// Subject returns the principal as the policy's subject.
func (p *Principal) Subject() authz.Subject {
	return authz.Subject{
		Kind:           authz.Member,
		OrganisationID: p.OrganisationID,
		Grants:         authz.MemberGrants(string(p.Role), p.Person.TwoStep),
	}
}

// KeyActor returns the principal as the actor that modules/apikeys authorises and records.
func (p *Principal) KeyActor() apikeys.Actor {
	return apikeys.Actor{
		Person:  apikeys.Person{ID: p.Person.ID, Name: p.Person.Name},
		Subject: p.Subject(),
	}
}

// AuditActor returns the principal as an actor of audit entries.
func (p *Principal) AuditActor() audit.Actor {
	return audit.Actor{Kind: audit.Person, ID: p.Person.ID, Name: p.Person.Name}
}

// IsMember reports whether the role is member, which sees neither reports nor settings.
func (p *Principal) IsMember() bool { return p.Role == org.RoleMember }

// Path returns the path of a screen, such as /reports, in the principal's organisation.
func (p *Principal) Path(screen string) string {
	return organisationPath(p.Organisation.Slug) + screen
}

// KeyPath returns the path of a key's page, or of the screen below it, such as /rename.
func (p *Principal) KeyPath(id, below string) string {
	return p.Path(SettingsPath + "/" + id + below)
}

// TwoStepPath returns the path of the form that sets up two-step verification and continues at next.
func (p *Principal) TwoStepPath(next string) string {
	return WithParam("/account/two-step", "next", next)
}

// May reports whether the principal holds the permission. A policy error counts as a denial.
func (p *Principal) May(permission authz.Permission) bool {
	return p.authorize(permission, p.Organisation.ID) == nil
}

// authorize checks a permission on objects of owner, an organisation's id. The id must come from a
// loaded row, not from the request.
func (p *Principal) authorize(permission authz.Permission, owner string) error {
	err := p.Decide(permission, owner)
	if errors.Is(err, authz.ErrDenied) {
		return apperr.New(apperr.AccessDenied, "%s", p.denialReason(permission))
	}
	return err
}

// Decide is authorize without the message: it returns the policy's errors unchanged.
func (p *Principal) Decide(permission authz.Permission, owner string) error {
	return p.policy.Authorize(p.Subject(), permission, owner)
}

func (p *Principal) lacksOnlyTwoStep(permission authz.Permission) bool {
	verified := *p
	verified.Person.TwoStep = true
	return !p.Person.TwoStep && verified.May(permission)
}

// AuthorizeAll returns apperr.AccessDenied if the policy denies any of the objects. It asks the
// policy once for consecutive objects of the same owner.
func AuthorizeAll[T any](
	p *Principal, permission authz.Permission, objects []T, ownerOf func(T) string,
) error {
	for i, object := range objects {
		if owner := ownerOf(object); i == 0 || owner != ownerOf(objects[i-1]) {
			if err := p.authorize(permission, owner); err != nil {
				return err
			}
		}
	}
	return nil
}

// denialReason isolates names (U+2068, U+2069): a right-to-left name would reorder the sentence.
func (p *Principal) denialReason(permission authz.Permission) string {
	switch {
	case p.IsMember():
		return fmt.Sprintf("Only owners and admins of \u2068%s\u2069 can open reports and settings. "+
			"The operator of DG can change your role.", p.Organisation.Name)
	case p.lacksOnlyTwoStep(permission):
		return "Turn on two-step verification first, in your account settings."
	}
	return "Your role does not allow this. Ask an owner of the organisation."
}
