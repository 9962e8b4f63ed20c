package web

import (
	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
)

// passwordView is the form for a new password.
type passwordView struct {
	layout
	formErrors
}

// passwordForm answers GET /account/password.
func (h *accountHandler) passwordForm(c *fiber.Ctx, p *principal) error {
	return h.renderPassword(c, p, fiber.StatusOK, formErrors{})
}

func (h *accountHandler) renderPassword(c *fiber.Ctx, p *principal, status int, f formErrors) error {
	return h.Render(c, status, "password", &passwordView{accountLayout(p, titleOf("Change password", status), "account"), f})
}

// changePassword answers POST /account/password.
func (h *accountHandler) changePassword(c *fiber.Ctx, p *principal) error {
	form := newPasswordOf(c)
	if f := checkForm(p.locale, form); f.Errors != nil {
		return h.renderPassword(c, p, fiber.StatusUnprocessableEntity, f)
	}
	session, err := h.Accounts.ChangePassword(c.UserContext(), p.token, proofOf(c), form.New)
	if f, status := proofErrors(c, err); status != 0 {
		return h.renderPassword(c, p, status, f)
	}
	switch {
	case apperr.Is(err, apperr.Validation):
		return h.renderPassword(c, p, fiber.StatusUnprocessableEntity, fieldError("new", apperr.From(err).Message))
	case err != nil:
		return err
	}
	return h.redirectToAccount(c, p, session, notice{Strong: "Password changed.", Before: otherSessionsEnded})
}

// newPassword is the part of a form that sets a password.
type newPassword struct {
	New    string
	Repeat string `json:"repeat" validate:"eqfield=New"`
}

func newPasswordOf(c *fiber.Ctx) newPassword {
	return newPassword{formValue(c, "new"), formValue(c, "repeat")}
}
