package httpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

var errAway = fmt.Errorf("10.1.2.3: %w", syscall.ECONNREFUSED)

func TestErrorsBecomeResponses(t *testing.T) {
	internals := errors.New("internals")
	cases := map[string]struct {
		err     error
		status  int
		message string
	}{
		"validation": {apperr.New(apperr.Validation, "Give from and to."), 400, "Give from and to."},
		"auth":       {apperr.New(apperr.AuthRequired, "Send <secret>."), 401, "Send <secret>."},
		"access":     {apperr.New(apperr.AccessDenied, "The key has not that scope."), 403, ""},
		"rate": {&apperr.Error{
			Code: apperr.RateLimited, Message: "Wait a moment, please.", RetryAfter: 7,
		}, 429, ""},
		"unavailable": {apperr.New(apperr.Unavailable, "Try again later, please."), 503, ""},
		"wrapped": {
			fmt.Errorf("reports: %w", apperr.New(apperr.NotFound, "No such fork.")), 404, "No such fork.",
		},
		"with-a-cause": {apperr.Wrap(apperr.NotFound, errAway, "No such fork."), 404, ""},
		"fiber-404":    {fiber.NewError(404, "Cannot GET <internals>"), 404, ""},
		"fiber-302":    {fiber.NewError(302, "internals"), 500, ""},
		"any":          {internals, 500, ""},
		"deadline":     {fmt.Errorf("query: %w", context.DeadlineExceeded), 503, ""},
		"database":     {fmt.Errorf("query: %w", errAway), 503, ""},
		"internal":     {apperr.Wrap(apperr.Internal, errors.New("cause"), "internals"), 500, ""},
		"code-unknown": {apperr.New("ERR_ODD", "internals"), 500, ""},
	}
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/:case", func(c *fiber.Ctx) error {
			c.Set("RateLimit", "kept")
			c.Set("Content-Disposition", "dropped")
			return cases[c.Params("case")].err
		})
	})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := b.get(t, "/"+name)
			a.wantError(t, c.status)
			require.NotContains(t, a.body, "internals")
			require.NotContains(t, a.body, "10.1.2.3")
			require.Contains(t, a.body, c.message)
			require.Equal(t, map[int]string{429: "7", 503: "2"}[c.status], a.Header.Get("Retry-After"))
			require.Equal(t, map[int]string{401: "Bearer"}[c.status], a.Header.Get("WWW-Authenticate"))
			require.Equal(t, "kept", a.Header.Get("RateLimit"))
			require.Empty(t, a.Header.Get("Content-Disposition"))
			if c.status >= 500 {
				require.Contains(t, b.logs.String(), a.Header.Get("X-Request-Id"))
			}
		})
	}
	require.Contains(t, b.logs.String(), "10.1.2.3", "the cause is in the log")
}

func TestErrorPageReplacesTheErrorBody(t *testing.T) {
	b := serve(t, Options{ErrorPage: func(c *fiber.Ctx, f Failure) bool {
		switch {
		case strings.HasPrefix(c.Path(), "/api/v1/"):
			return false
		case c.Path() == "/broken":
			panic("the template is broken")
		}
		c.Type("html", "utf-8")
		_ = c.SendString("<p>" + f.Message + " " + f.RequestID)
		return true
	}}, nil)
	a := b.get(t, "/page")
	require.Equal(t, 404, a.StatusCode)
	require.Regexp(t, "^<p>No such endpoint.* "+a.Header.Get("X-Request-Id")+"$", a.body)
	b.get(t, "/api/v1/page").wantError(t, 404)
	b.get(t, "/broken").wantError(t, 404)
	early := b.raw(t, "GET /page#x HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Equal(t, 400, early.StatusCode)
	require.Contains(t, early.body, "<p>", "in front of the router")
}
