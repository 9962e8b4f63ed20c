package httpserver

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"dg/platform/limiter"
)

// unmatched is the route of a request that no route answered.
const unmatched = "unmatched"

// exchange is the record of one request. All its strings are copies: it outlives fasthttp's buffers, and a stream's
// exchange outlives the handler.
type exchange struct {
	srv    *Server
	id     string
	addr   string
	method string
	path   string
	route  string
	code   string // details.code of an error answer
	start  time.Time

	authenticated bool

	streaming bool // a stream ends the exchange, not the guard
	ended     atomic.Bool
	lease     *limiter.Lease // of what the answer holds until its last byte is sent; may be nil
}

type exchangeKey struct{}

// begin opens the record of the request in ctx.
func (s *Server) begin(ctx *fasthttp.RequestCtx) *exchange {
	s.running.Add(1)
	x := &exchange{
		srv:    s,
		id:     requestID(ctx.Request.Header.Peek(fiber.HeaderXRequestID)),
		addr:   clientAddr(ctx.RemoteAddr(), forwardedFor(&ctx.Request.Header), s.opts.TrustedProxies),
		method: string(ctx.Method()),
		path:   string(ctx.URI().PathOriginal()),
		route:  unmatched,
		start:  time.Now(),
	}
	ctx.SetUserValue(exchangeKey{}, x)
	if c, ok := ctx.Conn().(*lingerConn); ok {
		s.conns.now(c, connServing)
	}
	return x
}

// exchangeOf finds the record of a request; outside a Server it makes one up.
func exchangeOf(ctx *fasthttp.RequestCtx) *exchange {
	if x, ok := ctx.UserValue(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{srv: &Server{log: slog.Default()}, route: unmatched, method: string(ctx.Method()), start: time.Now()}
}

// end closes the record, once: log line, metrics, count.
func (x *exchange) end(status int, bytes int64, err error) {
	if !x.ended.CompareAndSwap(false, true) {
		return
	}
	took := time.Since(x.start)
	x.lease.Release()
	x.logAccess(status, bytes, took, err)
	x.srv.metrics.observe(x.route, x.method, status, took)
	x.srv.running.Add(-1)
}

// observe is the first middleware. It gives handlers their context, turns what they return into the answer and
// notes which route answered.
func (s *Server) observe(c *fiber.Ctx) error {
	x := exchangeOf(c.Context())
	c.SetUserContext(s.base)
	err := c.Next()
	x.route = s.template(c, err)
	if err == nil {
		return nil
	}
	return WriteError(c, err)
}

// template names the route that answered: its template, a middleware's prefix with a star, or unmatched. There are
// only so many of them, whatever callers send.
func (s *Server) template(c *fiber.Ctx, err error) string {
	if routerError(err) {
		return unmatched
	}
	path := c.Route().Path
	switch {
	case s.routes()[path]:
		return path
	case path == "/" || path == "":
		return unmatched
	default:
		return path + "*"
	}
}

// templates lists the routes that are not middleware.
func (s *Server) templates() map[string]bool {
	m := map[string]bool{}
	for _, r := range s.app.GetRoutes(true) {
		m[r.Path] = true
	}
	return m
}

// AttachLease ties a lease to the answer of the request: it is released when the last byte is sent or the answer is broken off,
// whatever ends it, a panic included. From when on the answer is sent, the lease holds the size of its body and no place.
func AttachLease(c *fiber.Ctx, lease *limiter.Lease) { exchangeOf(c.Context()).lease = lease }
