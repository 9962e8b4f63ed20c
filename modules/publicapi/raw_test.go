package publicapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// soak returns the size of a test: all of it under DG_SOAK=1, which takes minutes.
func soak(all, otherwise int) int {
	if os.Getenv("DG_SOAK") == "1" {
		return all
	}
	return otherwise
}

// wire is a connection without a client library: the server reads exactly what a test writes.
type wire struct {
	t    *testing.T
	addr string
	conn net.Conn
	in   *bufio.Reader
}

// wire opens a connection to the world's instance.
func (w *world) wire(t *testing.T) *wire {
	t.Helper()
	c := &wire{t: t, addr: strings.TrimPrefix(w.url, "http://")}
	t.Cleanup(func() {
		if c.conn != nil {
			_ = c.conn.Close()
		}
	})
	return c
}

// ask writes a request and reads the answer. It reuses the connection while both sides keep it.
func (c *wire) ask(request string) answer {
	c.t.Helper()
	got, err := c.try(c.t.Context(), request)
	require.NoError(c.t, err, "%.200q", request)
	return got
}

// try is ask for goroutines beside the test's own, which must not end the test.
func (c *wire) try(ctx context.Context, request string) (answer, error) {
	if c.conn == nil {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", c.addr)
		if err != nil {
			return answer{}, err
		}
		c.conn = conn
		c.in = bufio.NewReader(conn)
	}
	if err := c.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return answer{}, err
	}
	// A server that has refused a request need not read the rest of it.
	_, _ = c.conn.Write([]byte(request))
	method, _, _ := strings.Cut(request, " ")
	response, err := http.ReadResponse(c.in, &http.Request{Method: method})
	if err != nil {
		return answer{}, err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, err
	}
	if response.Close {
		if _, err := c.in.ReadByte(); !errors.Is(err, io.EOF) {
			return answer{}, fmt.Errorf("data after an answer that closes: %w", err)
		}
		_ = c.conn.Close()
		c.conn = nil
	}
	return answer{response, string(body)}, nil
}

// line returns a request with the header lines, each without its line ending.
func line(method, target string, headers ...string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: dg.example\r\n" +
		strings.Join(append(headers, "", ""), "\r\n")
}

// detail requires the contract's error body, without other fields, and returns its details.code;
// none after HEAD.
func (a answer) detail(t *testing.T, about string) string {
	t.Helper()
	require.GreaterOrEqual(t, a.StatusCode, 400, about)
	require.Equal(t, "application/json; charset=utf-8", a.Header.Get("Content-Type"), about)
	require.True(t, requestIDForm.MatchString(a.Header.Get("X-Request-Id")), about)
	require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"), about)
	require.Equal(t, a.StatusCode == http.StatusUnauthorized,
		challenge.MatchString(a.Header.Get("WWW-Authenticate")), about)
	if a.Request.Method == http.MethodHead {
		require.Empty(t, a.body, about)
		return ""
	}
	var body struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Details struct {
			Code string `json:"code"`
		} `json:"details"`
	}
	decoder := json.NewDecoder(strings.NewReader(a.body))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&body), "%s: %q", about, a.body)
	require.Equal(t, codeOf[a.StatusCode], body.Code, about)
	require.NotEmpty(t, body.Message, about)
	require.NotContains(t, a.body, "dg/", about)
	checkError(t, a.StatusCode, []byte(a.body))
	return body.Details.Code
}

// challenge is that of every 401.
var challenge = regexp.MustCompile(`^Bearer( error="invalid_token")?$`)

// requestIDForm is that of rules.md, Headers.
var requestIDForm = regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`)

// codeOf is the body's code by the status.
var codeOf = map[int]string{
	400: "invalid-argument",
	401: "unauthenticated",
	403: "permission-denied",
	404: "not-found",
	405: "method-not-allowed",
	408: "invalid-argument",
	413: "invalid-argument",
	414: "invalid-argument",
	417: "invalid-argument",
	429: "resource-exhausted",
	431: "invalid-argument",
	500: "internal",
	501: "method-not-allowed",
	503: "unavailable",
	505: "invalid-argument",
}

// freeWindows empties the rate limit windows of every key.
func (w *world) freeWindows() {
	w.Exec(
		`update api_key_windows set head = 1, instants = array_fill('-infinity'::timestamptz, array[120])`)
}

// sendAtOnce sends a request n times, each on a connection of its own.
func (w *world) sendAtOnce(t *testing.T, n int, request string) (answers chan answer) {
	t.Helper()
	answers = make(chan answer, n)
	for range n {
		conn := w.wire(t)
		go func() {
			got, _ := conn.try(context.Background(), request)
			answers <- got
		}()
	}
	return answers
}

// awaitWaiting waits until n statements wait for a lock of the table.
func (w *world) awaitWaiting(t *testing.T, table string, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return w.waiting(table) >= n }, 10*time.Second, time.Millisecond)
}

// waiting counts the statements that wait for a lock of the table.
func (w *world) waiting(table string) int {
	return fixtures.One[int](w.Database, `select count(*) from pg_locks
		where not granted and relation = to_regclass($1)
		and database = (select oid from pg_database where datname = current_database())`, table)
}
