package httpserver

import (
	"syscall"
	"testing"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/sys/unix"
)

// Without the limit it grows to 4 MB, and a slow, steady client misses every deadline.
func TestSendBufferIsLimited(t *testing.T) {
	got := make(chan int, 1)
	b := serve(t, Options{}, func(app *fiber.App) {
		app.Get("/x", func(c *fiber.Ctx) error {
			err := Stream(c, newFakeSource(noise(10), nil).open, StreamOptions{})
			raw, _ := c.Context().Conn().(syscall.Conn).SyscallConn()
			_ = raw.Control(func(fd uintptr) {
				n, _ := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_SNDBUF)
				got <- n
			})
			return err
		})
	})
	b.get(t, "/x")
	if n := within10s(t, got, "the buffer's size"); n != 2*sendBuffer { // the kernel doubles it for its own needs
		t.Errorf("SO_SNDBUF is %d", n)
	}
}
