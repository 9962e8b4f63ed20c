package web

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"dg/modules/identity"
	"dg/platform/apperr"
	"dg/platform/input"
)

// formErrors are what is wrong with a form, for the summary above it and beside each field.
type formErrors struct {
	Errors []formError
	Wait   *wait // nil: attempts are accepted
	Draft  bool  // whether the form shows a draft

	AskPassword bool // whether the form asks for the password again
}

// formError is an error of a field.
type formError struct{ Field, Message string }

func fieldError(field, message string) formErrors {
	return formErrors{Errors: []formError{{field, message}}}
}

// option is a choice of a field.
type option struct{ Value, Text string }

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
	counts := strings.Split(",One thing,Two things,Three things,Four things,Five things,Six things,Many things", ",")
	return counts[min(len(f.Errors), len(counts)-1)]
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

// formValue is a field of the submitted form. It reads the body alone: addresses end up in histories, logs and links of others.
func formValue(c *fiber.Ctx, name string) string { return string(c.Context().PostArgs().Peek(name)) }

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

// formMessages are what the forms say about a field that breaks a rule of its validate tag.
var formMessages = map[string]string{
	"repeat eqfield": "The passwords do not match.",
	"name visible":   "Enter a name.",
	"name max":       "The name has {count} characters. Use 200 or fewer.",
	"name text":      "The name contains invalid characters, such as a line break. Type it again.",
	"name legible":   "The name contains characters that cannot be seen. Type it again.",

	"description legible": "The description contains characters that cannot be seen. Type it again.",
	"description max":     "The description has {count} characters. Use 200 or fewer.",
	"description text":    "The description contains invalid characters, such as a line break. Type it again.",
	"scopes min":          "Choose at least one scope.",
	"scopes oneof":        "Choose at least one scope.",
}

var formChecks = input.New(formMessages, nil)

// checkForm returns the errors of the form's fields, one each, in their order.
func checkForm(l locale, form any) (f formErrors) {
	for _, fault := range formChecks.Faults(form) {
		if f.Error(fault.Field) != "" {
			continue
		}
		if text, ok := fault.Value.(string); ok {
			fault.Message = strings.Replace(fault.Message, "{count}", l.Count(int64(utf8.RuneCountInString(text))), 1)
		}
		f.Errors = append(f.Errors, formError{fault.Field, fault.Message})
	}
	return f
}
