package assembly

import (
	"context"
	"runtime"
	"strconv"

	"github.com/IBM/pgxpoolprometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"dg/platform/limit"
)

// registerReadings registers the metrics whose values are read at each scrape.
func registerReadings(
	r prometheus.Registerer, s Settings, pools Pools, limiters ...map[string]*limit.Limiter,
) {
	version := prometheus.Labels{"version": s.Version, "goversion": runtime.Version()}
	gauge(prometheus.WrapRegistererWith(version, r), "dg_build_info",
		"Version of the program and of Go. Always 1.", func() float64 { return 1 })
	gauge(r, "dg_unreadable_secrets", "Two-step secrets that no key decrypted at the start.",
		func() float64 { return float64(s.Unreadable) })
	gauge(r, "dg_ready", "Whether /readyz answers 200: the database answers and takes writes.",
		func() float64 {
			ctx, stop := context.WithTimeout(context.Background(), readyTimeout)
			defer stop()
			return number(pools.ready(ctx) == nil)
		})
	for name, db := range pools.byName() {
		r.MustRegister(pgxpoolprometheus.NewCollector(db.Pool, map[string]string{"pool": name}))
	}
	for _, of := range pools.Replicas {
		label := prometheus.Labels{"replica": strconv.Itoa(of.Number)}
		replica := prometheus.WrapRegistererWith(label, r)
		gauge(replica, "dg_replica_resting", "1 while reports leave out the replica after a failure.",
			func() float64 { return number(of.Resting()) })
		counter(replica, "dg_replica_reads_total",
			"Reads of reports and exports that the replica has taken.",
			func() float64 { return float64(of.Reads()) })
	}
	for _, some := range limiters {
		for kind, l := range some {
			registerLimiter(prometheus.WrapRegistererWith(prometheus.Labels{"kind": kind}, r), l)
		}
	}
}

// registerLimiter shows running, waiting and refused work.
func registerLimiter(r prometheus.Registerer, l *limit.Limiter) {
	gauge(r, "dg_work_running", "Pieces of expensive work that run.",
		func() float64 { return float64(l.Stats().Running) })
	gauge(r, "dg_work_waiting", "Requests that wait for their turn.",
		func() float64 { return float64(l.Stats().Waiting) })
	counter(r, "dg_work_refused_total", "Requests that were refused because their organisation's or "+
		"the instance's share was taken.", func() float64 { return float64(l.Stats().Refused) })
}

func gauge(r prometheus.Registerer, name, help string, read func() float64) {
	promauto.With(r).NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
}

func counter(r prometheus.Registerer, name, help string, read func() float64) {
	promauto.With(r).NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read)
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
