// Package apperr is the one error type that crosses module edges, and the one table from its code to an HTTP answer.
//
// A module returns an *Error with a code and a message for the caller; the cause stays inside, for the log.
// Any other error that reaches a surface is an internal one: the caller sees Internal's message and nothing else.
package apperr

import (
	"errors"
	"fmt"
)

// Code says what kind of failure an error is. It is the details.code of the API's error body
// (specification, section 7; decisions, "Formats").
type Code string

// The codes of the contract.
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

// Answer is how a code is shown over HTTP: the status and the top-level code of the error body.
type Answer struct {
	Status int
	Code   string
}

// answers is the one table from a code to its HTTP answer.
var answers = map[Code]Answer{
	Validation:       {400, "invalid-argument"},
	AuthRequired:     {401, "unauthenticated"},
	AccessDenied:     {403, "permission-denied"},
	NotFound:         {404, "not-found"},
	MethodNotAllowed: {405, "method-not-allowed"},
	RateLimited:      {429, "resource-exhausted"},
	Internal:         {500, "internal"},
	Unavailable:      {503, "unavailable"},
}

// InternalMessage is what callers read about a failure whose cause they must not see.
const InternalMessage = "Something went wrong on our side. Retry; if it persists, contact support with the request id."

// Error is a failure with a code, a message that says what to do, and a cause that only the log sees.
type Error struct {
	Code       Code
	Message    string // for the caller: no internals, no secrets
	Field      string // the field of the input that is at fault; may be empty
	RetryAfter int    // whole seconds after which the same request can succeed; 0: not known
	Cause      error  // for the log; may be nil
}

// New returns an error with a message for the caller.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// NewField returns a Validation error about one field of the input.
func NewField(field, format string, args ...any) *Error {
	return &Error{Code: Validation, Message: fmt.Sprintf(format, args...), Field: field}
}

// Wrap returns an error with a message for the caller and a cause for the log.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// Error is the text for the log: the message and the cause.
func (e *Error) Error() string {
	if e.Cause == nil {
		return string(e.Code) + ": " + e.Message
	}
	return string(e.Code) + ": " + e.Message + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// HTTP returns how the error is shown over HTTP.
func (e *Error) HTTP() Answer { return answers[e.Code] }

// From finds the *Error in err's chain; an error that has none is an internal one.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Wrap(Internal, err, InternalMessage)
}

// Is reports whether err carries the code.
func Is(err error, code Code) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == code
}
