package web

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// enrolView is two-step verification being set up, or, where there is no offer, turned off.
type enrolView struct {
	shell
	proofView
	Secret string // in groups of four
	QR     *qrCode
	Issuer string
}

// askTwoStep answers GET /account/two-step.
func (s *Site) askTwoStep(c *fiber.Ctx, v *visit) error {
	return s.showTwoStep(c, v, fiber.StatusOK, proofView{})
}

func (s *Site) showTwoStep(c *fiber.Ctx, v *visit, status int, refused proofView) error {
	view := enrolView{proofView: refused}
	if v.Person.TwoStep {
		view.shell = s.accountShell(v, titleOf("Turn off two-step", status), "two-step")
		return s.show(c, status, "enrol-off", &view)
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	offer, err := s.Identity.BeginTwoStep(ctx, v.token)
	if err != nil {
		return s.orSignIn(c, err)
	}
	view.shell = s.accountShell(v, titleOf("Set up two-step", status), "two-step")
	view.Secret, view.QR, view.Issuer = inFours(offer.Secret), newQRCode(offer.URL), identity.Issuer
	return s.show(c, status, "enrol", &view)
}

// changeTwoStep answers POST /account/two-step: it turns two-step verification on or off.
func (s *Site) changeTwoStep(c *fiber.Ctx, v *visit) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	var codes []string
	var session identity.Session
	var err error
	if formValue(c, "do") == "off" {
		session, err = s.Identity.TurnOffTwoStep(ctx, v.token, proofOf(c))
	} else {
		codes, session, err = s.Identity.ConfirmTwoStep(ctx, v.token, proofOf(c))
	}
	if refused, status := proofRefused(c, err); status != 0 {
		return s.showTwoStep(c, v, status, refused)
	}
	switch {
	case errors.Is(err, identity.ErrTwoStepOn), errors.Is(err, identity.ErrTwoStepOff):
		return c.Redirect("/account/two-step", fiber.StatusSeeOther) // changed elsewhere meanwhile: look again
	case err != nil:
		return s.orSignIn(c, err)
	case codes != nil:
		return s.showRecoveryCodes(c, v, session, "Two-step is on", codes)
	}
	return s.changed(c, session)
}

// inFours is a secret as it is easiest to type.
func inFours(secret string) string {
	var b strings.Builder
	for i, r := range secret {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}
