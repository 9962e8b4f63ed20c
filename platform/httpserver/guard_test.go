package httpserver

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
)

func plainRoutes(app *fiber.App) {
	app.Get("/ok", func(c *fiber.Ctx) error { return SendJSON(c, []byte(`{}`), JSONOptions{}) })
	app.Post("/form", func(c *fiber.Ctx) error { return c.SendString("ok") })
	app.Get("/panic", func(c *fiber.Ctx) error {
		c.Set("X-Half", "done")
		panic("secret internals")
	})
}

// rules.md, Formats: every response outside of 2xx and 304 has the error body, whatever caused it.
func TestInvalidHTTPGetsTheErrorBody(t *testing.T) {
	b := serve(t, Options{}, plainRoutes)
	long := strings.Repeat("a", 4100)
	big := strings.Repeat("X-Filler: "+strings.Repeat("b", 990)+"\r\n", 17)
	huge := strings.Repeat("X-Filler: "+strings.Repeat("b", 990)+"\r\n", 40)
	const h = " HTTP/1.1\r\nHost: x\r\n"
	const bad = "invalid-argument"
	const val = "ERR_VALIDATION"
	const no = "ERR_METHOD_NOT_ALLOWED"
	for _, c := range []struct {
		name, request string
		status        int
		code, detail  string
	}{
		{"a TLS greeting", "\x16\x03\x01garbage\r\n\r\n", 400, bad, val},
		{"garbage line", "GET\r\n\r\n", 400, bad, val},
		{"no version", "GET /ok\r\n\r\n", 400, bad, val},
		{"version in words", "GET /ok HTTP/one\r\n\r\n", 400, bad, val},
		{"no host", "GET /ok HTTP/1.1\r\n\r\n", 400, bad, val},
		{"relative target", "GET ok" + h + "\r\n", 400, bad, val},
		{"headers over 16 KB", "GET /ok" + h + big + "\r\n", 431, bad, val},
		{"headers over the buffer", "GET /ok" + h + huge + "\r\n", 431, bad, val},
		{"target over 4 KB", "GET /ok?" + long + h + "\r\n", 414, bad, val},
		{"fragment", "GET /ok#top" + h + "\r\n", 400, bad, val},
		{"folded line", "GET /ok" + h + "X-A: b\r\n c\r\n\r\n", 400, bad, val},
		{"folded by a tab", "GET /ok" + h + "X-A: b\r\n\tc\r\n\r\n", 400, bad, val},
		{
			"chunked GET", "GET /ok" + h + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, bad,
			val,
		},
		{"identity GET", "GET /ok" + h + "transfer-encoding: identity\r\n\r\n", 400, bad, val},
		{"GET with a body", "GET /ok" + h + "Content-Length: 2\r\n\r\nhi", 400, bad, val},
		{
			"GET with both lengths",
			"GET /ok" + h + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
			bad, val,
		},
		{"HEAD with a body", "HEAD /ok" + h + "Content-Length: 2\r\n\r\nhi", 400, bad, val},
		{
			"POST with both lengths",
			"POST /form" + h + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			400, bad, val,
		},
		{
			"POST, both the other way",
			"POST /form" + h + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
			400, bad, val,
		},
		{
			"POST in chunks",
			"POST /form" + h + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", 400, bad,
			val,
		},
		{
			"30 KB beside a chunk's length",
			"POST /form" + h + "Transfer-Encoding: chunked\r\n\r\n2;" +
				strings.Repeat("x", 30<<10) +
				"\r\nhi\r\n0\r\n\r\n", 400, bad, val,
		},
		{
			"a trailer",
			"POST /form" + h + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-A: b\r\n\r\n",
			400, bad, val,
		},
		{
			"a header line that ends with LF", "GET /ok" + h + "X-A: b\nX-C: d\r\n\r\n", 400, bad,
			val,
		},
		{"CR in a header line", "GET /ok" + h + "X-A: b\rX-C: d\r\n\r\n", 400, bad, val},
		{
			"POST identity",
			"POST /form" + h + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi", 400,
			bad, val,
		},
		{
			"two lengths", "POST /form" + h + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
			400, bad, val,
		},
		{"body over 64 KB", "POST /form" + h + "Content-Length: 70000\r\n\r\n", 413, bad, val},
		{
			"body over 64 KB, asked first",
			"POST /form" + h + "Expect: 100-continue\r\nContent-Length: 70000\r\n\r\n", 413, bad,
			val,
		},
		{
			"POST in chunks, asked first",
			"POST /form" + h + "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
			bad, val,
		},
		{
			"GET with a body, asked first",
			"GET /ok" + h + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n", 400, bad, val,
		},
		{
			"an unknown expectation",
			"POST /form" + h + "Expect: 200-ok\r\nContent-Length: 2\r\n\r\nhi", 417, bad, val,
		},
		{
			"one more expectation",
			"POST /form" + h + "Expect: 100-continue, a=b\r\nContent-Length: 2\r\n\r\n", 417, bad,
			val,
		},
		{
			"one more Expect",
			"POST /form" + h + "Expect: 100-continue\r\nExpect: a\r\nContent-Length: 2\r\n\r\n",
			417,
			bad, val,
		},
		{"HTTP/9.9", "GET /ok HTTP/9.9\r\nHost: x\r\n\r\n", 505, bad, val},
		{"HTTP/2.0 preface", "PRI * HTTP/2.0\r\nHost: x\r\n\r\n", 505, bad, val},
		{"HTTP/0.9 spelled out", "GET /ok HTTP/0.9\r\nHost: x\r\n\r\n", 505, bad, val},
		{"unknown method", "BREW /ok" + h + "\r\n", 501, "method-not-allowed", no},
		{"CONNECT", "CONNECT x:443" + h + "\r\n", 501, "method-not-allowed", no},
		{"method that is no token", "G(T /ok" + h + "\r\n", 501, "method-not-allowed", no},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := b.raw(t, c.request)
			a.wantError(t, c.status, c.code, c.detail)
			if !a.closed {
				t.Error("the connection stays open")
			}
		})
	}
}

// The message of a 400 names the fault.
func TestFramingFaultsAreNamed(t *testing.T) {
	b := serve(t, Options{}, plainRoutes)
	const get = "GET /ok"
	const post = "POST /form"
	const h = " HTTP/1.1\r\nHost: x\r\n"
	for name, c := range map[string]struct{ request, message string }{
		"GET with a body": {
			get + h + "Content-Length: 2\r\n\r\nhi", "GET requests take no body.",
		},
		"chunked GET": {
			get + h + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "GET requests take no body.",
		},
		"HEAD with a body": {"HEAD /ok" + h + "Content-Length: 2\r\n\r\nhi", ""},
		"chunked POST": {
			post + h + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", faultChunked,
		},
		"identity POST": {
			post + h + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nhi", faultChunked,
		},
		"unknown transfer coding": {post + h + "Transfer-Encoding: br\r\n\r\n", faultChunked},
		"two lengths": {
			post + h + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", faultLengths,
		},
		"two lengths of nothing": {
			get + h + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", faultLengths,
		},
		"folded line":                 {get + h + "X-A: b\r\n c\r\n\r\n", faultFolded},
		"header line without CR":      {get + h + "X-A: b\nX-C: d\r\n\r\n", faultLineEnding},
		"request line without CR":     {get + " HTTP/1.1\nHost: x\r\n\r\n", faultLineEnding},
		"request line of 1.0, no CR":  {get + " HTTP/1.0\nHost: x\r\n\r\n", faultLineEnding},
		"fragment":                    {"GET /ok#top" + h + "\r\n", faultFragment},
		"a request line of two words": {"GET /ok\r\n\r\n", "The request is not valid HTTP/1.1."},
	} {
		t.Run(name, func(t *testing.T) {
			a := b.raw(t, c.request)
			a.wantError(t, 400, "invalid-argument", "ERR_VALIDATION")
			if !strings.Contains(a.body, c.message) {
				t.Errorf("body %s, want %q", a.body, c.message)
			}
		})
	}
}

// A request line that ends with LF alone is refused wherever the network splits it, and after a
// good request too.
func TestRequestLineWithoutCRIsRefusedInAnySplit(t *testing.T) {
	b := serve(t, Options{}, plainRoutes)
	const good = "GET /ok HTTP/1.1\r\nHost: x\r\n\r\n"
	const bad = "GET /ok HTTP/1.1\nHost: x\r\n\r\n"
	for at := 1; at <= len("GET /ok HTTP/1.1"); at++ {
		c := b.dial(t)
		in := bufio.NewReader(c)
		_, _ = io.WriteString(c, good+bad[:at])
		readStatus(t, in, 200)
		_, _ = io.WriteString(c, bad[at:])
		readStatus(t, in, 400)
	}
	c := b.dial(t)
	_, _ = io.WriteString(c, good+bad)
	all, _ := io.ReadAll(c)
	if n := strings.Count(string(all), "HTTP/1.1 200 OK"); n > 1 ||
		!strings.Contains(string(all), faultLineEnding) {
		t.Errorf("in one packet: %s", all)
	}
}

func readStatus(t *testing.T, in *bufio.Reader, want int) {
	t.Helper()
	resp, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != want {
		t.Errorf("%d %s, want %d", resp.StatusCode, body, want)
	}
}

func TestRouterErrorsHaveTheErrorBody(t *testing.T) {
	b := serve(t, Options{}, plainRoutes)
	for _, c := range []struct {
		method, path string
		status       int
		code, detail string
	}{
		{"GET", "/nowhere", 404, "not-found", "ERR_NOT_FOUND"},
		{"HEAD", "/nowhere", 404, "not-found", "ERR_NOT_FOUND"},
		{"GET", "/OK", 404, "not-found", "ERR_NOT_FOUND"},
		{"GET", "/ok/", 404, "not-found", "ERR_NOT_FOUND"},
		{"GET", "/%6fk", 404, "not-found", "ERR_NOT_FOUND"},
		{"GET", "//ok", 404, "not-found", "ERR_NOT_FOUND"},
		{"POST", "/ok", 405, "method-not-allowed", "ERR_METHOD_NOT_ALLOWED"},
		{"TRACE", "/ok", 405, "method-not-allowed", "ERR_METHOD_NOT_ALLOWED"},
		{"OPTIONS", "/ok", 405, "method-not-allowed", "ERR_METHOD_NOT_ALLOWED"},
		{"GET", "/panic", 500, "internal", "ERR_INTERNAL"},
		{"HEAD", "/panic", 500, "internal", "ERR_INTERNAL"},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			a := b.do(t, c.method, c.path)
			a.wantError(t, c.status, c.code, c.detail)
			if c.status == 405 && a.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("Allow %q", a.Header.Get("Allow"))
			}
			if strings.Contains(a.body, "secret") || a.Header.Get("X-Half") != "" {
				t.Errorf("the handler's half-done answer shows: %q %v", a.body, a.Header)
			}
		})
	}
	if !strings.Contains(b.logs.String(), "secret internals") {
		t.Error("the panic is not in the log")
	}
}

func TestValidRequestPassesTheGuard(t *testing.T) {
	b := serve(t, Options{}, plainRoutes)
	for _, r := range []string{
		"GET /ok HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /ok HTTP/1.0\r\n\r\n",
		"GET http://x/ok HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
		"GET /ok HTTP/1.1\r\nHost: x\r\n" +
			strings.Repeat("X-F: "+strings.Repeat("b", 990)+"\r\n", 15) + "\r\n",
		"POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
	} {
		if a := b.raw(t, r); a.StatusCode != 200 {
			t.Errorf("%.60q: %d %s", r, a.StatusCode, a.body)
		}
	}
}

// RFC 9110, 10.1.1: the body is sent after 100, and only then read.
func TestExpectedContinueComesBeforeTheBody(t *testing.T) {
	b := serve(t, Options{}, plainRoutes)
	for _, expectation := range []string{"100-continue", "100-Continue"} {
		c := b.dial(t)
		in := bufio.NewReader(c)
		_, _ = io.WriteString(c,
			"POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: "+expectation+
				"\r\n\r\n")
		readStatus(t, in, 100)
		_, _ = io.WriteString(c, "hi")
		readStatus(t, in, 200)
	}
}

func TestIncompleteRequestGets408(t *testing.T) {
	b := serve(t, Options{ReadTimeout: 100 * time.Millisecond}, plainRoutes)
	a := b.raw(t, "GET /ok HTTP/1.1\r\nHos")
	a.wantError(t, 408, "invalid-argument", "ERR_VALIDATION")
}

func TestUnreadableHeadRequestGetsNoBody(t *testing.T) {
	b := serve(t, Options{}, plainRoutes)
	a := b.raw(t, "HEAD /ok HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n")
	if a.StatusCode != 413 || !a.closed {
		t.Errorf("%d, closed %v", a.StatusCode, a.closed) // raw reports stray bytes
	}
	c := b.dial(t)
	_, _ = io.WriteString(c, "HEAD /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	all, _ := io.ReadAll(c)
	if !strings.HasSuffix(string(all), "\r\n\r\n") {
		t.Errorf("a body after HEAD: %q", all)
	}
}
