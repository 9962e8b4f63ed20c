package httpserver

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"dg/platform/httpserver/connlimit"
)

// Server serves HTTP. Routes are added to App before Serve.
type Server struct {
	app     *fiber.App
	opts    Options
	log     *slog.Logger
	metrics *metrics

	// base is the parent of Ctx.UserContext in every handler. Shutdown cancels it after the grace,
	// with ErrStopped as its cause.
	base  context.Context
	abort context.CancelCauseFunc

	templates func() map[string]bool // of the routes, once all are added

	conns    *connlimit.Limit
	sampler  sampler      // of the access log
	running  atomic.Int64 // requests between their arrival and the end of their response
	closing  atomic.Bool  // a shutdown has begun: every response says that its connection closes
	aborting atomic.Bool  // the grace is over: no request is served any more

	mu       sync.Mutex
	listener net.Listener
	stopping bool
	stopped  chan struct{} // closed when Shutdown has finished
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	o = o.withDefaults()
	s := &Server{opts: o, log: o.Logger, stopped: make(chan struct{})}
	s.base, s.abort = context.WithCancelCause(context.Background())
	s.conns = connlimit.New(connlimit.Options{Max: o.MaxConnections, Exempt: o.TrustedProxies,
		Metrics: o.Metrics, Log: o.Logger, Rejection: s.rejection})
	s.sampler.log = o.Logger
	s.metrics = newMetrics(o.Metrics)
	s.templates = sync.OnceValue(s.routeTemplates)

	s.app = fiber.New(fiber.Config{
		AppName:                      "dg",
		Immutable:                    true,
		CaseSensitive:                true,
		StrictRouting:                true,
		DisableStartupMessage:        true,
		DisablePreParseMultipartForm: true,
		DisableDefaultContentType:    true,
		ReadBufferSize:               maxHeader + maxTarget + 256, // the rest of the request line
		BodyLimit:                    maxBody,
		ReadTimeout:                  o.ReadTimeout,
		WriteTimeout:                 o.WriteTimeout,
		IdleTimeout:                  idleTimeout,
		ErrorHandler:                 WriteError,
		// an idle connection holds 11 KB, not 21, for 3% of a small request
		ReduceMemoryUsage: true,
		// Never reached: the listener rejects with a better message. Twice, since an evicted
		// connection ends a little later.
		Concurrency: 2*o.MaxConnections + connlimit.MaxRejecting,
	})
	s.app.Use(s.dispatch)

	srv := s.app.Server()
	srv.Handler = s.guard(s.app.Handler())
	srv.ErrorHandler = s.handleParseError
	srv.HeaderReceived = headerReceived
	srv.ExpectHandler = s.answerExpectation
	srv.CloseOnShutdown = true
	srv.SecureErrorLogMessage = true // its errors would quote the request, Authorization included
	srv.ConnState = s.trackConnection
	return s
}

// App is where routes and middleware are added. Middleware is registered on a prefix with the last
// slash ("/api/v1/"). An app.Use that responds to everything would hide 404 and 405.
func (s *Server) App() *fiber.App { return s.app }

// Serve serves on ln and closes it. It returns nil when Shutdown has finished, also if
// Shutdown came first, and an error when the listener failed.
func (s *Server) Serve(ln net.Listener) error {
	s.mu.Lock()
	if s.stopping {
		s.mu.Unlock()
		<-s.stopped
		return ln.Close()
	}
	admitting := s.conns.Listen(ln)
	s.listener = admitting
	s.mu.Unlock()

	err := s.app.Listener(admitting)
	_ = admitting.Close() // fasthttp leaves a broken one open, and clients would wait there

	s.mu.Lock()
	stopping := s.stopping
	s.mu.Unlock()
	if stopping {
		// fasthttp returns while requests still run: a main that returned now would cut them off
		<-s.stopped
		return nil
	}
	if err != nil {
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	}
	return nil
}

// trackConnection notes when a request begins to arrive and when it has been served. In between,
// begin notes that it is being served.
func (s *Server) trackConnection(c net.Conn, state fasthttp.ConnState) {
	conn, _ := c.(*connlimit.Conn)
	switch state {
	case fasthttp.StateActive:
		conn.SetState(connlimit.Waiting)
	case fasthttp.StateIdle:
		conn.SetState(connlimit.Idle)
	}
}
