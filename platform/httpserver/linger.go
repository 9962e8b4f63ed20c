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
)

// How long a connection lingers, and how much it reads meanwhile.
const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 256 << 10
)

// breakTime is how long a client has for the chunk in which a transfer breaks off, and again for what the kernel still
// holds. A relay may turn the reset into a plain end, which GNU wget notices only after a whole chunk.
const breakTime = 250 * time.Millisecond

// lingerConn is a connection that can linger: after a response that was sent before all of the request was read, it waits
// for the client before it closes. Closed at once, the kernel would send a reset for the unread bytes, which can overtake the
// response: the client would see "connection reset" in place of 413 or 431.
type lingerConn struct {
	*net.TCPConn
	linger   atomic.Bool
	transfer atomic.Bool // see resetOnClose

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

// Close closes the connection, where it is marked once the client has closed it or had time to.
func (c *lingerConn) Close() error {
	defer c.conns.forget(c)
	if c.linger.Swap(false) {
		return lingerAndClose(c.TCPConn)
	}
	if c.transfer.Load() {
		waitUntil(breakTime, func() bool { return !undelivered(c.TCPConn) })
	}
	return c.TCPConn.Close()
}

// resetOnClose makes a reset of the end of the connection, whatever closes it, the end of the process included. It is on
// while a long body is sent: GNU wget takes a plain end inside a chunk for the end of the file.
func (c *lingerConn) resetOnClose(on bool) {
	c.transfer.Store(on)
	seconds := -1
	if on {
		seconds = 0
	}
	_ = c.SetLinger(seconds) // fails when the connection is gone
}

// readArrived reads what has arrived although the time for it is over: a request may have come while this process had no processor, and
// closing its connection would be a reset in place of an answer.
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
