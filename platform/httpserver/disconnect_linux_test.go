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
)

// Without the limit it grows to 4 MB, and a slow, steady client misses every deadline. A stream
// begins with a smaller one.
func TestSendBufferIsLimited(t *testing.T) {
	got := make(chan int, 2)
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/x", func(c *fiber.Ctx) error {
			raw, _ := c.Context().Conn().(syscall.Conn).SyscallConn()
			look := func() {
				_ = raw.Control(func(fd uintptr) {
					n, _ := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF)
					got <- n
				})
			}
			source := newFakeSource(noise(3*blockSize), func(context.Context) error {
				look()
				return io.EOF
			})
			err := Stream(c, source.open, StreamOptions{})
			look()
			return err
		})
	})
	b.get(t, "/x")
	for _, want := range []int{firstSendBuffer, sendBuffer} {
		// the kernel doubles it for its own needs
		if n := within10s(t, got, "the buffer's size"); n != 2*want {
			t.Errorf("SO_SNDBUF is %d", n)
		}
	}
}

// Of the source of a client that reads nothing one block is read, and no more.
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
	if read := 1<<20 - len(source.rest); read > blockSize+source.step {
		t.Errorf("%d bytes were read for nobody", read)
	}
}
