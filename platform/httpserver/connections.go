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
	connIdle     connState = iota // between requests, or before the first
	connArriving                  // a request has begun to arrive
	// a request is being served, or its answer read by somebody who is known
	connServing
	connSending // the answer is sent to nobody known
	connClosed
)

// connections are the open connections. Each change takes constant time.
type connections struct {
	limit   int
	exempt  []netip.Prefix // without a limit for each address
	metrics *metrics

	mu     sync.Mutex
	open   map[*lingerConn]struct{}
	all    connGroup
	groups map[netip.Addr]*connGroup // by address with an open connection
}

// connGroup is a set of connections with a limit: all, or those of one client. Its queues hold the
// candidates for eviction, the longest waiting first.
type connGroup struct {
	open          int
	idle, waiting list.List // waiting: for the client, to send its request or to read its answer
}

func newConnections(limit int, exempt []netip.Prefix) *connections {
	return &connections{
		limit:  limit,
		exempt: exempt,
		open:   map[*lingerConn]struct{}{},
		groups: map[netip.Addr]*connGroup{},
	}
}

func (k *connections) setState(c *lingerConn, state connState) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.state == connClosed {
		return
	}
	k.dequeue(c)
	k.enqueue(c, state)
}

// add counts a new connection. The caller holds the lock.
func (k *connections) add(c *lingerConn) {
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
	k.enqueue(c, connIdle)
}

// remove forgets a connection, once. The caller holds the lock.
func (k *connections) remove(c *lingerConn) {
	if c.state == connClosed {
		return
	}
	k.dequeue(c)
	c.state = connClosed
	delete(k.open, c)
	for _, g := range c.groups {
		g.open--
	}
	if g := k.groups[c.addr]; g != nil && g.open == 0 {
		delete(k.groups, c.addr)
	}
}

// enqueue appends a connection to the candidates for eviction, unless it is being served.
func (k *connections) enqueue(c *lingerConn, state connState) {
	c.state = state
	if state == connServing {
		return
	}
	c.since = time.Now()
	for i, g := range c.groups {
		c.elements[i] = g.queue(state).PushBack(c)
	}
}

func (k *connections) dequeue(c *lingerConn) {
	if c.state == connServing {
		return
	}
	for i, g := range c.groups {
		g.queue(c.state).Remove(c.elements[i])
	}
}

func (g *connGroup) queue(state connState) *list.List {
	if state == connIdle {
		return &g.idle
	}
	return &g.waiting
}

// forget removes a connection that was closed.
func (k *connections) forget(c *lingerConn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.remove(c)
}

// count returns how many connections are open.
func (k *connections) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.all.open
}

// expireIdle expires the read deadline of connections that have been idle for so long. A request
// that has just begun to arrive waits for the lock and then sets a deadline of its own.
func (k *connections) expireIdle(long time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for e := k.all.idle.Front(); e != nil; e = e.Next() {
		c := e.Value.(*lingerConn)
		if time.Since(c.since) < long {
			return
		}
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
}

// closeAll closes every connection, without lingering.
func (k *connections) closeAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for c := range k.open {
		k.remove(c)
		_ = c.TCPConn.Close()
	}
}
