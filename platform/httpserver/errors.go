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
	// cachePrivate is the Cache-Control of JSON and errors: only the client caches them, and
	// revalidates.
	cachePrivate = "private, no-cache"
	varyOn       = "Authorization, Accept-Encoding"
	contentJSON  = "application/json; charset=utf-8"
	// retryAfter is the default Retry-After of a 503, in seconds.
	retryAfter = 2
)

// WriteError responds with the error and returns nil, so that it fits fiber's ErrorHandler and the
// end of a handler. An *apperr.Error gives code and message, a *fiber.Error only the status. A
// deadline or an unavailable database is 503. Any other error is 500, and only the log has its
// cause.
func WriteError(c *fiber.Ctx, err error) error {
	r := requestOf(c)
	f := classify(err)
	r.logFailure(f, err)
	r.writeFailure(c, f)
	return nil
}

// classify returns what the caller may know of err: code and message of an *apperr.Error, but only
// a status for Internal and for any other error.
func classify(err error) Failure {
	e, ok := errors.AsType[*apperr.Error](err)
	if ok && e.HTTP().Status != 0 && e.Code != apperr.Internal {
		answer := e.HTTP()
		return Failure{
			Status:     answer.Status,
			Code:       answer.Code,
			Detail:     e.Code,
			Message:    e.Message,
			Field:      e.Field,
			RetryAfter: e.RetryAfter,
		}
	}
	if unavailable(err) {
		return genericFailure(fiber.StatusServiceUnavailable)
	}
	if own, ok := errors.AsType[*fiber.Error](err); ok {
		return genericFailure(own.Code)
	}
	return genericFailure(fiber.StatusInternalServerError)
}

// unavailable reports whether err is transient: a deadline, a shutdown, or an unavailable
// database.
func unavailable(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, ErrStopped) || postgres.IsUnavailable(err)
}

// logFailure logs the cause of a server error. Errors of clients are in the access log only.
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

// writeFailure replaces what the handler has written by the failure: a page of the surface, or
// JSON.
func (r *request) writeFailure(c *fiber.Ctx, f Failure) {
	f.RequestID = r.id
	r.code = string(f.Detail)
	resp := &c.Context().Response
	r.streaming = false
	resp.ResetBody() // closes a stream that will not be sent
	if f.Status == fiber.StatusServiceUnavailable {
		f.RetryAfter = cmp.Or(f.RetryAfter, retryAfter)
	}
	f.setHeaders(&resp.Header)
	if !r.writePage(c, f) {
		resp.Header.SetContentType(contentJSON)
		resp.SetBodyRaw(f.body())
		resp.Header.Set(fiber.HeaderLink, "</docs/errors#"+string(f.Detail)+`>; rel="help"`)
	}
	resp.SetStatusCode(f.Status)
	resp.SkipBody = c.Context().IsHead() // fasthttp sets it only for a request that it could read
}

// setHeaders removes the headers of the replaced body and sets those of the failure. Other
// headers, such as RateLimit, stay.
func (f Failure) setHeaders(h *fasthttp.ResponseHeader) {
	for _, name := range []string{fiber.HeaderETag, fiber.HeaderLastModified,
		fiber.HeaderContentEncoding,
		fiber.HeaderContentDisposition, fiber.HeaderContentLanguage} {
		h.Del(name)
	}
	h.Set(fiber.HeaderCacheControl, cachePrivate)
	h.Set(fiber.HeaderVary, varyOn)
	h.Set(fiber.HeaderXRequestID, f.RequestID)
	if f.Status == fiber.StatusUnauthorized && len(h.Peek(fiber.HeaderWWWAuthenticate)) == 0 {
		h.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	}
	if f.RetryAfter > 0 {
		h.Set(fiber.HeaderRetryAfter, strconv.Itoa(f.RetryAfter))
	}
}

// writePage lets the surface respond with a page, and reports whether it did. If the page panics,
// the caller responds with JSON.
func (r *request) writePage(c *fiber.Ctx, f Failure) (done bool) {
	if r.page == nil {
		return false
	}
	err := recoverPanic(func() error {
		done = r.page(c, f)
		return nil
	})
	if err != nil {
		r.log().Error("the error page failed", "request_id", r.id, "error", err.Error())
	}
	return done
}

// body returns the error body of the API: these fields and no others.
func (f Failure) body() []byte {
	type details struct {
		Code apperr.Code `json:"code"`
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a message contains dg_live_<id>_<secret> and is read in a terminal
	err := enc.Encode(struct {
		Code    string  `json:"code"`
		Message string  `json:"message"`
		Details details `json:"details"`
	}{f.Code, f.Message, details{f.Detail}})
	if err != nil {
		panic(err) // strings always encode
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
