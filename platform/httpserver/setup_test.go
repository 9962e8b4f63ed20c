package httpserver

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

const testTimeout = 10 * time.Second

type testServer struct {
	*Server
	addr, url string
	logs      tb.Buffer
	served    chan struct{} // closed when Serve has returned
}

func startServer(t *testing.T, o Options, routes func(*fiber.App)) *testServer {
	t.Helper()
	ln := tb.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	b := &testServer{served: make(chan struct{}), addr: ln.Addr().String()}
	b.url = "http://" + b.addr
	o.Logger = slog.New(slog.NewJSONHandler(&b.logs, nil))
	o.Grace = cmp.Or(o.Grace, 200*time.Millisecond)
	b.Server = New(o)
	if routes != nil {
		routes(b.App())
	}
	go func() {
		defer close(b.served)
		assert.NoError(t, b.Serve(ln))
	}()
	t.Cleanup(func() {
		assert.NoError(t, b.Shutdown(context.Background()))
		receive(t, b.served, "Serve to return")
	})
	return b
}

// receive receives a value from c, or fails the test after testTimeout.
func receive[T any](t *testing.T, c <-chan T, awaited string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(testTimeout):
		t.Fatalf("waited %s in vain for %s", testTimeout, awaited)
		panic("unreachable")
	}
}

type answer struct {
	*http.Response
	body   string
	err    error // error of reading the body
	closed bool  // the server closed the connection after the response
}

func (a answer) decompressedBody(t *testing.T) []byte {
	t.Helper()
	body := io.Reader(strings.NewReader(a.body))
	if a.Header.Get("Content-Encoding") == "gzip" {
		body = tb.Must(gzip.NewReader(body))(t)
	}
	return tb.Must(io.ReadAll(body))(t)
}

func (b *testServer) dial(t *testing.T) net.Conn { return b.dialFrom(t, "127.0.0.1") }

func (b *testServer) dialFrom(t *testing.T, address string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: testTimeout}
	c := tb.Must(d.DialContext(t.Context(), "tcp", b.addr))(t)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(testTimeout)))
	return c
}

func (b *testServer) sendRaw(t *testing.T, request string) answer {
	t.Helper()
	c := b.dial(t)
	tb.Must(io.WriteString(c, request))(t)
	method, _, _ := strings.Cut(request, " ")
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, &http.Request{Method: method})
	require.NoError(t, err, "no answer to %.60q", request)
	a := readAnswer(resp)
	if resp.Close {
		rest, err := io.ReadAll(r)
		a.closed = err == nil || errors.Is(err, syscall.ECONNRESET)
		require.Empty(t, rest, "after the answer to %.60q", request)
	}
	return a
}

func readAnswer(response *http.Response) answer {
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{Response: response, body: string(body), err: err}
}

// get sends a GET with Go's client, without transparent compression.
func (b *testServer) get(t *testing.T, path string, header ...string) answer {
	t.Helper()
	return b.send(t, http.MethodGet, path, header...)
}

func (b *testServer) send(t *testing.T, method, path string, header ...string) answer {
	t.Helper()
	req := tb.Must(http.NewRequestWithContext(t.Context(), method, b.url+path, nil))(t)
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	return readAnswer(tb.Must(plainClient.Do(req))(t))
}

var plainClient = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// errorCodes maps a status to its code and details.code. Every other status has those of 400.
var errorCodes = map[int][2]string{
	401: {"unauthenticated", "ERR_AUTH_REQUIRED"},
	403: {"permission-denied", "ERR_ACCESS_DENIED"},
	404: {"not-found", "ERR_NOT_FOUND"},
	405: {"method-not-allowed", "ERR_METHOD_NOT_ALLOWED"},
	429: {"resource-exhausted", "ERR_RATE_LIMITED"},
	500: {"internal", "ERR_INTERNAL"},
	501: {"method-not-allowed", "ERR_METHOD_NOT_ALLOWED"},
	503: {"unavailable", "ERR_UNAVAILABLE"},
}

func (a answer) requireHeaders(t *testing.T, headers map[string]string) {
	t.Helper()
	for name, want := range headers {
		require.Equal(t, want, a.Header.Get(name), name)
	}
}

// requireError checks status, headers and the exact form of the error body.
func (a answer) requireError(t *testing.T, status int) {
	t.Helper()
	require.Equal(t, status, a.StatusCode, a.body)
	require.Regexp(t, requestIDPattern, a.Header.Get("X-Request-Id"))
	a.requireHeaders(t, map[string]string{"Content-Type": "application/json; charset=utf-8",
		"Cache-Control": "private, no-cache", "Server": ""})
	if a.Request != nil && a.Request.Method == http.MethodHead {
		require.Empty(t, a.body)
		return
	}
	codes := cmp.Or(errorCodes[status], [2]string{"invalid-argument", "ERR_VALIDATION"})
	require.Regexp(t, `^{"code":"`+codes[0]+`","message":"([^"\\]|\\[^u]){10,}",`+
		`"details":{"code":"`+codes[1]+`"}}$`, a.body)
}

func eventually(t *testing.T, awaited string, ok func() bool) {
	t.Helper()
	if !waitUntil(testTimeout, ok) {
		t.Fatalf("waited %s in vain for %s", testTimeout, awaited)
	}
}
