package telemetry

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A new connection takes the place of one that is not being answered, the least recently used
// first. Where all are being answered it is closed.
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
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	conns := make([]net.Conn, MaxOpsConnections+2)
	for i := range conns {
		if conns[i], err = net.Dial("tcp", ln.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer conns[i].Close()
		_ = conns[i].SetDeadline(time.Now().Add(4 * time.Second)) // less than a silent one has
	}
	for i, c := range conns[:2] {
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("connection %d was not evicted: %v", i, err)
		}
	}
	for _, c := range conns[2:] {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		<-entered
	}
	late, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	defer late.Close()
	_ = late.SetDeadline(time.Now().Add(4 * time.Second))
	if _, err := late.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("one more than the limit: %v", err)
	}
	close(leave)
	for i, c := range conns[2:] {
		if _, err := c.Read(make([]byte, 1)); err != nil {
			t.Errorf("connection %d was not answered: %v", i+2, err)
		}
	}
}
