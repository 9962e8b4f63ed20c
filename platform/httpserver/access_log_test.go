package httpserver

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"regexp"
	"strconv"
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

// Authenticated requests and failures of the server are always logged. A line has the number of the
// others that were left out.
func TestUnauthenticatedRequestsAreSampled(t *testing.T) {
	b := serve(t, Options{
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}, func(app *fiber.App) {
		app.Get("/known", func(c *fiber.Ctx) error {
			MarkAuthenticated(c)
			return c.SendString("ok")
		})
		app.Get("/broken", func(*fiber.Ctx) error { return fiber.ErrInternalServerError })
		okRoutes(app)
	})
	const flood = 1000
	for i := range flood {
		b.get(t, "/ok", "X-Forwarded-For", "192.0.2.1")
		if i%10 == 0 {
			b.get(t, "/known", "X-Forwarded-For", "192.0.2.1")
			b.get(t, "/broken", "X-Forwarded-For", "192.0.2.1")
		}
	}
	b.get(t, "/ok", "X-Forwarded-For", "192.0.2.2")
	count := func(what string) int { return strings.Count(b.logs.String(), what) }
	omitted := func() (n int) {
		for _, found := range omittedRequests.FindAllStringSubmatch(b.logs.String(), -1) {
			requests, _ := strconv.Atoi(found[1])
			n += requests
		}
		return n
	}
	eventually(t, "all to be logged or counted", func() bool {
		return count(`"route":"/ok"`)+omitted() == flood+1
	})
	require.Equal(t, 100, count(`"route":"/known"`))
	require.Equal(t, 200, count(`"msg":"request"`)-count(`"route":"/ok"`))
	require.Equal(t, 1, count(`"client":"192.0.2.2"`))
	require.Positive(t, omitted())
}

var omittedRequests = regexp.MustCompile(`"requests":(\d+)`)

// All addresses share one limit, and a /64 counts as one address.
func TestLogLimitHoldsForAllAddresses(t *testing.T) {
	s := sampler{log: slog.New(slog.DiscardHandler)}
	logged := func(address func(i int) string) (n int) {
		for i := range 1000 {
			if s.allow(address(i)) {
				n++
			}
		}
		return n
	}
	require.Equal(t, maxSampled, logged(func(i int) string {
		return fmt.Sprintf("192.0.%d.%d", i/250, i%250)
	}))
	require.LessOrEqual(t, len(s.perAddress), maxSampled)
	s.flush()
	require.Equal(t, maxSampledPerAddress, logged(func(i int) string {
		return fmt.Sprintf("2001:db8::%x", i)
	}))
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
