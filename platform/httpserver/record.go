package httpserver

import (
	"context"
	"crypto/rand"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/trace"

	"dg/platform/fairshare"
	"dg/platform/httpserver/connlimit"
)

// unmatched is the route of a request that no route answered.
const unmatched = "unmatched"

// requestRecord describes one request. Its strings are copies, because fasthttp reuses its buffers
// and the record of a stream outlives its handler.
type requestRecord struct {
	srv    *Server
	id     string
	addr   string
	method string
	path   string
	route  string
	code   string // details.code of an error response
	start  time.Time
	ctx    context.Context // of the handlers: Server.base, with the span, until AnswerTimeout
	stop   context.CancelFunc
	span   trace.Span // nil: requests are not traced

	authenticated bool
	streaming     bool // a body writer ends the record, not the guard
	ended         atomic.Bool
	// held until the last byte of the response is sent; may be nil
	lease *fairshare.Lease
}

type recordKey struct{}

// begin opens the record of the request in ctx.
func (s *Server) begin(ctx *fasthttp.RequestCtx) *requestRecord {
	s.running.Add(1)
	rec := &requestRecord{
		srv: s,
		id:  requestID(ctx.Request.Header.Peek(fiber.HeaderXRequestID)),
		addr: clientAddr(ctx.RemoteAddr(), ctx.Request.Header.PeekAll(fiber.HeaderXForwardedFor),
			s.opts.TrustedProxies),
		method: string(ctx.Method()),
		path:   string(ctx.URI().PathOriginal()),
		route:  unmatched,
		start:  time.Now(),
	}
	rec.startSpan(&ctx.Request.Header)
	rec.ctx, rec.stop = context.WithDeadline(rec.ctx, rec.start.Add(s.opts.AnswerTimeout))
	ctx.SetUserValue(recordKey{}, rec)
	connOf(ctx).SetState(connlimit.Serving)
	return rec
}

// recordOf returns the record of a request of a Server.
func recordOf(ctx *fasthttp.RequestCtx) *requestRecord {
	return ctx.UserValue(recordKey{}).(*requestRecord)
}

// end closes the record, once.
func (rec *requestRecord) end(status int, bytes int64, err error) {
	if !rec.ended.CompareAndSwap(false, true) {
		return
	}
	rec.stop()
	took := time.Since(rec.start)
	rec.lease.Release()
	rec.logAccess(status, bytes, took, err)
	rec.srv.metrics.observe(rec.route, rec.method, status, took)
	rec.endSpan(status, err)
	rec.srv.running.Add(-1)
}

// MarkAuthenticated exempts the request from log sampling.
func MarkAuthenticated(c *fiber.Ctx) { recordOf(c.Context()).authenticated = true }

// AttachLease ties a lease to the response. It is released when the response ends or breaks off,
// also after a panic. While the response is sent, the lease holds the size of its body and no slot.
func AttachLease(c *fiber.Ctx, lease *fairshare.Lease) { recordOf(c.Context()).lease = lease }

// RequestID returns the id of the request, as in the X-Request-Id header of its response, the log
// and the audit log.
func RequestID(c *fiber.Ctx) string { return recordOf(c.Context()).id }

var validRequestID = regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`)

// requestID returns the client's own id if it is valid, else a random one.
func requestID(own []byte) string {
	if validRequestID.Match(own) {
		return string(own)
	}
	return rand.Text()
}
