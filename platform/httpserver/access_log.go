package httpserver

import (
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"
)

// logAccess writes the log line of a request. It has no header and no query: both carry secrets.
func (rec *requestRecord) logAccess(status int, bytes int64, took time.Duration, err error) {
	always := rec.authenticated && status != fiber.StatusTooManyRequests || isServerFault(status)
	if !always && !rec.srv.sampler.allow(rec.addr) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", rec.id),
		slog.String("method", rec.method),
		slog.String("route", rec.route),
		slog.String("path", rec.redactedPath()),
		slog.Int("status", status),
		slog.Int64("bytes", bytes),
		slog.Duration("duration", took),
		slog.String("client", rec.addr),
	}
	if rec.code != "" {
		attrs = append(attrs, slog.String("code", rec.code))
	}
	if err != nil {
		attrs = append(attrs, slog.String("broken", err.Error()))
	}
	rec.srv.log.LogAttrs(context.Background(), slog.LevelInfo, "request", attrs...)
}

// isServerFault reports whether the status is a failure of the server. 501 and 505 are the client's
// doing.
func isServerFault(status int) bool {
	return status >= fiber.StatusInternalServerError && status != fiber.StatusNotImplemented &&
		status != fiber.StatusHTTPVersionNotSupported
}

func (rec *requestRecord) redactedPath() string {
	if redact := rec.srv.opts.RedactPath; redact != nil {
		return redact(rec.path)
	}
	return rec.path
}
