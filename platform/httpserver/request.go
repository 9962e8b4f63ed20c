package httpserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/trace"
)

// unmatched is the route of a request that matched no route.
const unmatched = "unmatched"

// firstByteTimeout is the deadline of a handler. The first byte of a response or a failure is thus
// sent within 10 s.
const firstByteTimeout = 9 * time.Second

// request is the state of a request until its log line. Its strings are copies, because fasthttp
// reuses its buffers and a stream outlives its handler.
type request struct {
	srv    *Server
	page   ErrorPage // nil: failures are JSON
	id     string
	addr   string
	method string
	path   string
	route  string
	code   string // details.code of an error response
	start  time.Time
	base   context.Context // ends with the server
	ctx    context.Context // of the handlers
	stop   context.CancelFunc
	span   trace.Span // nil: the request is not traced

	authenticated bool
	streaming     bool // the stream ends the request, not Handle
}

type requestKey struct{}

// requestOf returns the state of the request. It panics outside Handle.
func requestOf(c *fiber.Ctx) *request { return c.Locals(requestKey{}).(*request) }

// foreignServer stands in for the Server of requests on another program's fiber.App. It has
// default options, no access log and no metrics.
var foreignServer = newServer(Options{}.withDefaults())

// Handle serves a request with handle, on any fiber.App. It refuses ambiguous HTTP, and gives the
// request its id and deadline. Errors and panics become responses: by page, or as JSON if page is
// nil or returns false. Inside Server or another Handle, only errors and panics remain to be
// handled.
func Handle(c *fiber.Ctx, page ErrorPage, handle fiber.Handler) error {
	if r, ok := c.Locals(requestKey{}).(*request); ok {
		r.page = page
		return r.handle(c, handle)
	}
	return foreignServer.serve(c, page, handle)
}

// serve is the outermost Handle of a request: it checks the framing, and ends the request.
func (s *Server) serve(c *fiber.Ctx, page ErrorPage, handle fiber.Handler) error {
	r := s.begin(c)
	r.page = page
	defer r.complete(c)
	if f, ok := checkRequest(&c.Context().Request); !ok {
		c.Context().SetConnectionClose() // the framing, and so the next request, cannot be trusted
		r.writeFailure(c, f)
		return nil
	}
	return r.handle(c, handle)
}

// handle calls the handler and responds to its error or panic.
func (r *request) handle(c *fiber.Ctx, handle fiber.Handler) error {
	err := recoverPanic(func() error { return handle(c) })
	if err == nil {
		return nil
	}
	return WriteError(c, err)
}

// recoverPanic calls f and returns its panic as an error. fasthttp does not recover: a panic would
// end the process.
func recoverPanic(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// begin creates the request's state, counts the request as running, and starts its deadline.
func (s *Server) begin(c *fiber.Ctx) *request {
	s.running.Add(1)
	header := &c.Context().Request.Header
	r := &request{
		srv:    s,
		id:     requestID(header.Peek(fiber.HeaderXRequestID)),
		addr:   s.clientAddr(c),
		method: string(c.Context().Method()),
		path:   string(c.Context().URI().PathOriginal()),
		route:  unmatched,
		start:  time.Now(),
		base:   s.base,
		ctx:    s.base,
	}
	if s == foreignServer {
		r.ctx = c.UserContext()
	}
	if s.opts.Tracer != nil {
		r.startSpan(header)
	}
	r.ctx, r.stop = context.WithTimeout(r.ctx, firstByteTimeout)
	c.Locals(requestKey{}, r)
	c.SetUserContext(r.ctx)
	return r
}

// complete adds the headers of every response. It ends the request, unless a stream follows, which
// does so itself.
func (r *request) complete(c *fiber.Ctx) {
	response := &c.Context().Response
	response.Header.Set(fiber.HeaderXRequestID, r.id)
	response.Header.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	if r.streaming {
		return
	}
	n := 0
	if !c.Context().IsHead() && !response.IsBodyStream() {
		n = len(response.Body())
	}
	r.end(response.StatusCode(), int64(n), nil)
}

// end logs and counts the request, and ends its context and span.
func (r *request) end(status int, bytes int64, err error) {
	r.stop()
	took := time.Since(r.start)
	if r.span != nil {
		r.endSpan(status, err)
	}
	r.srv.running.Add(-1)
	if r.srv == foreignServer {
		return // the other program logs its requests itself
	}
	r.logAccess(status, bytes, took, err)
	r.srv.metrics.duration.WithLabelValues(r.route, metricMethod(r.method), strconv.Itoa(status)).
		Observe(took.Seconds())
}

// MarkAuthenticated exempts the request from log sampling, unless its response is a 429.
func MarkAuthenticated(c *fiber.Ctx) { requestOf(c).authenticated = true }

// SetRoute names the route of the request in log and metrics, for routes that fiber's router does
// not know.
func SetRoute(c *fiber.Ctx, template string) { requestOf(c).route = template }

// RequestID returns the id of the request, which is also in the log, the audit log and the
// response's X-Request-Id header.
func RequestID(c *fiber.Ctx) string { return requestOf(c).id }

// StreamContext returns the context of work that outlives the handler of c, with the same span. It
// ends with the server, with ErrStopped as its cause, and has no deadline.
func StreamContext(c *fiber.Ctx) context.Context {
	r := requestOf(c)
	if r.span == nil {
		return r.base
	}
	return trace.ContextWithSpan(r.base, r.span)
}

var validRequestID = regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`)

// requestID returns the client's own id if it is valid, else a random one.
func requestID(own []byte) string {
	if validRequestID.Match(own) {
		return string(own)
	}
	return rand.Text()
}

// routeLabel returns the template of the fiber route that responded. Paths would let callers grow
// the set of labels.
func routeLabel(c *fiber.Ctx) string {
	path := c.Route().Path
	if path == "/" && c.Path() != "/" { // middleware's
		return unmatched
	}
	return strings.Clone(path)
}

// checkMethod responds with 501 to a method that fiber's router would refuse in its own form.
func (s *Server) checkMethod(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		if knownMethod(string(ctx.Method())) {
			next(ctx)
			return
		}
		c := s.app.AcquireCtx(ctx)
		defer s.app.ReleaseCtx(c)
		_ = s.serve(c, nil, func(*fiber.Ctx) error {
			return fiber.NewError(fiber.StatusNotImplemented)
		})
		ctx.SetConnectionClose()
	}
}
