package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// newCodesView is the form for new recovery codes.
type newCodesView struct {
	layout
	formErrors
}

// recoveryCodesForm answers GET /account/recovery-codes.
func (h *accountHandler) recoveryCodesForm(c *fiber.Ctx, p *principal) error {
	return h.renderRecoveryCodesForm(c, p, fiber.StatusOK, formErrors{})
}

func (h *accountHandler) renderRecoveryCodesForm(c *fiber.Ctx, p *principal, status int, f formErrors) error {
	if !p.Person.TwoStep {
		return c.Redirect(p.account("/two-step"), fiber.StatusSeeOther) // setting it up comes with codes
	}
	return h.Render(c, status, "recovery-codes-new", &newCodesView{accountLayout(p, titleOf("New recovery codes", status), "two-step"), f})
}

// replaceRecoveryCodes answers POST /account/recovery-codes.
func (h *accountHandler) replaceRecoveryCodes(c *fiber.Ctx, p *principal) error {
	codes, session, err := h.TwoStep.ReplaceRecoveryCodes(c.UserContext(), p.token, proofOf(c))
	if f, status := proofErrors(c, err); status != 0 {
		return h.renderRecoveryCodesForm(c, p, status, f)
	}
	switch {
	case errors.Is(err, identity.ErrTwoStepOff):
		return c.Redirect(p.account("/two-step"), fiber.StatusSeeOther)
	case err != nil:
		return err
	}
	say(c, notice{Strong: "Recovery codes replaced.", Before: " The old ones no longer work."})
	return h.renderRecoveryCodes(c, p, session, "New recovery codes", p.account(""), codes)
}

// codesView shows new recovery codes. No other page ever does.
type codesView struct {
	layout
	Codes []string
	Next  string // where to continue
}

// renderRecoveryCodes answers the form itself. If it is sent again, its code counts as used.
func (h *accountHandler) renderRecoveryCodes(c *fiber.Ctx, p *principal, session identity.Session, title, next string, codes []string) error {
	setSession(c, session)
	h.rememberBrowser(c, session)
	p.Person = session.Person
	return h.Render(c, fiber.StatusOK, "recovery-codes", &codesView{accountLayout(p, title, "two-step"), codes, next})
}
