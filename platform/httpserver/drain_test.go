package httpserver

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stopping is a server whose shutdown has begun beside open connections.
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
	if err := within10s(s.t, s.stopped, "the shutdown"); err != nil {
		s.t.Error(err)
	}
}

// answered fails unless the request on the connection is answered, as the last one.
func (k *client) answered() {
	k.t.Helper()
	if response, body, err := k.ask(); err != nil || response.StatusCode != 200 || body != "ok" ||
		!response.Close {
		k.t.Errorf("no last answer: %v, %+v %s", err, response, body)
	}
}

// closedCleanly fails unless the server has closed the connection, without a reset.
func (k *client) closedCleanly() {
	k.t.Helper()
	if _, err := k.in.ReadByte(); err != io.EOF {
		k.t.Errorf("the connection ended with %v", err)
	}
}

// A proxy sends on a kept connection, or opens one, while it does not know of the stop.
func TestShutdownAnswersUntilTheDelayIsOver(t *testing.T) {
	c := newFullServer(t, Options{ShutdownDelay: time.Minute})
	var clients [20]*client
	for i := range clients {
		clients[i] = c.idle("127.0.0.2")
	}
	fresh := c.silent("127.0.0.2")
	s := c.stop()
	var all sync.WaitGroup
	for i, k := range clients {
		all.Go(func() {
			time.Sleep(time.Duration(i) * 10 * time.Millisecond)
			k.answered()
			k.closedCleanly()
		})
	}
	all.Wait()
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
	c.stop().ends()
	if took := time.Since(began); took < 100*time.Millisecond || took > testTimeout/2 {
		t.Errorf("took %s", took)
	}
	kept.closedCleanly()
	silent.closedCleanly()
	if _, err := net.Dial("tcp", c.addr); err == nil {
		t.Error("a connection was accepted after the shutdown")
	}
}

// The header of its answer did not say that the connection closes.
func TestConnectionOfALongAnswerIsKeptForTheDelay(t *testing.T) {
	c := newFullServer(t, Options{ShutdownDelay: time.Second, Grace: testTimeout})
	k := c.reads("127.0.0.2", "/large-known")
	s := c.stop()
	eventually(t, "the listener to close", func() bool {
		other, err := net.Dial("tcp", c.addr)
		if err == nil {
			_ = other.Close()
		}
		return err != nil
	})
	response, err := http.ReadResponse(k.in, nil)
	require.NoError(t, err)
	if n, err := io.Copy(io.Discard, response.Body); err != nil || response.Close {
		t.Fatalf("%d bytes, %v, closes %v", n, err, response.Close)
	}
	k.answered()
	s.ends()
}

func TestShutdownDoesNotWaitForNobody(t *testing.T) {
	c := newFullServer(t, Options{ShutdownDelay: time.Minute})
	c.stop().ends()
}
