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

// wire sends exactly the bytes of a request, which a client library would change, and reads the
// answer.
func (w *world) wire(t *testing.T, request string) answer {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	// the write may fail: a server that refuses a request need not read all of it
	_, _ = conn.Write([]byte(request))
	method, _, _ := strings.Cut(request, " ")
	in := bufio.NewReader(conn)
	response, err := http.ReadResponse(in, &http.Request{Method: method})
	require.NoError(t, err, "%.200q", request)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err, "%.200q", request)
	if response.Close {
		_, err := in.ReadByte()
		require.ErrorIs(t, err, io.EOF, "data after an answer that closes")
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
