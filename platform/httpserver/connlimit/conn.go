package connlimit

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// How long a connection lingers, and how much it reads in that time.
const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 256 << 10
)

// drainTime is the time for a truncated body to leave the kernel's buffer before the reset.
const drainTime = 250 * time.Millisecond

// Conn is an admitted connection. A nil one is of a program that is served by other means, such as
// fiber's App.Test: nothing is known of it, and nothing limits it.
type Conn struct {
	*net.TCPConn
	linger   atomic.Bool
	transfer atomic.Bool // see ResetOnClose

	lastBytes uint64 // the last eight that were read
	bareLF    bool

	limit  *Limit
	client netip.Addr // whose limit it counts towards; invalid: exempt

	// The rest is under the limit's lock.
	state  State
	since  time.Time
	places []place // nil: closed
}

// SetState says what the connection is doing.
func (c *Conn) SetState(state State) {
	if c == nil {
		return
	}
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	c.limit.dequeue(c)
	c.limit.enqueue(c, state)
}

// LingerOnClose marks the connection of a request that was not read to its end. The reset of an
// immediate close could overtake the response.
func (c *Conn) LingerOnClose() {
	if c != nil {
		c.linger.Store(true)
	}
}

// Close closes the connection. A marked one first waits for the client to close it, for a bounded
// time.
func (c *Conn) Close() error {
	defer c.forget()
	if c.linger.Swap(false) {
		return lingerAndClose(c.TCPConn)
	}
	if c.transfer.Load() {
		c.drain()
	}
	return c.TCPConn.Close()
}

// drain waits until the client has what was sent.
func (c *Conn) drain() {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(drainTime); c.undelivered() && time.Now().Before(end); {
		<-tick.C
	}
}

// ResetOnClose makes any close a reset (SO_LINGER 0), also if the process is killed. It is on while
// a long body is sent, because GNU wget accepts a FIN inside a chunk as the end of the file.
func (c *Conn) ResetOnClose(on bool) {
	c.transfer.Store(on)
	seconds := -1
	if on {
		seconds = 0
	}
	_ = c.SetLinger(seconds) // fails when the connection is gone
}

func (c *Conn) forget() {
	c.limit.mu.Lock()
	defer c.limit.mu.Unlock()
	c.limit.remove(c)
}

var versionBytes = binary.BigEndian.Uint64([]byte("HTTP/1.1"))

// Read detects a request line that ends without CR, which fasthttp accepts silently. It looks for
// the HTTP version before LF in all bytes: no accepted body contains it, because forms are encoded.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		n, err = c.readArrived(p, err)
	}
	for _, b := range p[:n] {
		if b == '\n' && c.lastBytes|1 == versionBytes { // of HTTP/1.0 too
			c.bareLF = true
		}
		c.lastBytes = c.lastBytes<<8 | uint64(b)
	}
	return n, err
}

// HasBareLF reports whether a request line on the connection ended without CR.
func (c *Conn) HasBareLF() bool { return c != nil && c.bareLF }

// readArrived reads bytes that arrived before a passed deadline: the process may have been starved
// of CPU, and the close would reset the connection of a valid request.
func (c *Conn) readArrived(p []byte, late error) (n int, err error) {
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
