package httpserver

import (
	"context"
	"net"
	"time"
)

const disconnectInterval = 500 * time.Millisecond

// watchDisconnect calls gone when the client disconnects, until ctx ends. Otherwise only the second
// write after the disconnect would fail, and a slow query would run on.
func watchDisconnect(ctx context.Context, conn net.Conn, gone func()) {
	connected := connectionProbe(conn)
	if connected == nil {
		return
	}
	tick := time.NewTicker(disconnectInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !connected() {
				gone()
				return
			}
		}
	}
}
