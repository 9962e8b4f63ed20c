package web

import (
	"cmp"
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/authz"
	"dg/web/ui"
)

// anyone wraps a handler of a public page. Its principal is nil without a session, or if the
// database does not answer: the documentation must be readable then too.
func (h *Handler) anyone(handle func(*fiber.Ctx, *ui.Principal) error) fiber.Handler {
	return func(c *fiber.Ctx) error { return handle(c, h.guard.Reader(c)) }
}

// person wraps a handler for a signed-in person. A session that ends during the request leads to
// the sign-in.
func (h *Handler) person(handle func(*fiber.Ctx, *ui.Principal) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		p, err := h.guard.Person(c)
		if err == nil {
			err = handle(c, p)
		}
		return h.redirectIfEnded(c, err)
	}
}

// member wraps a handler for members of the organisation in the path who hold the permission.
func (h *Handler) member(
	permission authz.Permission, handle func(*fiber.Ctx, *ui.Principal) error,
) fiber.Handler {
	return func(c *fiber.Ctx) error {
		p, err := h.guard.Member(c, permission)
		if err != nil {
			return h.redirectIfEnded(c, err)
		}
		h.requests.Accept(p.Token, p.Organisation.ID)
		return h.redirectIfEnded(c, handle(c, p))
	}
}

// redirectIfEnded redirects to the sign-in and back if the session has ended. Every form has the
// address of its page, which is then shown without what was sent.
func (h *Handler) redirectIfEnded(c *fiber.Ctx, err error) error {
	if !errors.Is(err, identity.ErrNoSession) {
		return err
	}
	return c.Redirect(
		h.guard.Auth.SignInPath(cmp.Or(downloadScreen(c), ui.LocalPath(c.OriginalURL()))),
		fiber.StatusSeeOther,
	)
}
