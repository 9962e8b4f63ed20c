package telemetry

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A new connection evicts the least recently used one that is not being answered. If all are being
// answered, it is closed itself.
func TestOpsConnectionsAreLimited(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	entered := make(chan struct{})
	leave := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- ServeOps(ctx, ln, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			entered <- struct{}{}
			<-leave
		}))
	}()
	defer func() {
		stop()
		require.NoError(t, <-done)
	}()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", ln.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetDeadline(time.Now().Add(4 * time.Second)) // less than the read timeout
		return c
	}
	evicted := func(c net.Conn) {
		_, err := c.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	}
	conns := make([]net.Conn, MaxOpsConnections+2)
	for i := range conns {
		conns[i] = dial()
	}
	evicted(conns[0])
	evicted(conns[1])
	for _, c := range conns[2:] {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		<-entered
	}
	evicted(dial())
	close(leave)
	for _, c := range conns[2:] {
		_, err := c.Read(make([]byte, 1))
		require.NoError(t, err)
	}
}
