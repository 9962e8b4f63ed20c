package ui

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
)

// Reauthenticator is what an Authenticator may also be. The forms of new keys and of the reporting
// mode then ask for the password again; without it they ask nothing.
type Reauthenticator interface {
	// Reauthenticate returns nil if the token's person entered the password, and the code with
	// two-step verification on, recently or gives both in the proof.
	// Errors: identity.ErrPasswordDue, ErrWrongPassword, ErrWrongCode, ErrNoSession, a LockedError.
	Reauthenticate(ctx context.Context, token string, proof identity.Proof) error
}

// Reauthenticate decides whether a form may make its change. If so, the status is 0. Otherwise the
// form is shown with the status and the errors: those of its fields, and of the password that it
// asks for where none was entered recently. It decides for the three forms that need it.
func (g *Guard) Reauthenticate(
	c *fiber.Ctx, p *Principal, invalid ...FormError,
) (f FormErrors, status int, err error) {
	f.Errors = invalid
	if len(invalid) > 0 {
		status = fiber.StatusBadRequest
	}
	auth, ok := g.Auth.(Reauthenticator)
	if !ok {
		return f, status, nil
	}
	proof := ProofOf(c)
	missing := FieldError("current", identity.ErrPasswordDue.Message)
	// an empty code would count as a wrong one
	if proof.Password != "" && proof.Code == "" && p.Person.TwoStep {
		proof = identity.Proof{}
		missing = FieldError("code",
			"Enter the code from your authenticator app, or a recovery code.")
	}
	err = auth.Reauthenticate(c.UserContext(), p.Token, proof)
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
