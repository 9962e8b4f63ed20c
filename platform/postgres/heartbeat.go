package postgres

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// SilenceTimeout bounds the wait for a free connection and the statement after it if the server has fallen silent: it
// neither answers nor closes its connections. It is the sum of a ping, the wait before a heartbeat, and the heartbeat.
const SilenceTimeout = 5 * time.Second

const (
	heartbeatInterval = 500 * time.Millisecond
	heartbeatAfter    = time.Second // an answer that takes longer may be a slow statement's, or silence
	heartbeatTimeout  = 2 * time.Second
)

var errSilent = errors.New("the database does not answer")

// heartbeat tells a silent server from a slow statement: while any connection waits for an answer it connects anew. If
// that gets no answer and no connection has heard anything meanwhile, all connections that wait are closed, and none is
// opened until a heartbeat is answered.
type heartbeat struct {
	config *pgconn.Config
	pool   *pgxpool.Pool
	log    *slog.Logger
	conns  sync.Map     // of *watchedConn
	heard  atomic.Int64 // when the last bytes came, in Unix nanoseconds
	silent atomic.Bool
}

func newHeartbeat(config *pgxpool.Config, log *slog.Logger) *heartbeat {
	h := &heartbeat{config: config.ConnConfig.Config.Copy(), log: log}
	h.config.RuntimeParams["application_name"] = "dg heartbeat"
	return h
}

// watch makes the pool's connections known to the heartbeat.
func (h *heartbeat) watch(config *pgxpool.Config) {
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c := &watchedConn{Conn: conn, heartbeat: h}
		h.conns.Store(c, nil)
		return c, nil
	}
	config.BeforeConnect = func(context.Context, *pgx.ConnConfig) error {
		if h.silent.Load() {
			return errSilent
		}
		return nil
	}
}

// shouldPing pings a connection that was idle. If one does not answer, the others most likely do not either: all idle ones
// are closed, so that the wait for them is one pingTimeout and not one each.
func (h *heartbeat) shouldPing(ctx context.Context, p pgxpool.ShouldPingParams) bool {
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
		h.log.Warn("a database connection does not answer: idle connections are replaced")
		h.pool.Reset()
	}
	_ = p.Conn.PgConn().Conn().Close() // or pgx waits 15 s for the server's goodbye
	return true                        // the pool's own ping fails at once, and another connection is taken
}

func (h *heartbeat) start() (stop context.CancelFunc) {
	ctx, stop := context.WithCancel(context.Background())
	go h.run(ctx)
	return stop
}

func (h *heartbeat) run(ctx context.Context) {
	for pause(ctx, heartbeatInterval) == nil {
		if h.silent.Load() || len(h.waiting(time.Now().Add(-heartbeatAfter))) > 0 {
			h.beat(ctx)
		}
	}
}

// waiting returns the connections that have waited for an answer since before the time.
func (h *heartbeat) waiting(since time.Time) (found []*watchedConn) {
	h.conns.Range(func(c, _ any) bool {
		if begin := c.(*watchedConn).readSince.Load(); begin != 0 && begin < since.UnixNano() {
			found = append(found, c.(*watchedConn))
		}
		return true
	})
	return found
}

func (h *heartbeat) beat(ctx context.Context) {
	begin := time.Now()
	limited, stop := context.WithTimeout(ctx, heartbeatTimeout)
	defer stop()
	if conn, err := pgconn.ConnectConfig(limited, h.config); err == nil {
		_ = conn.Close(limited)
	}
	switch {
	case ctx.Err() != nil:
	case limited.Err() == nil || h.heard.Load() > begin.UnixNano(): // a refusal is an answer
		if h.silent.Swap(false) {
			h.log.Info("the database answers again")
		}
	default:
		waiting := h.waiting(begin)
		if !h.silent.Swap(true) {
			h.log.Error("the database does not answer: its connections are closed", "waiting", len(waiting))
		}
		for _, c := range waiting {
			_ = c.Close()
		}
		h.pool.Reset()
	}
}

// watchedConn records what its heartbeat needs to know.
type watchedConn struct {
	net.Conn
	heartbeat *heartbeat
	readSince atomic.Int64 // when the read that waits began, in Unix nanoseconds; 0 if none does
}

func (c *watchedConn) Read(b []byte) (int, error) {
	c.readSince.Store(time.Now().UnixNano())
	n, err := c.Conn.Read(b)
	c.readSince.Store(0)
	if n > 0 {
		c.heartbeat.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

func (c *watchedConn) Close() error {
	c.heartbeat.conns.Delete(c)
	return c.Conn.Close()
}
