package postgres

import (
	"context"
	"net"
	"strconv"
	"time"
)

// Timeouts that detect a dead peer, such as after a power failure or a dropped firewall state. They
// apply on both sides, so that the locks of a dead client are released within half a minute.
const (
	pingTimeout = time.Second

	keepAliveIdle     = 15 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
	// The server's time to acknowledge what it sent (TCP_USER_TIMEOUT).
	userTimeout = 30 * time.Second
	// How often the server checks during a statement that its client is still there.
	clientCheckInterval = 5 * time.Second
)

// closeTimeout bounds Close: with a silent server pgx takes 15 s to close a connection.
const closeTimeout = 3 * time.Second

// livenessParams configure the server's side. A Unix socket ignores those of TCP.
func livenessParams() map[string]string {
	return map[string]string{
		"tcp_keepalives_idle":              strconv.Itoa(int(keepAliveIdle.Seconds())),
		"tcp_keepalives_interval":          strconv.Itoa(int(keepAliveInterval.Seconds())),
		"tcp_keepalives_count":             strconv.Itoa(keepAliveCount),
		"tcp_user_timeout":                 milliseconds(userTimeout, 0),
		"client_connection_check_interval": milliseconds(clientCheckInterval, 0),
	}
}

// dial connects with TCP keep-alives, which detect a dead server.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{
			Enable:   true,
			Idle:     keepAliveIdle,
			Interval: keepAliveInterval,
			Count:    keepAliveCount,
		},
	}
	return d.DialContext(ctx, network, address)
}
