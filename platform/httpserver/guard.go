package httpserver

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"runtime/debug"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// guard stands in front of the router: it keeps the request's record, refuses what is wrong as HTTP and turns a
// panic into an ordinary error answer.
func (s *Server) guard(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		x := s.begin(ctx)
		defer s.finish(ctx, x)
		defer s.rescue(ctx, x)
		status := refusal(ctx)
		if status == 0 && s.aborting.Load() {
			status = fiber.StatusServiceUnavailable
		}
		if status != 0 {
			// Nothing that follows on such a connection can be trusted to be where it seems to be.
			ctx.SetConnectionClose()
			x.fail(ctx, failureOf(status))
			return
		}
		next(ctx)
		if s.closing.Load() { // fasthttp sees to it only once it has heard of the shutdown itself
			ctx.SetConnectionClose()
		}
	}
}

// unreadable answers a request that fasthttp could not read. The connection closes after it.
func (s *Server) unreadable(ctx *fasthttp.RequestCtx, err error) {
	x := s.begin(ctx)
	defer s.finish(ctx, x)
	defer s.rescue(ctx, x)
	lingerOnClose(ctx)
	status := unreadableStatus(err)
	if status != fiber.StatusRequestEntityTooLarge {
		// Nothing is known of it: fasthttp's defaults would say "GET /".
		x.method, x.path = "-", "-"
	}
	x.fail(ctx, failureOf(status))
}

// unreadableStatus tells from fasthttp's error what was wrong.
func unreadableStatus(err error) int {
	var small *fasthttp.ErrSmallBuffer
	var netErr net.Error
	switch {
	case errors.As(err, &small):
		return fiber.StatusRequestHeaderFieldsTooLarge
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return fiber.StatusRequestEntityTooLarge
	case errors.Is(err, fasthttp.ErrUnsupportedRequestMethod):
		return fiber.StatusNotImplemented
	case errors.As(err, &netErr) && netErr.Timeout():
		return fiber.StatusRequestTimeout
	default:
		return fiber.StatusBadRequest
	}
}

// refusal is the status for a request that is wrong as HTTP, or 0.
func refusal(ctx *fasthttp.RequestCtx) int {
	h := &ctx.Request.Header
	target, raw := h.RequestURI(), h.RawHeaders()
	switch proto := string(h.Protocol()); {
	case proto != "HTTP/1.1" && proto != "HTTP/1.0":
		return fiber.StatusHTTPVersionNotSupported // fasthttp would answer HTTP/9.9 with 200
	case !knownMethod(string(h.Method())):
		return fiber.StatusNotImplemented
	case len(target) > maxTarget:
		return fiber.StatusRequestURITooLong
	case len(raw) > maxHeader:
		return fiber.StatusRequestHeaderFieldsTooLarge
	case bytes.IndexByte(target, '#') >= 0:
		return fiber.StatusBadRequest // a fragment is never sent; proxies disagree about what it means
	case !soundFraming(h.Method(), raw):
		return fiber.StatusBadRequest
	}
	return 0
}

// knownMethod lists the methods that the router may see. CONNECT is a proxy's business.
func knownMethod(m string) bool {
	switch m {
	case fiber.MethodGet, fiber.MethodHead, fiber.MethodPost, fiber.MethodPut, fiber.MethodPatch,
		fiber.MethodDelete, fiber.MethodOptions, fiber.MethodTrace:
		return true
	}
	return false
}

// rescue is deferred: it answers a panic of the handler with 500.
func (s *Server) rescue(ctx *fasthttp.RequestCtx, x *exchange) {
	p := recover()
	if p == nil {
		return
	}
	s.log.Error("panic", "request_id", x.id, "method", x.method, "route", x.route,
		"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	ctx.Response.Reset() // whatever the handler had begun
	x.fail(ctx, failureOf(fiber.StatusInternalServerError))
}

// setCommonHeaders sets what every answer has.
func (x *exchange) setCommonHeaders(resp *fasthttp.Response) {
	resp.Header.Set(fiber.HeaderXRequestID, x.id)
	resp.Header.Set(fiber.HeaderXContentTypeOptions, "nosniff")
}

// finish completes the answer and, unless a stream goes on, the record.
func (s *Server) finish(ctx *fasthttp.RequestCtx, x *exchange) {
	resp := &ctx.Response
	x.setCommonHeaders(resp)
	if s.aborting.Load() {
		ctx.SetConnectionClose() // fasthttp no longer sees to it once the grace is over
	}
	if x.streaming {
		return
	}
	var n int64
	switch {
	case ctx.IsHead():
	case resp.IsBodyStream():
		n = int64(max(0, resp.Header.ContentLength()))
	default:
		n = int64(len(resp.Body()))
	}
	x.end(resp.StatusCode(), n, nil)
}
