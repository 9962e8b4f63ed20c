package httpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
)

func TestRequestIsLoggedOnceWithoutSecrets(t *testing.T) {
	b := serve(t, Options{
		RedactPath: func(p string) string { return strings.ReplaceAll(p, "hidden", "***") },
	}, func(app *fiber.App) {
		app.Get("/forks/:id", func(c *fiber.Ctx) error { return c.SendString("12345") })
	})
	id := b.get(t, "/forks/hidden?token=topsecret", "Authorization", "Bearer dg_live_secret").
		Header.Get("X-Request-Id")
	b.raw(t, "GET /forks/7?token=topsecret BROKEN\r\nAuthorization: Bearer dg_live_secret\r\n\r\n")
	eventually(t, "two log lines", func() bool { return strings.Count(b.logs.String(), "\n") >= 2 })
	logs := b.logs.String()
	require.NotRegexp(t, "secret|hidden|token", logs)
	line, _, _ := strings.Cut(logs, "\n")
	var got map[string]any
	require.NoError(t, json.Unmarshal([]byte(line), &got))
	for k, want := range map[string]any{
		"request_id": id,
		"method":     "GET",
		"route":      "/forks/:id",
		"path":       "/forks/***",
		"status":     200.0,
		"bytes":      5.0,
		"client":     "127.0.0.1",
	} {
		require.Equal(t, want, got[k], k)
	}
	require.Equal(t, 2, strings.Count(logs, "\n"), logs)
}

// Authenticated requests and failures of the server are always logged, others up to a rate.
func TestUnauthenticatedRequestsAreSampled(t *testing.T) {
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/known", func(c *fiber.Ctx) error {
			MarkAuthenticated(c)
			return c.SendString("ok")
		})
		app.Get("/broken", func(*fiber.Ctx) error { return fiber.ErrInternalServerError })
		plainRoutes(app)
	})
	const flood = 500
	for i := range flood {
		b.get(t, "/ok")
		if i%10 == 0 {
			b.get(t, "/broken")
		}
	}
	b.get(t, "/known")
	count := func(what string) int { return strings.Count(b.logs.String(), what) }
	eventually(t, "the last request to be logged", func() bool { return count("/known") > 0 })
	require.Less(t, count(`"route":"/ok"`), flood)
	require.Equal(t, flood/10, count(`"route":"/broken"`))
}

// A status that clients cause is sampled, although 501 and 505 are of the server's class.
func TestServerFaultsAreAlwaysLogged(t *testing.T) {
	for _, status := range []int{200, 404, 431, 501, 505} {
		require.False(t, isServerFault(status), status)
	}
	for _, status := range []int{500, 503} {
		require.True(t, isServerFault(status), status)
	}
}
