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

	"dg/platform/testkit"
)

// wire sends exactly the bytes of a request, which a client library would change, and reads the
// answer.
func (w *world) wire(t *testing.T, request string) testkit.Page {
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
	return testkit.Page{Response: response, Body: string(body)}
}

// line returns a request with the header lines.
func line(method, target string, headers ...string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: dg.example\r\n" +
		strings.Join(append(headers, "", ""), "\r\n")
}
