package assembly

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"sync"

	"dg/modules/exports"
	"dg/platform/postgres"
	"dg/platform/postgres/replica"
	"dg/platform/telemetry"
)

// Pools are an instance's connections to the database, apart so that no kind of work starves
// another.
type Pools struct {
	Auth    *postgres.DB // authentication, sign-in, keys and the audit log
	Recheck *postgres.DB // one connection that checks access during downloads; nil: use Auth
	Reads   *postgres.DB // forks and statistics
	Exports *postgres.DB // one connection for each export that may run

	// replicas that take over reads of Reads and Exports; nil: none
	Replicas *replica.Replicas
}

// PoolSizes are how many connections the pools of a settable size hold at most; 0 is the default.
type PoolSizes struct{ Auth, Reads int32 }

// defaultPools add up to 31 connections with those for exports and re-checks. Three instances fit
// into the 97 that PostgreSQL's default of 100 leaves to others than superusers, with 4 for
// commands. config.Pools has the same defaults.
var defaultPools = PoolSizes{Auth: 11, Reads: 11}

// OtherConnections is the number of connections of the pools for exports and re-checks, whose size
// is fixed.
const OtherConnections = exports.MaxAtOnce + 1

// openPools opens the pools. It fails when the URL cannot be read or the database does not answer.
func openPools(ctx context.Context, s Settings) (p Pools, err error) {
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	reports := map[*postgres.DB]postgres.Options{}
	for _, o := range []struct {
		db   **postgres.DB
		opts postgres.Options
	}{
		{&p.Auth, postgres.Options{Name: "dg auth",
			MaxConns: cmp.Or(s.Pools.Auth, defaultPools.Auth)}},
		{&p.Recheck, postgres.Options{Name: "dg recheck", MaxConns: 1}},
		{&p.Reads, postgres.Options{Name: "dg reads",
			MaxConns: cmp.Or(s.Pools.Reads, defaultPools.Reads)}},
		{&p.Exports, postgres.Options{Name: "dg exports", MaxConns: exports.MaxAtOnce}},
	} {
		o.opts.Logger = s.Log
		o.opts.Tracer = s.Tracer
		if *o.db, err = postgres.Open(ctx, s.ServingURL, o.opts); err != nil {
			return p, err
		}
		reports[*o.db] = o.opts
	}
	delete(reports, p.Auth)
	delete(reports, p.Recheck)
	if len(s.Replicas) > 0 {
		p.Replicas, err = replica.Open(ctx, s.Replicas, p.Auth, reports)
	}
	return p, err
}

// byName returns the open pools under their names in the metrics.
func (p Pools) byName() map[string]*postgres.DB {
	pools := map[string]*postgres.DB{
		"auth":    p.Auth,
		"recheck": p.Recheck,
		"reads":   p.Reads,
		"exports": p.Exports,
	}
	maps.DeleteFunc(pools, func(_ string, db *postgres.DB) bool { return db == nil })
	return pools
}

// withReplicas returns byName, and the pools of replicas.
func (p Pools) withReplicas() map[string]*postgres.DB {
	pools := p.byName()
	for _, r := range p.Replicas.All() {
		for name, of := range p.byName() {
			if db := r.Pool(of); db != nil {
				pools[fmt.Sprintf("%s_replica_%d", name, r.Number)] = db
			}
		}
	}
	return pools
}

// sum is how many connections the pools may open together.
func (p Pools) sum() (sum int) {
	for _, db := range p.byName() {
		sum += int(db.Pool.Config().MaxConns)
	}
	return sum
}

// Close closes the open pools, all at once: each takes its time when the database is silent.
func (p Pools) Close() {
	var all sync.WaitGroup
	all.Go(p.Replicas.Close)
	for _, db := range p.byName() {
		all.Go(db.Close)
	}
	all.Wait()
}

// otherFiles are open files other than connections of clients and to the database: log, listeners,
// operations, the runtime, connections that are being refused.
const otherFiles = 64 + telemetry.MaxOpsConnections

// reservedFiles is how many files the server's client connections must leave: one for each database
// connection, another while its query is cancelled, and the rest.
func (p Pools) reservedFiles() int {
	toEach := int(p.Reads.Pool.Config().MaxConns) + exports.MaxAtOnce
	return 2*(p.sum()+len(p.Replicas.All())*toEach) + otherFiles
}
