package httpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"
)

// ErrorPage may respond to a failure with a page. It writes the response without the status and
// returns true, or changes nothing and returns false.
type ErrorPage func(c *fiber.Ctx, f Failure) bool

// Options configure a Server. The zero value works.
type Options struct {
	Logger  *slog.Logger          // nil: slog's default
	Metrics prometheus.Registerer // nil: no metrics
	Tracer  trace.Tracer          // nil: no spans
	// TrustedProxies may set X-Forwarded-For, and are exempt from the connection limit per client.
	TrustedProxies []netip.Prefix
	// ErrorPage responds to failures outside Handle, such as unknown paths; nil: JSON. Unreadable
	// requests and unknown methods always get JSON.
	ErrorPage ErrorPage
	// RedactPath removes secrets from a path before it is logged; nil logs no path.
	RedactPath func(path string) string
	// MaxConnections bounds open connections; 0: defaultConnections(ReservedFiles).
	MaxConnections int
	// ReservedFiles is how many file descriptors the rest of the process needs.
	ReservedFiles int
	// ShutdownDelay gives proxies time to notice, by a health check, that the server is stopping.
	ShutdownDelay time.Duration
	// Grace is how long Shutdown lets running requests finish; the default is 10 s.
	Grace time.Duration
}

const (
	readTimeout  = 5 * time.Second // bounds the reading of a whole request
	writeTimeout = 5 * time.Second // bounds the writing of a response; a stream has blockWriteTimeout for each block
	idleTimeout  = 15 * time.Second
	defaultGrace = 10 * time.Second
)

func (o Options) withDefaults() Options {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.Grace = cmp.Or(o.Grace, defaultGrace)
	if o.RedactPath == nil {
		o.RedactPath = func(string) string { return "" }
	}
	o.MaxConnections = cmp.Or(o.MaxConnections, defaultConnections(o.ReservedFiles))
	return o
}

// Server serves HTTP. Add routes to App before Serve.
type Server struct {
	app      *fiber.App // nil if another program owns the app
	opts     Options
	metrics  *metrics
	sampler  *rate.Limiter  // limits the lines of the access log
	abortLog rate.Sometimes // limits the log lines about connections that clients ended

	baseCtx context.Context // parent of the contexts of App's requests; Shutdown and Abort cancel it
	abort   context.CancelCauseFunc

	running  atomic.Int64 // requests whose handler or stream runs
	stopping atomic.Bool
	listener *listener
}

// newServer returns a server without a fiber.App: New adds one, and another program has its own.
func newServer(o Options) *Server {
	s := &Server{
		opts: o, sampler: rate.NewLimiter(50, 50), abortLog: rate.Sometimes{Interval: time.Second},
	}
	s.listener = &listener{srv: s, openConns: map[*conn]struct{}{}, connsByNetwork: map[netip.Prefix]int{}}
	s.metrics = newMetrics(o.Metrics, s)
	s.baseCtx, s.abort = context.WithCancelCause(context.Background())
	return s
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	s := newServer(o.withDefaults())
	s.app = fiber.New(fiber.Config{
		AppName:                      "dg",
		Immutable:                    true,
		CaseSensitive:                true,
		StrictRouting:                true,
		DisableStartupMessage:        true,
		DisablePreParseMultipartForm: true,
		DisableDefaultContentType:    true,
		ReadBufferSize:               2 * maxHeader, // holds the longest target and header together; more is 431
		BodyLimit:                    maxBody,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		ErrorHandler: func(c *fiber.Ctx, err error) error { // fasthttp calls this handler for unreadable requests
			if errors.Is(err, fiber.ErrBadGateway) { // fiber's name for a connection that broke
				s.countAbort(c)
				return nil
			}
			return s.serve(c, nil, func(*fiber.Ctx) error { return err })
		},
		ReduceMemoryUsage: true, // an idle connection holds 11 KB, not 21
		Concurrency:       2 * s.opts.MaxConnections,
	})
	s.app.Use(func(c *fiber.Ctx) error {
		if s.stopping.Load() {
			c.Context().SetConnectionClose()
		}
		return s.serve(c, s.opts.ErrorPage, func(c *fiber.Ctx) error {
			err := c.Next()
			if r := requestOf(c); r.route == unmatchedRoute {
				r.route = routeLabel(c)
			}
			return err
		})
	})
	fasthttpServer := s.app.Server()
	fasthttpServer.Handler = s.refuseUnknownMethods(s.app.Handler())
	fasthttpServer.CloseOnShutdown = true
	fasthttpServer.SecureErrorLogMessage = true // otherwise errors quote the request, Authorization included
	return s
}

// App returns the fiber.App, to which the caller adds routes and middleware.
func (s *Server) App() *fiber.App { return s.app }

// Serve serves on ln until Shutdown, and closes ln. It returns nil after or during Shutdown.
func (s *Server) Serve(ln net.Listener) error {
	defer func() { _ = ln.Close() }()
	if !s.listener.start(ln) {
		return nil
	}
	if err := s.app.Listener(s.listener); err != nil && !s.stopping.Load() {
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	}
	return nil
}

// ErrStopped is the cancellation cause of responses that Shutdown or Abort ends.
var ErrStopped = errors.New("the server is stopping")

const (
	// abortWait is how long Shutdown and Abort wait for cancelled requests to end.
	abortWait = 4 * time.Second
	// closeWait is how long Shutdown then waits for connections to close by themselves.
	closeWait = time.Second
)

// Stopping reports whether a shutdown has begun: health checks must fail from then on.
func (s *Server) Stopping() bool { return s.stopping.Load() }

// Shutdown serves for Options.ShutdownDelay if a client is connected. Then it stops accepting and
// waits for requests, for Options.Grace or until ctx ends. Finally it cancels handlers and closes
// connections. It fails if a request still runs then. A second call returns nil at once.
func (s *Server) Shutdown(ctx context.Context) error {
	if s.stopping.Swap(true) {
		return nil
	}
	if s.listener.count() > 0 { // a server without connections stops at once
		delayCtx, cancel := context.WithTimeout(ctx, s.opts.ShutdownDelay)
		<-delayCtx.Done()
		cancel()
	}
	s.listener.stop()
	graceCtx, cancel := context.WithTimeout(ctx, s.opts.Grace)
	defer cancel()
	_ = s.app.ShutdownWithContext(graceCtx) // fails if requests outlive the grace, which is checked below
	if n := s.running.Load(); n > 0 {
		s.opts.Logger.Warn("shutdown: aborting running requests", "requests", n, "grace",
			s.opts.Grace.String())
	}
	s.abort(ErrStopped)
	s.listener.each(func(c *net.TCPConn) { _ = c.SetWriteDeadline(time.Now()) }) // pending writes fail
	ended := waitUntil(abortWait, func() bool { return s.running.Load() == 0 })
	waitUntil(closeWait, func() bool { return s.listener.count() == 0 })
	s.listener.each(func(c *net.TCPConn) { _ = c.Close() })
	if !ended {
		return fmt.Errorf("shutdown: %d requests did not end", s.running.Load())
	}
	return nil
}

func waitUntil(timeout time.Duration, condition func() bool) bool {
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(timeout); !condition(); <-ticker.C {
		if time.Now().After(deadline) {
			return condition()
		}
	}
	return true
}
