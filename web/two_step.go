package web

import (
	"errors"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// twoStepView is the form that turns two-step verification on, or off.
type twoStepView struct {
	layout
	formErrors
	Secret string // in groups of four
	QR     *qrCode
	Issuer string
	Action string // of the form that turns it on, which knows where to continue
}

// continueAfter is the page that two-step verification was set up for, or the account.
func continueAfter(c *fiber.Ctx, p *principal) string {
	if c.Query("next") == "" {
		return p.account("")
	}
	return nextOf(c)
}

// twoStepForm answers GET /account/two-step.
func (h *accountHandler) twoStepForm(c *fiber.Ctx, p *principal) error {
	return h.renderTwoStep(c, p, fiber.StatusOK, formErrors{})
}

func (h *accountHandler) renderTwoStep(c *fiber.Ctx, p *principal, status int, f formErrors) error {
	view := twoStepView{formErrors: f}
	if p.Person.TwoStep {
		view.layout = accountLayout(p, titleOf("Turn off two-step verification", status), "two-step")
		return h.Render(c, status, "two-step-off", &view)
	}
	offer, err := h.TwoStep.BeginTwoStep(c.UserContext(), p.token)
	if err != nil {
		return err
	}
	view.layout = accountLayout(p, titleOf("Set up two-step verification", status), "two-step")
	view.Secret, view.QR, view.Issuer = inGroupsOfFour(offer.Secret), newQRCode(offer.URL), identity.Issuer
	view.Action = p.twoStepFor(continueAfter(c, p))
	return h.Render(c, status, "two-step-on", &view)
}

// changeTwoStep answers POST /account/two-step: it turns two-step verification on or off.
func (h *accountHandler) changeTwoStep(c *fiber.Ctx, p *principal) error {
	var codes []string
	var session identity.Session
	var err error
	if formValue(c, "do") == "off" {
		session, err = h.TwoStep.TurnOffTwoStep(c.UserContext(), p.token, proofOf(c))
	} else {
		codes, session, err = h.TwoStep.ConfirmTwoStep(c.UserContext(), p.token, proofOf(c))
	}
	if f, status := proofErrors(c, err); status != 0 {
		return h.renderTwoStep(c, p, status, f)
	}
	switch {
	case errors.Is(err, identity.ErrTwoStepOn), errors.Is(err, identity.ErrTwoStepOff):
		return c.Redirect(p.account("/two-step"), fiber.StatusSeeOther) // changed elsewhere meanwhile
	case err != nil:
		return err
	case codes != nil:
		say(c, notice{Strong: "Two-step verification is on.", Before: otherSessionsEnded})
		return h.renderRecoveryCodes(c, p, session, "Two-step verification is on", continueAfter(c, p), codes)
	}
	return h.redirectToAccount(c, p, session, notice{Strong: "Two-step verification is off.", Before: otherSessionsEnded})
}

// inGroupsOfFour splits a secret for typing.
func inGroupsOfFour(secret string) string {
	var groups []string
	for group := range slices.Chunk([]byte(secret), 4) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, " ")
}
