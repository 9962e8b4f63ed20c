// Package apperr defines the Error that modules return. Its Code decides the HTTP response. API
// callers see its Message, and only the log shows its Cause.
package apperr

import (
	"errors"
	"fmt"
)

// Code is the details.code of the API's error body. It also decides the HTTP status.
type Code string

// A new code needs a row in responses.
const (
	Validation       Code = "ERR_VALIDATION"
	AuthRequired     Code = "ERR_AUTH_REQUIRED"
	AccessDenied     Code = "ERR_ACCESS_DENIED"
	NotFound         Code = "ERR_NOT_FOUND"
	MethodNotAllowed Code = "ERR_METHOD_NOT_ALLOWED"
	RateLimited      Code = "ERR_RATE_LIMITED"
	Internal         Code = "ERR_INTERNAL"
	Unavailable      Code = "ERR_UNAVAILABLE"
)

// Response is the HTTP response to an error code: the status and the body's top-level code.
type Response struct {
	Status int
	Code   string
}

var responses = map[Code]Response{
	Validation:       {400, "invalid-argument"},
	AuthRequired:     {401, "unauthenticated"},
	AccessDenied:     {403, "permission-denied"},
	NotFound:         {404, "not-found"},
	MethodNotAllowed: {405, "method-not-allowed"},
	RateLimited:      {429, "resource-exhausted"},
	Internal:         {500, "internal"},
	Unavailable:      {503, "unavailable"},
}

// InternalMessage is the message of an Internal error. It reveals nothing about the cause.
const InternalMessage = "Something went wrong on our side. Retry; if it persists, contact support with the request id."

// Error is an error with a part for API callers and a part for the log.
type Error struct {
	Code       Code
	Message    string // shown to the caller; has no internals or secrets
	Field      string // the invalid input field, or ""
	RetryAfter int    // whole seconds after which the same request may succeed; 0 if unknown
	Cause      error  // logged, never shown; may be nil
}

// New returns an error without a Cause.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// NewField returns a Validation error about an input field, which pages can mark.
func NewField(field, format string, args ...any) *Error {
	return &Error{Code: Validation, Message: fmt.Sprintf(format, args...), Field: field}
}

// Wrap returns an error with a Cause, which API callers do not see. cause may be an *Error.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Cause: cause}
}

func (e *Error) Error() string {
	if e.Cause == nil {
		return string(e.Code) + ": " + e.Message
	}
	return string(e.Code) + ": " + e.Message + ": " + e.Cause.Error()
}

func (e *Error) Unwrap() error { return e.Cause }

// HTTP returns the response for the code, or the zero Response for an unknown code.
func (c Code) HTTP() Response { return responses[c] }

// From returns the first *Error in err's chain. It wraps any other err in an Internal error.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Wrap(Internal, err, InternalMessage)
}

// Is reports whether the first *Error in err's chain has the code.
func Is(err error, code Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}

// Annotate wraps err and prefixes what, the operation that failed. It returns nil if err is nil.
func Annotate(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
