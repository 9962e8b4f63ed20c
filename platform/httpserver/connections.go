package httpserver

import (
	"container/list"
	"net/netip"
	"sync"
	"time"
)

// connState is what a connection is doing.
type connState int

const (
	connIdle     connState = iota // between requests, or nothing was sent yet
	connArriving                  // a request has begun to arrive
	connServing                   // a request is being answered
	connClosed
)

// connections are those that are open, admitted by admission.go. A change of one costs the same however many there are.
type connections struct {
	limit   int
	exempt  []netip.Prefix // may have more than a share
	metrics *metrics

	mu     sync.Mutex
	open   map[*lingerConn]struct{}
	all    connGroup
	groups map[netip.Addr]*connGroup // of addresses with an open connection
}

// connGroup are connections that share a bound: all of them, or those of an address. Its lists hold those that may have
// to make room, the longest waiting first.
type connGroup struct {
	open           int
	idle, arriving list.List
}

func newConnections(limit int, exempt []netip.Prefix) *connections {
	return &connections{limit: limit, exempt: exempt, open: map[*lingerConn]struct{}{}, groups: map[netip.Addr]*connGroup{}}
}

// now notes what a connection is doing.
func (k *connections) now(c *lingerConn, state connState) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.state == connClosed {
		return
	}
	k.unlist(c)
	k.list(c, state)
}

// enter counts a new connection.
func (k *connections) enter(c *lingerConn) {
	c.groups = []*connGroup{&k.all}
	if c.addr.IsValid() {
		g := k.groups[c.addr]
		if g == nil {
			g = &connGroup{}
			k.groups[c.addr] = g
		}
		c.groups = append(c.groups, g)
	}
	for _, g := range c.groups {
		g.open++
	}
	k.open[c] = struct{}{}
	k.list(c, connIdle)
}

// leave forgets a connection, once.
func (k *connections) leave(c *lingerConn) {
	if c.state == connClosed {
		return
	}
	k.unlist(c)
	c.state = connClosed
	delete(k.open, c)
	for _, g := range c.groups {
		g.open--
	}
	if g := k.groups[c.addr]; g != nil && g.open == 0 {
		delete(k.groups, c.addr)
	}
}

// list puts a connection at the end of those that may have to make room, unless it is being served.
func (k *connections) list(c *lingerConn, state connState) {
	c.state = state
	if state == connServing {
		return
	}
	c.since = time.Now()
	for i, g := range c.groups {
		c.places[i] = g.waiting(state).PushBack(c)
	}
}

func (k *connections) unlist(c *lingerConn) {
	if c.state == connServing {
		return
	}
	for i, g := range c.groups {
		g.waiting(c.state).Remove(c.places[i])
	}
}

func (g *connGroup) waiting(state connState) *list.List {
	if state == connIdle {
		return &g.idle
	}
	return &g.arriving
}

// closed forgets a connection that was closed.
func (k *connections) closed(c *lingerConn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.leave(c)
}

// count is how many connections are open.
func (k *connections) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.all.open
}

// closeAll closes what is left, without lingering.
func (k *connections) closeAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for c := range k.open {
		k.leave(c)
		_ = c.TCPConn.Close()
	}
}
