package system

import (
	"net"
	"sync"
)

// relay forwards the connections of a database, and can become silent: it then accepts connections,
// closes none and forwards nothing.
type relay struct {
	open sync.RWMutex // write-locked while the relay is silent
}

func (r *relay) pass(client, server net.Conn) {
	go r.forward(client, server)
	r.forward(server, client)
}

func (r *relay) forward(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		r.wait()
		if _, wrong := to.Write(b[:n]); wrong != nil || err != nil {
			return
		}
	}
}

// wait returns when the relay is not silent.
func (r *relay) wait() {
	r.open.RLock()
	defer r.open.RUnlock()
}
