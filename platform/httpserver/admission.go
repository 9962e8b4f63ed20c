package httpserver

import (
	"net"
	"net/netip"
	"syscall"
	"time"
)

// maxConnections is the most connections that are open at once, whatever the process's limit of files. 10,000 idle ones
// hold 110 MB.
const maxConnections = 10_000

// slowArrival is how long a request may arrive before its connection is evicted where none is idle.
const slowArrival = time.Second

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

// admit adds a new connection and evicts another one if need be: one of the same address where that is at its limit. It
// returns nil where none can be evicted.
func (k *connections) admit(tcp *net.TCPConn) *lingerConn {
	ip, ok := remoteIP(tcp.RemoteAddr())
	k.mu.Lock()
	defer k.mu.Unlock()
	c := &lingerConn{TCPConn: tcp, conns: k}
	if ok && !within(ip, k.exempt) {
		c.addr = addressKey(ip)
		if g := k.groups[c.addr]; g != nil && g.open >= k.addressLimit() && !k.evict(g) {
			k.metrics.rejected.WithLabelValues("share").Inc()
			return nil
		}
	}
	if k.all.open >= k.limit && !k.evict(&k.all) {
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

// evict closes the connection of the group that has been idle longest, or else one whose request arrives too slowly.
// A connection whose request is being served is never closed.
func (k *connections) evict(g *connGroup) bool {
	first := g.idle.Front()
	if first == nil {
		first = g.arriving.Front()
	}
	if first == nil {
		return false
	}
	c := first.Value.(*lingerConn)
	if c.state == connArriving && time.Since(c.since) < slowArrival {
		return false
	}
	k.remove(c)
	_ = c.TCPConn.Close() // wakes its reader
	k.metrics.evictions.Inc()
	return true
}
