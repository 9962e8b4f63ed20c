package body

import (
	"context"
	"net"
	"sync"
	"time"
)

// BreakTime is the time to send the chunk in which a body breaks off. A relay may turn the reset
// into a FIN, which GNU wget treats as an error only after a whole chunk.
const BreakTime = 250 * time.Millisecond

// deadline is the write deadline of one long response. It moves with every block. Once the
// context has ended it stays where expire sets it, which also wakes a blocked write.
type deadline struct {
	ctx   context.Context
	conn  net.Conn
	limit time.Duration // for one block
	stop  func() bool

	mu       sync.Mutex
	released bool
}

func newDeadline(ctx context.Context, conn net.Conn, limit time.Duration) *deadline {
	d := &deadline{ctx: ctx, conn: conn, limit: limit}
	d.resetOnClose(true)
	d.stop = context.AfterFunc(ctx, d.expire)
	return d
}

// setSendBuffer fails when the connection is gone: the first write reports it.
func setSendBuffer(conn net.Conn, bytes int) {
	if c, ok := conn.(interface{ SetWriteBuffer(int) error }); ok {
		_ = c.SetWriteBuffer(bytes)
	}
}

// expire ends a running write. Its chunk has BreakTime to complete.
func (d *deadline) expire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.released {
		_ = d.conn.SetWriteDeadline(time.Now().Add(BreakTime))
	}
}

// extend sets the deadline of the next block. After the end of the context it returns the cause.
func (d *deadline) extend() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return context.Cause(d.ctx)
	}
	return d.conn.SetWriteDeadline(time.Now().Add(d.limit))
}

// resetOnClose makes a reset of the end of the connection.
func (d *deadline) resetOnClose(on bool) {
	if c, ok := d.conn.(interface{ ResetOnClose(on bool) }); ok {
		c.ResetOnClose(on)
	}
}

// release resets the connection's deadlines for the next response, unless the body was truncated.
func (d *deadline) release(whole bool) {
	d.stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.released = true
	if whole {
		d.resetOnClose(false)
	}
}
