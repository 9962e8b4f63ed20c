package httpserver

import (
	"net"
	"net/netip"
	"syscall"
	"time"
)

// maxConnections is how many connections are open at once, at most, whatever the process's limit of files: 10,000 idle
// ones hold 110 MB.
const maxConnections = 10_000

// slowArrival is how long a request may arrive before its connection makes room where no idle one is left.
const slowArrival = time.Second

// connectionLimit is how many connections the process has room for beside the files that others need. (Go has raised the
// limit to the highest that the process may have.)
func connectionLimit(reserved int) int {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return maxConnections
	}
	limit := int(min(files.Cur, 1<<20))
	return min(maxConnections, max(limit-reserved, limit/2))
}

// share is how many connections one address may have.
func (k *connections) share() int { return max(1, k.limit/2) }

// admit takes a new connection in, if need be in the place of the one that has waited longest: of the same address where
// that has its share already. It returns nil where none can make room.
func (k *connections) admit(tcp *net.TCPConn) *lingerConn {
	ip, ok := remoteIP(tcp.RemoteAddr())
	k.mu.Lock()
	defer k.mu.Unlock()
	c := &lingerConn{TCPConn: tcp, conns: k}
	if ok && !within(ip, k.exempt) {
		c.addr = network(ip)
		if g := k.groups[c.addr]; g != nil && g.open >= k.share() && !k.makeRoom(g) {
			k.metrics.refusedConnection("share")
			return nil
		}
	}
	if k.all.open >= k.limit && !k.makeRoom(&k.all) {
		k.metrics.refusedConnection("full")
		return nil
	}
	k.enter(c)
	return c
}

// network is what counts as one address: all of an IPv6 /64 is usually one customer's.
func network(ip netip.Addr) netip.Addr {
	if ip.Is4() {
		return ip
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked().Addr()
}

// makeRoom closes the connection of the group that has been idle longest, or else one whose request arrives too slowly.
// None whose request is being answered is closed.
func (k *connections) makeRoom(g *connGroup) bool {
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
	k.leave(c)
	_ = c.TCPConn.Close() // wakes its reader
	k.metrics.madeRoom()
	return true
}
