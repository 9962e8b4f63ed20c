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
	server := &testServer{served: make(chan struct{}), addr: ln.Addr().String()}
	server.url = "http://" + server.addr
	o.Logger = slog.New(slog.NewJSONHandler(&server.logs, nil))
	o.Grace = cmp.Or(o.Grace, 200*time.Millisecond)
	server.Server = New(o)
	if routes != nil {
		routes(server.App())
	}
	go func() {
		defer close(server.served)
		assert.NoError(t, server.Serve(ln))
	}()
	t.Cleanup(func() {
		assert.NoError(t, server.Shutdown(context.Background()))
		receive(t, server.served, "Serve to return")
	})
	return server
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

type testResponse struct {
	*http.Response
	body   string
	err    error // error of reading the body
	closed bool  // the server closed the connection after the response
}

func (r testResponse) decompressedBody(t *testing.T) []byte {
	t.Helper()
	body := io.Reader(strings.NewReader(r.body))
	if r.Header.Get("Content-Encoding") == "gzip" {
		body = tb.Must(gzip.NewReader(body))(t)
	}
	return tb.Must(io.ReadAll(body))(t)
}

func (s *testServer) dial(t *testing.T) net.Conn { return s.dialFrom(t, "127.0.0.1") }

func (s *testServer) dialFrom(t *testing.T, address string) net.Conn {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: testTimeout}
	c := tb.Must(d.DialContext(t.Context(), "tcp", s.addr))(t)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(testTimeout)))
	return c
}

func (s *testServer) sendRaw(t *testing.T, request string) testResponse {
	t.Helper()
	c := s.dial(t)
	tb.Must(io.WriteString(c, request))(t)
	method, _, _ := strings.Cut(request, " ")
	r := bufio.NewReader(c)
	httpResponse, err := http.ReadResponse(r, &http.Request{Method: method})
	require.NoError(t, err, "no answer to %.60q", request)
	response := readResponse(httpResponse)
	if httpResponse.Close {
		remainder, err := io.ReadAll(r)
		response.closed = err == nil || errors.Is(err, syscall.ECONNRESET)
		require.Empty(t, remainder, "after the answer to %.60q", request)
	}
	return response
}

func readResponse(response *http.Response) testResponse {
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return testResponse{Response: response, body: string(body), err: err}
}

func (s *testServer) get(t *testing.T, path string, header ...string) testResponse {
	t.Helper()
	return s.send(t, http.MethodGet, path, header...)
}

func (s *testServer) send(t *testing.T, method, path string, header ...string) testResponse {
	t.Helper()
	req := tb.Must(http.NewRequestWithContext(t.Context(), method, s.url+path, nil))(t)
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	return readResponse(tb.Must(plainClient.Do(req))(t))
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

func (r testResponse) requireHeaders(t *testing.T, headers map[string]string) {
	t.Helper()
	for name, want := range headers {
		require.Equal(t, want, r.Header.Get(name), name)
	}
}

// requireError checks status, headers and the exact form of the error body.
func (r testResponse) requireError(t *testing.T, status int) {
	t.Helper()
	require.Equal(t, status, r.StatusCode, r.body)
	require.Regexp(t, requestIDPattern, r.Header.Get("X-Request-Id"))
	r.requireHeaders(t, map[string]string{"Content-Type": "application/json; charset=utf-8",
		"Cache-Control": "private, no-cache", "Server": ""})
	if r.Request != nil && r.Request.Method == http.MethodHead {
		require.Empty(t, r.body)
		return
	}
	codes := cmp.Or(errorCodes[status], [2]string{"invalid-argument", "ERR_VALIDATION"})
	require.Regexp(t, `^{"code":"`+codes[0]+`","message":"([^"\\]|\\[^u]){10,}",`+
		`"details":{"code":"`+codes[1]+`"}}$`, r.body)
}

func eventually(t *testing.T, awaited string, ok func() bool) {
	t.Helper()
	if !waitUntil(testTimeout, ok) {
		t.Fatalf("waited %s in vain for %s", testTimeout, awaited)
	}
}
