package account

import (
	"github.com/gofiber/fiber/v2"

	"dg/web/ui"
)

type formView struct {
	ui.Layout
	ui.FormErrors
}

// WellKnownPassword handles GET /.well-known/change-password, which password managers open.
func (h *Handler) WellKnownPassword(c *fiber.Ctx) error { return c.Redirect("/account/password") }

// PasswordForm handles GET /account/password.
func (h *Handler) PasswordForm(c *fiber.Ctx, p *ui.Principal) error {
	return h.renderPassword(c, p, fiber.StatusOK, ui.FormErrors{})
}

func (h *Handler) renderPassword(c *fiber.Ctx, p *ui.Principal, status int, f ui.FormErrors) error {
	return h.Render(c, status, "password",
		&formView{accountLayout(p, ui.TitleOf("Change password", status)), f})
}

// ChangePassword handles POST /account/password.
func (h *Handler) ChangePassword(c *fiber.Ctx, p *ui.Principal) error {
	password, f := newPasswordOf(c)
	if f.Errors != nil {
		return h.renderPassword(c, p, fiber.StatusUnprocessableEntity, f)
	}
	session, err := h.Identity.ChangePassword(c.UserContext(), p.Token, ui.ProofOf(c), password)
	if f, status := ui.ProofErrors(c, err); status != 0 {
		return h.renderPassword(c, p, status, f)
	}
	if err != nil {
		return err
	}
	return redirectToAccount(c, session,
		ui.Notice{Strong: "Password changed.", Before: otherSessionsEnded})
}

func newPasswordOf(c *fiber.Ctx) (password string, f ui.FormErrors) {
	password = ui.FormValue(c, "new")
	if password != ui.FormValue(c, "repeat") {
		f = ui.FieldError("repeat", "The passwords do not match.")
	}
	return password, f
}
