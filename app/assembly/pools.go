package assembly

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/exports"
	"dg/modules/reports"
	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/telemetry"
)

// Pools are an instance's connection pools: work on one pool takes no connection of another.
type Pools struct {
	Requests  *postgres.DB // short queries
	Snapshots *postgres.DB // reports, exports and the sealer
	Recheck   *postgres.DB // rechecks access during downloads; the second connection replaces a silent one

	Replicas []*postgres.Replica // standbys that take reads of the pool Snapshots
}

const (
	// maxSnapshotConns includes one connection for the sealer and one for short reads of screens.
	maxSnapshotConns = reports.MaxReports + reports.MaxLargeReports + exports.MaxConcurrent + 2
	maxRecheckConns  = 2

	// OtherConns is how many connections to the primary an instance has besides those for requests.
	OtherConns = maxSnapshotConns + maxRecheckConns
)

// openPools returns the open pools even with an error, so that the caller can close them.
func openPools(ctx context.Context, settings Settings) (p Pools, err error) {
	open := func(name string, size int32) (db *postgres.DB) {
		if err != nil {
			return nil
		}
		db, err = postgres.Open(ctx, settings.ServingURL, poolOptions(settings, name, size))
		return db
	}
	p.Requests = open("requests", settings.MaxRequestConns)
	p.Snapshots = open("snapshots", maxSnapshotConns)
	p.Recheck = open("recheck", maxRecheckConns)
	if err == nil {
		p.Replicas, err = postgres.OpenReplicas(ctx, settings.Replicas, p.Requests,
			poolOptions(settings, "snapshots", maxSnapshotConns))
	}
	if err != nil {
		return p, err
	}
	p.Snapshots.UseReplicas(p.Replicas, p.Requests)
	return p, nil
}

func poolOptions(settings Settings, name string, size int32) postgres.Options {
	return postgres.Options{Name: "dg " + name, MaxConns: size, Logger: settings.Logger, Tracer: settings.Tracer}
}

func (p Pools) byName() map[string]*postgres.DB {
	pools := map[string]*postgres.DB{
		"requests":  p.Requests,
		"snapshots": p.Snapshots,
		"recheck":   p.Recheck,
	}
	for _, r := range p.Replicas {
		pools[fmt.Sprintf("replica_%d", r.Number)] = r.DB
	}
	maps.DeleteFunc(pools, func(_ string, db *postgres.DB) bool { return db == nil })
	return pools
}

// Close closes the open pools in parallel: each may take seconds if the database is silent.
func (p Pools) Close() {
	var tasks sync.WaitGroup
	for _, db := range p.byName() {
		tasks.Go(db.Close)
	}
	tasks.Wait()
}

// otherFiles reserves file descriptors for the log, the listeners and the ops server.
const otherFiles = 64 + telemetry.MaxOpsConnections

// reservedFiles returns the number of file descriptors that the pools and otherFiles need. Each
// connection counts twice, because cancelling its query takes another descriptor.
func (p Pools) reservedFiles() int {
	conns := 0
	for _, db := range p.byName() {
		conns += int(db.Pool.Config().MaxConns)
	}
	return 2*conns + otherFiles
}

// readyTimeout bounds both queries of Pools.ready together.
const readyTimeout = 2 * time.Second

var errStandby = apperr.New(apperr.Unavailable,
	"The database is a standby or read-only, and every request writes. Point DG_DATABASE_URL at the primary.")
var errStopping = apperr.New(apperr.Unavailable,
	"This instance is stopping. Send requests to another one.")

func (p *Program) mountHealth(router fiber.Router) {
	router.Get("/healthz", func(c *fiber.Ctx) error { return c.SendString("ok\n") })
	router.Get("/readyz", func(c *fiber.Ctx) error {
		if p.Server.Stopping() {
			return errStopping
		}
		if err := p.ready.check(p.Pools); err != nil {
			return err
		}
		lines := []string{"ready"}
		for _, r := range p.Pools.Replicas {
			use := "read"
			if r.LeftOut() {
				use = "left out"
			}
			lines = append(lines, fmt.Sprintf("replica %d: %s", r.Number, use))
		}
		return c.SendString(strings.Join(lines, "\n") + "\n")
	})
}

// readyAge is how long a result is cached, because anyone may request /readyz at any rate.
const readyAge = time.Second

// readiness caches the last result of Pools.ready. Concurrent requests wait for one check.
type readiness struct {
	mu        sync.Mutex
	checkedAt time.Time
	err       error
}

func (r *readiness) check(pools Pools) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.checkedAt) >= readyAge {
		ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
		defer cancel()
		r.err = pools.ready(ctx)
		r.checkedAt = time.Now()
	}
	return r.err
}

func (p Pools) ready(ctx context.Context) error {
	for _, db := range []*postgres.DB{p.Requests, p.Snapshots} {
		var readOnly bool
		if err := db.Pool.QueryRow(ctx, `/* app.ready */ select pg_is_in_recovery()
			or current_setting('transaction_read_only')::boolean`).Scan(&readOnly); err != nil {
			return fmt.Errorf("ready: %w", err)
		}
		if readOnly {
			return errStandby
		}
	}
	return nil
}
