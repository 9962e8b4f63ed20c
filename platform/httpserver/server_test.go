package httpserver

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
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

func (s *testServer) isRefused(t *testing.T, address string) bool {
	c := s.dialFrom(t, address)
	_, _ = io.WriteString(c, getLines+"Connection: close\r\n"+emptyLine)
	response, _ := io.ReadAll(c)
	return !strings.HasPrefix(string(response), "HTTP/1.1 200")
}

// rules.md, Bounds: an address has at most 500 open connections. A trusted proxy has no such limit.
func TestConnectionsPerAddressAreBounded(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}
	server := startServer(t, Options{TrustedProxies: proxies}, plainRoutes)
	openConns := map[string][]net.Conn{}
	for _, address := range []string{"127.0.0.2", "127.0.0.9"} {
		for range maxPerNetwork[0] {
			openConns[address] = append(openConns[address], server.dialFrom(t, address))
		}
	}
	eventually(t, "all to be accepted", func() bool { return server.listener.count() == 2*maxPerNetwork[0] })
	require.True(t, server.isRefused(t, "127.0.0.2"))
	require.False(t, server.isRefused(t, "127.0.0.3"))
	require.False(t, server.isRefused(t, "127.0.0.9"))
	require.NoError(t, openConns["127.0.0.2"][0].Close())
	eventually(t, "the slot to be freed", func() bool { return !server.isRefused(t, "127.0.0.2") })
}

// rules.md, Bounds: a /48 has at most 2,000 connections in total. A second close of a connection frees no second slot.
func TestConnectionsPerSiteAreBounded(t *testing.T) {
	listener := New(Options{MaxConnections: 10_000}).listener
	connect := func(address string) *conn { return listener.admit(&net.TCPConn{}, netip.MustParseAddr(address)) }
	var lastConn *conn
	for i := range maxPerNetwork[1] {
		lastConn = connect(fmt.Sprintf("2001:db8:1:%x::1", i))
		require.NotNil(t, lastConn)
	}
	require.Nil(t, connect("2001:db8:1:ffff::1"))
	otherConn := connect("2001:db8:2::1")
	require.NotNil(t, otherConn)
	otherConn.Close()
	require.Len(t, listener.connsByNetwork, maxPerNetwork[1]+1, "a network without connections is forgotten")
	lastConn.Close()
	lastConn.Close()
	require.NotNil(t, connect("2001:db8:1:ffff::1"))
	require.Nil(t, connect("2001:db8:1:ffff::1"))
}

// A refused connection gets a complete 503 response with a code of errors.yaml.
func TestRefusedConnectionGetsTheErrorBody(t *testing.T) {
	response := readResponse(tb.Must(http.ReadResponse(bufio.NewReader(bytes.NewReader(refusalResponse())), nil))(t))
	require.NoError(t, response.err, "the length is right")
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Contains(t, response.body, `"details":{"code":"ERR_UNAVAILABLE"}`)
	require.Contains(t, response.body, "Too many connections are open, from this address or in all.")
	require.Len(t, response.Header.Get("X-Request-Id"), 26)
	require.Equal(t, `</docs/errors#ERR_UNAVAILABLE>; rel="help"`, response.Header.Get("Link"))
}

// A connection that the client aborts within a request is counted. The log has at most one line a second, and no error.
// A shutdown without open connections skips ShutdownDelay, because no proxy has to notice it.
func TestClientAbortIsNotLoggedAsAnError(t *testing.T) {
	metrics := prometheus.NewRegistry()
	server := startServer(t, Options{Metrics: metrics, ShutdownDelay: time.Minute}, plainRoutes)
	for _, sent := range []string{"GET / HT", getLines, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf"} {
		c := server.dial(t)
		tb.Must(io.WriteString(c, sent))(t)
		require.NoError(t, c.(*net.TCPConn).SetLinger(0))
		require.NoError(t, c.Close())
	}
	eventually(t, "all to be counted", func() bool { return testutil.ToFloat64(server.metrics.aborts) == 3 })
	eventually(t, "all to be closed", func() bool { return server.listener.count() == 0 })
	require.NoError(t, receive(t, server.beginShutdown(t), "the shutdown"))
	require.Equal(t, 1, strings.Count(server.logs.String(), "ended its connection"))
	require.NotContains(t, server.logs.String(), "ERROR")
	require.Zero(t, testutil.CollectAndCount(server.metrics.duration))
}

// rules.md, Bounds: the total number of connections is limited. One address gets at most half of it.
func TestTotalConnectionsAreBounded(t *testing.T) {
	server := startServer(t, Options{MaxConnections: 4}, plainRoutes)
	firstConn := server.dial(t)
	server.dial(t)
	server.dialFrom(t, "127.0.0.2")
	eventually(t, "all to be accepted", func() bool { return server.listener.count() == 3 })
	require.True(t, server.isRefused(t, "127.0.0.1"), "an address has at most half")
	require.False(t, server.isRefused(t, "127.0.0.3"))
	server.dialFrom(t, "127.0.0.2")
	eventually(t, "all to be accepted", func() bool { return server.listener.count() == 4 })
	require.True(t, server.isRefused(t, "127.0.0.3"))
	require.NoError(t, firstConn.Close())
	eventually(t, "the slot to be freed", func() bool { return !server.isRefused(t, "127.0.0.3") })
}

type failingListener struct {
	net.Listener
	errs chan error
}

func (f failingListener) Accept() (net.Conn, error) { return nil, <-f.errs }

// The listener retries Accept after an error, at which fasthttp would stop serving.
func TestAcceptErrorsAreRetried(t *testing.T) {
	failing := failingListener{errs: make(chan error, 3)}
	for _, err := range []error{syscall.EMFILE, syscall.ECONNABORTED, net.ErrClosed} {
		failing.errs <- err
	}
	listener := New(Options{}).listener
	listener.start(failing)
	require.ErrorIs(t, tb.ErrorOf(listener.Accept()), net.ErrClosed)
	require.Empty(t, failing.errs)
}

func (s *testServer) beginShutdown(t *testing.T) <-chan error {
	stopped := make(chan error, 1)
	go func() { stopped <- s.Shutdown(context.Background()) }()
	eventually(t, "the shutdown to begin", s.Stopping)
	return stopped
}

func (s *testServer) getAsync(t *testing.T, path string) <-chan testResponse {
	request := tb.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, http.NoBody))(t)
	responses := make(chan testResponse, 1)
	go func() {
		if response, err := plainClient.Do(request); err == nil {
			responses <- readResponse(response)
		}
	}()
	return responses
}

// Shutdown lets a running request finish. After the grace it cancels a query, whose request gets 503.
func TestShutdownLetsARequestFinishAndCancelsQueries(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	server := startServer(t, Options{Grace: time.Second}, func(app *fiber.App) {
		app.Get("/wait", func(c *fiber.Ctx) error {
			started <- struct{}{}
			<-release
			return c.SendString("ok")
		})
		app.Get("/query", func(c *fiber.Ctx) error {
			started <- struct{}{}
			<-c.UserContext().Done()
			return c.UserContext().Err()
		})
	})
	waitResponse := server.getAsync(t, "/wait")
	<-started
	queryResponse := server.getAsync(t, "/query")
	<-started
	stopped := server.beginShutdown(t)
	close(release)
	require.Equal(t, "ok", receive(t, waitResponse, "the answer").body)
	receive(t, queryResponse, "the refusal").requireError(t, 503)
	require.NoError(t, receive(t, stopped, "the shutdown"))
}

// A signal may stop the server before Serve. Serve then closes its listener and returns nil.
func TestServeAfterShutdownClosesTheListener(t *testing.T) {
	s := New(Options{})
	require.NoError(t, s.Shutdown(context.Background()))
	ln := tb.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	require.NoError(t, s.Serve(ln))
	require.ErrorIs(t, tb.ErrorOf(ln.Accept()), net.ErrClosed)
}
