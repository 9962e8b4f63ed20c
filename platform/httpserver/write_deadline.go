package httpserver

import (
	"context"
	"net"
	"sync"
	"time"
)

// sendBuffer bounds the kernel's send buffer (SO_SNDBUF). Autotuning grows it to 4 MB, and a slow
// but steady reader then misses every write deadline.
const sendBuffer = 128 << 10

// firstSendBuffer applies until the first block of a stream is sent. The block does not fit, so
// that a client that reads nothing stops the source.
const firstSendBuffer = 16 << 10

// publicSendBuffer applies to unauthenticated responses: thousands of clients may request one and
// not read it.
const publicSendBuffer = 32 << 10

// writeDeadline is the write deadline of one long response. It moves with every block. Once the
// context has ended it stays where expire sets it, which also wakes a blocked write.
type writeDeadline struct {
	ctx   context.Context
	conn  net.Conn
	limit time.Duration // for one block
	stop  func() bool

	mu       sync.Mutex
	released bool
}

func newWriteDeadline(ctx context.Context, conn net.Conn, limit time.Duration) *writeDeadline {
	setSendBuffer(conn, sendBuffer)
	d := &writeDeadline{ctx: ctx, conn: conn, limit: limit}
	d.stop = context.AfterFunc(ctx, d.expire)
	return d
}

// setSendBuffer fails when the connection is gone: the first write reports it.
func setSendBuffer(conn net.Conn, bytes int) {
	if c, ok := conn.(interface{ SetWriteBuffer(int) error }); ok {
		_ = c.SetWriteBuffer(bytes)
	}
}

// expire ends a running write. Its chunk has breakTime to complete.
func (d *writeDeadline) expire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.released {
		_ = d.conn.SetWriteDeadline(time.Now().Add(breakTime))
	}
}

// extend sets the deadline of the next block. After the end of the context it returns the cause.
func (d *writeDeadline) extend() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return context.Cause(d.ctx)
	}
	return d.conn.SetWriteDeadline(time.Now().Add(d.limit))
}

// resetOnClose makes a reset of the end of the connection.
func (d *writeDeadline) resetOnClose(on bool) {
	if c, ok := d.conn.(*lingerConn); ok {
		c.resetOnClose(on)
	}
}

// release resets the connection's deadlines for the next response, unless the body was truncated.
func (d *writeDeadline) release(whole bool) {
	d.stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.released = true
	if whole {
		d.resetOnClose(false)
	}
}
