package connlimit

import (
	"net"
	"net/netip"
	"syscall"
	"time"

	"dg/platform/netaddr"
)

// maxConnections bounds open connections, also where the process's file limit is higher.
const maxConnections = 10_000

// slowClient is the time to send a request or to read a public response. After it the connection
// may be evicted if none is idle.
const slowClient = time.Second

// maxLookedAt bounds the search of a queue for a connection to evict: a client that is not among
// the first does not hold many.
const maxLookedAt = 64

// Default returns the process's file limit less its reserved files, at most maxConnections. Go has
// raised the soft limit to the hard one.
func Default(reserved int) int {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return maxConnections
	}
	limit := int(min(files.Cur, 1<<20))
	return min(maxConnections, max(limit-reserved, limit/2))
}

// admit adds a new connection and evicts another one if necessary. It returns nil if none can be
// evicted.
func (l *Limit) admit(tcp *net.TCPConn) *Conn {
	c := &Conn{TCPConn: tcp, limit: l}
	ip := tcp.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
	if !netaddr.Within(ip, l.opts.Exempt) {
		c.client = netaddr.Client(ip)
	}
	l.mu.Lock()
	evicted, refused := l.makeRoom(c.client)
	if evicted != nil {
		l.remove(evicted)
	}
	if refused == "" {
		l.add(c)
	}
	l.mu.Unlock()
	if evicted != nil { // not under the lock, which all connections wait for
		_ = evicted.TCPConn.Close() // wakes its reader or writer
		l.metrics.evictions.Inc()
	}
	if refused != "" {
		l.metrics.rejected.WithLabelValues(refused).Inc()
		return nil
	}
	return c
}

// makeRoom chooses the connection to evict for a new one: of the same client if that is at its
// limit, or above its share of a full server. Without one, refused is the reason. The caller holds
// the lock.
func (l *Limit) makeRoom(client netip.Addr) (evicted *Conn, refused string) {
	full := l.all.open() >= l.opts.Max
	own := l.clients[client]
	switch {
	case own != nil && (own.open() >= max(1, l.opts.Max/2) || full && own.open() > l.share()):
		refused = "share"
		evicted = own.find(isEvictable)
	case full:
		refused = "full"
		if evicted = l.all.find(l.isCrowded); evicted == nil {
			evicted = l.all.find(isEvictable)
		}
	}
	if evicted != nil {
		refused = ""
	}
	return evicted, refused
}

// share is the equal share of a client if one more client connects.
func (l *Limit) share() int { return max(1, l.opts.Max/(len(l.clients)+1)) }

// find returns the first connection of the group that may be evicted.
func (g *group) find(may func(*Conn) bool) *Conn {
	for _, state := range []State{Idle, Waiting} {
		e := g.queues[state].Front()
		for n := 0; e != nil && n < maxLookedAt; n++ {
			if c := e.Value.(*Conn); may(c) {
				return c
			}
			e = e.Next()
		}
	}
	return nil
}

func isEvictable(c *Conn) bool { return c.state == Idle || time.Since(c.since) >= slowClient }

// isCrowded reports whether the client is above its share: then it makes room for others however
// briefly it has been slow.
func (l *Limit) isCrowded(c *Conn) bool {
	g := l.clients[c.client]
	return g != nil && g.open() > l.share()
}
