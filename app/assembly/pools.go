package assembly

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dg/modules/exports"
	"dg/platform/postgres"
)

// Pools are the ways to the database, apart so that none starves another (decisions, "Data"). Together they stay well
// under PostgreSQL's default of 100 connections, with two instances.
type Pools struct {
	Gate    *postgres.DB // authentication, sign-in, keys and the audit log
	Reads   *postgres.DB // forks and statistics
	Exports *postgres.DB // its size is how many exports run at once
}

const (
	gateConns   = 16
	readConns   = 12
	exportConns = exports.MaxAtOnce
	// exportStatement is above the 30 minutes that an export may take.
	exportStatement = 31 * time.Minute
)

// OpenPools opens them. It fails when the URL cannot be read.
func OpenPools(ctx context.Context, url string, log *slog.Logger) (p Pools, err error) {
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	for _, o := range []struct {
		db   **postgres.DB
		opts postgres.Options
	}{
		{&p.Gate, postgres.Options{Name: "dg gate", MaxConns: gateConns}},
		{&p.Reads, postgres.Options{Name: "dg reads", MaxConns: readConns}},
		{&p.Exports, postgres.Options{Name: "dg exports", MaxConns: exportConns, StatementTimeout: exportStatement,
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

// Close closes those that are open.
func (p Pools) Close() {
	for _, db := range []*postgres.DB{p.Gate, p.Reads, p.Exports} {
		if db != nil {
			db.Close()
		}
	}
}

// otherFiles are those that the process needs beside its connections and its pools: the log, listeners, metrics and their
// readers, what the runtime holds, connections that are being refused.
const otherFiles = 64

// files is how many the pools may need: a connection each, and another while a query is cancelled.
func (p Pools) files() int {
	sum := 0
	for _, db := range []*postgres.DB{p.Gate, p.Reads, p.Exports} {
		sum += 2 * int(db.Pool.Config().MaxConns)
	}
	return sum
}

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
