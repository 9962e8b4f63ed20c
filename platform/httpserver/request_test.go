package httpserver

import (
	"bufio"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"
)

// rules.md, Headers: a client's own id is kept when it matches [A-Za-z0-9_-]{8,64}.
func TestValidRequestIDOfTheClientIsKept(t *testing.T) {
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/id", func(c *fiber.Ctx) error { return c.SendString(RequestID(c)) })
	})
	for id, own := range map[string]bool{
		"abcDEF_-19":            true,
		"12345678":              true,
		strings.Repeat("a", 64): true,
		"1234567":               false,
		strings.Repeat("a", 65): false,
		"abcd efgh":             false,
		"abcdefg;":              false,
		"ünïcödé1":              false,
		"":                      false,
	} {
		a := b.get(t, "/id", "X-Request-Id", id)
		got := a.Header.Get("X-Request-Id")
		require.Equal(t, own, got == id, "sent %q, got %q", id, got)
		require.Regexp(t, validRequestID, got)
		require.Equal(t, a.body, got)
	}
	early := b.raw(t, "GET /id#x"+host+"X-Request-Id: my-own-id\r\n\r\n")
	require.Equal(t, "my-own-id", early.Header.Get("X-Request-Id"), "in front of the router")
}

// rules.md, Data: the connection's address, or behind trusted proxies the last that is not one of
// them.
func TestClientAddressIsTheLastThatIsNotTrusted(t *testing.T) {
	nets := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		remote    string
		forwarded []string
		want      string
	}{
		{"203.0.113.9:1", nil, "203.0.113.9"},
		{"203.0.113.9:1", []string{"198.51.100.1"}, "203.0.113.9"},
		{"10.0.0.1:1", nil, "10.0.0.1"},
		{"10.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1", []string{"6.6.6.6, 198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:1", []string{"6.6.6.6, 198.51.100.1, 10.9.9.9"}, "198.51.100.1"},
		{"10.0.0.1:1", []string{"6.6.6.6", "198.51.100.1", "10.9.9.9"}, "198.51.100.1"},
		{"10.0.0.1:1", []string{"6.6.6.6, 198.51.100.1", "10.2.2.2 ,10.9.9.9"}, "198.51.100.1"},
		{"10.0.0.1:1", []string{"198.51.100.1, unknown, 10.9.9.9"}, "10.9.9.9"},
		{"10.0.0.1:1", []string{"198.51.100.1, unknown"}, "10.0.0.1"},
		{"10.0.0.1:1", []string{""}, "10.0.0.1"},
		{"10.0.0.1:1", []string{"198.51.100.1,"}, "10.0.0.1"},
		{"10.0.0.1:1", []string{"10.3.3.3, 10.2.2.2"}, "10.3.3.3"},
		{"10.0.0.1:1", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"10.0.0.1:1", []string{"[2001:db8::1]:4711"}, "2001:db8::1"},
		{"10.0.0.1:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"[::ffff:10.0.0.1]:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"[fd00::1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
		{"10.0.0.1:1", []string{"fe80::1%eth0"}, "fe80::1"},
	} {
		remote := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.remote))
		var forwarded [][]byte
		for _, line := range c.forwarded {
			forwarded = append(forwarded, []byte(line))
		}
		require.Equal(t, c.want, clientAddr(remote, forwarded, nets), "%+v", c)
	}
	require.Empty(t, clientAddr(&net.UnixAddr{Name: "x"}, nil, nets))
}

func TestMetricsAreByRouteTemplate(t *testing.T) {
	reg := prometheus.NewRegistry()
	b := serve(t, Options{Metrics: reg}, func(app *fiber.App) {
		app.Get("/api/v1/forks/:id", func(c *fiber.Ctx) error { return c.SendString("x") })
	})
	b.get(t, "/api/v1/forks/1")
	b.get(t, "/api/v1/forks/2")
	b.get(t, "/api/v1/none/2")
	b.get(t, "/elsewhere")
	b.raw(t, "BREW /x HTTP/1.1\r\nHost: x\r\n\r\n")
	eventually(t, "the requests to be counted", func() bool {
		return testutil.CollectAndCount(b.metrics.duration) == 3
	})
	got, err := testutil.CollectAndFormat(reg, expfmt.TypeTextPlain, "dg_http_request_duration_seconds")
	require.NoError(t, err)
	for _, labels := range []string{
		`method="GET",route="/api/v1/forks/:id",status="200"} 2`,
		`method="GET",route="unmatched",status="404"} 2`,
		`method="other",route="unmatched",status="501"} 1`,
	} {
		require.Contains(t, string(got), "dg_http_request_duration_seconds_count{"+labels)
	}
}

// fasthttp reuses its buffers for the connection's next request.
func TestValuesOutliveTheNextRequestOnTheConnection(t *testing.T) {
	type kept struct{ id, addr, path, param, header string }
	var mu sync.Mutex
	var all []kept
	b := serve(t, Options{
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}, func(app *fiber.App) {
		app.Get("/v/:p", func(c *fiber.Ctx) error {
			mu.Lock()
			defer mu.Unlock()
			all = append(all,
				kept{RequestID(c), ClientAddr(c), c.Path(), c.Params("p"), c.Get("User-Agent")})
			return nil
		})
	})
	c := b.dial(t)
	r := bufio.NewReader(c)
	for i, x := range []string{"a", "b"} {
		s := strings.Repeat(x, 8)
		_, _ = fmt.Fprintf(c, "GET /v/%s"+host+"X-Request-Id: %s\r\nUser-Agent: %s\r\n"+
			"X-Forwarded-For: 192.0.2.%d\r\n\r\n", s, s, s, i)
		readStatus(t, r, 200)
	}
	require.Equal(t, kept{"aaaaaaaa", "192.0.2.0", "/v/aaaaaaaa", "aaaaaaaa", "aaaaaaaa"}, all[0])
}
