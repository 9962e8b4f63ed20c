package httpserver

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"runtime/debug"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"dg/platform/httpserver/connlimit"
)

// guard runs before the router. It keeps the record of the request, refuses invalid HTTP and turns
// a panic into an error response.
func (s *Server) guard(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		rec := s.begin(ctx)
		defer s.complete(ctx, rec)
		defer s.recoverPanic(ctx, rec)
		f, ok := checkRequest(ctx)
		if ok && s.aborting.Load() {
			f = genericFailure(fiber.StatusServiceUnavailable)
			ok = false
		}
		if !ok {
			ctx.SetConnectionClose() // where the next request begins cannot be trusted
			rec.writeDirectly(ctx, f)
			return
		}
		next(ctx)
		if s.closing.Load() { // fasthttp closes only once it has heard of the shutdown itself
			ctx.SetConnectionClose()
		}
	}
}

// checkRequest returns the failure of a request that is not valid HTTP, or true.
func checkRequest(ctx *fasthttp.RequestCtx) (f Failure, ok bool) {
	h := &ctx.Request.Header
	target := h.RequestURI()
	headers := h.RawHeaders()
	method := string(h.Method())
	switch proto := string(h.Protocol()); {
	case proto != "HTTP/1.1" && proto != "HTTP/1.0": // fasthttp would respond 200 to HTTP/9.9
		return genericFailure(fiber.StatusHTTPVersionNotSupported), false
	case !knownMethod(method):
		return genericFailure(fiber.StatusNotImplemented), false
	case len(target) > maxTarget:
		return genericFailure(fiber.StatusRequestURITooLong), false
	case len(headers) > maxHeader:
		return genericFailure(fiber.StatusRequestHeaderFieldsTooLarge), false
	case bytes.IndexByte(target, '#') >= 0:
		return badRequest(faultFragment), false
	case connOf(ctx).HasBareLF():
		return badRequest(faultLineEnding), false
	case ctx.Request.MayContinue() && unknownExpectation(headers):
		return genericFailure(fiber.StatusExpectationFailed), false
	}
	if fault := framingFault(method, headers); fault != "" {
		return badRequest(fault), false
	}
	if h.ContentLength() > maxBody { // fasthttp looks only after 100 Continue
		return genericFailure(fiber.StatusRequestEntityTooLarge), false
	}
	return Failure{}, true
}

// headerReceived rewrites an expectation, so that fasthttp calls answerExpectation before it reads
// the body.
func headerReceived(h *fasthttp.RequestHeader) (defaults fasthttp.RequestConfig) {
	switch {
	case len(h.Peek(fiber.HeaderExpect)) == 0:
	case h.IsHTTP11():
		h.Set(fiber.HeaderExpect, expectContinue)
	default:
		h.Del(fiber.HeaderExpect) // RFC 9110, 10.1.1
	}
	return defaults
}

// answerExpectation refuses a request whose client asks before it sends the body, or returns 100.
func (s *Server) answerExpectation(ctx *fasthttp.RequestCtx) (status int) {
	f, ok := checkRequest(ctx)
	if ok {
		return fiber.StatusContinue
	}
	rec := s.begin(ctx)
	defer s.complete(ctx, rec)
	connOf(ctx).LingerOnClose() // it may have sent the body already
	rec.writeDirectly(ctx, f)
	return f.Status
}

// handleParseError responds to a request that fasthttp could not read. The connection closes after
// it.
func (s *Server) handleParseError(ctx *fasthttp.RequestCtx, err error) {
	rec := s.begin(ctx)
	defer s.complete(ctx, rec)
	defer s.recoverPanic(ctx, rec)
	connOf(ctx).LingerOnClose()
	f := parseFailure(err)
	if f.Status != fiber.StatusRequestEntityTooLarge {
		rec.method = "-"
		rec.path = "-" // not known; fasthttp's defaults are GET and /
	}
	rec.writeDirectly(ctx, f)
}

func parseFailure(err error) Failure {
	var small *fasthttp.ErrSmallBuffer
	var netErr net.Error
	switch {
	case errors.As(err, &small):
		return genericFailure(fiber.StatusRequestHeaderFieldsTooLarge)
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return genericFailure(fiber.StatusRequestEntityTooLarge)
	case errors.Is(err, fasthttp.ErrUnsupportedRequestMethod):
		return genericFailure(fiber.StatusNotImplemented)
	case errors.As(err, &netErr) && netErr.Timeout():
		return genericFailure(fiber.StatusRequestTimeout)
	case errors.Is(err, fasthttp.ErrDuplicateContentLength):
		return badRequest(faultLengths)
	case errors.Is(err, fasthttp.ErrUnsupportedTransferEncoding):
		return badRequest(faultChunked)
	default:
		return genericFailure(fiber.StatusBadRequest)
	}
}

// knownMethod reports whether the router may see the method. CONNECT is for proxies.
func knownMethod(m string) bool {
	switch m {
	case fiber.MethodGet, fiber.MethodHead, fiber.MethodPost, fiber.MethodPut, fiber.MethodPatch,
		fiber.MethodDelete, fiber.MethodOptions, fiber.MethodTrace:
		return true
	}
	return false
}

// recoverPanic is deferred: it responds to a panic of the handler with 500.
func (s *Server) recoverPanic(ctx *fasthttp.RequestCtx, rec *requestRecord) {
	p := recover()
	if p == nil {
		return
	}
	s.log.Error("panic", "request_id", rec.id, "method", rec.method, "route", rec.route,
		"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	rec.streaming = false
	ctx.Response.Reset() // the handler may have begun it
	rec.writeDirectly(ctx, genericFailure(fiber.StatusInternalServerError))
}

// complete finishes the response and, unless a body writer still runs, the record.
func (s *Server) complete(ctx *fasthttp.RequestCtx, rec *requestRecord) {
	resp := &ctx.Response
	rec.setCommonHeaders(resp)
	if s.aborting.Load() {
		ctx.SetConnectionClose() // fasthttp no longer does once the grace is over
	}
	if !rec.authenticated {
		connOf(ctx).SetState(connlimit.Waiting)
	}
	if rec.streaming {
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
	rec.end(resp.StatusCode(), n, nil)
}

// setCommonHeaders sets the headers that every response has.
func (rec *requestRecord) setCommonHeaders(resp *fasthttp.Response) {
	resp.Header.Set(fiber.HeaderXRequestID, rec.id)
	resp.Header.Set(fiber.HeaderXContentTypeOptions, "nosniff")
}

// connOf returns the connection, nil if Serve has not accepted it.
func connOf(ctx *fasthttp.RequestCtx) *connlimit.Conn {
	conn, _ := ctx.Conn().(*connlimit.Conn)
	return conn
}

// rejection is the response to a connection that is not admitted.
func (s *Server) rejection() []byte {
	var ctx fasthttp.RequestCtx
	rec := &requestRecord{srv: s, id: requestID(nil), route: unmatched}
	ctx.SetUserValue(recordKey{}, rec)
	rec.writeDirectly(&ctx, genericFailure(fasthttp.StatusServiceUnavailable))
	rec.setCommonHeaders(&ctx.Response)
	ctx.SetConnectionClose()
	return append(ctx.Response.Header.Header(), ctx.Response.Body()...)
}
