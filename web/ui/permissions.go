package ui

import (
	"errors"
	"fmt"

	"dg/platform/apperr"
	"dg/platform/authz"
)

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
