package httpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

const (
	cachePrivate      = "private, no-cache"
	varyOn            = "Authorization, Accept-Encoding"
	contentJSON       = "application/json; charset=utf-8"
	defaultRetryAfter = 2 // of a 503, in seconds
)

// classify returns err as the caller sees it. An *apperr.Error other than Internal decides code and
// message, a *fiber.Error only the status. An ended context, a shutdown or an unavailable database
// becomes 503. Any other error becomes 500, and only the log shows its cause.
func classify(err error) Failure {
	e, ok := errors.AsType[*apperr.Error](err)
	if ok && e.Code.HTTP().Status != 0 && e.Code != apperr.Internal {
		return Failure{
			Status: e.Code.HTTP().Status, Code: e.Code, Message: e.Message, RetryAfter: e.RetryAfter,
		}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, ErrStopped) || postgres.IsUnavailable(err) {
		return genericFailure(fiber.StatusServiceUnavailable)
	}
	if fiberErr, ok := errors.AsType[*fiber.Error](err); ok {
		return genericFailure(fiberErr.Code)
	}
	return genericFailure(fiber.StatusInternalServerError)
}

// logFailure logs err as an error, or a 503 as a warning. It skips failures that clients cause.
func (r *request) logFailure(f Failure, err error) {
	if !isServerFault(f.Status) {
		return
	}
	level := slog.LevelError
	if f.Status == fiber.StatusServiceUnavailable {
		level = slog.LevelWarn
	}
	r.log().LogAttrs(context.Background(), level, "request failed",
		slog.String("request_id", r.id), slog.String("method", r.method),
		slog.String("path", r.srv.opts.RedactPath(r.path)),
		slog.Int("status", f.Status), slog.String("error", err.Error()))
}

func (r *request) writeFailure(c *fiber.Ctx, f Failure) {
	f.RequestID = r.id
	r.errorCode = string(f.Code)
	resp := &c.Context().Response
	r.streaming = false
	resp.ResetBody() // closes a stream that will not be sent
	if f.Status == fiber.StatusServiceUnavailable {
		f.RetryAfter = cmp.Or(f.RetryAfter, defaultRetryAfter)
	}
	f.setHeaders(&resp.Header)
	if !r.writePage(c, f) {
		resp.Header.SetContentType(contentJSON)
		resp.SetBodyRaw(f.body())
		if r.srv.app != nil { // another program has no /docs
			resp.Header.Set(fiber.HeaderLink, "</docs/errors#"+string(f.Code)+`>; rel="help"`)
		}
	}
	resp.SetStatusCode(f.Status)
	resp.SkipBody = c.Context().IsHead() // fasthttp sets SkipBody only for parsed requests
}

// setHeaders replaces the headers that belong to the body. It keeps others, such as RateLimit.
func (f Failure) setHeaders(h *fasthttp.ResponseHeader) {
	for _, name := range []string{fiber.HeaderETag, fiber.HeaderLastModified, fiber.HeaderContentEncoding,
		fiber.HeaderContentDisposition, fiber.HeaderContentLanguage} {
		h.Del(name)
	}
	h.Set(fiber.HeaderCacheControl, cachePrivate)
	h.Set(fiber.HeaderVary, varyOn)
	if f.Status == fiber.StatusUnauthorized && len(h.Peek(fiber.HeaderWWWAuthenticate)) == 0 {
		h.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	}
	if f.RetryAfter > 0 {
		h.Set(fiber.HeaderRetryAfter, strconv.Itoa(f.RetryAfter))
	}
}

// writePage reports whether r.errorPage has responded. If the page panics, the caller sends JSON.
func (r *request) writePage(c *fiber.Ctx, f Failure) (responded bool) {
	if r.errorPage == nil {
		return false
	}
	err := recoverPanic(func() error {
		responded = r.errorPage(c, f)
		return nil
	})
	if err != nil {
		r.log().Error("the error page failed", "request_id", r.id, "error", err.Error())
	}
	return responded
}

func (f Failure) body() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // keeps a message such as dg_live_<id>_<secret> readable
	_ = enc.Encode(struct {
		Code    string                 `json:"code"`
		Message string                 `json:"message"`
		Details map[string]apperr.Code `json:"details"`
	}{f.Code.HTTP().Code, f.Message, map[string]apperr.Code{"code": f.Code}}) // strings always encode
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Failure is an error as the caller sees it: without cause and internals.
type Failure struct {
	Status     int
	Code       apperr.Code // details.code of the body
	Message    string
	RetryAfter int // whole seconds after which to retry; 0 if unknown
	RequestID  string
	Generic    bool // the message comes from genericFailures: a page may replace it
}

var genericFailures = map[int]struct {
	code    apperr.Code
	message string
}{
	fiber.StatusBadRequest: {apperr.Validation,
		"The request is not valid HTTP/1.1. Check its line and headers: a key must not end with a line break."},
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
	return Failure{Status: status, Code: generic.code, Message: generic.message, Generic: true}
}
