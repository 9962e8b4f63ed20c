package connlimit

import (
	"container/list"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// State is what a connection is doing.
type State int

// States of a connection. Eviction takes the first two.
const (
	Idle    State = iota // between requests, or before the first
	Waiting              // for the client: to send its request, or to read a public response
	Serving
	states
)

// Options of a Limit.
type Options struct {
	Max     int            // connections that are open at once
	Exempt  []netip.Prefix // networks without a limit for each address
	Metrics prometheus.Registerer
	Log     *slog.Logger
	// Rejection returns the response to a connection that is not admitted.
	Rejection func() []byte
}

// Limit knows the open connections.
type Limit struct {
	opts    Options
	metrics *metrics

	mu      sync.Mutex
	all     group
	clients map[netip.Addr]*group // by address with an open connection
}

// group is all connections, or those of one client, by state. The first of a queue has been in its
// state for longest.
type group struct{ queues [states]list.List }

func (g *group) open() (n int) {
	for i := range g.queues {
		n += g.queues[i].Len()
	}
	return n
}

// place is where a connection is in a group.
type place struct {
	group   *group
	element *list.Element
}

// New returns a limit without connections.
func New(o Options) *Limit {
	l := &Limit{opts: o, clients: map[netip.Addr]*group{}}
	l.metrics = newMetrics(o.Metrics, l)
	return l
}

// add counts a new connection. The caller holds the lock.
func (l *Limit) add(c *Conn) {
	c.places = []place{{group: &l.all}}
	if c.client.IsValid() {
		g := l.clients[c.client]
		if g == nil {
			g = &group{}
			l.clients[c.client] = g
		}
		c.places = append(c.places, place{group: g})
	}
	l.enqueue(c, Idle)
}

// remove forgets a connection, once. The caller holds the lock.
func (l *Limit) remove(c *Conn) {
	l.dequeue(c)
	c.places = nil
	if g := l.clients[c.client]; g != nil && g.open() == 0 {
		delete(l.clients, c.client)
	}
}

func (l *Limit) enqueue(c *Conn, state State) {
	c.state = state
	c.since = time.Now()
	for i, p := range c.places {
		c.places[i].element = p.group.queues[state].PushBack(c)
	}
}

func (l *Limit) dequeue(c *Conn) {
	for _, p := range c.places {
		p.group.queues[c.state].Remove(p.element)
	}
}

// Open returns how many connections are open.
func (l *Limit) Open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.open()
}

// ExpireIdle expires the read deadline of connections that have been idle for so long. A request
// that has just begun to arrive waits for the lock and then sets a deadline of its own.
func (l *Limit) ExpireIdle(long time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := l.all.queues[Idle].Front(); e != nil; e = e.Next() {
		c := e.Value.(*Conn)
		if time.Since(c.since) < long {
			return
		}
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
}

// CloseAll closes every connection, without lingering.
func (l *Limit) CloseAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.all.queues {
		for q := &l.all.queues[i]; q.Len() > 0; {
			c := q.Front().Value.(*Conn)
			l.remove(c)
			_ = c.TCPConn.Close()
		}
	}
}
