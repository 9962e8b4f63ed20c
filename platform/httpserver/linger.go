package httpserver

import (
	"container/list"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"

	"dg/platform/httpserver/body"
)

// How long a connection lingers, and how much it reads meanwhile.
const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 256 << 10
)

// lingerConn is a connection with a lingering close. If a response was sent before the whole
// request was read, an immediate close would make the kernel send a reset, which can overtake the
// response: the client would see "connection reset", not the 413.
type lingerConn struct {
	*net.TCPConn
	linger   atomic.Bool
	transfer atomic.Bool // see ResetOnClose

	lastBytes uint64 // the last eight that were read
	bareLF    bool

	// The rest belongs to conns and its lock.
	conns    *connections
	addr     netip.Addr // whose limit it counts towards; invalid: nobody's
	state    connState
	since    time.Time
	groups   []*connGroup
	elements [2]*list.Element // in the queue of each group
}

// lingerOnClose marks the connection of a request that was not read to its end.
func lingerOnClose(ctx *fasthttp.RequestCtx) {
	if c, ok := ctx.Conn().(*lingerConn); ok {
		c.linger.Store(true)
	}
}

// Close closes the connection. A marked one first waits for the client to close it, for a bounded
// time.
func (c *lingerConn) Close() error {
	defer c.conns.forget(c)
	if c.linger.Swap(false) {
		return lingerAndClose(c.TCPConn)
	}
	if c.transfer.Load() {
		waitUntil(body.BreakTime, func() bool { return !undelivered(c.TCPConn) })
	}
	return c.TCPConn.Close()
}

// ResetOnClose sets SO_LINGER 0, so that any close resets the connection, also when the process is
// killed. It is on while a long body is sent, because GNU wget accepts a FIN inside a chunk as the
// end of the file.
func (c *lingerConn) ResetOnClose(on bool) {
	c.transfer.Store(on)
	seconds := -1
	if on {
		seconds = 0
	}
	_ = c.SetLinger(seconds) // fails when the connection is gone
}

// readArrived reads bytes that arrived before a passed deadline: the process may have been starved
// of CPU, and the close would reset the connection of a valid request.
func (c *lingerConn) readArrived(p []byte, late error) (n int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, late
	}
	failed := raw.Control(func(fd uintptr) { n, err = syscall.Read(int(fd), p) }) // does not wait
	if failed != nil || err != nil || n <= 0 {
		return 0, late
	}
	return n, nil
}

func lingerAndClose(c *net.TCPConn) error {
	if c.CloseWrite() == nil && c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c, lingerBytes)
	}
	return c.Close()
}
