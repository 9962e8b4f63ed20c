package httpserver

import (
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// How long and for how much a connection lingers.
const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 256 << 10
)

// lingerListener hands out connections that can linger.
type lingerListener struct{ net.Listener }

func (l lingerListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		return &lingerConn{TCPConn: tcp}, nil
	}
	return c, err
}

// lingerConn can wait for the client to take an answer that was given before all of its request was read. Closed at
// once, the kernel would send a reset for the unread bytes, which can overtake the answer: the client would see
// "connection reset" in place of 413 or 431.
type lingerConn struct {
	*net.TCPConn
	linger atomic.Bool
}

// lingerOnClose marks the connection of an answer to a request that was not read to its end.
func lingerOnClose(ctx *fasthttp.RequestCtx) {
	if c, ok := ctx.Conn().(*lingerConn); ok {
		c.linger.Store(true)
	}
}

// Close closes the connection, after the client did or had time to where that is asked for.
func (c *lingerConn) Close() error {
	if c.linger.Swap(false) && c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c.TCPConn, lingerBytes)
	}
	return c.TCPConn.Close()
}
