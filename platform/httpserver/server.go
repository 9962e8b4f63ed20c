package httpserver

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
)

// The limits of a request (decisions, "Data") and the server's patience.
const (
	maxTarget = 4 << 10  // bytes of the request target; beyond it 414
	maxHeader = 16 << 10 // bytes of all header lines; beyond it 431
	maxBody   = 64 << 10 // bytes of a body; beyond it 413

	// readTimeout bounds the reading of one request. It has to stay below the grace of a shutdown, because a
	// connection that says nothing holds the shutdown for that long.
	readTimeout  = 5 * time.Second
	writeTimeout = 5 * time.Second
	idleTimeout  = 75 * time.Second
	defaultGrace = 10 * time.Second
)

// Options says what a Server is built from. Its zero value works.
type Options struct {
	// Logger gets the access log and the causes of failures; the default is slog's.
	Logger *slog.Logger
	// Metrics is where the request metrics are registered; nil means no metrics.
	Metrics prometheus.Registerer
	// TrustedProxies are the networks whose X-Forwarded-For is believed, and which may have more than a share of the
	// connections.
	TrustedProxies []netip.Prefix
	// Unavailable says whether an error means that a service which we need (the database) is away: it is
	// answered 503 and not 500.
	Unavailable func(error) bool
	// ErrorPage may answer a failure in another form than JSON, such as a page for people. It writes the whole
	// answer but the status and returns true, or touches nothing and returns false.
	ErrorPage func(c *fiber.Ctx, f Failure) bool
	// LogPath may cut secrets out of a path before it is logged; nil logs it as it came.
	LogPath func(path string) string
	// MaxConnections is how many connections are open at once. The default is the process's limit of files less
	// ReservedFiles, and at most 10,000.
	MaxConnections int
	// ReservedFiles are those that others than this server need: database pools, the log, what is read and written.
	ReservedFiles int
	// Grace is how long Shutdown lets running answers finish; the default is 10 s.
	Grace time.Duration
	// ReadTimeout is how long a request may take to arrive; the default is 5 s. Keep it below Grace.
	ReadTimeout time.Duration
	// WriteTimeout is how long one answer, or one block of a long one, may take to be handed over; the
	// default is 5 s.
	WriteTimeout time.Duration
}

// Server serves HTTP. Routes are added to App before Serve.
type Server struct {
	app     *fiber.App
	opts    Options
	log     *slog.Logger
	metrics *metrics

	base  context.Context // of all that runs for a request; ends with ErrStopped
	abort context.CancelCauseFunc

	routes func() map[string]bool // the templates of the routes, once they are all known

	conns    *connections
	unknown  sampler      // of the access log
	running  atomic.Int64 // requests between their arrival and the end of their answer
	closing  atomic.Bool  // a shutdown has begun: every answer is its connection's last
	aborting atomic.Bool  // the grace is over: nothing new is started

	mu       sync.Mutex
	listener net.Listener
	stopping bool
	stopped  chan struct{} // closed when Shutdown has finished
}

// New builds a server. It does not listen yet.
func New(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	if o.ReadTimeout <= 0 {
		o.ReadTimeout = readTimeout
	}
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = writeTimeout
	}
	if o.MaxConnections <= 0 {
		o.MaxConnections = connectionLimit(o.ReservedFiles)
	}
	s := &Server{opts: o, log: o.Logger, stopped: make(chan struct{})}
	s.base, s.abort = context.WithCancelCause(context.Background())
	s.conns = newConnections(o.MaxConnections, o.TrustedProxies)
	s.unknown.log = o.Logger
	s.metrics = newMetrics(o.Metrics, s.conns)
	s.conns.metrics = s.metrics
	s.routes = sync.OnceValue(s.templates)

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
		// An idle connection holds no buffers: 11 KB in place of 21. It costs 3% of a small request (BenchmarkSmallRequest).
		ReduceMemoryUsage: true,
		// Never met: the listener answers in better words before. Twice, as one that had to make room ends a little later.
		Concurrency: 2*o.MaxConnections + maxRefusing,
	})
	s.app.Use(s.observe)

	srv := s.app.Server()
	srv.Handler = s.guard(s.app.Handler())
	srv.ErrorHandler = s.unreadable
	srv.CloseOnShutdown = true
	srv.SecureErrorLogMessage = true // or its errors quote the request, Authorization included
	srv.ConnState = s.track
	return s
}

// App is where routes and middleware are added. Middleware of a part is registered on its prefix with the last
// slash ("/api/v1/"); a last app.Use that answers everything would swallow 404 and 405.
func (s *Server) App() *fiber.App { return s.app }

// BaseContext is the context of everything that runs for requests. It lives through the grace of a shutdown and
// ends, with ErrStopped as its cause, when the grace is over. Ctx.UserContext is this context in every handler;
// Ctx.Context must not be used as one, since it ends as soon as a shutdown begins.
func (s *Server) BaseContext() context.Context { return s.base }

// Serve serves on ln and closes it. It returns nil when Shutdown has finished, even one that came before it, and an
// error when the listener failed.
func (s *Server) Serve(ln net.Listener) error {
	s.mu.Lock()
	if s.stopping {
		s.mu.Unlock()
		<-s.stopped
		return ln.Close()
	}
	bounded := s.newListener(ln)
	s.listener = bounded
	s.mu.Unlock()

	err := s.app.Listener(bounded)
	_ = bounded.Close() // fasthttp leaves one that has failed open, and clients would wait there

	s.mu.Lock()
	stopping := s.stopping
	s.mu.Unlock()
	if stopping {
		// fasthttp returns as soon as the listener is closed, while answers still run: a main that returned
		// now would cut them off.
		<-s.stopped
		return nil
	}
	if err != nil {
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	}
	return nil
}

// track notes when a request begins to arrive on a connection and when it has been answered. Between the two, begin notes
// that it is being answered.
func (s *Server) track(c net.Conn, state fasthttp.ConnState) {
	conn, ok := c.(*lingerConn)
	if !ok {
		return
	}
	switch state {
	case fasthttp.StateActive:
		s.conns.now(conn, connArriving)
	case fasthttp.StateIdle:
		s.conns.now(conn, connIdle)
	}
}
