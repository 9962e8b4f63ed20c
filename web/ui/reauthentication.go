package ui

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// Reauthenticate decides whether a form may make its change, for the three forms that need a recent
// password. If so, the status is 0. Otherwise the form is shown again with the status and the
// errors, and asks for the password.
func (g *Guard) Reauthenticate(
	c *fiber.Ctx, p *Principal, invalid ...FormError,
) (f FormErrors, status int, err error) {
	f.Errors = invalid
	if len(invalid) > 0 {
		status = fiber.StatusBadRequest
	}
	proof := ProofOf(c)
	missing := FieldError("current", identity.ErrPasswordDue.Message)
	// an empty code would count as a wrong one
	if proof.Password != "" && proof.Code == "" && p.Person.TwoStep {
		proof = identity.Proof{}
		missing = FieldError("code",
			"Enter the code from your authenticator app, or a recovery code.")
	}
	err = g.Auth.Reauthenticate(c.UserContext(), p.Token, proof)
	if err == nil {
		return f, status, nil
	}
	f.AskPassword = true
	wrong, rejected := ProofErrors(c, err)
	if errors.Is(err, identity.ErrPasswordDue) {
		if c.Method() != fiber.MethodPost {
			return f, 0, nil
		}
		wrong = missing
		rejected = fiber.StatusUnprocessableEntity
	}
	if rejected == 0 {
		return f, 0, err
	}
	f.Errors = append(f.Errors, wrong.Errors...)
	f.Locked = wrong.Locked
	return f, rejected, nil
}
