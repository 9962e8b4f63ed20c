package httpserver

import (
	"container/list"
	"net"
	"net/netip"
	"syscall"
	"time"
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

// admit adds a new connection and evicts another one if need be: one of the same address where that is at its limit, or above its
// share of a full server. It returns nil where none can be evicted.
func (k *connections) admit(tcp *net.TCPConn) *lingerConn {
	ip, ok := remoteIP(tcp.RemoteAddr())
	k.mu.Lock()
	defer k.mu.Unlock()
	c := &lingerConn{TCPConn: tcp, conns: k}
	full := k.all.open >= k.limit
	if ok && !within(ip, k.exempt) {
		c.addr = addressKey(ip)
		if g := k.groups[c.addr]; g != nil && (g.open >= k.addressLimit() || full && g.open > k.share()) {
			if !k.evict(g) {
				k.metrics.rejected.WithLabelValues("share").Inc()
				return nil
			}
			full = false
		}
	}
	if full && !k.evictCrowded() && !k.evict(&k.all) {
		k.metrics.rejected.WithLabelValues("full").Inc()
		return nil
	}
	k.add(c)
	return c
}

// addressKey returns what counts as one address: a /64 of IPv6, which is usually one customer's.
func addressKey(ip netip.Addr) netip.Addr {
	if ip.Is4() {
		return ip
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked().Addr()
}

// evict closes the connection of the group that has been idle longest, or else one whose client is slow: to send its request, or to
// read an answer that anybody gets. A connection whose request is being served is never closed.
func (k *connections) evict(g *connGroup) bool {
	first := g.idle.Front()
	if first == nil {
		first = g.waiting.Front()
	}
	if first == nil {
		return false
	}
	c := first.Value.(*lingerConn)
	if c.state != connIdle && time.Since(c.since) < slowClient {
		return false
	}
	k.close(c)
	return true
}

// evictCrowded closes a connection of an address above its share, however long its client has been slow, so that nobody else's
// makes room. It looks at the first of each queue: where they are not found there, they do not hold many.
func (k *connections) evictCrowded() bool {
	for _, queue := range []*list.List{&k.all.idle, &k.all.waiting} {
		e := queue.Front()
		for range maxLookedAt {
			if e == nil {
				break
			}
			c := e.Value.(*lingerConn)
			if g := k.groups[c.addr]; g != nil && g.open > k.share() {
				k.close(c)
				return true
			}
			e = e.Next()
		}
	}
	return false
}

// close closes a connection to make room.
func (k *connections) close(c *lingerConn) {
	k.remove(c)
	_ = c.TCPConn.Close() // wakes its reader or writer
	k.metrics.evictions.Inc()
}
