package publicapi

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/reports"
	"dg/modules/reports/sealer"
	"dg/platform/authz"
	"dg/platform/limit"
	"dg/platform/postgres"
	"dg/platform/telemetry"
)

// Host is the API in another program, on one pool.
type Host struct {
	*API
	Keys    *apikeys.Service // used by the program's screens that manage keys
	Metrics *prometheus.Registry

	exports    *exports.Service
	sealer     *sealer.Sealer
	supervisor *telemetry.Supervisor
}

// NewHost builds the API from a pool of the serving role and the program's organisations.
func NewHost(
	db *postgres.DB, orgs apikeys.Organisations, baseURL string, log *slog.Logger,
) (*Host, error) {
	policy, err := authz.New()
	if err != nil {
		return nil, err
	}
	metrics := telemetry.NewRegistry()
	entries := audit.New(db)
	reportService := reports.New(db, reports.Options{})
	h := &Host{
		Keys:       apikeys.New(db, orgs, entries, policy, time.Now),
		Metrics:    metrics,
		exports:    exports.New(reportService, entries, db, metrics),
		sealer:     sealer.New(db, time.Now, log),
		supervisor: telemetry.NewSupervisor(log, metrics),
	}
	h.API, err = New(Dependencies{Keys: h.Keys, Games: games.New(db), Reports: reportService, Exports: h.exports,
		Policy: policy, Requests: limit.NewRequests(int(db.Pool.Config().MaxConns))}, baseURL)
	return h, err
}

// Run seals days and stores the usage of keys until ctx ends.
func (h *Host) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { h.supervisor.Run(ctx, "sealer", h.sealer.Run) })
	all.Go(func() { h.supervisor.Run(ctx, "key usage", h.Keys.UsageCounter.Run) })
	all.Wait()
}

// Close records the last exports and usage of keys. Call it after the last request, before the pool
// closes.
func (h *Host) Close(ctx context.Context) error {
	h.exports.Drain()
	return h.Keys.UsageCounter.Store(ctx)
}
