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
	const unreadable = "The request is not valid HTTP/1.1."
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
