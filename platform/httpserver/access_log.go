package httpserver

import (
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"
)

func (r *request) log() *slog.Logger { return r.srv.opts.Logger }

// logAccess writes the log line of a request. It has no header and no query: both carry secrets.
// Lines of unauthenticated and rate-limited requests are sampled, or they could fill the disk.
func (r *request) logAccess(status int, bytes int64, took time.Duration, err error) {
	always := r.authenticated && status != fiber.StatusTooManyRequests || isServerFault(status)
	if !always && !r.srv.sampler.Allow() {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", r.id),
		slog.String("method", r.method),
		slog.String("route", r.route),
		slog.String("path", r.srv.opts.RedactPath(r.path)),
		slog.Int("status", status),
		slog.Int64("bytes", bytes),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000),
		slog.String("client", r.addr),
	}
	if r.code != "" {
		attrs = append(attrs, slog.String("code", r.code))
	}
	if err != nil {
		attrs = append(attrs, slog.String("broken", err.Error()))
	}
	r.log().LogAttrs(context.Background(), slog.LevelInfo, "request", attrs...)
}

// isServerFault reports whether the status is a failure of the server. Clients cause 501 and 505.
func isServerFault(status int) bool {
	return status >= fiber.StatusInternalServerError && status != fiber.StatusNotImplemented &&
		status != fiber.StatusHTTPVersionNotSupported
}

// metricMethod is the method in metrics and traces: one of a bounded set.
func metricMethod(method string) string {
	if knownMethod(method) {
		return method
	}
	return "other"
}
