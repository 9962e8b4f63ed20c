package httpserver

import (
	"context"
	"net"
	"time"
)

// watchEvery is how often a connection is looked at while a file is made for it.
const watchEvery = 500 * time.Millisecond

// watch calls gone when the client has left, until ctx ends. Nothing reads from the connection while a file is made,
// and a write notices only the second time; a slow query would run on for nobody.
func watch(ctx context.Context, conn net.Conn, gone func()) {
	look := prober(conn)
	if look == nil {
		return
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !look() {
				gone()
				return
			}
		}
	}
}
