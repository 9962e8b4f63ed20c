package postgres

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// How soon a connection is known to be dead whose other end has gone without a word (a host that lost its power, a firewall
// that forgot it). The server hears as soon as this side does: what a vanished client's session holds, locks above all, is
// free again within half a minute.
const (
	pingAfter   = time.Second // idle for longer, a connection is asked whether it lives before it is used
	pingTimeout = time.Second

	keepAliveIdle     = 15 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
	// What was sent is acknowledged by then, or the connection is dead.
	userTimeout = 30 * time.Second
	// While a statement runs, the server looks so often whether the client is still there.
	clientCheckInterval = 5 * time.Second
)

// closeTimeout bounds Close: pgx takes 15 s to say goodbye to a server that is silent.
const closeTimeout = 3 * time.Second

// livenessParams are the server's side of it. A Unix socket ignores those of TCP.
func livenessParams() map[string]string {
	return map[string]string{
		"tcp_keepalives_idle":              strconv.Itoa(int(keepAliveIdle.Seconds())),
		"tcp_keepalives_interval":          strconv.Itoa(int(keepAliveInterval.Seconds())),
		"tcp_keepalives_count":             strconv.Itoa(keepAliveCount),
		"tcp_user_timeout":                 milliseconds(userTimeout, 0),
		"client_connection_check_interval": milliseconds(clientCheckInterval, 0),
	}
}

// dial connects, and lets the system notice when the other end has gone.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount},
		Control:         setUserTimeout,
	}
	return d.DialContext(ctx, network, address)
}

// pingIdle makes the pool ask a connection that was idle whether it lives. One that does not answer is most often not alone:
// all that are idle are closed with it, so that the wait for silent connections is one pingTimeout and not one for each.
func pingIdle(config *pgxpool.Config, pool func() *pgxpool.Pool, opts Options) {
	log := cmp.Or(opts.Logger, slog.New(slog.DiscardHandler))
	config.ShouldPing = func(ctx context.Context, p pgxpool.ShouldPingParams) bool {
		if p.IdleDuration < pingAfter {
			return false
		}
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), pingTimeout)
		defer stop()
		err := p.Conn.Ping(ctx)
		if err == nil {
			return false
		}
		if ctx.Err() != nil {
			log.Warn("a database connection does not answer: idle connections are replaced", "pool", opts.Name)
			pool().Reset()
		}
		_ = p.Conn.PgConn().Conn().Close() // or pgx waits 15 s for the server's goodbye
		return true                        // the pool's own ping fails at once, and another connection is taken
	}
}

// checkExecMode refuses settings of the URL under which results come as text: reports and the sealer read PostgreSQL's binary
// format.
func checkExecMode(config *pgx.ConnConfig) error {
	switch config.DefaultQueryExecMode {
	case pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol:
		return errors.New("the database URL sets default_query_exec_mode to exec or simple_protocol, which give results as text, " +
			"and dg reads binary results: remove the setting, or set it to cache_describe")
	}
	return nil
}
