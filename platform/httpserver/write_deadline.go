package httpserver

import (
	"context"
	"net"
	"sync"
	"time"
)

// sendBuffer is how much the kernel may hold for one client. It would grow to 4 MB, which a slow but steady reader
// empties so rarely that it misses every write deadline.
const sendBuffer = 128 << 10

// firstSendBuffer is the same until the first block of a stream is sent. It does not fit into this: for a client that reads
// nothing, nothing more is read of the source.
const firstSendBuffer = 16 << 10

// publicSendBuffer is the same for an answer that anybody gets: thousands of clients may ask for it and not read.
const publicSendBuffer = 32 << 10

// writeDeadline is the write deadline of one long response. It moves with every block. Once the context has ended it stays
// where expire sets it, which also wakes a blocked write.
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

// expire ends a running write. Its chunk has a moment to become whole.
func (d *writeDeadline) expire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.released {
		_ = d.conn.SetWriteDeadline(time.Now().Add(breakTime))
	}
}

// extend gives the next block its time. After the end of the context it returns the cause.
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

// release leaves the connection to the next response. After a body that was not sent whole there is none.
func (d *writeDeadline) release(whole bool) {
	d.stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.released = true
	if whole {
		d.resetOnClose(false)
	}
}
