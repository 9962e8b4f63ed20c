package httpserver

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The response has the error body of the API. Package connlimit proves the eviction, these tests
// that the server reports the states of its connections.
func TestNewConnectionIsRejectedWhenNoneIsIdle(t *testing.T) {
	c := newFullServer(t, Options{MaxConnections: 2})
	busy := c.busy("127.0.0.2", "/wait")
	c.busy("127.0.0.3", "/wait")
	rejected := c.from("127.0.0.4").ask()
	rejected.wantError(t, 503)
	require.True(t, rejected.Close)
	require.NotEmpty(t, rejected.Header.Get("Retry-After"))
	require.Equal(t, "nosniff", rejected.Header.Get("X-Content-Type-Options"))
	c.leave <- struct{}{}
	c.leave <- struct{}{}
	require.Equal(t, 200, busy.receive().StatusCode)
	c.hasRoom()
	require.NotContains(t, c.logs.String(), `"status":400`, "a connection that made room")
}

func TestSlowlyArrivingRequestIsEvicted(t *testing.T) {
	t.Parallel()
	c := newFullServer(t, Options{MaxConnections: 2, ReadTimeout: time.Minute})
	_, _ = io.WriteString(c.from("127.0.0.2"), "GET /ok HTTP/1.1\r\nHo")
	c.busy("127.0.0.3", "/wait")
	c.hasRoom()
}

// Otherwise slow readers of public responses would hold all connections.
func TestSlowReaderOfAPublicAnswerIsEvicted(t *testing.T) {
	t.Parallel()
	c := newFullServer(t, Options{MaxConnections: 2})
	known := c.reads("127.0.0.2", "/large-known")
	slow := c.reads("127.0.0.3", "/large")
	c.hasRoom()
	n, _ := io.Copy(io.Discard, slow)
	require.Less(t, n, int64(largeBody))
	require.Len(t, known.receive().body, largeBody)
}
