package httpserver

import (
	"container/list"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// How long and for how much a connection lingers.
const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 256 << 10
)

// lingerConn can wait for the client to take an answer that was given before all of its request was read. Closed at
// once, the kernel would send a reset for the unread bytes, which can overtake the answer: the client would see
// "connection reset" in place of 413 or 431.
type lingerConn struct {
	*net.TCPConn
	linger atomic.Bool

	// What follows belongs to conns and its lock.
	conns  *connections
	addr   netip.Addr // in whose share it counts; invalid: in none
	state  connState
	since  time.Time
	groups []*connGroup
	places [2]*list.Element // in the list of each group
}

// lingerOnClose marks the connection of an answer to a request that was not read to its end.
func lingerOnClose(ctx *fasthttp.RequestCtx) {
	if c, ok := ctx.Conn().(*lingerConn); ok {
		c.linger.Store(true)
	}
}

// Close closes the connection, after the client did or had time to where that is asked for.
func (c *lingerConn) Close() error {
	defer c.conns.closed(c)
	if c.linger.Swap(false) {
		return lingerAndClose(c.TCPConn)
	}
	return c.TCPConn.Close()
}

func lingerAndClose(c *net.TCPConn) error {
	if c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c, lingerBytes)
	}
	return c.Close()
}
