package httpserver

import (
	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
)

// Failure is an error as the caller sees it: without cause and internals.
type Failure struct {
	Status     int
	Code       string      // code of the body
	Detail     apperr.Code // details.code of the body
	Message    string
	RetryAfter int // whole seconds after which to retry; 0: not known
	RequestID  string
	Generic    bool // the message comes from genericFailures: a page may replace it
}

var genericFailures = map[int]struct {
	code    apperr.Code
	message string
}{
	fiber.StatusBadRequest: {apperr.Validation,
		"The request is not valid HTTP/1.1. Check the request line and the headers."},
	fiber.StatusNotFound: {apperr.NotFound,
		"No such endpoint. Paths are case-sensitive and have no trailing slash. See /openapi/v1.json."},
	fiber.StatusMethodNotAllowed: {apperr.MethodNotAllowed,
		"This endpoint does not support the method. Use one from the Allow header."},
	fiber.StatusRequestTimeout: {apperr.Validation,
		"The request did not arrive in time. Send it again."},
	fiber.StatusRequestEntityTooLarge: {apperr.Validation,
		"The body is too large. Send at most 64 KB."},
	fiber.StatusRequestURITooLong: {apperr.Validation,
		"The path and query are too long. Send at most 4 KB."},
	fiber.StatusRequestHeaderFieldsTooLarge: {apperr.Validation,
		"The headers are too large. Send at most 16 KB. In a browser, cookies of other programs on this " +
			"host are the usual cause: delete them."},
	fiber.StatusInternalServerError: {apperr.Internal, apperr.InternalMessage},
	fiber.StatusNotImplemented:      {apperr.MethodNotAllowed, "The method is unknown. Use GET."},
	fiber.StatusServiceUnavailable: {apperr.Unavailable,
		"The service is temporarily unavailable. Retry after the time in the Retry-After header."},
	fiber.StatusHTTPVersionNotSupported: {apperr.Validation,
		"This HTTP version is not supported. Use HTTP/1.1."},
}

func genericFailure(status int) Failure {
	generic, ok := genericFailures[status]
	if !ok {
		status = fiber.StatusInternalServerError
		generic = genericFailures[status]
	}
	return Failure{
		Status:  status,
		Code:    apperr.New(generic.code, "").HTTP().Code,
		Detail:  generic.code,
		Message: generic.message,
		Generic: true,
	}
}

// badRequest returns a 400 with a specific message, which pages do not replace.
func badRequest(message string) Failure {
	f := genericFailure(fiber.StatusBadRequest)
	f.Message = message
	f.Generic = false
	return f
}
