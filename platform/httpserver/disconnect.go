package httpserver

import (
	"context"
	"net"
	"time"
)

const disconnectInterval = 500 * time.Millisecond

// watchDisconnect calls gone when the client has left, until ctx ends. Nothing reads from the connection while a file is
// produced, and only the second write after fails: without it a slow query would run on for nobody.
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
