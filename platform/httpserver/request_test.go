package httpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"dg/platform/apperr"
	"dg/platform/testkit/tb"
)

// openapi.yaml, Over HTTP: the client's X-Request-Id is used if it matches [A-Za-z0-9_-]{8,64}.
func TestValidRequestIDOfTheClientIsKept(t *testing.T) {
	server := startServer(t, Options{}, func(app *fiber.App) {
		app.Get("/id", func(c *fiber.Ctx) error { return c.SendString(RequestID(c)) })
	})
	for id, valid := range map[string]bool{
		"abcDEF_-19": true, "12345678": true, strings.Repeat("a", 64): true, "1234567": false,
		strings.Repeat("a", 65): false, "abcd efgh": false, "abcdefg;": false, "ünïcödé1": false, "": false,
	} {
		response := server.get(t, "/id", "X-Request-Id", id)
		got := response.Header.Get("X-Request-Id")
		require.Equal(t, valid, got == id, "sent %q, got %q", id, got)
		require.Regexp(t, requestIDPattern, got)
		require.Equal(t, response.body, got)
	}
	early := server.sendRaw(t, "GET /id#x"+versionAndHost+"X-Request-Id: my-own-id\r\n\r\n")
	require.Equal(t, "my-own-id", early.Header.Get("X-Request-Id"), "in front of the router")
}

// rules.md, Data: the client is the last untrusted address of X-Forwarded-For and the connection, in this order.
func TestClientAddressIsTheLastThatIsNotTrusted(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
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
		{"10.0.0.1:1", []string{"[2001:db8::1]"}, "2001:db8::1"},
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
		require.Equal(t, c.want, clientAddr(remote, forwarded, trusted), "%+v", c)
	}
	require.Empty(t, clientAddr(&net.UnixAddr{Name: "x"}, nil, trusted))
}

// Metrics are labelled by route template and known method, never by a client's path.
func TestMetricsAreByRouteTemplate(t *testing.T) {
	registry := prometheus.NewRegistry()
	server := startServer(t, Options{Metrics: registry}, func(app *fiber.App) {
		app.Get("/api/v1/forks/:id", func(c *fiber.Ctx) error { return c.SendString("x") })
	})
	for _, path := range []string{"/api/v1/forks/1", "/api/v1/forks/2", "/api/v1/none/2", "/elsewhere"} {
		server.get(t, path)
	}
	server.sendRaw(t, "BREW /x HTTP/1.1\r\nHost: x\r\n\r\n")
	eventually(t, "all to be counted", func() bool { return testutil.CollectAndCount(server.metrics.duration) == 3 })
	text := tb.Must(testutil.CollectAndFormat(registry, expfmt.TypeTextPlain, "dg_http_request_duration_seconds"))(t)
	for _, labels := range []string{
		`method="GET",route="/api/v1/forks/:id",status="200"} 2`,
		`method="GET",route="unmatched",status="404"} 2`, `method="other",route="unmatched",status="501"} 1`,
	} {
		require.Contains(t, string(text), "dg_http_request_duration_seconds_count{"+labels)
	}
}

// Values of a request are copies, because fasthttp reuses its buffers for the connection's next request.
func TestValuesOutliveTheNextRequestOnTheConnection(t *testing.T) {
	values := make(chan []string, 2)
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	server := startServer(t, Options{TrustedProxies: loopback}, func(app *fiber.App) {
		app.Get("/v/:p", func(c *fiber.Ctx) error {
			values <- []string{RequestID(c), ClientAddr(c), c.Path(), c.Params("p"), c.Get("User-Agent")}
			return nil
		})
	})
	c := server.dial(t)
	r := bufio.NewReader(c)
	for i, letter := range []string{"a", "b"} {
		value := strings.Repeat(letter, 8)
		_, _ = fmt.Fprintf(c, "GET /v/%s"+versionAndHost+"X-Request-Id: %s\r\nUser-Agent: %s\r\n"+
			"X-Forwarded-For: 192.0.2.%d\r\n\r\n", value, value, value, i)
		require.Equal(t, 200, readResponse(tb.Must(http.ReadResponse(r, nil))(t)).StatusCode)
	}
	require.Equal(t, []string{"aaaaaaaa", "192.0.2.0", "/v/aaaaaaaa", "aaaaaaaa", "aaaaaaaa"}, <-values)
}

// Each request has one log line, without query, key or redacted parts of the path.
func TestRequestIsLoggedOnceWithoutSecrets(t *testing.T) {
	server := startServer(t, Options{
		RedactPath: func(p string) string { return strings.ReplaceAll(p, "hidden", "***") },
	}, func(app *fiber.App) {
		app.Get("/forks/:id", func(c *fiber.Ctx) error { return c.SendString("12345") })
	})
	response := server.get(t, "/forks/hidden?token=topsecret", "Authorization", "Bearer dg_live_secret")
	server.sendRaw(t, "GET /forks/7?token=topsecret BROKEN\r\nAuthorization: Bearer dg_live_secret\r\n\r\n")
	eventually(t, "two log lines", func() bool { return strings.Count(server.logs.String(), "\n") >= 2 })
	logs := server.logs.String()
	require.NotRegexp(t, "secret|hidden|token", logs)
	line, _, _ := strings.Cut(logs, "\n")
	var entry map[string]any
	require.NoError(t, json.Unmarshal([]byte(line), &entry))
	for field, want := range map[string]any{
		"request_id": response.Header.Get("X-Request-Id"), "method": "GET", "route": "/forks/:id", "path": "/forks/***",
		"status": 200.0, "bytes": 5.0, "client": "127.0.0.1",
	} {
		require.Equal(t, want, entry[field], field)
	}
	require.Equal(t, 2, strings.Count(logs, "\n"), logs)
}

// Authenticated requests below the rate limit and server faults are always logged. Other requests are sampled.
func TestUnauthenticatedRequestsAreSampled(t *testing.T) {
	server := startServer(t, Options{}, func(app *fiber.App) {
		app.Get("/known", func(c *fiber.Ctx) error {
			MarkAuthenticated(c)
			return c.SendString("ok")
		})
		app.Get("/limited", func(c *fiber.Ctx) error {
			MarkAuthenticated(c)
			return apperr.New(apperr.RateLimited, "Wait a moment.")
		})
		app.Get("/broken", func(*fiber.Ctx) error { return fiber.ErrInternalServerError })
		plainRoutes(app)
	})
	const requests = 500
	for i := range requests {
		server.get(t, []string{"/ok", "/limited"}[i%2])
		if i%10 == 0 {
			server.get(t, "/broken")
		}
	}
	server.get(t, "/known")
	count := func(text string) int { return strings.Count(server.logs.String(), text) }
	eventually(t, "the last request to be logged", func() bool { return count("/known") > 0 })
	for _, route := range []string{`"route":"/ok"`, `"route":"/limited"`} {
		require.Less(t, count(route), requests/2)
		require.Positive(t, count(route))
	}
	require.Equal(t, requests/10, count(`"route":"/broken"`))
	for _, status := range []int{200, 404, 431, 500, 501, 503, 505} { // clients cause 501 and 505
		require.Equal(t, status == 500 || status == 503, isServerFault(status), status)
	}
}

// RFC 9110: the client accepts gzip if its weight is above 0.
func TestGzipIsAcceptedWithAPositiveWeight(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "x-gzip": true, "br, gzip, deflate": true, "br": false,
		"identity": false, "gzip;q=0": false, "gzip;q=0.0": false, "gzip; q=0.001": true, "gzip;q=1.000": true,
		"gzip ; Q=0.5": true, "gzip;q=0.5, *;q=0": true, "gzip;q=x": false, "gzip;q=2": false, "gzipped": false,
		",,gzip,": true, "*": false,
	} {
		h := &fasthttp.RequestHeader{}
		h.Set(fiber.HeaderAcceptEncoding, accept)
		require.Equal(t, want, acceptsGzip(h), accept)
	}
}

// Plain and compressed JSON have different ETags. A request with the current ETag gets 304.
func TestJSONHasAnETagPerEncoding(t *testing.T) {
	body := []byte(`{"items":"` + strings.Repeat("abcdefgh", 1000) + `"}`)
	server := startServer(t, Options{}, func(app *fiber.App) {
		app.All("/j", func(c *fiber.Ctx) error {
			tag := ETag(c, "org1", "7")
			if NotModified(c, tag) {
				return SendNotModified(c, tag)
			}
			return SendJSON(c, body, tag, func() {})
		})
	})
	plain := server.get(t, "/j")
	require.Equal(t, string(body), plain.body)
	require.Empty(t, plain.Header.Get("Content-Encoding"))
	zipped := server.get(t, "/j", "Accept-Encoding", "gzip")
	require.Equal(t, body, zipped.decompressedBody(t))
	for _, response := range []testResponse{plain, zipped} {
		response.requireHeaders(t, map[string]string{"Vary": "Authorization, Accept-Encoding",
			"Cache-Control": "private, no-cache", "Content-Type": "application/json; charset=utf-8"})
	}
	tag := plain.Header.Get("ETag")
	gzipTag := zipped.Header.Get("ETag")
	require.Regexp(t, `^"[^"]+"$`, tag)
	require.Equal(t, strings.TrimSuffix(tag, `"`)+`-gzip"`, gzipTag)
	notModified := server.get(t, "/j", "Accept-Encoding", "gzip", "If-None-Match", `"other,"`, "If-None-Match", gzipTag)
	require.Equal(t, 304, notModified.StatusCode, "the second line has the tag")
	require.Empty(t, notModified.body+notModified.Header.Get("Content-Type"))
	require.Equal(t, 200, server.get(t, "/j", "If-Modified-Since", "Fri, 31 Dec 2199 00:00:00 GMT").StatusCode)
	head := server.send(t, "HEAD", "/j", "Accept-Encoding", "gzip")
	require.Equal(t, zipped.Header.Get("Content-Length"), head.Header.Get("Content-Length"))
}

// A body of several megabytes has a Content-Length. SendJSON calls onSent once.
func TestLargeJSONHasAContentLength(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 4<<20/16)
	calls := make(chan struct{}, 2)
	server := startServer(t, Options{}, func(app *fiber.App) {
		app.Get("/j", func(c *fiber.Ctx) error { return SendJSON(c, body, "", func() { calls <- struct{}{} }) })
	})
	response := server.get(t, "/j")
	response.requireHeaders(t, map[string]string{"Content-Length": "4194304"})
	require.True(t, bytes.Equal(body, []byte(response.body)))
	eventually(t, "the log line", func() bool { return strings.Contains(server.logs.String(), `"bytes":4194304`) })
	require.Len(t, calls, 1)
	server.get(t, "/j", "Range", "bytes=9-").requireError(t, 400)
	require.Len(t, calls, 2, "onSent is called for a refused body, too")
}
