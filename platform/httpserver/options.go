package httpserver

import (
	"cmp"
	"log/slog"
	"net/netip"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"dg/platform/httpserver/connlimit"
)

// Options configure a Server. The zero value works.
type Options struct {
	// Logger gets the access log and the causes of failures; the default is slog's.
	Logger *slog.Logger
	// Metrics is where the request metrics are registered; nil means nowhere.
	Metrics prometheus.Registerer
	// Tracer makes a span of each request; nil means none.
	Tracer trace.Tracer
	// TrustedProxies are the networks of proxies: their X-Forwarded-For is trusted, and they have
	// no limit of connections for each address.
	TrustedProxies []netip.Prefix
	// Unavailable reports whether an error means that a service which the handlers need (the
	// database) is unavailable: the response is 503 and not 500.
	Unavailable func(error) bool
	// ErrorPage may respond to a failure with a page. It writes the response without the status and
	// returns true, or changes nothing and returns false.
	ErrorPage func(c *fiber.Ctx, f Failure) bool
	// ErrorHelp is where errors are explained, up to their code: the header Link of a JSON failure
	// names it. "" sends none.
	ErrorHelp string
	// RedactPath removes secrets from a path before it is logged; nil logs it unchanged.
	RedactPath func(path string) string
	// MaxConnections is how many connections are open at once. The default is the process's limit
	// of files less ReservedFiles, and at most 10,000.
	MaxConnections int
	// ReservedFiles are the files that the rest of the process needs: database pools, the log,
	// files read and written.
	ReservedFiles int
	// ShutdownDelay is how long Shutdown continues to serve, with Connection: close, until proxies
	// have noticed it by Stopping.
	ShutdownDelay time.Duration
	// Grace is how long Shutdown lets running requests finish; the default is 10 s.
	Grace time.Duration
	// ReadTimeout is how long a request may take to arrive; the default is 5 s. Keep it below
	// Grace: a silent connection holds the shutdown for that long.
	ReadTimeout time.Duration
	// AnswerTimeout is how long a request may be worked on before the first byte of its response:
	// then the context of its handlers ends, and the response is 503. The default is 9 s.
	AnswerTimeout time.Duration
	// WriteTimeout is how long the client may take for a response, or for one block of a long one;
	// the default is 5 s.
	WriteTimeout time.Duration
}

const (
	maxTarget = 4 << 10  // bytes of the request target; beyond it 414
	maxHeader = 16 << 10 // bytes of all header lines; beyond it 431
	maxBody   = 64 << 10 // bytes of a body; beyond it 413

	readTimeout = 5 * time.Second
	// so that the first byte or a failure comes within 10 s
	answerTimeout = 9 * time.Second
	writeTimeout  = 5 * time.Second
	idleTimeout   = 75 * time.Second
	defaultGrace  = 10 * time.Second
)

func (o Options) withDefaults() Options {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.Grace = cmp.Or(o.Grace, defaultGrace)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, readTimeout)
	o.AnswerTimeout = cmp.Or(o.AnswerTimeout, answerTimeout)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, writeTimeout)
	o.MaxConnections = cmp.Or(o.MaxConnections, connlimit.Default(o.ReservedFiles))
	return o
}
