package httpserver

import (
	"context"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"
)

const disconnectInterval = 500 * time.Millisecond

// OnDisconnect calls gone if the client of c leaves before ctx ends. Stream watches its own client.
func OnDisconnect(ctx context.Context, c *fiber.Ctx, gone func()) {
	go watchDisconnect(ctx, c.Context().Conn(), gone)
}

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
