package publicapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

// soak returns the size of a test: all under DG_SOAK=1, which takes minutes.
func soak(all, otherwise int) int {
	if os.Getenv("DG_SOAK") == "1" {
		return all
	}
	return otherwise
}

// wire is a connection without a client library: the server gets exactly the bytes of the test.
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
	got, err := c.exchange(c.t.Context(), request)
	require.NoError(c.t, err, "%.200q", request)
	return got
}

// exchange is ask for other goroutines than the test's, which must not end the test.
func (c *wire) exchange(ctx context.Context, request string) (answer, error) {
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
	// the write may fail: a server that refuses a request need not read all of it
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

// line returns a request with the header lines.
func line(method, target string, headers ...string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: dg.example\r\n" +
		strings.Join(append(headers, "", ""), "\r\n")
}

// detail requires an answer of errors.yaml, and returns its details.code; "" after HEAD.
func (a answer) detail(t *testing.T, about string) string {
	t.Helper()
	require.Equal(t, "application/json; charset=utf-8", a.Header.Get("Content-Type"), about)
	require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"), about)
	if a.StatusCode == http.StatusUnauthorized {
		require.Contains(t, a.Header.Get("WWW-Authenticate"), "Bearer", about)
	}
	if a.Request.Method == http.MethodHead {
		require.Empty(t, a.body, about)
		return ""
	}
	checkError(t, a.StatusCode, []byte(a.body))
	return errorBodyOf([]byte(a.body)).Details.Code
}

// freeWindows empties the rate limit windows of every key.
func (w *world) freeWindows() {
	w.Exec(
		`update api_key_windows set head = 1, instants = array_fill('-infinity'::timestamptz, array[120])`)
}

// sendAtOnce sends a request n times, on as many connections.
func (w *world) sendAtOnce(t *testing.T, n int, request string) (answers chan answer) {
	t.Helper()
	answers = make(chan answer, n)
	for range n {
		conn := w.wire(t)
		go func() {
			got, _ := conn.exchange(context.Background(), request)
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
	return testkit.One[int](w.World, `select count(*) from pg_locks
		where not granted and relation = to_regclass($1)
		and database = (select oid from pg_database where datname = current_database())`, table)
}
