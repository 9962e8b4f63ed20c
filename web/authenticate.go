package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/modules/org"
	"dg/platform/apperr"
	"dg/platform/authz"
	"dg/platform/httpserver"
)

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
		return h.redirectIfEnded(c, handle(c, p))
	}
}

// redirectIfEnded leads to the sign-in if a handler found that the session has ended during the request.
func (h *Handler) redirectIfEnded(c *fiber.Ctx, err error) error {
	if errors.Is(err, identity.ErrNoSession) {
		return h.redirectToSignIn(c)
	}
	return err
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
		h.hints.Accept(p.token, p.Organisation.ID)
		httpserver.WithTenant(c, p.Organisation.ID)
		lease, err := h.admit(c.UserContext(), permission, p)
		if err != nil {
			return err
		}
		defer lease.Release()
		return h.redirectIfEnded(c, handle(c, p))
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
