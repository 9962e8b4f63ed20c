package httpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"dg/platform/apperr"
)

var errAway = errors.New("connection refused to 10.1.2.3")

func TestErrorsBecomeResponses(t *testing.T) {
	cases := map[string]struct {
		err          error
		status       int
		code, detail string
		message      string
	}{
		"validation": {
			apperr.New(apperr.Validation, "Give from and to."), 400, "invalid-argument",
			"ERR_VALIDATION", "Give from and to.",
		},
		"auth": {
			apperr.New(apperr.AuthRequired, "Send dg_live_<id>_<secret>."), 401, "unauthenticated",
			"ERR_AUTH_REQUIRED", "Send dg_live_<id>_<secret>.",
		},
		"access": {
			apperr.New(apperr.AccessDenied, "The key has not that scope."), 403,
			"permission-denied",
			"ERR_ACCESS_DENIED", "",
		},
		"rate": {
			&apperr.Error{
				Code:       apperr.RateLimited,
				Message:    "Wait a moment, please.",
				RetryAfter: 7,
			}, 429, "resource-exhausted", "ERR_RATE_LIMITED", "",
		},
		"unavailable": {
			apperr.New(apperr.Unavailable, "Try again later, please."), 503, "unavailable",
			"ERR_UNAVAILABLE", "",
		},
		"wrapped": {
			fmt.Errorf("reports: %w", apperr.New(apperr.NotFound, "No such fork is here.")), 404,
			"not-found", "ERR_NOT_FOUND", "No such fork is here.",
		},
		"with a cause": {
			apperr.Wrap(apperr.NotFound, errAway, "No such fork is here."), 404, "not-found",
			"ERR_NOT_FOUND", "",
		},
		"fiber 404": {
			fiber.NewError(404, "Cannot GET <internals>"), 404, "not-found", "ERR_NOT_FOUND", "",
		},
		"fiber 418": {
			fiber.NewError(418, "internals"), 418, "invalid-argument", "ERR_VALIDATION", "",
		},
		"fiber 302": {fiber.NewError(302, "internals"), 500, "internal", "ERR_INTERNAL", ""},
		"fiber 502": {fiber.NewError(502, "internals"), 500, "internal", "ERR_INTERNAL", ""},
		"any":       {errors.New("internals"), 500, "internal", "ERR_INTERNAL", ""},
		"deadline": {
			fmt.Errorf("query: %w", context.DeadlineExceeded), 503, "unavailable",
			"ERR_UNAVAILABLE",
			"",
		},
		"database": {
			fmt.Errorf("query: %w", errAway), 503, "unavailable", "ERR_UNAVAILABLE", "",
		},
		"database in": {
			apperr.Wrap(apperr.Internal, errAway, "It did not work, sorry."), 503, "unavailable",
			"ERR_UNAVAILABLE", "",
		},
		"internal": {
			apperr.Wrap(apperr.Internal, errors.New("internals"), "It did not work, sorry."), 500,
			"internal", "ERR_INTERNAL", "It did not work, sorry.",
		},
		"code unknown": {apperr.New("ERR_ODD", "internals"), 500, "internal", "ERR_INTERNAL", ""},
	}
	b := serve(t, Options{
		Unavailable: func(err error) bool { return errors.Is(err, errAway) },
	}, func(app *fiber.App) {
		app.Get("/:case", func(c *fiber.Ctx) error {
			c.Set("RateLimit", "kept")
			c.Set("Content-Disposition", "dropped")
			return cases[strings.ReplaceAll(c.Params("case"), "_", " ")].err
		})
	})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := b.get(t, "/"+strings.ReplaceAll(name, " ", "_"))
			a.wantError(t, c.status, c.code, c.detail)
			if strings.Contains(a.body, "internals") || strings.Contains(a.body, "10.1.2.3") {
				t.Errorf("internals show: %s", a.body)
			}
			if !strings.Contains(a.body, c.message) {
				t.Errorf("body %s without %q", a.body, c.message)
			}
			if a.Header.Get("Retry-After") != map[int]string{429: "7", 503: "2"}[c.status] {
				t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
			}
			if (a.Header.Get("WWW-Authenticate") == "Bearer") != (c.status == 401) {
				t.Errorf("WWW-Authenticate %q", a.Header.Get("WWW-Authenticate"))
			}
			if a.Header.Get("RateLimit") != "kept" || a.Header.Get("Content-Disposition") != "" {
				t.Errorf("headers %v", a.Header)
			}
			if c.status >= 500 && !strings.Contains(b.logs.String(), a.Header.Get("X-Request-Id")) {
				t.Error("the request id is not in the log")
			}
		})
	}
	if !strings.Contains(b.logs.String(), "10.1.2.3") {
		t.Error("the cause is not in the log")
	}
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
	if a.StatusCode != 404 || !strings.HasPrefix(a.body, "<p>No such endpoint.") ||
		!strings.HasSuffix(a.body, a.Header.Get("X-Request-Id")) {
		t.Errorf("%d %q", a.StatusCode, a.body)
	}
	b.get(t, "/api/v1/page").wantError(t, 404, "not-found", "ERR_NOT_FOUND")
	b.get(t, "/broken").wantError(t, 404, "not-found", "ERR_NOT_FOUND")
	if a := b.raw(t, "GET /page#x HTTP/1.1\r\nHost: x\r\n\r\n"); a.StatusCode != 400 ||
		!strings.HasPrefix(a.body, "<p>") {
		t.Errorf("in front of the router: %d %q", a.StatusCode, a.body)
	}
}
