package httpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
)

// testTimeout is how long a test waits.
const testTimeout = 10 * time.Second

// testServer is a running server on a real port.
type testServer struct {
	*Server
	addr string
	url  string
	logs *lockedBuffer
}

// serve starts a server and stops it with the test.
func serve(t *testing.T, o Options, routes func(*fiber.App)) *testServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return serveOn(t, o, routes, ln)
}

// serveOn is serve on a listener.
func serveOn(t *testing.T, o Options, routes func(*fiber.App), ln net.Listener) *testServer {
	t.Helper()
	logs := &lockedBuffer{}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewJSONHandler(logs, nil))
	}
	if o.Grace == 0 {
		o.Grace = 200 * time.Millisecond
	}
	s := New(o)
	if routes != nil {
		routes(s.App())
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ln) }()
	t.Cleanup(func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := within10s(t, done, "Serve to return"); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return &testServer{
		Server: s,
		addr:   ln.Addr().String(),
		url:    "http://" + ln.Addr().String(),
		logs:   logs,
	}
}

// within10s waits for a value.
func within10s[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(testTimeout):
		t.Fatalf("waited %s in vain for %s", testTimeout, what)
		panic("unreachable")
	}
}

// response is a response with its body read.
type answer struct {
	*http.Response
	body   string
	err    error // of reading the body
	closed bool  // the server closed the connection after it
}

func (b *testServer) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", b.addr)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(testTimeout)))
	return c
}

// raw sends bytes as they are and reads one response.
func (b *testServer) raw(t *testing.T, request string) answer {
	t.Helper()
	c := b.dial(t)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("no answer to %.60q: %v", request, err)
	}
	a := answer{Response: resp}
	var body []byte
	body, a.err = io.ReadAll(resp.Body)
	a.body = string(body)
	if resp.Close {
		rest, err := io.ReadAll(r)
		a.closed = err == nil && len(rest) == 0
		if len(rest) > 0 {
			t.Errorf("stray bytes after the answer to %.60q: %q", request, rest)
		}
	}
	return a
}

// get is a GET by Go's client, without its own compression.
func (b *testServer) get(t *testing.T, path string, header ...string) answer {
	t.Helper()
	return b.do(t, http.MethodGet, path, header...)
}

func (b *testServer) do(t *testing.T, method, path string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := plainClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{Response: resp, body: string(body), err: err}
}

var plainClient = &http.Client{Transport: &http.Transport{DisableCompression: true}}

// wantError checks the error body, to the byte, and its headers.
func (a answer) wantError(t *testing.T, status int, code, detail string) {
	t.Helper()
	if a.StatusCode != status {
		t.Errorf("status %d, want %d; body %.200s", a.StatusCode, status, a.body)
	}
	if got := a.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
	if !validRequestID.MatchString(a.Header.Get("X-Request-Id")) {
		t.Errorf("X-Request-Id %q", a.Header.Get("X-Request-Id"))
	}
	if a.Header.Get("Cache-Control") != "private, no-cache" || a.Header.Get("Server") != "" {
		t.Errorf("Cache-Control %q, Server %q", a.Header.Get("Cache-Control"),
			a.Header.Get("Server"))
	}
	if a.Request != nil && a.Request.Method == http.MethodHead {
		if a.body != "" {
			t.Errorf("HEAD got a body: %q", a.body)
		}
		return
	}
	var got struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Details struct {
			Code string `json:"code"`
		} `json:"details"`
	}
	if err := json.Unmarshal([]byte(a.body), &got); err != nil {
		t.Fatalf("body %q: %v", a.body, err)
	}
	if got.Code != code || got.Details.Code != detail || len(got.Message) < 10 {
		t.Errorf("body %s, want %s and %s", a.body, code, detail)
	}
	var again bytes.Buffer
	enc := json.NewEncoder(&again)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(got); err != nil || strings.TrimSpace(again.String()) != a.body {
		t.Errorf("body %s has more or other than code, message, details.code", a.body)
	}
}

// lockedBuffer is a log that a test may read while the server writes.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// eventually waits until ok holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	if !waitUntil(testTimeout, ok) {
		t.Fatalf("waited %s in vain for %s", testTimeout, what)
	}
}
