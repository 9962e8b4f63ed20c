package publicapi_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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
	if c.conn == nil {
		conn, err := (&net.Dialer{}).DialContext(c.t.Context(), "tcp", c.addr)
		require.NoError(c.t, err)
		c.conn = conn
		c.in = bufio.NewReader(conn)
	}
	require.NoError(c.t, c.conn.SetDeadline(time.Now().Add(30*time.Second)))
	// the write may fail: a server that refuses a request need not read all of it
	_, _ = c.conn.Write([]byte(request))
	method, _, _ := strings.Cut(request, " ")
	response, err := http.ReadResponse(c.in, &http.Request{Method: method})
	require.NoError(c.t, err, "%.200q", request)
	body, err := io.ReadAll(response.Body)
	require.NoError(c.t, err, "%.200q", request)
	if response.Close {
		_, err := c.in.ReadByte()
		require.ErrorIs(c.t, err, io.EOF, "data after an answer that closes")
		_ = c.conn.Close()
		c.conn = nil
	}
	return answer{response, string(body)}
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
