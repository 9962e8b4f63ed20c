package httpserver

import (
	"bytes"
	"context"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writeIsBlocked reports whether the server waits in a write for the client.
func writeIsBlocked() bool {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for g := range bytes.SplitSeq(stacks, []byte("\n\n")) {
		if bytes.Contains(g, []byte("IO wait")) &&
			bytes.Contains(g, []byte("body.(*Body).WriteTo")) {
			return true
		}
	}
	return false
}

// Serve returns after the last response: main ends the process when it returns.
func TestShutdownLetsARequestFinish(t *testing.T) {
	c := newFullServer(t, Options{Grace: testTimeout})
	k := c.busy("127.0.0.2", "/wait")
	s := c.stop()
	s.refuses()
	select {
	case <-c.served:
		t.Error("Serve returned while an answer ran")
	case <-time.After(200 * time.Millisecond):
	}
	c.leave <- struct{}{}
	a := k.receive()
	require.Equal(t, "ok", a.body)
	require.True(t, a.Close)
	s.ends()
}

func TestShutdownBreaksAStreamAfterTheGrace(t *testing.T) {
	for name, read := range map[string]bool{"that flows": true, "that is blocked": false} {
		t.Run(name, func(t *testing.T) {
			so := StreamOptions{WriteTimeout: time.Minute}
			if read {
				so.Context = t.Context() // does not end with the server
			}
			b, s := rowsForever(t, Options{Grace: 300 * time.Millisecond}, so)
			c := b.begin(t, "/x")
			if read {
				go func() { _, _ = io.Copy(io.Discard, c) }()
			}
			began := time.Now()
			require.NoError(t, b.Shutdown(context.Background()))
			require.Greater(t, time.Since(began), 250*time.Millisecond)
			s.wantEnding(t, ErrStopped)
			require.ErrorIs(t, context.Cause(b.base), ErrStopped)
		})
	}
}

func TestShutdownBreaksAQueryAfterTheGrace(t *testing.T) {
	c := newFullServer(t, Options{Grace: 200 * time.Millisecond})
	k := c.busy("127.0.0.2", "/query")
	require.NoError(t, c.Shutdown(context.Background()))
	k.receive().wantError(t, 503)
}

func TestShutdownReportsARequestThatDoesNotEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for four seconds")
	}
	t.Parallel()
	c := newFullServer(t, Options{Grace: time.Millisecond})
	c.busy("127.0.0.2", "/wait")
	require.ErrorContains(t, c.Shutdown(context.Background()), "1 requests")
}

func TestStoppedServerDoesNotStart(t *testing.T) {
	s := New(Options{})
	require.NoError(t, s.Shutdown(context.Background()))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, s.Serve(ln))
	_, err = ln.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}
