package httpserver

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/netaddr"
)

const (
	maxConnections = 10_000
	acceptWait     = 50 * time.Millisecond // prevents a busy loop when file descriptors run out
)

// maxPerNetwork bounds the connections of each prefix in netaddr.Networks: first of an IPv4 address
// or IPv6 /64, then of an IPv6 /48. Trusted proxies are exempt.
var maxPerNetwork = [...]int{500, 2_000}

// refusalResponse returns the response to a connection over a limit, whose request is not read.
func refusalResponse() []byte {
	f := genericFailure(fiber.StatusServiceUnavailable)
	f.Message = "Too many connections are open, from this address or in all. Reuse connections, and close idle ones."
	f.RequestID = rand.Text()
	body := f.body()
	return fmt.Appendf(nil, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"+
		"Cache-Control: %s\r\nVary: %s\r\nLink: </docs/errors#%s>; rel=\"help\"\r\nX-Content-Type-Options: nosniff\r\n"+
		"X-Request-Id: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		cachePrivate, varyOn, f.Code, f.RequestID, contentJSON, len(body), body)
}

// defaultConnections returns the soft limit of open files, which Go has raised, less the reserved
// ones. It returns at least half of that limit, and at most maxConnections.
func defaultConnections(reserved int) int {
	var openFiles syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &openFiles) != nil {
		return maxConnections
	}
	limit := int(min(openFiles.Cur, 1<<20))
	return min(maxConnections, max(limit-reserved, limit/2))
}

type listener struct {
	net.Listener // nil until Serve is called
	srv          *Server

	mu             sync.Mutex
	openConns      map[*conn]struct{}
	connsByNetwork map[netip.Prefix]int
}

// conn embeds TCPConn, so that tcpOf finds SetLinger and SetWriteBuffer.
type conn struct {
	*net.TCPConn
	listener *listener
	networks []netip.Prefix // none for a trusted proxy: maxPerNetwork does not apply
}

func (l *listener) start(ln net.Listener) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Listener = ln
	return !l.srv.stopping.Load()
}

// stop closes the listener: fasthttp's shutdown misses a listener whose Serve has only just begun.
func (l *listener) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Listener != nil {
		_ = l.Close()
	}
}

// Accept retries after any error except net.ErrClosed: fasthttp would stop accepting.
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil, err
		}
		if err != nil {
			l.srv.metrics.acceptFailures.Inc()
			<-time.After(acceptWait)
			continue
		}
		c := l.admit(accepted, accepted.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap())
		if c != nil {
			return c, nil
		}
		l.srv.metrics.refused.Inc()
		_, _ = accepted.Write(refusalResponse()) // never blocks: the response fits into the empty send buffer
		_ = accepted.Close()
	}
}

// admit counts a connection from ip. It returns nil if a limit is reached.
func (l *listener) admit(accepted net.Conn, ip netip.Addr) *conn {
	tcp, _ := accepted.(*net.TCPConn)
	c := &conn{TCPConn: tcp, listener: l}
	if !netaddr.Within(ip, l.srv.opts.TrustedProxies) {
		c.networks = netaddr.Networks(ip)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.openConns) >= l.srv.opts.MaxConnections {
		return nil
	}
	for i, network := range c.networks {
		if l.connsByNetwork[network] >= min(maxPerNetwork[i], l.srv.opts.MaxConnections/2) {
			return nil
		}
	}
	l.openConns[c] = struct{}{}
	for _, network := range c.networks {
		l.connsByNetwork[network]++
	}
	return c
}

// Close also removes the connection from the counts, once.
func (c *conn) Close() error {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	if _, open := c.listener.openConns[c]; open {
		delete(c.listener.openConns, c)
		for _, network := range c.networks {
			if c.listener.connsByNetwork[network]--; c.listener.connsByNetwork[network] == 0 {
				delete(c.listener.connsByNetwork, network)
			}
		}
	}
	return c.TCPConn.Close()
}

func (l *listener) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.openConns)
}

// each calls do for each open connection. It holds mu, so do must not call conn.Close.
func (l *listener) each(do func(*net.TCPConn)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.openConns {
		do(c.TCPConn)
	}
}
