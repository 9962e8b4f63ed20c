package telemetry

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// MaxOpsConnections is how many connections the operations listener has at once. Each takes a file
// that the public service could need.
const MaxOpsConnections = 16

// opsConns are the open connections, least recently used first.
type opsConns struct {
	mu     sync.Mutex
	open   []net.Conn
	active map[net.Conn]bool // being answered
}

// changed is http.Server's ConnState. A new connection above the limit evicts the least recently
// used one that is not being answered, if necessary itself.
func (k *opsConns) changed(c net.Conn, state http.ConnState) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.remove(c)
	if state == http.StateClosed {
		return
	}
	k.open = append(k.open, c)
	k.active[c] = state == http.StateActive
	if state == http.StateNew && len(k.open) > MaxOpsConnections {
		evicted := k.open[slices.IndexFunc(k.open, func(c net.Conn) bool { return !k.active[c] })]
		k.remove(evicted)
		_ = evicted.Close()
	}
}

func (k *opsConns) remove(c net.Conn) {
	delete(k.active, c)
	k.open = slices.DeleteFunc(k.open, func(other net.Conn) bool { return other == c })
}
