package httpserver

import (
	"container/list"
	"net"
	"net/netip"
	"syscall"
	"time"

	"dg/platform/netaddr"
)

// maxConnections bounds open connections, also where the process's file limit is higher.
const maxConnections = 10_000

// slowClient is the time to send a request or to read an unauthenticated response. After it the
// connection may be evicted if none is idle.
const slowClient = time.Second

// maxLookedAt bounds the search of a queue for a connection to evict.
const maxLookedAt = 64

// connectionLimit returns the process's file limit less its reserved files, at most maxConnections.
// Go has raised the soft limit to the hard one.
func connectionLimit(reserved int) int {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return maxConnections
	}
	limit := int(min(files.Cur, 1<<20))
	return min(maxConnections, max(limit-reserved, limit/2))
}

// addressLimit is the limit of one client.
func (k *connections) addressLimit() int { return max(1, k.limit/2) }

// share is the equal share of a client if one more client connects.
func (k *connections) share() int { return max(1, k.limit/(len(k.groups)+1)) }

// admit adds a new connection and evicts another one if necessary. It returns nil if none can be
// evicted.
func (k *connections) admit(tcp *net.TCPConn) *lingerConn {
	c := &lingerConn{TCPConn: tcp, conns: k}
	if ip, ok := remoteIP(tcp.RemoteAddr()); ok && !within(ip, k.exempt) {
		c.addr = netaddr.Client(ip)
	}
	k.mu.Lock()
	evicted, refused := k.makeRoom(c.addr)
	if refused == "" {
		k.add(c)
	}
	k.mu.Unlock()
	if evicted != nil { // not under the lock, which all connections wait for
		_ = evicted.TCPConn.Close() // wakes its reader or writer
		k.metrics.evictions.Inc()
	}
	if refused != "" {
		k.metrics.rejected.WithLabelValues(refused).Inc()
		return nil
	}
	return c
}

// makeRoom evicts a connection if a new one of the address needs room: one of the same address if
// that is at its limit, or above its share of a full server. The caller holds the lock and closes
// the evicted one. refused is the reason if there is no room.
func (k *connections) makeRoom(addr netip.Addr) (evicted *lingerConn, refused string) {
	full := k.all.open >= k.limit
	if g := k.groups[addr]; g != nil && (g.open >= k.addressLimit() || full && g.open > k.share()) {
		if evicted = k.evict(g); evicted == nil {
			refused = "share"
		}
		return evicted, refused
	}
	if !full {
		return nil, ""
	}
	if evicted = k.evictCrowded(); evicted == nil {
		evicted = k.evict(&k.all)
	}
	if evicted == nil {
		refused = "full"
	}
	return evicted, refused
}

// evict removes the longest idle connection of the group, or else one whose client is slow to send
// its request or to read an unauthenticated response. It never removes a connection whose request
// is being served.
func (k *connections) evict(g *connGroup) *lingerConn {
	first := g.idle.Front()
	if first == nil {
		first = g.waiting.Front()
	}
	if first == nil {
		return nil
	}
	c := first.Value.(*lingerConn)
	if c.state != connIdle && time.Since(c.since) < slowClient {
		return nil
	}
	k.remove(c)
	return c
}

// evictCrowded removes a connection of a client above its share, however briefly it has been slow,
// so that other clients keep theirs. It searches the first maxLookedAt of each queue: a client that
// is not among them does not hold many.
func (k *connections) evictCrowded() *lingerConn {
	for _, queue := range []*list.List{&k.all.idle, &k.all.waiting} {
		e := queue.Front()
		for range maxLookedAt {
			if e == nil {
				break
			}
			c := e.Value.(*lingerConn)
			if g := k.groups[c.addr]; g != nil && g.open > k.share() {
				k.remove(c)
				return c
			}
			e = e.Next()
		}
	}
	return nil
}
