package httpserver

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/platform/httpserver/connlimit"
)

const disconnectInterval = 500 * time.Millisecond

// OnDisconnect calls gone if the client of c leaves before ctx ends. Stream watches its own client.
// A connection that Serve has not accepted is not watched.
func OnDisconnect(ctx context.Context, c *fiber.Ctx, gone func()) {
	go watchDisconnect(ctx, connOf(c.Context()), gone)
}

// watchDisconnect calls gone when the client disconnects, until ctx ends. Otherwise only the second
// write after the disconnect would fail, and a slow query would run on.
func watchDisconnect(ctx context.Context, conn *connlimit.Conn, gone func()) {
	if conn == nil {
		return
	}
	tick := time.NewTicker(disconnectInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !conn.Connected() {
				gone()
				return
			}
		}
	}
}
