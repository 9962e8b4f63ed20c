package account

import (
	"errors"
	"html/template"
	"slices"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/web/ui"
)

type twoStepView struct {
	ui.Layout
	ui.FormErrors
	Secret []string // in groups of four characters
	QR     *qrCode
	URL    template.URL // opens an authenticator app on the same device
	Issuer string
	Action string // the form's target, with the parameter next
}

func pathAfterSetup(c *fiber.Ctx) string {
	if c.Query("next") == "" {
		return "/account"
	}
	return ui.NextOf(c)
}

// TwoStepForm handles GET /account/two-step.
func (h *Handler) TwoStepForm(c *fiber.Ctx, p *ui.Principal) error {
	return h.renderTwoStep(c, p, fiber.StatusOK, ui.FormErrors{})
}

func (h *Handler) renderTwoStep(c *fiber.Ctx, p *ui.Principal, status int, f ui.FormErrors) error {
	view := twoStepView{FormErrors: f}
	if p.Person.TwoStep {
		view.Layout = accountLayout(p, ui.TitleOf("Turn off two-step verification", status))
		return h.Render(c, status, "two-step-off", &view)
	}
	view.Layout = accountLayout(p, ui.TitleOf("Set up two-step verification", status))
	view.Action = p.TwoStepPath(pathAfterSetup(c))
	enrolment, err := h.Identity.OfferedTwoStep(c.UserContext(), p.Token)
	if errors.Is(err, identity.ErrTwoStepOff) {
		return h.Render(c, status, "two-step-begin", &view)
	}
	if err != nil {
		return err
	}
	for group := range slices.Chunk([]byte(enrolment.Secret), 4) {
		view.Secret = append(view.Secret, string(group))
	}
	view.QR = newQRCode(enrolment.URL)
	view.URL = template.URL(enrolment.URL) //nolint:gosec // html/template refuses the scheme otpauth
	view.Issuer = identity.TOTPIssuer
	return h.Render(c, status, "two-step-on", &view)
}

// ChangeTwoStep handles POST /account/two-step. The field "do" is "begin", "on" or "off". "begin"
// takes the password and offers a secret. "on" confirms the secret.
func (h *Handler) ChangeTwoStep(c *fiber.Ctx, p *ui.Principal) error {
	var codes []string
	var session identity.Session
	var err error
	do := ui.FormValue(c, "do")
	switch do {
	case "begin":
		session, err = h.Identity.BeginTwoStep(c.UserContext(), p.Token, ui.ProofOf(c))
	case "off":
		session, err = h.Identity.TurnOffTwoStep(c.UserContext(), p.Token, ui.ProofOf(c))
	default:
		codes, session, err = h.Identity.ConfirmTwoStep(c.UserContext(), p.Token,
			ui.FormValue(c, "code"))
	}
	if f, status := ui.ProofErrors(c, err); status != 0 {
		return h.renderTwoStep(c, p, status, f)
	}
	switch {
	case errors.Is(err, identity.ErrTwoStepOn), errors.Is(err, identity.ErrTwoStepOff):
		// a concurrent request has turned verification on or off, or the offered secret has expired
		return c.Redirect(p.TwoStepPath(pathAfterSetup(c)), fiber.StatusSeeOther)
	case err != nil:
		return err
	case do == "begin":
		ui.SetSession(c, session)
		return c.Redirect(p.TwoStepPath(pathAfterSetup(c)), fiber.StatusSeeOther)
	case codes != nil:
		ui.Flash(c, ui.Notice{Strong: "Two-step verification is on.", Before: otherSessionsEnded})
		return h.renderRecoveryCodes(c, p, session, "Two-step verification is on",
			pathAfterSetup(c), codes)
	}
	return redirectToAccount(c, session, ui.Notice{
		Strong: "Two-step verification is off.",
		Before: otherSessionsEnded,
	})
}
