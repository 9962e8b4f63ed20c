package ui

import (
	"errors"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// FormErrors are the errors of a form, for the summary above it and for each field.
type FormErrors struct {
	Errors []FormError
	Locked *time.Time // end of the lock after too many attempts; nil: none

	AskPassword bool // whether the form asks for the password again
}

// FormError is an error of a field.
type FormError struct{ Field, Message string }

// FieldError returns the error of one field.
func FieldError(field, message string) FormErrors {
	return FormErrors{Errors: []FormError{{field, message}}}
}

// Option is a choice of a field.
type Option struct{ Value, Text string }

// Error returns the error of a field, or "".
func (f FormErrors) Error(field string) string {
	for _, e := range f.Errors {
		if e.Field == field {
			return e.Message
		}
	}
	return ""
}

// LockoutEnd returns the end of the lock and sets Retry-After if err is an identity.LockedError.
// For other errors it returns nil.
func LockoutEnd(c *fiber.Ctx, err error) *time.Time {
	locked, ok := errors.AsType[*identity.LockedError](err)
	if !ok {
		return nil
	}
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(apperr.From(err).RetryAfter))
	return &locked.Until
}

// FormValue returns a field of the submitted form. It never reads the URL, which histories and logs
// keep.
func FormValue(c *fiber.Ctx, name string) string {
	return string(c.Context().PostArgs().Peek(name))
}

// ProofOf returns the current password and the code that a form of the account asks for.
func ProofOf(c *fiber.Ctx) identity.Proof {
	return identity.Proof{Password: FormValue(c, "current"), Code: FormValue(c, "code")}
}

// ProofErrors returns the errors and the status of a form whose proof was rejected. The status is 0
// for errors that are not about the proof.
func ProofErrors(c *fiber.Ctx, err error) (f FormErrors, status int) {
	if end := LockoutEnd(c, err); end != nil {
		return FormErrors{Locked: end}, fiber.StatusTooManyRequests
	}
	switch {
	case errors.Is(err, identity.ErrWrongPassword):
		return FieldError("current", "The password is wrong."), fiber.StatusUnprocessableEntity
	case errors.Is(err, identity.ErrWrongCode):
		return FieldError("code",
			"The code is wrong, expired or already used. Check the clock of your phone, then "+
				"enter the current code."), fiber.StatusUnprocessableEntity
	}
	return FormErrors{}, 0
}

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
	err = g.Sessions.Reauthenticate(c.UserContext(), p.Token, proof)
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
