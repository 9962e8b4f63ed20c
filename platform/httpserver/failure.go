package httpserver

import (
	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
)

// Failure is an error as the caller may see it.
type Failure struct {
	Status     int
	Code       string      // the body's code
	Detail     apperr.Code // the body's details.code
	Message    string
	Field      string // the input at fault; for a page, never in the JSON body
	RetryAfter int    // whole seconds after which to try again; 0: not known
	RequestID  string
	Generic    bool // whether the message is this package's own for the status: a page has better words
}

// status is a line of the table of failures that are HTTP's own.
type status struct {
	code    apperr.Code
	message string
}

// statuses is the one table from a status to its codes and its words.
var statuses = map[int]status{
	fiber.StatusBadRequest: {apperr.Validation,
		"The request is not well-formed HTTP. End header lines with CRLF, send no fragment and no folded line, and a body only where it is due, with its length."},
	fiber.StatusUnauthorized: {apperr.AuthRequired,
		"Authenticate first, then send the request again."},
	fiber.StatusForbidden: {apperr.AccessDenied,
		"This is not allowed. Ask an owner of the organisation for access."},
	fiber.StatusNotFound: {apperr.NotFound,
		"Nothing is here. Check the path: upper and lower case and a slash at the end matter."},
	fiber.StatusMethodNotAllowed: {apperr.MethodNotAllowed,
		"This path does not take that method. Use one of those in the Allow header."},
	fiber.StatusRequestTimeout: {apperr.Validation,
		"The request did not arrive in time. Send all of it without a pause."},
	fiber.StatusRequestEntityTooLarge: {apperr.Validation,
		"The body is too large. Send at most 64 KB."},
	fiber.StatusRequestURITooLong: {apperr.Validation,
		"The path and query are too long. Send at most 4 KB."},
	fiber.StatusTooManyRequests: {apperr.RateLimited,
		"Too many requests. Wait for the time in the Retry-After header."},
	fiber.StatusRequestHeaderFieldsTooLarge: {apperr.Validation,
		"The headers are too large. Send at most 16 KB."},
	fiber.StatusInternalServerError: {apperr.Internal,
		"Something went wrong on our side. Try again, and tell support the request id if it stays."},
	fiber.StatusNotImplemented: {apperr.MethodNotAllowed,
		"This server does not know that method. Use GET."},
	fiber.StatusServiceUnavailable: {apperr.Unavailable,
		"The service cannot answer right now. Try again after the time in the Retry-After header."},
	fiber.StatusHTTPVersionNotSupported: {apperr.Validation,
		"This HTTP version is not supported here. Use HTTP/1.1."},
}

// failureOf is the failure for a status. A client error that is not in the table keeps its status with the words
// of 400; anything else that is not in it is ours: 500.
func failureOf(code int) Failure {
	line, ok := statuses[code]
	switch {
	case ok:
	case code > 400 && code < 500:
		line = statuses[fiber.StatusBadRequest]
	default:
		code = fiber.StatusInternalServerError
		line = statuses[code]
	}
	answer := apperr.New(line.code, "").HTTP()
	return Failure{Status: code, Code: answer.Code, Detail: line.code, Message: line.message, Generic: true}
}
