package httpserver

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"dg/platform/netaddr"
)

const (
	maxConnections = 10_000
	// maxPerClient applies to an IPv4 address or IPv6 /64, but not to trusted proxies.
	maxPerClient = 500
	// acceptWait keeps the retries of Accept from spinning when the process is out of file
	// descriptors.
	acceptWait = 50 * time.Millisecond
)

const refusedConnection = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n" +
	"Retry-After: 5\r\nContent-Length: 0\r\n\r\n"

// defaultConnections leaves reserved file descriptors of the soft limit, which Go has raised.
func defaultConnections(reserved int) int {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return maxConnections
	}
	limit := int(min(files.Cur, 1<<20))
	return min(maxConnections, max(limit-reserved, limit/2))
}

type listener struct {
	net.Listener // nil before Serve
	srv          *Server

	mu      sync.Mutex
	open    map[*conn]struct{}
	clients map[netip.Addr]int
}

// conn embeds TCPConn for SetLinger and SetWriteBuffer.
type conn struct {
	*net.TCPConn
	ln     *listener
	client netip.Addr // zero for a trusted proxy: maxPerClient does not apply
}

func (l *listener) start(ln net.Listener) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Listener = ln
	return !l.srv.stopping.Load()
}

// stop closes the listener: fasthttp's shutdown misses one whose Serve has only just begun.
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
		c := l.admit(accepted.(*net.TCPConn))
		if c != nil {
			return c, nil
		}
		l.srv.metrics.refused.Inc()
		_, _ = accepted.Write([]byte(refusedConnection)) // fits into the empty send buffer
		_ = accepted.Close()
	}
}

func (l *listener) admit(tcp *net.TCPConn) *conn {
	c := &conn{TCPConn: tcp, ln: l}
	ip := tcp.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
	if !netaddr.Within(ip, l.srv.opts.TrustedProxies) {
		c.client = netaddr.Client(ip)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.srv.opts.MaxConnections ||
		c.client.IsValid() && l.clients[c.client] >= min(maxPerClient, l.srv.opts.MaxConnections/2) {
		return nil
	}
	l.open[c] = struct{}{}
	l.clients[c.client]++
	return c
}

// Close may be called twice, but stops counting the connection only once.
func (c *conn) Close() error {
	c.ln.mu.Lock()
	if _, open := c.ln.open[c]; open {
		delete(c.ln.open, c)
		if c.ln.clients[c.client]--; c.ln.clients[c.client] == 0 {
			delete(c.ln.clients, c.client)
		}
	}
	c.ln.mu.Unlock()
	return c.TCPConn.Close()
}

func (l *listener) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)
}

// closeStreams ends blocked writes: it sets all write deadlines to now.
func (l *listener) closeStreams() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		_ = c.SetWriteDeadline(time.Now())
	}
}

func (l *listener) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		_ = c.TCPConn.Close()
	}
}
