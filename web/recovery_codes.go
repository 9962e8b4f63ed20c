package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// newCodesView is the form for new recovery codes.
type newCodesView struct {
	layout
	proofErrors
}

// recoveryCodesForm answers GET /account/recovery-codes.
func (h *Handler) recoveryCodesForm(c *fiber.Ctx, p *principal) error {
	return h.renderRecoveryCodesForm(c, p, fiber.StatusOK, proofErrors{})
}

func (h *Handler) renderRecoveryCodesForm(c *fiber.Ctx, p *principal, status int, refused proofErrors) error {
	if !p.Person.TwoStep {
		return c.Redirect("/account/two-step", fiber.StatusSeeOther) // which comes with codes
	}
	view := newCodesView{layout: h.accountLayout(p, titleOf("New recovery codes", status), "two-step"), proofErrors: refused}
	return h.render(c, status, "recovery-codes-new", &view)
}

// replaceRecoveryCodes answers POST /account/recovery-codes.
func (h *Handler) replaceRecoveryCodes(c *fiber.Ctx, p *principal) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	codes, session, err := h.Identity.ReplaceRecoveryCodes(ctx, p.token, proofOf(c))
	if refused, status := proofRefused(c, err); status != 0 {
		return h.renderRecoveryCodesForm(c, p, status, refused)
	}
	switch {
	case errors.Is(err, identity.ErrTwoStepOff):
		return c.Redirect("/account/two-step", fiber.StatusSeeOther)
	case err != nil:
		return h.orSignIn(c, err)
	}
	return h.renderRecoveryCodes(c, p, session, "New recovery codes", codes)
}

// codesView is recovery codes that have just been made: no other page ever shows them.
type codesView struct {
	layout
	Codes []string
}

// renderRecoveryCodes is the answer to the form itself. Sent again, the form is older than the session, and is refused.
func (h *Handler) renderRecoveryCodes(c *fiber.Ctx, p *principal, session identity.Session, title string, codes []string) error {
	setSession(c, session)
	if err := h.knowBrowser(c, session); err != nil {
		return err
	}
	p.Person = session.Person
	return h.render(c, fiber.StatusOK, "recovery-codes", &codesView{layout: h.accountLayout(p, title, "two-step"), Codes: codes})
}
