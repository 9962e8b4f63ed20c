package httpserver

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

func (r *request) log() *slog.Logger { return r.srv.opts.Logger }

// logAccess logs a request without its query, which may contain secrets. Unless the server failed,
// it samples unauthenticated and rate-limited requests, which could fill the disk.
func (r *request) logAccess(status int, bytes int64, duration time.Duration, err error) {
	mustLog := r.authenticated && status != fiber.StatusTooManyRequests || isServerFault(status)
	if !mustLog && !r.srv.sampler.Allow() {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", r.id),
		slog.String("method", r.method),
		slog.String("route", r.route),
		slog.String("path", r.srv.opts.RedactPath(r.path)),
		slog.Int("status", status),
		slog.Int64("bytes", bytes),
		slog.Float64("duration_ms", float64(duration.Microseconds())/1000),
		slog.String("client", r.addr),
	}
	if r.errorCode != "" {
		attrs = append(attrs, slog.String("code", r.errorCode))
	}
	if err != nil {
		attrs = append(attrs, slog.String("broken", err.Error()))
	}
	r.log().LogAttrs(context.Background(), slog.LevelInfo, "request", attrs...)
}

// countAbort counts a connection that ended within a request. It logs at most one a second.
func (s *Server) countAbort(c *fiber.Ctx) {
	s.metrics.aborts.Inc()
	s.abortLog.Do(func() {
		s.opts.Logger.Info("a client ended its connection within a request", "client",
			clientAddr(c.Context().RemoteAddr(), nil, nil))
	})
}

// isServerFault reports whether status is 5xx, but not 501 or 505, which clients cause.
func isServerFault(status int) bool {
	return status >= fiber.StatusInternalServerError && status != fiber.StatusNotImplemented &&
		status != fiber.StatusHTTPVersionNotSupported
}

// metricMethod returns a known method or "other", which bounds the cardinality of the label.
func metricMethod(method string) string {
	if isKnownMethod(method) {
		return method
	}
	return "other"
}

// metrics have labels of low cardinality: route templates, known methods, statuses.
type metrics struct {
	duration                        *prometheus.HistogramVec
	acceptFailures, refused, aborts prometheus.Counter
}

// newMetrics registers nothing if r is nil.
func newMetrics(r prometheus.Registerer, s *Server) *metrics {
	factory := promauto.With(r)
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dg_http_connections_open",
		Help: "Open connections.",
	}, func() float64 { return float64(s.listener.count()) })
	return &metrics{
		duration: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dg_http_request_duration_seconds",
			Help: "Time from a request's arrival to the end of its response, by route template, method and status.",
			// The highest buckets are for exports, which may take half an hour.
			Buckets: []float64{
				.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120, 600, 1800,
			},
		}, []string{"route", "method", "status"}),
		acceptFailures: factory.NewCounter(prometheus.CounterOpts{
			Name: "dg_http_accept_failures_total",
			Help: "Connections that could not be accepted: too many files, no memory.",
		}),
		refused: factory.NewCounter(prometheus.CounterOpts{
			Name: "dg_http_connections_refused_total",
			Help: "Connections above the limit in all, or above that of their address.",
		}),
		aborts: factory.NewCounter(prometheus.CounterOpts{
			Name: "dg_client_aborts_total",
			Help: "Connections that clients ended within a request.",
		}),
	}
}

// startSpan continues the caller's trace. It ignores tracestate, which may contain an API key.
func (r *request) startSpan(header *fasthttp.RequestHeader) {
	callerCtx := propagation.TraceContext{}.Extract(r.ctx,
		propagation.MapCarrier{"traceparent": string(header.Peek("traceparent"))})
	r.ctx, r.span = r.srv.opts.Tracer.Start(callerCtx, r.method,
		trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(r.startedAt))
}

// endSpan records neither the path nor the client's address, which are private.
func (r *request) endSpan(status int, err error) {
	method := metricMethod(r.method)
	r.span.SetName(method + " " + r.route)
	r.span.SetAttributes(attribute.String("http.request.method", method),
		attribute.String("http.route", r.route),
		attribute.Int("http.response.status_code", status),
		attribute.String("dg.request_id", r.id))
	if isServerFault(status) || err != nil {
		r.span.SetStatus(codes.Error, cmp.Or(r.errorCode, "broken off"))
	}
	r.span.End()
}
