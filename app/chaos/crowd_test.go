package chaos

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// crowd are hostile clients at eight addresses, 127.0.0.2 to 127.0.0.9, or at many.
type crowd struct {
	address string
	ctx     context.Context
	many    int // addresses, in ten networks; 0: the eight
	all     sync.WaitGroup
	opened  atomic.Int64 // connections
	refused atomic.Int64 // attempts that got no connection
}

// from is the nth address.
func (c *crowd) from(n int) net.IP {
	if c.many == 0 {
		return net.IPv4(127, 0, 0, byte(2+n%8))
	}
	return net.IPv4(127, 0, byte(1+n%10), byte(2+n%c.many/10))
}

// attack runs hostile clients until ctx ends and returns what they did.
func attack(ctx context.Context, target string, begin func(*crowd)) *crowd {
	c := &crowd{address: strings.TrimPrefix(target, "http://"), ctx: ctx}
	begin(c)
	<-ctx.Done()
	c.all.Wait()
	return c
}

// dial opens a connection from the nth address, with a window that is small where what comes is not
// read.
func (c *crowd) dial(n, window int) (net.Conn, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: c.from(n)}, Timeout: 2 * time.Second}
	if window > 0 {
		dialer.Control = func(_, _ string, raw syscall.RawConn) error {
			return raw.Control(func(fd uintptr) {
				_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, window)
			})
		}
	}
	conn, err := dialer.DialContext(c.ctx, "tcp", c.address)
	if err != nil {
		c.refused.Add(1)
		return nil, err
	}
	c.opened.Add(1)
	return conn, nil
}

// hold keeps n connections that behave so until they end, each opened again a second after the
// server has closed it.
func (c *crowd) hold(n, window int, behave func(ctx context.Context, conn net.Conn)) {
	for i := range n {
		c.all.Go(func() {
			pause(c.ctx, time.Duration(i)*2*time.Second/time.Duration(n)) // all within two seconds
			for c.ctx.Err() == nil {
				conn, err := c.dial(i, window)
				if err == nil {
					stop := context.AfterFunc(c.ctx, func() { _ = conn.Close() })
					behave(c.ctx, conn)
					stop()
					_ = conn.Close()
				}
				pause(c.ctx, time.Second)
			}
		})
	}
}

// pause sleeps until ctx ends, at most so long.
func pause(ctx context.Context, long time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(long):
	}
}

// trickle sends the beginning of a request and then a byte every half second, for ever.
func trickle(beginning string) func(context.Context, net.Conn) {
	return func(ctx context.Context, conn net.Conn) {
		_, err := io.WriteString(conn, beginning)
		for err == nil && ctx.Err() == nil {
			pause(ctx, 500*time.Millisecond)
			_, err = io.WriteString(conn, "a")
		}
	}
}

// slowHeaders and slowBodies never finish a request.
var (
	slowHeaders = trickle("GET /api/v1/forks HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	slowBodies  = trickle(
		"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\nemail=",
	)
)

// slowReaders ask for large answers, many at once, and read next to nothing.
func slowReaders(ctx context.Context, conn net.Conn) {
	_, err := io.WriteString(conn,
		strings.Repeat("GET /openapi/v1.json HTTP/1.1\r\nHost: x\r\n\r\n", 50))
	for err == nil && ctx.Err() == nil {
		pause(ctx, 500*time.Millisecond)
		_, err = io.ReadFull(conn, make([]byte, 512))
	}
}

// idle opens n connections within the time, each kept until the server closes it. They are answered
// once and then say nothing, or say nothing from the beginning.
func (c *crowd) idle(n int, within time.Duration) {
	for i := range n {
		c.all.Go(func() {
			pause(c.ctx, time.Duration(i)*within/time.Duration(n))
			conn, err := c.dial(i, 0)
			if err != nil {
				return
			}
			defer context.AfterFunc(c.ctx, func() { _ = conn.Close() })()
			if i/8%2 == 0 {
				_, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
			}
			_, _ = io.Copy(io.Discard, conn)
			_ = conn.Close()
		})
	}
}

// garbageSenders is how many connections send garbage, each from one address after the other; one
// for each address, where there are many.
const garbageSenders = 32

// garbage sends that many requests a second with keys that are none: well formed, with the right
// checksum. Every fifth has the id of a key and a wrong secret. answered gets each answer's request
// id and status.
func (c *crowd) garbage(
	perSecond int, ids []string, answered func(requestID string, known bool, status int),
) {
	var turn atomic.Int64
	senders := cmp.Or(c.many, garbageSenders)
	every := time.Duration(senders) * time.Second / time.Duration(perSecond)
	for i := range senders {
		c.all.Go(func() {
			var k connection
			defer k.close()
			// one after the other, not all at once
			first := time.Now().Add(every * time.Duration(i) / time.Duration(senders))
			for due := first; c.ctx.Err() == nil; due = due.Add(every) {
				pause(c.ctx, time.Until(due))
				n := int(turn.Add(1))
				id := randomText(22)
				known := n%5 == 0
				if known {
					id = ids[n%len(ids)]
				}
				requestID := fmt.Sprintf("garbage-%09d", n)
				if status := k.ask(c, i,
					"X-Request-Id: "+requestID+"\r\nAuthorization: Bearer "+
						garbageKey(id)); status != 0 {
					answered(requestID, known, status)
				}
			}
		})
	}
}

// connection is one that is kept while the server keeps it.
type connection struct {
	net.Conn
	in *bufio.Reader
}

// ask sends a request for the fork list and returns the status of the answer; 0 of none.
func (k *connection) ask(c *crowd, address int, headers string) (status int) {
	if k.Conn == nil {
		conn, err := c.dial(address, 0)
		if err != nil {
			return 0
		}
		k.Conn = conn
		k.in = bufio.NewReader(conn)
	}
	_ = k.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = io.WriteString(k, "GET /api/v1/forks HTTP/1.1\r\nHost: x\r\n"+headers+"\r\n\r\n")
	response, err := http.ReadResponse(k.in, nil)
	if err == nil {
		status = response.StatusCode
		_, err = io.Copy(io.Discard, response.Body)
	}
	if err != nil || response.Close {
		k.close()
	}
	return status
}

func (k *connection) close() {
	if k.Conn != nil {
		_ = k.Close()
		k.Conn = nil
	}
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func randomText(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = base62[rand.IntN(len(base62))]
	}
	return string(b)
}

// garbageKey has a random secret and the checksum that belongs to it.
func garbageKey(id string) string {
	text := "dg_live_" + id + "_" + randomText(43)
	sum := crc32.ChecksumIEEE([]byte(text))
	check := make([]byte, 6)
	for i := range check {
		check[5-i] = base62[sum%62]
		sum /= 62
	}
	return text + string(check)
}
