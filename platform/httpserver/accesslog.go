package httpserver

import (
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"
)

// MarkAuthenticated notes that it is known whose request it is: it is always logged. Of others there is a bound for each second,
// unless they failed on our side.
func MarkAuthenticated(c *fiber.Ctx) { exchangeOf(c.Context()).authenticated = true }

// logAccess writes the one line of a request. It holds no header and no query: both carry secrets.
func (x *exchange) logAccess(status int, bytes int64, took time.Duration, err error) {
	if !x.authenticated && !ours(status) && !x.srv.unknown.take(x.addr) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", x.id),
		slog.String("method", x.method),
		slog.String("route", x.route),
		slog.String("path", x.loggedPath()),
		slog.Int("status", status),
		slog.Int64("bytes", bytes),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.String("client", x.addr),
	}
	if x.code != "" {
		attrs = append(attrs, slog.String("code", x.code))
	}
	if err != nil {
		attrs = append(attrs, slog.String("broken", err.Error()))
	}
	x.srv.log.LogAttrs(context.Background(), slog.LevelInfo, "request", attrs...)
}

// ours says whether a status is a failure on our side: an unknown method and another version of HTTP are the client's.
func ours(status int) bool {
	return status >= fiber.StatusInternalServerError && status != fiber.StatusNotImplemented && status != fiber.StatusHTTPVersionNotSupported
}

// loggedPath is the path without what the program wants kept out of its log.
func (x *exchange) loggedPath() string {
	if cut := x.srv.opts.LogPath; cut != nil {
		return cut(x.path)
	}
	return x.path
}
