package httpserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
)

// streamRoute serves one stream under /x.
func streamRoute(so StreamOptions, open func(context.Context) (Source, error)) func(*fiber.App) {
	return func(app *fiber.App) {
		app.Get("/x", func(c *fiber.Ctx) error { return Stream(c, open, so) })
	}
}

// writeIsBlocked reports whether the server waits in a write for the client.
func writeIsBlocked(*testServer) bool {
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

func TestShutdownLetsARequestFinish(t *testing.T) {
	entered := make(chan struct{})
	leave := make(chan struct{})
	b := serve(t, Options{Grace: testTimeout}, func(app *fiber.App) {
		app.Get("/slow", func(c *fiber.Ctx) error {
			close(entered)
			<-leave
			if err := c.UserContext().Err(); err != nil {
				return err
			}
			return c.SendString("done")
		})
	})
	got := make(chan answer, 1)
	go func() { got <- b.get(t, "/slow") }()
	within10s(t, entered, "the handler")
	stopped := make(chan error, 1)
	go func() { stopped <- b.Shutdown(context.Background()) }()
	eventually(t, "the listener to close", func() bool {
		c, err := net.Dial("tcp", b.addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	close(leave)
	if a := within10s(t, got, "the answer"); a.StatusCode != 200 || a.body != "done" || !a.Close {
		t.Errorf("%d %q, closes %v", a.StatusCode, a.body, a.Close)
	}
	require.NoError(t, within10s(t, stopped, "the shutdown"))
}

// A main that returns from Serve ends the process and its running requests.
func TestServeReturnsAfterTheLastResponse(t *testing.T) {
	entered := make(chan struct{})
	leave := make(chan struct{})
	s := New(Options{Grace: testTimeout})
	s.App().Get("/", func(*fiber.Ctx) error {
		close(entered)
		<-leave
		return nil
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	stopped := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	b := &testServer{Server: s, addr: ln.Addr().String()}
	_, _ = io.WriteString(b.dial(t), "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	within10s(t, entered, "the handler")
	go func() { stopped <- s.Shutdown(context.Background()) }()
	select {
	case <-served:
		t.Error("Serve returned while an answer ran")
	case <-time.After(300 * time.Millisecond):
	}
	close(leave)
	if err := errors.Join(within10s(t, served, "Serve"),
		within10s(t, stopped, "Shutdown")); err != nil {
		t.Error(err)
	}
}

func TestShutdownBreaksAStreamAfterTheGrace(t *testing.T) {
	for name, read := range map[string]bool{"that flows": true, "that is blocked": false} {
		t.Run(name, func(t *testing.T) {
			so := StreamOptions{WriteTimeout: time.Minute}
			if read {
				so.Context = t.Context() // one that knows nothing of the server
			}
			b, s := rowsForever(t, Options{Grace: 300 * time.Millisecond}, so)
			c := b.begin(t, "/x")
			if read {
				go func() { _, _ = io.Copy(io.Discard, c) }()
			}
			began := time.Now()
			if err := b.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took < 250*time.Millisecond || took > 2*time.Second {
				t.Errorf("took %s", took)
			}
			s.wantEnding(t, ErrStopped)
			if cause := context.Cause(b.base); !errors.Is(cause, ErrStopped) {
				t.Errorf("the base context ended with %v", cause)
			}
		})
	}
}

func TestShutdownBreaksAQueryAfterTheGrace(t *testing.T) {
	entered := make(chan struct{})
	b := serve(t, Options{Grace: 200 * time.Millisecond}, func(app *fiber.App) {
		app.Get("/query", func(c *fiber.Ctx) error {
			close(entered)
			<-c.UserContext().Done()
			return c.UserContext().Err()
		})
	})
	got := make(chan answer, 1)
	go func() { got <- b.get(t, "/query") }()
	within10s(t, entered, "the handler")
	require.NoError(t, b.Shutdown(context.Background()))
	within10s(t, got, "the answer").wantError(t, 503, "unavailable", "ERR_UNAVAILABLE")
}

func TestShutdownReportsARequestThatDoesNotEnd(t *testing.T) {
	entered := make(chan struct{})
	leave := make(chan struct{})
	s := New(Options{Grace: time.Millisecond})
	s.App().Get("/", func(*fiber.Ctx) error {
		close(entered)
		<-leave
		return nil
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- s.Serve(ln) }()
	c, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	within10s(t, entered, "the handler")
	if err := s.Shutdown(context.Background()); err == nil ||
		!strings.Contains(err.Error(), "1 requests") {
		t.Errorf("shutdown says %v", err)
	}
	close(leave)
	within10s(t, done, "Serve to return")
}

func TestStoppedServerDoesNotStart(t *testing.T) {
	s := New(Options{})
	require.NoError(t, s.Shutdown(context.Background()))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	if err := s.Serve(ln); err != nil {
		t.Errorf("Serve says %v", err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
}
