package web

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// enrolView is two-step verification being set up, or, where there is no offer, turned off.
type enrolView struct {
	layout
	proofErrors
	Secret string // in groups of four
	QR     *qrCode
	Issuer string
}

// twoStepForm answers GET /account/two-step.
func (h *Handler) twoStepForm(c *fiber.Ctx, p *principal) error {
	return h.renderTwoStep(c, p, fiber.StatusOK, proofErrors{})
}

func (h *Handler) renderTwoStep(c *fiber.Ctx, p *principal, status int, refused proofErrors) error {
	view := enrolView{proofErrors: refused}
	if p.Person.TwoStep {
		view.layout = h.accountLayout(p, titleOf("Turn off two-step", status), "two-step")
		return h.render(c, status, "enrol-off", &view)
	}
	ctx, stop := bounded(c.UserContext())
	defer stop()
	offer, err := h.Identity.BeginTwoStep(ctx, p.token)
	if err != nil {
		return h.orSignIn(c, err)
	}
	view.layout = h.accountLayout(p, titleOf("Set up two-step", status), "two-step")
	view.Secret, view.QR, view.Issuer = inFours(offer.Secret), newQRCode(offer.URL), identity.Issuer
	return h.render(c, status, "enrol", &view)
}

// changeTwoStep answers POST /account/two-step: it turns two-step verification on or off.
func (h *Handler) changeTwoStep(c *fiber.Ctx, p *principal) error {
	ctx, stop := bounded(c.UserContext())
	defer stop()
	var codes []string
	var session identity.Session
	var err error
	if formValue(c, "do") == "off" {
		session, err = h.Identity.TurnOffTwoStep(ctx, p.token, proofOf(c))
	} else {
		codes, session, err = h.Identity.ConfirmTwoStep(ctx, p.token, proofOf(c))
	}
	if refused, status := proofRefused(c, err); status != 0 {
		return h.renderTwoStep(c, p, status, refused)
	}
	switch {
	case errors.Is(err, identity.ErrTwoStepOn), errors.Is(err, identity.ErrTwoStepOff):
		return c.Redirect("/account/two-step", fiber.StatusSeeOther) // changed elsewhere meanwhile: look again
	case err != nil:
		return h.orSignIn(c, err)
	case codes != nil:
		return h.renderRecoveryCodes(c, p, session, "Two-step is on", codes)
	}
	return h.changed(c, session)
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
