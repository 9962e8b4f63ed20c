package web

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// resetView is the form for a new password behind the link of a reset, or, once it was sent, what it has done.
type resetView struct {
	layout
	Token                 string
	Person                identity.Person
	NewError, RepeatError string
	Done                  bool
}

// resetForm answers GET /account/reset. Looking at the link does not use it up: programs that preview links do so.
func (h *Handler) resetForm(c *fiber.Ctx) error {
	return h.renderReset(c, fiber.StatusOK, resetView{Token: c.Query("token")})
}

func (h *Handler) renderReset(c *fiber.Ctx, status int, view resetView) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	var err error
	if view.Person, err = h.Identity.ResetPerson(ctx, view.Token); err != nil {
		return err
	}
	view.layout = h.layout(nil, titleOf("New password", status), areaNone)
	return h.render(c, status, "reset", &view)
}

// useReset answers POST /account/reset. Whoever was signed in in this browser signs out.
func (h *Handler) useReset(c *fiber.Ctx) error {
	view := resetView{Token: formValue(c, "token")}
	password := formValue(c, "new")
	if formValue(c, "repeat") != password {
		view.RepeatError = "This is not the same as the new password. Type both again."
		return h.renderReset(c, fiber.StatusUnprocessableEntity, view)
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	err := h.Identity.UseReset(ctx, view.Token, password)
	if apperr.Is(err, apperr.Validation) {
		view.NewError = apperr.From(err).Message
		return h.renderReset(c, fiber.StatusUnprocessableEntity, view)
	}
	if err != nil {
		return err
	}
	if err := h.endOwnSession(c); err != nil {
		return err
	}
	view.layout, view.Done = h.layout(nil, "Password set", areaNone), true
	return h.render(c, fiber.StatusOK, "reset", &view)
}
