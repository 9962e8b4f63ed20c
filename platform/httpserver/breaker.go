package httpserver

import (
	"context"
	"net"
	"sync"
	"time"
)

// sendBuffer is how much the kernel may hold for one client. Left to itself it grows to 4 MB, and then a client that
// reads steadily but slowly empties it so rarely that every write deadline passes.
const sendBuffer = 128 << 10

// breaker holds the write deadline of one long answer. The deadline moves on with every block, and once the answer's
// context has ended it lies in the past for good, which also wakes a write that is blocked.
type breaker struct {
	ctx   context.Context
	conn  net.Conn
	limit time.Duration // for one block
	stop  func() bool

	mu   sync.Mutex
	done bool
}

func newBreaker(ctx context.Context, conn net.Conn, limit time.Duration) *breaker {
	if c, ok := conn.(interface{ SetWriteBuffer(int) error }); ok {
		_ = c.SetWriteBuffer(sendBuffer) // a connection that is gone is noticed by the first write
	}
	b := &breaker{ctx: ctx, conn: conn, limit: limit}
	b.stop = context.AfterFunc(ctx, b.trip)
	return b
}

// trip breaks a write that is running.
func (b *breaker) trip() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.done {
		_ = b.conn.SetWriteDeadline(time.Unix(1, 0))
	}
}

// arm gives the next block its time. It fails with the cause once the context has ended.
func (b *breaker) arm() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx)
	}
	return b.conn.SetWriteDeadline(time.Now().Add(b.limit))
}

// release leaves the connection's deadline alone from here on: it is the next answer's.
func (b *breaker) release() {
	b.stop()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = true
}
