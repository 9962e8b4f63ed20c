package account

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/web/ui"
)

// RecoveryCodesForm handles GET /account/recovery-codes.
func (h *Handler) RecoveryCodesForm(c *fiber.Ctx, p *ui.Principal) error {
	return h.renderRecoveryCodesForm(c, p, fiber.StatusOK, ui.FormErrors{})
}

func (h *Handler) renderRecoveryCodesForm(
	c *fiber.Ctx, p *ui.Principal, status int, f ui.FormErrors,
) error {
	if !p.Person.TwoStep {
		// turning two-step verification on creates the codes
		return c.Redirect("/account/two-step", fiber.StatusSeeOther)
	}
	return h.Render(c, status, "recovery-codes-new",
		&formView{accountLayout(p, ui.TitleOf("New recovery codes", status)), f})
}

// ReplaceRecoveryCodes handles POST /account/recovery-codes.
func (h *Handler) ReplaceRecoveryCodes(c *fiber.Ctx, p *ui.Principal) error {
	codes, session, err := h.Identity.ReplaceRecoveryCodes(c.UserContext(), p.Token, ui.ProofOf(c))
	if f, status := ui.ProofErrors(c, err); status != 0 {
		return h.renderRecoveryCodesForm(c, p, status, f)
	}
	switch {
	case errors.Is(err, identity.ErrTwoStepOff):
		return c.Redirect("/account/two-step", fiber.StatusSeeOther)
	case err != nil:
		return err
	}
	ui.Flash(c, ui.Notice{Strong: "Recovery codes replaced.", Before: " The old ones no longer work."})
	return h.renderRecoveryCodes(c, p, session, "New recovery codes", "/account", codes)
}

type codesView struct {
	ui.Layout
	Codes []string
	Next  string // path of the link "Done"
}

// renderRecoveryCodes does not redirect, because no later page can show the codes. Sending the form
// again creates no codes: the typed code has been used, or two-step verification is already on.
func (h *Handler) renderRecoveryCodes(
	c *fiber.Ctx, p *ui.Principal, session identity.Session, title, next string, codes []string,
) error {
	ui.SetSession(c, session)
	p.Person = session.Person
	return h.Render(c, fiber.StatusOK, "recovery-codes",
		&codesView{accountLayout(p, title), codes, next})
}
