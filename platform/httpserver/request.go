package httpserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/trace"
)

const unmatchedRoute = "unmatched"

// firstByteTimeout is a handler's deadline, so that a response begins within 10 s.
const firstByteTimeout = 9 * time.Second

// request holds copies of strings: fasthttp reuses buffers, and a stream outlives its handler.
type request struct {
	srv       *Server
	errorPage ErrorPage // nil: failures are JSON
	id        string
	addr      string
	method    string
	path      string
	route     string
	errorCode string // details.code of an error response
	startedAt time.Time
	serverCtx context.Context // ends with the server
	ctx       context.Context // the context that handlers get
	cancel    context.CancelFunc
	span      trace.Span // nil: the request is not traced

	authenticated bool
	streaming     bool // the stream calls end, so handlerDone does not
}

type requestKey struct{}

// requestOf returns the request of c. On another program's app, it panics outside Handle.
func requestOf(c *fiber.Ctx) *request { return c.Locals(requestKey{}).(*request) }

// NewWithoutApp returns a Server for another program's app. It has no access log and no metrics.
func NewWithoutApp(o Options) *Server { return newServer(o.withDefaults()) }

// Abort ends streams with ErrStopped, and waits at most abortWait for them and other requests.
func (s *Server) Abort() {
	s.abort(ErrStopped)
	waitUntil(abortWait, func() bool { return s.running.Load() == 0 })
}

// Handle serves a request with handle, on another program's app. It refuses invalid HTTP, and sets
// a deadline and a request id: that of the other program or the client if it is valid. On dg's own
// app, whose middleware has done all this, it only calls the function Handle.
func (s *Server) Handle(c *fiber.Ctx, handle fiber.Handler) error {
	if c.Locals(requestKey{}) != nil {
		return Handle(c, nil, handle)
	}
	return s.serve(c, nil, handle)
}

// Handle turns errors and panics of handle into responses: by page, or as JSON if page is nil or
// returns false.
func Handle(c *fiber.Ctx, page ErrorPage, handle fiber.Handler) error {
	r := requestOf(c)
	r.errorPage = page
	return r.handle(c, handle)
}

func (s *Server) serve(c *fiber.Ctx, page ErrorPage, handle fiber.Handler) error {
	r := s.begin(c)
	r.errorPage = page
	defer r.handlerDone(c)
	if err := checkRequest(&c.Context().Request); err != nil {
		c.Context().SetConnectionClose() // after a framing fault the next request cannot be trusted
		handle = func(*fiber.Ctx) error { return err }
	}
	return r.handle(c, handle)
}

func (r *request) handle(c *fiber.Ctx, handle fiber.Handler) error {
	if err := recoverPanic(func() error { return handle(c) }); err != nil {
		f := classify(err)
		r.logFailure(f, err)
		r.writeFailure(c, f)
	}
	return nil
}

// recoverPanic returns a panic of f as an error: fasthttp does not recover, and dg would crash.
func recoverPanic(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

func (s *Server) begin(c *fiber.Ctx) *request {
	s.running.Add(1)
	header := &c.Context().Request.Header
	r := &request{
		srv:       s,
		id:        requestID(RequestID(c)),
		addr:      s.clientAddr(c),
		method:    string(c.Context().Method()),
		path:      string(c.Context().URI().PathOriginal()),
		route:     unmatchedRoute,
		startedAt: time.Now(),
		serverCtx: s.baseCtx,
		ctx:       s.baseCtx,
	}
	if s.app == nil {
		r.ctx = c.UserContext()
	}
	if s.opts.Tracer != nil {
		r.startSpan(header)
	}
	r.ctx, r.cancel = context.WithTimeout(r.ctx, firstByteTimeout)
	c.Locals(requestKey{}, r)
	c.SetUserContext(r.ctx)
	return r
}

func (r *request) handlerDone(c *fiber.Ctx) {
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

func (r *request) end(status int, bytes int64, err error) {
	r.cancel()
	duration := time.Since(r.startedAt)
	if r.span != nil {
		r.endSpan(status, err)
	}
	r.srv.running.Add(-1)
	if r.srv.app == nil {
		return // the other program logs its requests itself
	}
	r.logAccess(status, bytes, duration, err)
	r.srv.metrics.duration.WithLabelValues(r.route, metricMethod(r.method), strconv.Itoa(status)).
		Observe(duration.Seconds())
}

// MarkAuthenticated exempts the request from log sampling, unless its response is a 429.
func MarkAuthenticated(c *fiber.Ctx) { requestOf(c).authenticated = true }

// SetRoute names a route that fiber's router does not know, for log, metrics and traces.
func SetRoute(c *fiber.Ctx, template string) { requestOf(c).route = template }

// RequestID returns the id in the log, the audit log and X-Request-Id. Outside Handle, it returns
// the id that the other program has set or that its client has sent.
func RequestID(c *fiber.Ctx) string {
	if r, ok := c.Locals(requestKey{}).(*request); ok {
		return r.id
	}
	return strings.Clone(cmp.Or(c.GetRespHeader(fiber.HeaderXRequestID), c.Get(fiber.HeaderXRequestID)))
}

// StreamContext returns the context of work that outlives the handler of c, with the same span. It
// ends with the server, with ErrStopped as its cause, and has no deadline.
func StreamContext(c *fiber.Ctx) context.Context {
	r := requestOf(c)
	if r.span == nil {
		return r.serverCtx
	}
	return trace.ContextWithSpan(r.serverCtx, r.span)
}

var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`)

func requestID(given string) string {
	if requestIDPattern.MatchString(given) {
		return given
	}
	return rand.Text()
}

// routeLabel returns the route's template, because paths would have an unbounded cardinality.
func routeLabel(c *fiber.Ctx) string {
	path := c.Route().Path
	if path == "/" && c.Path() != "/" { // no handler matched, only middleware
		return unmatchedRoute
	}
	return strings.Clone(path)
}

// refuseUnknownMethods responds with 501 to CONNECT and to methods that fiber does not know.
func (s *Server) refuseUnknownMethods(next fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		if isKnownMethod(string(ctx.Method())) {
			next(ctx)
			return
		}
		c := s.app.AcquireCtx(ctx)
		defer s.app.ReleaseCtx(c)
		_ = s.serve(c, nil, func(*fiber.Ctx) error { return fiber.ErrNotImplemented })
		ctx.SetConnectionClose()
	}
}

// Query returns all values of the known parameters of the query, and the names of the others.
func Query(c *fiber.Ctx, known ...string) (values url.Values, unknown []string) {
	values = url.Values{}
	for key, value := range c.Context().QueryArgs().All() {
		if name := string(key); slices.Contains(known, name) {
			values.Add(name, string(value))
		} else {
			unknown = append(unknown, name)
		}
	}
	// a lone "=" is a parameter too, but fasthttp drops it
	if slices.Contains(strings.Split(string(c.Request().URI().QueryString()), "&"), "=") {
		unknown = append(unknown, "")
	}
	return values, unknown
}
