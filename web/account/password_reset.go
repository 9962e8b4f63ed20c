package account

import (
	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/web/ui"
)

type resetView struct {
	ui.Layout
	ui.FormErrors
	Token  string
	Person identity.Person
	Done   bool
}

// ResetForm handles GET /account/reset. Opening a link, as mail previews do, does not use it up.
func (h *Handler) ResetForm(c *fiber.Ctx) error {
	return h.renderReset(c, fiber.StatusOK, resetView{Token: c.Query("token")})
}

func (h *Handler) renderReset(c *fiber.Ctx, status int, view resetView) error {
	var err error
	if view.Person, err = h.Identity.PersonOfReset(c.UserContext(), view.Token); err != nil {
		return err
	}
	view.Layout = ui.NewLayout(nil, ui.TitleOf("Set password", status), ui.AreaNone)
	return h.Render(c, status, "password-reset", &view)
}

// ResetPassword handles POST /account/reset. A reset also ends this browser's session.
func (h *Handler) ResetPassword(c *fiber.Ctx) error {
	view := resetView{Token: ui.FormValue(c, "token")}
	var password string
	if password, view.FormErrors = newPasswordOf(c); view.Errors != nil {
		return h.renderReset(c, fiber.StatusUnprocessableEntity, view)
	}
	err := h.Identity.ResetPassword(c.UserContext(), view.Token, password, c.Cookies(ui.SessionCookie))
	if f, status := ui.ProofErrors(c, err); status != 0 {
		view.FormErrors = f
		return h.renderReset(c, status, view)
	}
	if err != nil {
		return err
	}
	ui.ClearCookie(c, ui.SessionCookie)
	view.Layout = ui.NewLayout(nil, "Password set", ui.AreaNone)
	view.Done = true
	return h.Render(c, fiber.StatusOK, "password-reset", &view)
}
