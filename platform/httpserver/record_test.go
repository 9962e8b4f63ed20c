package httpserver

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
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
		if (got == id) != own || !validRequestID.MatchString(got) || got != a.body {
			t.Errorf("sent %q, got %q, handler saw %q", id, got, a.body)
		}
	}
	if got := b.raw(t, "GET /id#x HTTP/1.1\r\nHost: x\r\nX-Request-Id: my-own-id\r\n\r\n").
		Header.Get("X-Request-Id"); got != "my-own-id" {
		t.Errorf("in front of the router: %q", got)
	}
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
		if got := clientAddr(remote, c.forwarded, nets); got != c.want {
			t.Errorf("%s %q: %s, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
	if got := clientAddr(&net.UnixAddr{Name: "x"}, []string{"1.2.3.4"}, nets); got != "" {
		t.Errorf("a Unix socket has the address %q", got)
	}
}

func TestMetricsAreByRouteTemplate(t *testing.T) {
	reg := prometheus.NewRegistry()
	b := serve(t, Options{Metrics: reg}, func(app *fiber.App) {
		app.Use("/api/v1/", func(c *fiber.Ctx) error {
			if c.Query("deny") != "" {
				return fiber.ErrForbidden
			}
			return c.Next()
		})
		app.Get("/api/v1/forks/:id", func(c *fiber.Ctx) error { return c.SendString("x") })
	})
	b.get(t, "/api/v1/forks/1")
	b.get(t, "/api/v1/forks/2")
	b.get(t, "/api/v1/forks/2?deny=1")
	b.get(t, "/api/v1/none/2")
	b.get(t, "/elsewhere")
	b.raw(t, "BREW /x HTTP/1.1\r\nHost: x\r\n\r\n")
	var want = map[string]uint64{
		"/api/v1/forks/:id GET 200": 2,
		"/api/v1/* GET 403":         1,
		"unmatched GET 404":         2,
		"unmatched other 501":       1,
	}
	eventually(t, "six requests counted", func() bool {
		return testutil.CollectAndCount(b.metrics.duration) == len(want)
	})
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, m := range families[0].GetMetric() {
		l := map[string]string{}
		for _, p := range m.GetLabel() {
			l[p.GetName()] = p.GetValue()
		}
		key := l["route"] + " " + l["method"] + " " + l["status"]
		if m.GetHistogram().GetSampleCount() != want[key] {
			t.Errorf("%s: %d, want %d", key, m.GetHistogram().GetSampleCount(), want[key])
		}
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
	for _, x := range []string{"a", "b"} {
		s := strings.Repeat(x, 8)
		_, _ = io.WriteString(c,
			"GET /v/"+s+" HTTP/1.1\r\nHost: x\r\nX-Request-Id: "+s+"\r\nUser-Agent: "+s+
				"\r\nX-Forwarded-For: "+map[string]string{
				"a": "1.1.1.1",
				"b": "2.2.2.2",
			}[x]+"\r\n\r\n")
		resp, err := http.ReadResponse(r, nil)
		require.NoError(t, err)
		resp.Body.Close()
	}
	if want := (kept{
		"aaaaaaaa", "1.1.1.1", "/v/aaaaaaaa", "aaaaaaaa", "aaaaaaaa",
	}); all[0] != want {
		t.Errorf("%+v, want %+v", all[0], want)
	}
}
