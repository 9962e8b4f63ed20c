package assembly

import (
	"context"
	"runtime"
	"strconv"

	"github.com/IBM/pgxpoolprometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"dg/platform/limit"
	"dg/platform/postgres/replica"
)

// registerReadings registers the metrics that are read at each scrape, and those that stay.
func registerReadings(
	r prometheus.Registerer, s Settings, pools Pools,
	limiters ...map[string]*limit.Limiter,
) {
	constant(r, "dg_build_info", "Version of the program and of Go. Always 1.", 1,
		prometheus.Labels{"version": s.Version, "goversion": runtime.Version()})
	constant(r, "dg_unreadable_secrets", "Two-step secrets that no key decrypted at the start.",
		float64(s.Unreadable), nil)
	registerHealth(r, pools)
	for name, db := range pools.byName() {
		r.MustRegister(pgxpoolprometheus.NewCollector(db.Pool, map[string]string{"pool": name}))
	}
	for _, of := range pools.Replicas.All() {
		registerReplica(r, of)
	}
	for _, some := range limiters {
		for kind, l := range some {
			registerWork(r, kind, l)
		}
	}
}

func constant(
	r prometheus.Registerer, name, help string, value float64, labels prometheus.Labels,
) {
	promauto.With(r).NewGauge(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}).
		Set(value)
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// registerHealth asks the database at each scrape whether it serves.
func registerHealth(r prometheus.Registerer, pools Pools) {
	promauto.With(r).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dg_ready",
		Help: "Whether /readyz answers 200: the database answers and takes writes.",
	}, func() float64 {
		ctx, stop := context.WithTimeout(context.Background(), readyTimeout)
		defer stop()
		return number(pools.ready(ctx) == nil)
	})
}

// registerReplica shows whether reports read from a replica.
func registerReplica(r prometheus.Registerer, of *replica.Replica) {
	in := promauto.With(prometheus.WrapRegistererWith(
		prometheus.Labels{"replica": strconv.Itoa(of.Number)}, r))
	in.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dg_replica_resting",
		Help: "1 while reports leave out the replica after a failure.",
	}, func() float64 { return number(of.Resting()) })
	in.NewCounterFunc(prometheus.CounterOpts{
		Name: "dg_replica_reads_total",
		Help: "Reads of reports and exports that the replica has taken.",
	}, func() float64 { return float64(of.Reads()) })
}

// registerWork shows running, waiting and refused work of a limiter.
func registerWork(r prometheus.Registerer, kind string, l *limit.Limiter) {
	in := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"kind": kind}, r))
	in.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dg_work_running",
		Help: "Pieces of expensive work that run.",
	}, func() float64 { return float64(l.Stats().Running) })
	in.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dg_work_waiting",
		Help: "Requests that wait for their turn.",
	}, func() float64 { return float64(l.Stats().Waiting) })
	in.NewCounterFunc(prometheus.CounterOpts{
		Name: "dg_work_refused_total",
		Help: "Requests that were refused because their organisation's or the instance's share was " +
			"taken.",
	}, func() float64 { return float64(l.Stats().Refused) })
}
