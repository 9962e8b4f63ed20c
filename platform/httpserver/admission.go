package httpserver

import (
	"container/list"
	"net"
	"net/netip"
	"syscall"
	"time"

	"dg/platform/netaddr"
)

// maxConnections is the most connections that are open at once, whatever the process's limit of files. 10,000 idle ones
// hold 110 MB.
const maxConnections = 10_000

// slowClient is how long a request may arrive, or the answer to a request of nobody known be read, before its connection is
// evicted where none is idle.
const slowClient = time.Second

// maxLookedAt is how many connections of a queue are looked at for one to evict.
const maxLookedAt = 64

// connectionLimit returns how many connections the process can have besides its reserved files. (Go has raised the limit of
// files to the hard limit.)
func connectionLimit(reserved int) int {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return maxConnections
	}
	limit := int(min(files.Cur, 1<<20))
	return min(maxConnections, max(limit-reserved, limit/2))
}

// addressLimit is how many connections one address may have.
func (k *connections) addressLimit() int { return max(1, k.limit/2) }

// share is how many connections each address would have if all had the same, and one more address came.
func (k *connections) share() int { return max(1, k.limit/(len(k.groups)+1)) }

// admit adds a new connection and evicts another one if need be. It returns nil where none can be evicted.
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

// makeRoom evicts a connection if a new one of the address needs that: one of the same address where that is at its limit, or above
// its share of a full server. The caller holds the lock, and closes the one that is evicted. refused says why there is no room.
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

// evict removes the connection of the group that has been idle longest, or else one whose client is slow: to send its request, or to
// read an answer that anybody gets. It never removes a connection whose request is being served.
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

// evictCrowded removes a connection of an address above its share, however long its client has been slow, so that nobody else's
// makes room. It looks at the first of each queue: where they are not found there, they do not hold many.
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
