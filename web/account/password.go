package account

import (
	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
	"dg/web/ui"
)

// passwordView is the form for a new password.
type passwordView struct {
	ui.Layout
	ui.FormErrors
}

// PasswordForm answers GET /account/password.
func (h *Handler) PasswordForm(c *fiber.Ctx, p *ui.Principal) error {
	return h.renderPassword(c, p, fiber.StatusOK, ui.FormErrors{})
}

func (h *Handler) renderPassword(c *fiber.Ctx, p *ui.Principal, status int, f ui.FormErrors) error {
	return h.Render(c, status, "password",
		&passwordView{accountLayout(p, ui.TitleOf("Change password", status)), f})
}

// ChangePassword answers POST /account/password.
func (h *Handler) ChangePassword(c *fiber.Ctx, p *ui.Principal) error {
	form := newPasswordOf(c)
	if f := formChecks.Errors(p.Locale, form); f.Errors != nil {
		return h.renderPassword(c, p, fiber.StatusUnprocessableEntity, f)
	}
	session, err := h.Accounts.ChangePassword(c.UserContext(), p.Token, ui.ProofOf(c), form.New)
	if f, status := ui.ProofErrors(c, err); status != 0 {
		return h.renderPassword(c, p, status, f)
	}
	switch {
	case apperr.Is(err, apperr.Validation):
		return h.renderPassword(c, p, fiber.StatusUnprocessableEntity,
			ui.FieldError("new", apperr.From(err).Message))
	case err != nil:
		return err
	}
	return h.redirectToAccount(c, p, session,
		ui.Notice{Strong: "Password changed.", Before: otherSessionsEnded})
}

// formMessages are what the forms say about a field that breaks a rule of its validate tag.
var formMessages = map[string]string{"repeat eqfield": "The passwords do not match."}

var formChecks = ui.NewChecks(formMessages)

// newPassword is the part of a form that sets a password.
type newPassword struct {
	New    string
	Repeat string `json:"repeat" validate:"eqfield=New"`
}

func newPasswordOf(c *fiber.Ctx) newPassword {
	return newPassword{ui.FormValue(c, "new"), ui.FormValue(c, "repeat")}
}
