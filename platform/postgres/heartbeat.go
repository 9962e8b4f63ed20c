package postgres

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// SilenceTimeout bounds the wait for a connection and a statement if the server is silent. It is
// the sum of a ping, the wait before a heartbeat, and the heartbeat.
const SilenceTimeout = 5 * time.Second

const (
	heartbeatInterval = 500 * time.Millisecond
	// a connection that waits longer for an answer may have a silent server
	heartbeatAfter   = time.Second
	heartbeatTimeout = 2 * time.Second
)

var errSilent = errors.New("the database does not answer")

// heartbeat tells a silent server from a slow statement. While a connection waits for an answer, it
// runs a statement on a new connection to each host, because a pooler accepts connections for a
// silent server. If neither the host nor any of its connections answers, it closes the waiting
// ones. Until a heartbeat succeeds, the host is tried last, or not at all if all hosts are silent.
type heartbeat struct {
	hosts []*heartbeatHost
	pool  *pgxpool.Pool
	log   *slog.Logger
	conns sync.Map // of *watchedConn

	suspect atomic.Bool // an attempt to connect got no answer
}

// heartbeatHost is one of the URL's hosts.
type heartbeatHost struct {
	config *pgconn.Config
	silent atomic.Bool
}

func newHeartbeat(config *pgxpool.Config, log *slog.Logger) *heartbeat {
	h := &heartbeat{log: log}
	for _, host := range splitHosts(&config.ConnConfig.Config) {
		host.RuntimeParams["application_name"] = "dg heartbeat"
		host.ConnectTimeout = 0 // of an attempt; the heartbeat has its own
		h.hosts = append(h.hosts, &heartbeatHost{config: host})
	}
	return h
}

// watch registers the pool's connections with the heartbeat.
func (h *heartbeat) watch(config *pgxpool.Config) {
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn,
		error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
				h.suspect.Store(true)
			}
			return nil, err
		}
		c := &watchedConn{Conn: conn, heartbeat: h, address: address}
		h.conns.Store(c, nil)
		return c, nil
	}
	config.BeforeConnect = func(_ context.Context, config *pgx.ConnConfig) error {
		if h.silent() == len(h.hosts) {
			return errSilent
		}
		tryLast(&config.Config, h.isSilent)
		return nil
	}
}

// shouldPing pings an idle connection. If one does not answer, it closes all idle ones, so that
// callers wait for one pingTimeout and not for one each.
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
	// the pool's own ping then fails at once, and the pool takes another connection
	return true
}

func (h *heartbeat) isSilent(host string, port uint16) bool {
	return slices.ContainsFunc(h.hosts, func(other *heartbeatHost) bool {
		return other.config.Host == host && other.config.Port == port && other.silent.Load()
	})
}

// silent counts the silent hosts.
func (h *heartbeat) silent() (n int) {
	for _, host := range h.hosts {
		n += order(host.silent.Load())
	}
	return n
}

func (h *heartbeat) start() (stop context.CancelFunc) {
	ctx, stop := context.WithCancel(context.Background())
	go h.run(ctx)
	return stop
}

func (h *heartbeat) run(ctx context.Context) {
	for pause(ctx, heartbeatInterval) == nil {
		if h.suspect.Swap(false) || h.silent() > 0 ||
			len(h.waiting(time.Now().Add(-heartbeatAfter))) > 0 {
			var all sync.WaitGroup
			for _, host := range h.hosts {
				all.Go(func() { h.beat(ctx, host) })
			}
			all.Wait()
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

// beat runs one heartbeat. If the host does not answer, it closes the waiting connections to it.
func (h *heartbeat) beat(ctx context.Context, host *heartbeatHost) {
	begin := time.Now()
	limited, stop := context.WithTimeout(ctx, heartbeatTimeout)
	defer stop()
	addresses := host.ask(limited)
	mine := func(c *watchedConn) bool {
		return len(h.hosts) == 1 || slices.Contains(addresses, c.address)
	}
	switch {
	case ctx.Err() != nil:
	// a refused connection is a sign of life as well
	case time.Since(begin) < heartbeatTimeout || h.heardSince(begin, mine):
		if host.silent.Swap(false) {
			h.log.Info("the database answers again", "host", host.config.Host)
		}
	default:
		waiting := slices.DeleteFunc(h.waiting(begin), func(c *watchedConn) bool {
			return !mine(c)
		})
		if !host.silent.Swap(true) {
			h.log.Error("the database does not answer: its connections are closed", "host",
				host.config.Host, "waiting", len(waiting))
			h.pool.Reset()
		}
		for _, c := range waiting {
			_ = c.Close()
		}
	}
}

// ask connects to the host and runs an empty statement. It returns the addresses that it tried.
func (host *heartbeatHost) ask(ctx context.Context) []string {
	var tried struct {
		sync.Mutex // pgx cancels a statement behind ask's back, by another connection
		addresses  []string
	}
	config := host.config.Copy()
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		tried.Lock()
		tried.addresses = append(tried.addresses, address)
		tried.Unlock()
		return dial(ctx, network, address)
	}
	if conn, err := pgconn.ConnectConfig(ctx, config); err == nil {
		_ = conn.Ping(ctx)
		_ = conn.Close(ctx)
	}
	tried.Lock()
	defer tried.Unlock()
	return slices.Clone(tried.addresses)
}

// heardSince reports whether bytes came from one of the connections since the time.
func (h *heartbeat) heardSince(begin time.Time, mine func(*watchedConn) bool) (heard bool) {
	h.conns.Range(func(c, _ any) bool {
		heard = c.(*watchedConn).heard.Load() > begin.UnixNano() && mine(c.(*watchedConn))
		return !heard
	})
	return heard
}

// watchedConn records reads and writes for the heartbeat.
type watchedConn struct {
	net.Conn
	heartbeat *heartbeat
	address   string
	readSince atomic.Int64 // when the read that waits began, in Unix nanoseconds; 0 if none does
	heard     atomic.Int64 // when the last bytes came, in Unix nanoseconds
}

func (c *watchedConn) Read(b []byte) (int, error) {
	c.readSince.Store(time.Now().UnixNano())
	n, err := c.Conn.Read(b)
	c.readSince.Store(0)
	if n > 0 {
		c.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

func (c *watchedConn) Close() error {
	c.heartbeat.conns.Delete(c)
	return c.Conn.Close()
}
