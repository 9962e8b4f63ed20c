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

// stopping is a server with open connections whose shutdown has begun.
type stopping struct {
	*fullServer
	hurry   func() // ends the delay and the grace
	stopped chan error
}

func (c *fullServer) stop() *stopping {
	ctx, hurry := context.WithCancel(c.t.Context())
	s := &stopping{c, hurry, make(chan error, 1)}
	go func() { s.stopped <- c.Shutdown(ctx) }()
	eventually(c.t, "the shutdown to begin", c.Stopping)
	return s
}

func (s *stopping) ends() {
	s.t.Helper()
	require.NoError(s.t, within10s(s.t, s.stopped, "the shutdown"))
}

// refuses waits until the listener is closed.
func (s *stopping) refuses() {
	s.t.Helper()
	eventually(s.t, "the listener to close", func() bool {
		c, err := net.Dial("tcp", s.addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}

// answered fails unless the request on the connection is answered, as the last one.
func (k *client) answered() {
	k.t.Helper()
	a := k.ask()
	require.Equal(k.t, "ok", a.body)
	require.True(k.t, a.Close)
}

// closedCleanly fails unless the server has closed the connection, without a reset.
func (k *client) closedCleanly() {
	k.t.Helper()
	_, err := k.in.ReadByte()
	require.ErrorIs(k.t, err, io.EOF)
}

// Until a proxy notices the shutdown, it uses kept connections and opens new ones.
func TestShutdownAnswersUntilTheDelayIsOver(t *testing.T) {
	c := newFullServer(t, Options{ShutdownDelay: time.Minute})
	var clients [20]*client
	for i := range clients {
		clients[i] = c.idle("127.0.0.2")
	}
	fresh := c.silent("127.0.0.2")
	s := c.stop()
	for _, k := range clients {
		k.answered()
		k.closedCleanly()
	}
	fresh.answered()
	c.from("127.0.0.3").answered()
	s.hurry()
	s.ends()
}

func TestShutdownClosesIdleConnectionsAfterTheDelay(t *testing.T) {
	c := newFullServer(t, Options{ShutdownDelay: 100 * time.Millisecond, Grace: testTimeout})
	kept := c.idle("127.0.0.2")
	silent := c.silent("127.0.0.2")
	began := time.Now()
	s := c.stop()
	s.ends()
	require.Greater(t, time.Since(began), 100*time.Millisecond)
	kept.closedCleanly()
	silent.closedCleanly()
	s.refuses()
}

// Its answer began before the shutdown, without Connection: close.
func TestConnectionOfALongAnswerIsKeptForTheDelay(t *testing.T) {
	t.Parallel()
	c := newFullServer(t, Options{ShutdownDelay: time.Second, Grace: testTimeout})
	k := c.reads("127.0.0.2", "/large-known")
	s := c.stop()
	s.refuses()
	a := k.receive()
	require.NoError(t, a.err)
	require.False(t, a.Close)
	k.answered()
	s.ends()
}

func TestShutdownWithoutConnectionsSkipsTheDelay(t *testing.T) {
	c := newFullServer(t, Options{ShutdownDelay: time.Minute})
	c.stop().ends()
}

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
