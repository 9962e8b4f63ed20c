package httpserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// Decisions, "Other headers": a client's own id is taken when it matches [A-Za-z0-9_-]{8,64}.
func TestRequestIDIsTheClientsOwnWhenItIsHarmless(t *testing.T) {
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/id", func(c *fiber.Ctx) error { return c.SendString(RequestID(c)) })
	})
	for id, own := range map[string]bool{
		"abcDEF_-19": true, "12345678": true, strings.Repeat("a", 64): true,
		"1234567": false, strings.Repeat("a", 65): false, "abcd efgh": false, "abcdefg;": false, "ünïcödé1": false, "": false,
	} {
		a := b.get(t, "/id", "X-Request-Id", id)
		got := a.Header.Get("X-Request-Id")
		if (got == id) != own || !validRequestID.MatchString(got) || got != a.body {
			t.Errorf("sent %q, got %q, handler saw %q", id, got, a.body)
		}
	}
	if got := b.raw(t, "GET /id#x HTTP/1.1\r\nHost: x\r\nX-Request-Id: my-own-id\r\n\r\n").Header.Get("X-Request-Id"); got != "my-own-id" {
		t.Errorf("in front of the router: %q", got)
	}
}

// Decisions, "Data": the connection's address, or behind trusted proxies the last that is not one of them.
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

func TestClientAddressOverAConnection(t *testing.T) {
	b := serve(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, func(app *fiber.App) {
		app.Get("/", func(c *fiber.Ctx) error { return c.SendString(ClientAddr(c)) })
	})
	a := b.get(t, "/", "X-Forwarded-For", "6.6.6.6, 198.51.100.7", "X-Forwarded-For", "127.0.0.9")
	if a.body != "198.51.100.7" {
		t.Errorf("got %q", a.body)
	}
}

func TestEachRequestLeavesOneLogLineWithoutSecrets(t *testing.T) {
	b := serve(t, Options{RedactPath: func(p string) string { return strings.ReplaceAll(p, "hidden", "***") }}, func(app *fiber.App) {
		app.Get("/forks/:id", func(c *fiber.Ctx) error { return c.SendString("12345") })
	})
	id := b.get(t, "/forks/hidden?token=topsecret", "Authorization", "Bearer dg_live_secret").Header.Get("X-Request-Id")
	b.raw(t, "GET /forks/7?token=topsecret BROKEN\r\nAuthorization: Bearer dg_live_secret\r\n\r\n")
	eventually(t, "two log lines", func() bool { return strings.Count(b.logs.String(), "\n") >= 2 })
	logs := b.logs.String()
	if strings.Contains(logs, "secret") || strings.Contains(logs, "hidden") || strings.Contains(logs, "token") {
		t.Errorf("a secret in the log: %s", logs)
	}
	line, _, _ := strings.Cut(logs, "\n")
	var got map[string]any
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]any{"request_id": id, "method": "GET", "route": "/forks/:id", "path": "/forks/***",
		"status": 200.0, "bytes": 5.0, "client": "127.0.0.1"} {
		if got[k] != want {
			t.Errorf("%s is %v, want %v", k, got[k], want)
		}
	}
	if strings.Count(logs, "\n") != 2 {
		t.Errorf("want two lines: %s", logs)
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
		"/api/v1/forks/:id GET 200": 2, "/api/v1/* GET 403": 1, "unmatched GET 404": 2, "unmatched other 501": 1,
	}
	eventually(t, "six requests counted", func() bool { return testutil.CollectAndCount(b.metrics.duration) == len(want) })
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
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

// HTTP facts, "Values": fasthttp reuses its buffers for the connection's next request.
func TestValuesOutliveTheNextRequestOnTheConnection(t *testing.T) {
	type kept struct{ id, addr, path, param, header string }
	var mu sync.Mutex
	var all []kept
	b := serve(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, func(app *fiber.App) {
		app.Get("/v/:p", func(c *fiber.Ctx) error {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, kept{RequestID(c), ClientAddr(c), c.Path(), c.Params("p"), c.Get("User-Agent")})
			return nil
		})
	})
	c := b.dial(t)
	r := bufio.NewReader(c)
	for _, x := range []string{"a", "b"} {
		s := strings.Repeat(x, 8)
		_, _ = io.WriteString(c, "GET /v/"+s+" HTTP/1.1\r\nHost: x\r\nX-Request-Id: "+s+"\r\nUser-Agent: "+s+
			"\r\nX-Forwarded-For: "+map[string]string{"a": "1.1.1.1", "b": "2.2.2.2"}[x]+"\r\n\r\n")
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if want := (kept{"aaaaaaaa", "1.1.1.1", "/v/aaaaaaaa", "aaaaaaaa", "aaaaaaaa"}); all[0] != want {
		t.Errorf("%+v, want %+v", all[0], want)
	}
}

// A flood of requests of nobody known cannot fill the disk: there is a bound for each second, one below it for an address,
// and a line that says how many were left out. What is known or failed on our side is always there.
func TestAFloodOfUnknownRequestsIsSampled(t *testing.T) {
	b := serve(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, func(app *fiber.App) {
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
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Fatal(err)
			}
			n += l.Requests
		}
		return n
	}
	count := func(what string) int { return strings.Count(b.logs.String(), what) }
	eventually(t, "all to be logged or counted", func() bool { return count(`"route":"/ok"`)+left() == flood+1 })
	if n := count(`"client":"192.0.2.1"`) - 200; n > seconds*maxSampledPerAddress {
		t.Errorf("%d lines of one address in %d seconds", n, seconds)
	}
	if count(`"route":"/known"`) != 100 || count(`"msg":"request"`)-count(`"route":"/ok"`) != 200 || count(`"client":"192.0.2.2"`) != 1 {
		t.Errorf("known %d, all but the flood's %d, another address %d", count(`"route":"/known"`), count(`"msg":"request"`)-count(`"route":"/ok"`), count(`"client":"192.0.2.2"`))
	}
}

// No crowd of addresses gets past the bound for all of them, and a /64 is one address.
func TestTheBoundOfTheLogHoldsForAllAddresses(t *testing.T) {
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

// What a client can cause at will is sampled in the log whatever its status; failures on our side never are.
func TestOurFailuresAloneAreAlwaysLogged(t *testing.T) {
	for status, want := range map[int]bool{200: false, 404: false, 431: false, 500: true, 501: false, 503: true, 505: false} {
		if isServerFault(status) != want {
			t.Errorf("%d: %t", status, !want)
		}
	}
}
