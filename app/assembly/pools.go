package assembly

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dg/modules/exports"
	"dg/platform/postgres"
)

// Pools are the ways to the database, apart so that none starves another (decisions, "Data").
type Pools struct {
	Gate    *postgres.DB // authentication, sign-in, keys and the audit log
	Reads   *postgres.DB // forks and statistics
	Exports *postgres.DB // its size is how many exports run at once
}

// PoolSizes are how many connections the pools hold at most. The pool of exports has no size of its own: it is how many
// exports an instance runs at once.
type PoolSizes struct{ Gate, Reads int32 }

// DefaultPools let three instances share a PostgreSQL with its default of 100 connections (97 of them for others than
// superusers), and leave some for commands beside them: 30 each.
var DefaultPools = PoolSizes{Gate: 12, Reads: 11}

const (
	exportConns = exports.MaxAtOnce
	// exportStatement is above the 30 minutes that an export may take.
	exportStatement = 31 * time.Minute
)

// OpenPools opens them; a size of 0 is the default. It fails when the URL cannot be read or the database does not answer.
func OpenPools(ctx context.Context, url string, sizes PoolSizes, log *slog.Logger) (p Pools, err error) {
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	for _, o := range []struct {
		db   **postgres.DB
		opts postgres.Options
	}{
		{&p.Gate, postgres.Options{Name: "dg gate", MaxConns: cmp.Or(sizes.Gate, DefaultPools.Gate)}},
		{&p.Reads, postgres.Options{Name: "dg reads", MaxConns: cmp.Or(sizes.Reads, DefaultPools.Reads)}},
		{&p.Exports, postgres.Options{Name: "dg exports", MaxConns: exportConns, StatementTimeout: exportStatement,
			// Between its first rows and the others an export waits for its reader, who has a bound of its own.
			IdleInTransactionTimeout: exportStatement}},
	} {
		o.opts.Logger = log
		if *o.db, err = postgres.Open(ctx, url, o.opts); err != nil {
			return p, err
		}
	}
	return p, p.checkSum(ctx, log)
}

// checkSum tells how many connections this instance may open beside how many the database has, and warns where they are
// too few for it alone.
func (p Pools) checkSum(ctx context.Context, log *slog.Logger) error {
	sum, allowed := int(p.sum()), 0
	err := p.Gate.Pool.QueryRow(ctx, `/* app.connections */ select current_setting('max_connections')::int
		- current_setting('superuser_reserved_connections')::int - coalesce(current_setting('reserved_connections', true)::int, 0)`).Scan(&allowed)
	if err != nil {
		return err
	}
	if sum > allowed {
		log.Warn("this instance may need more connections than the database allows: set DG_POOL_AUTH and DG_POOL_READS lower, or max_connections of PostgreSQL higher",
			"instance", sum, "database", allowed)
		return nil
	}
	log.Info("connections to the database, at most", "instance", sum, "database", allowed)
	return nil
}

// sum is how many connections the pools may open together.
func (p Pools) sum() (sum int32) {
	for _, db := range []*postgres.DB{p.Gate, p.Reads, p.Exports} {
		sum += db.Pool.Config().MaxConns
	}
	return sum
}

// Close closes those that are open, all at once: where the database is silent each takes its time.
func (p Pools) Close() {
	var all sync.WaitGroup
	for _, db := range []*postgres.DB{p.Gate, p.Reads, p.Exports} {
		if db != nil {
			all.Go(db.Close)
		}
	}
	all.Wait()
}

// otherFiles are those that the process needs beside its connections and its pools: the log, listeners, metrics and their
// readers, what the runtime holds, connections that are being refused.
const otherFiles = 64

// reservedFiles is how many must be left for others than the server's connections: one for each of the database, another
// while its query is cancelled, and the rest.
func (p Pools) reservedFiles() int { return 2*int(p.sum()) + otherFiles }

// poolMetrics shows how much of each pool is in use.
type poolMetrics struct{ Pools }

var (
	poolInUse = prometheus.NewDesc("dg_pool_connections_in_use", "Database connections in use.", []string{"pool"}, nil)
	poolSize  = prometheus.NewDesc("dg_pool_connections_max", "Database connections that may be in use.", []string{"pool"}, nil)
	poolWaits = prometheus.NewDesc("dg_pool_waits_total", "Times that a request had to wait for a database connection.", []string{"pool"}, nil)
)

// Describe implements prometheus.Collector.
func (m poolMetrics) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, ch) }

// Collect implements prometheus.Collector.
func (m poolMetrics) Collect(ch chan<- prometheus.Metric) {
	for name, db := range map[string]*postgres.DB{"gate": m.Gate, "reads": m.Reads, "exports": m.Exports} {
		s := db.Pool.Stat()
		ch <- prometheus.MustNewConstMetric(poolInUse, prometheus.GaugeValue, float64(s.AcquiredConns()), name)
		ch <- prometheus.MustNewConstMetric(poolSize, prometheus.GaugeValue, float64(s.MaxConns()), name)
		ch <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue, float64(s.EmptyAcquireCount()), name)
	}
}
