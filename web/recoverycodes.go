package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// newCodesView is the form for new recovery codes.
type newCodesView struct {
	shell
	proofView
}

// askNewRecoveryCodes answers GET /account/recovery-codes.
func (s *Site) askNewRecoveryCodes(c *fiber.Ctx, v *visit) error {
	return s.showNewRecoveryCodes(c, v, fiber.StatusOK, proofView{})
}

func (s *Site) showNewRecoveryCodes(c *fiber.Ctx, v *visit, status int, refused proofView) error {
	if !v.Person.TwoStep {
		return c.Redirect("/account/two-step", fiber.StatusSeeOther) // which comes with codes
	}
	view := newCodesView{shell: s.accountShell(v, titleOf("New recovery codes", status), "two-step"), proofView: refused}
	return s.show(c, status, "recovery-codes-new", &view)
}

// replaceRecoveryCodes answers POST /account/recovery-codes.
func (s *Site) replaceRecoveryCodes(c *fiber.Ctx, v *visit) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	codes, session, err := s.Identity.ReplaceRecoveryCodes(ctx, v.token, proofOf(c))
	if refused, status := proofRefused(c, err); status != 0 {
		return s.showNewRecoveryCodes(c, v, status, refused)
	}
	switch {
	case errors.Is(err, identity.ErrTwoStepOff):
		return c.Redirect("/account/two-step", fiber.StatusSeeOther)
	case err != nil:
		return s.orSignIn(c, err)
	}
	return s.showRecoveryCodes(c, v, session, "New recovery codes", codes)
}

// codesView is recovery codes that have just been made: no other page ever shows them.
type codesView struct {
	shell
	Codes []string
}

// showRecoveryCodes is the answer to the form itself. Sent again, the form is older than the session, and is refused.
func (s *Site) showRecoveryCodes(c *fiber.Ctx, v *visit, session identity.Session, title string, codes []string) error {
	goOnAs(c, session)
	if err := s.knowBrowser(c, session); err != nil {
		return err
	}
	v.Person = session.Person
	return s.show(c, fiber.StatusOK, "recovery-codes", &codesView{shell: s.accountShell(v, title, "two-step"), Codes: codes})
}
