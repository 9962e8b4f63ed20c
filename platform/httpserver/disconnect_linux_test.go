package httpserver

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/sys/unix"

	"dg/platform/httpserver/body"
)

// Without the limit it grows to 4 MB, and a slow, steady client misses every deadline.
func TestSendBufferIsLimited(t *testing.T) {
	got := make(chan int, 1)
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/x", func(c *fiber.Ctx) error {
			raw, _ := c.Context().Conn().(syscall.Conn).SyscallConn()
			source := newFakeSource(noise(3*body.BlockSize), func(context.Context) error {
				_ = raw.Control(func(fd uintptr) {
					n, _ := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF)
					got <- n
				})
				return io.EOF
			})
			return Stream(c, source.open, StreamOptions{})
		})
	})
	b.get(t, "/x")
	// the kernel doubles it for its own needs
	if n := within10s(t, got, "the buffer's size"); n != 2*sendBuffer {
		t.Errorf("SO_SNDBUF is %d", n)
	}
}

// A client that reads nothing costs one block of the source.
func TestStreamReadsLittleForAReaderThatStalls(t *testing.T) {
	source := newFakeSource(noise(1<<20), nil)
	b := serve(t, Options{WriteTimeout: 100 * time.Millisecond}, func(app *fiber.App) {
		app.Get("/x", func(c *fiber.Ctx) error { return Stream(c, source.open, StreamOptions{}) })
	})
	conn := b.dial(t)
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	_, _ = io.WriteString(conn, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
	if end := within10s(t, source.ended, "the stream to end"); !errors.Is(end.err,
		ErrClientStalled) {
		t.Errorf("it ended with %v", end.err)
	}
	if read := 1<<20 - len(source.rest); read > body.BlockSize+source.step {
		t.Errorf("%d bytes were read for nobody", read)
	}
}
