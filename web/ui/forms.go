package ui

import (
	"errors"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// FormErrors are the errors of a form. The zero value has none.
type FormErrors struct {
	Errors []FormError
	Locked *time.Time // end of the lockout after too many attempts, or nil

	AskPassword bool // whether the form asks for the password again
}

// FormError is a message about the element with the id Field, such as a form field.
type FormError struct{ Field, Message string }

// FieldError returns FormErrors with one message about the element with the id field.
func FieldError(field, message string) FormErrors {
	return FormErrors{Errors: []FormError{{field, message}}}
}

// Error returns the first message about the field, or "" if there is none.
func (f FormErrors) Error(field string) string {
	for _, e := range f.Errors {
		if e.Field == field {
			return e.Message
		}
	}
	return ""
}

// LockoutEnd sets Retry-After and returns the end of the lockout if err is a LockedError, else nil.
func LockoutEnd(c *fiber.Ctx, err error) *time.Time {
	locked, ok := errors.AsType[*identity.LockedError](err)
	if !ok {
		return nil
	}
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(apperr.From(err).RetryAfter))
	return &locked.Until
}

// FormValue returns a field of the submitted form, or "". It never reads the query: a secret in a
// URL would stay in histories and logs.
func FormValue(c *fiber.Ctx, name string) string {
	return string(c.Context().PostArgs().Peek(name))
}

// ProofOf returns the current password and the code of the submitted form. Missing ones are "".
func ProofOf(c *fiber.Ctx) identity.Proof {
	return identity.Proof{Password: FormValue(c, "current"), Code: FormValue(c, "code")}
}

// ProofErrors returns the errors and the HTTP status of a form whose proof or field was rejected.
// The status is 0 if err is nil or has another cause.
func ProofErrors(c *fiber.Ctx, err error) (f FormErrors, status int) {
	if end := LockoutEnd(c, err); end != nil {
		return FormErrors{Locked: end}, fiber.StatusTooManyRequests
	}
	if errors.Is(err, identity.ErrWrongPassword) {
		return FieldError("current", "The password is wrong."), fiber.StatusUnprocessableEntity
	}
	if e := apperr.From(err); e.Field != "" {
		return FieldError(e.Field, e.Message), fiber.StatusUnprocessableEntity
	}
	return FormErrors{}, 0
}

// Reauthenticate decides whether a form that needs a recent password may make its change.
// f has the errors found so far. A POST may make its change if status is 0 and err is nil.
// Otherwise the caller shows the form with the returned errors, or returns err.
func (s Services) Reauthenticate(
	c *fiber.Ctx, p *Principal, f FormErrors,
) (_ FormErrors, status int, err error) {
	if len(f.Errors) > 0 {
		status = fiber.StatusBadRequest
	}
	proof := ProofOf(c)
	codeMissing := proof.Password != "" && proof.Code == "" && p.Person.TwoStep
	if codeMissing { // an empty code would count as a wrong code
		proof = identity.Proof{}
	}
	err = s.Identity.Reauthenticate(c.UserContext(), p.Token, proof)
	if err == nil {
		return f, status, nil
	}
	if codeMissing && errors.Is(err, identity.ErrPasswordDue) {
		err = apperr.NewField("code", "Enter the code from your authenticator app, or a recovery code.")
	}
	f.AskPassword = true
	if c.Method() != fiber.MethodPost && errors.Is(err, identity.ErrPasswordDue) {
		return f, 0, nil
	}
	proofErrors, proofStatus := ProofErrors(c, err)
	if proofStatus == 0 {
		return f, 0, err
	}
	f.Errors = append(f.Errors, proofErrors.Errors...)
	f.Locked = proofErrors.Locked
	return f, proofStatus, nil
}
