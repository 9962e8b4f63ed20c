package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/modules/publicapi"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/httpserver"
	"dg/platform/postgres"
	"dg/platform/telemetry"
	"dg/web"
)

// settings are what a program is built from.
type settings struct {
	servingURL string
	baseURL    string
	proxies    []netip.Prefix
	log        *slog.Logger
}

// app is the program: every module, wired in the order in which they stand on each other.
type app struct {
	pools  pools
	keys   *apikeys.Service
	sealer *reports.Sealer
	server *httpserver.Server
	ops    *prometheus.Registry
	log    *slog.Logger
}

// pools are the ways to the database, apart so that none starves another (decisions, "Data"). Together they stay well
// under PostgreSQL's default of 100 connections, with two instances.
type pools struct {
	gate    *postgres.DB // authentication, sign-in, keys and the audit log
	reads   *postgres.DB // forks and statistics
	exports *postgres.DB // its size is how many exports run at once
}

const (
	gateConns   = 16
	readConns   = 12
	exportConns = exports.MaxAtOnce
	// exportStatement is above the 30 minutes that an export may take.
	exportStatement = 31 * time.Minute
)

func openPools(ctx context.Context, url string, log *slog.Logger) (p pools, err error) {
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	for _, o := range []struct {
		db   **postgres.DB
		opts postgres.Options
	}{
		{&p.gate, postgres.Options{Name: "dg gate", MaxConns: gateConns}},
		{&p.reads, postgres.Options{Name: "dg reads", MaxConns: readConns}},
		{&p.exports, postgres.Options{Name: "dg exports", MaxConns: exportConns, StatementTimeout: exportStatement,
			// Between its first rows and the others an export waits for its reader, who has a bound of its own.
			IdleInTransactionTimeout: exportStatement}},
	} {
		o.opts.Logger = log
		if *o.db, err = postgres.Open(ctx, url, o.opts); err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p pools) close() {
	for _, db := range []*postgres.DB{p.gate, p.reads, p.exports} {
		if db != nil {
			db.Close()
		}
	}
}

// build makes the program. The caller closes it.
func build(ctx context.Context, s settings) (*app, error) {
	policy, err := authz.New()
	if err != nil {
		return nil, err
	}
	a := &app{log: s.log, ops: telemetry.NewRegistry()}
	unknownKeys := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "dg_unknown_key_uses_total", Help: "Uses of well-formed API keys that no organisation owns: no audit log can hold them.",
	})
	a.ops.MustRegister(unknownKeys)
	if a.pools, err = openPools(ctx, s.servingURL, s.log); err != nil {
		return nil, err
	}
	a.ops.MustRegister(poolMetrics{a.pools})

	log := audit.New(a.pools.gate, time.Now)
	orgs := org.New(a.pools.gate, log, policy)
	forks := games.New(a.pools.reads)
	figures := reports.New(a.pools.reads, a.pools.exports)
	files := exports.New(figures, log)
	a.sealer = reports.NewSealer(a.pools.reads, time.Now, s.log, reports.SealFrom)
	a.keys = apikeys.New(a.pools.gate, orgs, log, policy, time.Now, unknownKeys.Inc)

	site, err := web.New(web.Modules{
		Identity: identity.New(a.pools.gate, time.Now), Keys: a.keys, Games: forks, Reports: figures, Exports: files, Orgs: orgs, Log: log, Policy: policy,
	}, s.baseURL, time.Now)
	if err != nil {
		a.pools.close()
		return nil, err
	}
	api, err := publicapi.New(publicapi.Modules{
		Keys: a.keys, Games: forks, Reports: figures, Exports: files, Orgs: orgs, Policy: policy,
	}, s.baseURL)
	if err != nil {
		a.pools.close()
		return nil, err
	}
	a.server = httpserver.New(httpserver.Options{
		Logger: s.log, LogPath: apikeys.Redact, Metrics: a.ops, TrustedProxies: s.proxies, Unavailable: postgres.Unavailable,
		ErrorPage: site.ErrorPage,
	})
	api.Mount(a.server.App())
	a.mountHealth(a.server.App())
	site.Mount(a.server.App())
	return a, nil
}

// readyTimeout bounds the look at the database that /readyz takes.
const readyTimeout = 2 * time.Second

// mountHealth adds what a supervisor asks: whether the process lives, and whether it can answer.
func (a *app) mountHealth(router fiber.Router) {
	router.Get("/healthz", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	router.Get("/readyz", func(c *fiber.Ctx) error {
		ctx, stop := context.WithTimeout(c.UserContext(), readyTimeout)
		defer stop()
		for _, db := range []*postgres.DB{a.pools.gate, a.pools.reads} {
			if err := db.Pool.Ping(ctx); err != nil {
				return err
			}
		}
		return c.SendString("ready\n")
	})
}

// serve answers on ln until ctx ends, and then lets running answers finish within the server's grace. ready is called
// once the program answers.
func (a *app) serve(ctx context.Context, ln net.Listener, ready func()) error {
	failed := make(chan error, 1)
	go func() { failed <- a.server.Serve(ln) }()
	ready()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	a.log.Info("stopping: running answers may finish")
	err := a.server.Shutdown(context.Background())
	return errors.Join(err, <-failed)
}

func (a *app) close() { a.pools.close() }

// poolMetrics shows how much of each pool is in use.
type poolMetrics struct{ pools }

var (
	poolInUse = prometheus.NewDesc("dg_pool_connections_in_use", "Database connections in use.", []string{"pool"}, nil)
	poolSize  = prometheus.NewDesc("dg_pool_connections_max", "Database connections that may be in use.", []string{"pool"}, nil)
	poolWaits = prometheus.NewDesc("dg_pool_waits_total", "Times that a request had to wait for a database connection.", []string{"pool"}, nil)
)

// Describe implements prometheus.Collector.
func (m poolMetrics) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, ch) }

// Collect implements prometheus.Collector.
func (m poolMetrics) Collect(ch chan<- prometheus.Metric) {
	for name, db := range map[string]*postgres.DB{"gate": m.gate, "reads": m.reads, "exports": m.exports} {
		s := db.Pool.Stat()
		ch <- prometheus.MustNewConstMetric(poolInUse, prometheus.GaugeValue, float64(s.AcquiredConns()), name)
		ch <- prometheus.MustNewConstMetric(poolSize, prometheus.GaugeValue, float64(s.MaxConns()), name)
		ch <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue, float64(s.EmptyAcquireCount()), name)
	}
}

// listen takes the address, with a sentence that says what to do when it is taken.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	var config net.ListenConfig
	ln, err := config.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot serve on %s (set DG_ADDR to a free address): %w", addr, err)
	}
	return ln, nil
}
