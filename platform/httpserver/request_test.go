package httpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
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
		app.Get("/known", func(c *fiber.Ctx) error { MarkAuthenticated(c); return c.SendString("ok") })
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

func plainRoutes(app *fiber.App) {
	app.Get("/ok", func(c *fiber.Ctx) error { return SendJSON(c, []byte(`{}`), "", func() {}) })
	app.Post("/form", func(c *fiber.Ctx) error { return c.SendString("ok") })
	app.Get("/panic", func(*fiber.Ctx) error { panic("secret internals") })
}

const (
	versionAndHost   = " HTTP/1.1\r\nHost: x\r\n"
	getLines         = "GET /ok" + versionAndHost
	postLines        = "POST /form" + versionAndHost
	chunkedLine      = "Transfer-Encoding: chunked\r\n"
	identityLine     = "transfer-encoding: identity\r\n"
	lengthLine       = "Content-Length: 2\r\n"
	emptyLine        = "\r\n"
	emptyChunkedBody = "\r\n0\r\n\r\n"
)

// openapi.yaml, Errors: a request refused before routing gets the error body with its fault. The connection is closed.
func TestInvalidHTTPGetsTheErrorBody(t *testing.T) {
	server := startServer(t, Options{}, plainRoutes)
	kilobyte := "X-Filler: " + strings.Repeat("b", 990) + "\r\n"
	const unreadable = "Check its line and headers: a key must not end with a line break."
	for _, c := range []struct {
		name, request string
		status        int
		message       string
	}{
		{"a TLS greeting", "\x16\x03\x01garbage\r\n\r\n", 400, unreadable},
		{"garbage line", "GET\r\n\r\n", 400, unreadable},
		{"no version", "GET /ok\r\n\r\n", 400, unreadable},
		{"version in words", "GET /ok HTTP/one\r\n\r\n", 400, unreadable},
		{"no host", "GET /ok HTTP/1.1\r\n\r\n", 400, unreadable},
		{"relative target", "GET ok" + versionAndHost + emptyLine, 400, unreadable},
		{"headers over the buffer", getLines + strings.Repeat(kilobyte, 40) + emptyLine, 431,
			"cookies of other programs on this host are the usual cause"},
		{"target over 4 KB", "GET /ok?" + strings.Repeat("a", 4100) + versionAndHost + emptyLine, 414, ""},
		{"fragment", "GET /ok#top" + versionAndHost + emptyLine, 400, faultFragment},
		{"folded line", getLines + "X-A: b\r\n c\r\n\r\n", 400, faultLine},
		{"folded by a tab", getLines + "X-A: b\r\n\tc\r\n\r\n", 400, faultLine},
		{"chunked GET", getLines + chunkedLine + emptyChunkedBody, 400, faultChunked},
		{"identity GET", getLines + identityLine + emptyLine, 400, faultChunked},
		{"GET with a body", getLines + lengthLine + emptyLine + "hi", 400, faultBody},
		{"GET, both lengths", getLines + "Content-Length: 0\r\n" + chunkedLine + emptyChunkedBody, 400, faultChunked},
		{"HEAD of nothing", "HEAD /nowhere" + versionAndHost + "Connection: close\r\n\r\n", 404, ""},
		{"HEAD with a long body", "HEAD /ok" + versionAndHost + "Content-Length: 70000\r\n\r\n", 400, ""},
		{"HEAD with a body", "HEAD /ok" + versionAndHost + lengthLine + emptyLine + "hi", 400, ""},
		{"POST, both lengths", postLines + "Content-Length: 5\r\n" + chunkedLine + emptyChunkedBody, 400, faultChunked},
		{"the other way", postLines + chunkedLine + "Content-Length: 5\r\n" + emptyChunkedBody, 400, faultChunked},
		{"POST in chunks", postLines + chunkedLine + "\r\n2\r\nhi\r\n0\r\n\r\n", 400, faultChunked},
		{"30 KB beside a chunk's length", postLines + chunkedLine + "\r\n2;" +
			strings.Repeat("x", 30<<10) + "\r\nhi\r\n0\r\n\r\n", 400, faultChunked},
		{"a trailer", postLines + chunkedLine + "\r\n2\r\nhi\r\n0\r\nX-A: b\r\n\r\n", 400, faultChunked},
		{"POST identity", postLines + identityLine + lengthLine + emptyLine + "hi", 400, faultChunked},
		{"unknown coding", postLines + "Transfer-Encoding: br\r\n\r\n", 400, unreadable},
		{"header line without CR", getLines + "X-A: b\nX-C: d\r\n\r\n", 400, faultLine},
		{"CR in a header line", getLines + "X-A: b\rX-C: d\r\n\r\n", 400, ""},
		{"two lengths", postLines + lengthLine + lengthLine + emptyLine + "hi", 400, unreadable},
		{"two lengths of 0", getLines + strings.Repeat("Content-Length: 0\r\n", 2) + emptyLine, 400, unreadable},
		{"body over 64 KB", postLines + "Content-Length: 70000\r\n\r\n", 413, ""},
		{"HTTP/9.9", "GET /ok HTTP/9.9\r\nHost: x\r\n\r\n", 505, ""},
		{"HTTP/2.0 preface", "PRI * HTTP/2.0\r\nHost: x\r\n\r\n", 505, ""},
		{"HTTP/0.9 spelled out", "GET /ok HTTP/0.9\r\nHost: x\r\n\r\n", 505, ""},
		{"unknown method", "BREW /ok" + versionAndHost + emptyLine, 501, ""},
		{"CONNECT", "CONNECT x:443" + versionAndHost + emptyLine, 501, ""},
		{"method that is no token", "G(T /ok" + versionAndHost + emptyLine, 400, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			response := server.sendRaw(t, c.request) // reports stray bytes, such as a body after HEAD
			response.requireError(t, c.status)
			require.Contains(t, response.body, c.message)
			require.True(t, response.closed, "the connection stays open")
		})
	}
}

// Errors of the router and panics have the documented error body. A 405 lists the allowed methods.
func TestRouterErrorsHaveTheErrorBody(t *testing.T) {
	server := startServer(t, Options{}, plainRoutes)
	for request, status := range map[string]int{
		"GET /nowhere": 404, "HEAD /nowhere": 404, "GET /OK": 404, "GET /ok/": 404, "GET /%6fk": 404, "GET //ok": 404,
		"POST /ok": 405, "TRACE /ok": 405, "OPTIONS /ok": 405, "GET /panic": 500, "HEAD /panic": 500,
	} {
		t.Run(request, func(t *testing.T) {
			method, path, _ := strings.Cut(request, " ")
			response := server.send(t, method, path)
			response.requireError(t, status)
			if status == 405 {
				require.Equal(t, "GET, HEAD", response.Header.Get("Allow"))
			}
			require.NotContains(t, response.body, "secret")
		})
	}
	require.Contains(t, server.logs.String(), "secret internals")
}

// The guard accepts valid requests of HTTP/1.0 and HTTP/1.1, even with 15 KB of headers.
func TestValidRequestPassesTheGuard(t *testing.T) {
	server := startServer(t, Options{}, plainRoutes)
	for _, request := range []string{
		getLines + emptyLine, "GET /ok HTTP/1.0\r\n\r\n", "GET http://x/ok" + versionAndHost + emptyLine,
		getLines + "Content-Length: 0\r\n" + emptyLine,
		getLines + strings.Repeat("X-F: "+strings.Repeat("b", 990)+"\r\n", 15) + emptyLine,
		postLines + lengthLine + emptyLine + "hi",
	} {
		require.Equal(t, 200, server.sendRaw(t, request).StatusCode, "%.60q", request)
	}
}

var errUnreachable = fmt.Errorf("10.1.2.3: %w", syscall.ECONNREFUSED)

// An error determines status, code and message of the response. Only the log shows the cause of a 5xx.
func TestErrorsBecomeResponses(t *testing.T) {
	internals := errors.New("internals")
	cases := map[string]struct {
		err     error
		status  int
		message string
	}{
		"validation": {apperr.New(apperr.Validation, "Give from and to."), 400, "Give from and to."},
		"auth":       {apperr.New(apperr.AuthRequired, "Send <secret>."), 401, "Send <secret>."},
		"access":     {apperr.New(apperr.AccessDenied, "Not in its scopes."), 403, "Not in its scopes."},
		"rate": {&apperr.Error{Code: apperr.RateLimited, Message: "Wait a moment, please.",
			RetryAfter: 7}, 429, "Wait a moment, please."},
		"unavailable":  {apperr.New(apperr.Unavailable, "Try again later, please."), 503, "Try again later, please."},
		"wrapped":      {fmt.Errorf("reports: %w", apperr.New(apperr.NotFound, "No such fork.")), 404, "No such fork."},
		"with-a-cause": {apperr.Wrap(apperr.NotFound, errUnreachable, "No such fork."), 404, "No such fork."},
		"fiber-404":    {fiber.NewError(404, "Cannot GET <internals>"), 404, ""},
		"fiber-302":    {fiber.NewError(302, "internals"), 500, ""},
		"any":          {internals, 500, ""},
		"deadline":     {fmt.Errorf("query: %w", context.DeadlineExceeded), 503, ""},
		"database":     {fmt.Errorf("query: %w", errUnreachable), 503, ""},
		"internal":     {apperr.Wrap(apperr.Internal, errors.New("cause"), "internals"), 500, ""},
		"code-unknown": {apperr.New("ERR_ODD", "internals"), 500, ""},
	}
	bodyHeaders := []string{"ETag", "Last-Modified", "Content-Encoding", "Content-Disposition", "Content-Language"}
	server := startServer(t, Options{}, func(app *fiber.App) {
		app.Get("/:case", func(c *fiber.Ctx) error {
			c.Set("RateLimit", "kept")
			for _, name := range bodyHeaders {
				c.Set(name, "dropped")
			}
			return cases[c.Params("case")].err
		})
	})
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			response := server.get(t, "/"+name)
			response.requireError(t, c.status)
			require.NotContains(t, response.body, "internals")
			require.NotContains(t, response.body, "10.1.2.3")
			require.Contains(t, response.body, c.message)
			require.Equal(t, map[int]string{429: "7", 503: "2"}[c.status], response.Header.Get("Retry-After"))
			require.Equal(t, map[int]string{401: "Bearer"}[c.status], response.Header.Get("WWW-Authenticate"))
			require.Equal(t, "kept", response.Header.Get("RateLimit"))
			for _, name := range bodyHeaders {
				require.Empty(t, response.Header.Get(name))
			}
			if c.status >= 500 {
				level := map[bool]string{true: "WARN", false: "ERROR"}[c.status == 503]
				require.Regexp(t, `"level":"`+level+`","msg":"request failed","request_id":"`+
					response.Header.Get("X-Request-Id"), server.logs.String())
			}
		})
	}
	require.Contains(t, server.logs.String(), "10.1.2.3", "the cause is in the log")
}

// An error page that panics is replaced by the error body. Errors before routing also get the error page.
func TestErrorPageMayPanicAndServesEarlyErrors(t *testing.T) {
	server := startServer(t, Options{ErrorPage: func(c *fiber.Ctx, _ Failure) bool {
		if c.Path() == "/broken" {
			panic("the template is broken")
		}
		return c.SendString("<p>") == nil
	}}, nil)
	server.get(t, "/broken").requireError(t, 404)
	early := server.sendRaw(t, "GET /page#x HTTP/1.1\r\nHost: x\r\n\r\n")
	require.Equal(t, 400, early.StatusCode)
	require.Equal(t, "<p>", early.body)
}
