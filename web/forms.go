package web

import (
	"errors"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/apperr"
)

// formErrors are what is wrong with a form, for the summary above it and beside each field.
type formErrors struct {
	Errors []formError
	Wait   *wait // nil: attempts are accepted
}

// formError is an error of a field.
type formError struct{ Field, Message string }

func fieldError(field, message string) formErrors {
	return formErrors{Errors: []formError{{field, message}}}
}

// Error is the error of a field, or "".
func (f formErrors) Error(field string) string {
	for _, e := range f.Errors {
		if e.Field == field {
			return e.Message
		}
	}
	return ""
}

// Count is the number of errors in words.
func (f formErrors) Count() string {
	return []string{"", "One thing", "Two things", "Three things", "Four things"}[len(f.Errors)]
}

// wait is how long no attempt is accepted.
type wait struct {
	Seconds int
	Until   time.Time
}

// In is the wait in words.
func (w wait) In() string {
	switch {
	case w.Seconds == 1:
		return "1 second"
	case w.Seconds <= 120:
		return strconv.Itoa(w.Seconds) + " seconds"
	}
	return strconv.Itoa((w.Seconds+59)/60) + " minutes"
}

// waitOf returns the wait that err is about, or nil, and sets Retry-After.
func waitOf(c *fiber.Ctx, err error) *wait {
	locked, ok := errors.AsType[*identity.LockedError](err)
	if !ok {
		return nil
	}
	w := &wait{Seconds: apperr.From(err).RetryAfter, Until: locked.Until}
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(w.Seconds))
	return w
}

// proofOf is the current password and the code that a form of the account asks for.
func proofOf(c *fiber.Ctx) identity.Proof {
	return identity.Proof{Password: formValue(c, "current"), Code: formValue(c, "code")}
}

// proofErrors returns the errors of a form whose proof was rejected, and the status: 0 if err is about something else.
func proofErrors(c *fiber.Ctx, err error) (f formErrors, status int) {
	if w := waitOf(c, err); w != nil {
		return formErrors{Wait: w}, fiber.StatusTooManyRequests
	}
	switch {
	case errors.Is(err, identity.ErrWrongPassword):
		return fieldError("current", "The password is wrong."), fiber.StatusUnprocessableEntity
	case errors.Is(err, identity.ErrWrongCode):
		return fieldError("code", "The code is wrong, expired or already used. Check the clock of your phone, then enter the current code."), fiber.StatusUnprocessableEntity
	}
	return formErrors{}, 0
}

// newPassword reads a new password and its confirmation, which have to match.
func newPassword(c *fiber.Ctx) (password string, f formErrors) {
	password = formValue(c, "new")
	if formValue(c, "repeat") != password {
		f = fieldError("repeat", "The passwords do not match.")
	}
	return password, f
}
