package httpserver

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

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

// A line says how many were left out. Authenticated requests and failures of the server are logged
// always.
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
	begun := time.Now()
	for i := range flood {
		b.get(t, "/ok", "X-Forwarded-For", "192.0.2.1")
		if i%10 == 0 {
			b.get(t, "/known", "X-Forwarded-For", "192.0.2.1")
			b.get(t, "/broken", "X-Forwarded-For", "192.0.2.1")
		}
	}
	b.get(t, "/ok", "X-Forwarded-For", "192.0.2.2")
	seconds := int(time.Since(begun).Seconds()) + 2
	left := func() (n int) {
		for line := range strings.Lines(b.logs.String()) {
			var l struct {
				Msg      string
				Requests int
			}
			require.NoError(t, json.Unmarshal([]byte(line), &l))
			n += l.Requests
		}
		return n
	}
	count := func(what string) int { return strings.Count(b.logs.String(), what) }
	eventually(t, "all to be logged or counted", func() bool {
		return count(`"route":"/ok"`)+left() == flood+1
	})
	if n := count(`"client":"192.0.2.1"`) - 200; n > seconds*maxSampledPerAddress {
		t.Errorf("%d lines of one address in %d seconds", n, seconds)
	}
	if count(`"route":"/known"`) != 100 || count(`"msg":"request"`)-count(`"route":"/ok"`) != 200 ||
		count(`"client":"192.0.2.2"`) != 1 {
		t.Errorf("known %d, all but the flood's %d, another address %d", count(`"route":"/known"`),
			count(`"msg":"request"`)-count(`"route":"/ok"`), count(`"client":"192.0.2.2"`))
	}
}

// Many addresses share one limit, and a /64 is one address.
func TestLogLimitHoldsForAllAddresses(t *testing.T) {
	s := sampler{log: slog.New(slog.DiscardHandler)}
	taken := 0
	for i := range 1000 {
		if s.allow(fmt.Sprintf("192.0.%d.%d", i/250, i%250)) {
			taken++
		}
	}
	if taken != maxSampled || len(s.perAddress) > maxSampled {
		t.Errorf("%d lines, %d addresses kept", taken, len(s.perAddress))
	}
	s.flush()
	taken = 0
	for i := range 1000 {
		if s.allow(fmt.Sprintf("2001:db8::%x", i)) {
			taken++
		}
	}
	if taken != maxSampledPerAddress {
		t.Errorf("%d lines of one /64", taken)
	}
}

// What a client can cause at will is sampled whatever its status.
func TestServerFaultsAreAlwaysLogged(t *testing.T) {
	for status, want := range map[int]bool{
		200: false,
		404: false,
		431: false,
		500: true,
		501: false,
		503: true,
		505: false,
	} {
		require.Equal(t, want, isServerFault(status), status)
	}
}
