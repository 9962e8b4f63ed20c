package httpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"dg/platform/apperr"
)

const (
	// cachePrivate is the Cache-Control of all but files (decisions, "Other headers").
	cachePrivate = "private, no-cache"
	varyOn       = "Authorization, Accept-Encoding"
	contentJSON  = "application/json; charset=utf-8"
	// retryAfter is what a 503 that knows no better tells the client to wait, in seconds.
	retryAfter = 2
)

// WriteError turns err into the answer. It always returns nil, so that it fits fiber's ErrorHandler and the end of a
// handler alike. An *apperr.Error says itself what the caller sees; a *fiber.Error counts by its status alone; a
// deadline or a database that is away is 503; all else is 500, and its cause goes to the log only.
func WriteError(c *fiber.Ctx, err error) error {
	x := exchangeOf(c.Context())
	f := x.srv.classify(err)
	x.logFailure(f, err)
	x.write(c, f)
	return nil
}

// refused is a failure that this package words itself.
type refused struct{ Failure }

func (r *refused) Error() string { return r.Message }

// classify finds out what the caller may know of err.
func (s *Server) classify(err error) Failure {
	app, isApp := errors.AsType[*apperr.Error](err)
	if isApp && app.Code != apperr.Internal && app.HTTP().Status != 0 {
		return failureFrom(app)
	}
	if r, ok := errors.AsType[*refused](err); ok {
		return r.Failure
	}
	if s.unavailable(err) {
		return failureOf(fiber.StatusServiceUnavailable)
	}
	if isApp && app.Code == apperr.Internal && app.Message != "" {
		return failureFrom(app)
	}
	if e, ok := errors.AsType[*fiber.Error](err); ok && !isApp {
		return failureOf(e.Code)
	}
	return failureOf(fiber.StatusInternalServerError)
}

func failureFrom(e *apperr.Error) Failure {
	answer := e.HTTP()
	return Failure{Status: answer.Status, Code: answer.Code, Detail: e.Code, Message: e.Message, Field: e.Field, RetryAfter: e.RetryAfter}
}

// unavailable says whether a second try may well succeed.
func (s *Server) unavailable(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, ErrStopped) || (s.opts.Unavailable != nil && s.opts.Unavailable(err))
}

// routerError says whether err is the router's: no route of that path, or none of that method.
func routerError(err error) bool {
	e, ok := errors.AsType[*fiber.Error](err)
	return ok && (e.Code == fiber.StatusNotFound || e.Code == fiber.StatusMethodNotAllowed)
}

// logFailure writes the cause of a failure of ours; the caller's own are in the access log.
func (x *exchange) logFailure(f Failure, err error) {
	if f.Status < 500 {
		return
	}
	level := slog.LevelError
	if f.Status == fiber.StatusServiceUnavailable {
		level = slog.LevelWarn
	}
	x.srv.log.LogAttrs(context.Background(), level, "request failed",
		slog.String("request_id", x.id), slog.String("method", x.method), slog.String("path", x.loggedPath()),
		slog.Int("status", f.Status), slog.String("error", err.Error()))
}

// fail answers where there is no fiber context.
func (x *exchange) fail(ctx *fasthttp.RequestCtx, f Failure) {
	c := x.srv.app.AcquireCtx(ctx)
	defer x.srv.app.ReleaseCtx(c)
	x.write(c, f)
}

// write is the answer of a failure.
func (x *exchange) write(c *fiber.Ctx, f Failure) {
	f.RequestID = x.id
	x.code = string(f.Detail)
	resp := &c.Context().Response
	resp.ResetBody() // closes a stream that was set and will not be sent
	h := &resp.Header
	// What describes the answer that did not come must not describe the error. Headers such as RateLimit stay.
	for _, name := range []string{fiber.HeaderETag, fiber.HeaderLastModified, fiber.HeaderContentEncoding,
		fiber.HeaderContentDisposition, fiber.HeaderContentLanguage} {
		h.Del(name)
	}
	h.Set(fiber.HeaderCacheControl, cachePrivate)
	h.Set(fiber.HeaderVary, varyOn)
	h.Set(fiber.HeaderXRequestID, x.id)
	if f.Status == fiber.StatusUnauthorized && len(h.Peek(fiber.HeaderWWWAuthenticate)) == 0 {
		h.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	}
	if f.RetryAfter == 0 && f.Status == fiber.StatusServiceUnavailable && len(h.Peek(fiber.HeaderRetryAfter)) == 0 {
		f.RetryAfter = retryAfter
	}
	if f.RetryAfter > 0 {
		h.Set(fiber.HeaderRetryAfter, strconv.Itoa(f.RetryAfter))
	}
	if !x.page(c, f) {
		h.SetContentType(contentJSON)
		resp.SetBodyRaw(f.body())
	}
	resp.SetStatusCode(f.Status)
	resp.SkipBody = c.Context().IsHead() // fasthttp sees to it only where it could read the request
}

// page lets the surface answer in its own form. A page that panics must not cost the answer.
func (x *exchange) page(c *fiber.Ctx, f Failure) (done bool) {
	if x.srv.opts.ErrorPage == nil {
		return false
	}
	defer func() {
		if p := recover(); p != nil {
			x.srv.log.Error("panic in the error page", "request_id", x.id, "panic", p)
			done = false
		}
	}()
	return x.srv.opts.ErrorPage(c, f)
}

// body is the contract's error body: these fields and no others.
func (f Failure) body() []byte {
	type details struct {
		Code apperr.Code `json:"code"`
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // a message names dg_live_<id>_<secret>, and is read in a terminal
	err := enc.Encode(struct {
		Code    string  `json:"code"`
		Message string  `json:"message"`
		Details details `json:"details"`
	}{f.Code, f.Message, details{f.Detail}})
	if err != nil {
		panic(err) // three strings
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
