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

// registerReadings registers the metrics that are read at each scrape, and those that stay.
func registerReadings(
	r prometheus.Registerer, s Settings, pools Pools, limiters ...map[string]*limit.Limiter,
) {
	program := readings{r, prometheus.Labels{"version": s.Version, "goversion": runtime.Version()}}
	program.gauge("dg_build_info", "Version of the program and of Go. Always 1.",
		func() float64 { return 1 })
	one := readings{r, nil}
	one.gauge("dg_unreadable_secrets", "Two-step secrets that no key decrypted at the start.",
		func() float64 { return float64(s.Unreadable) })
	one.gauge("dg_ready", "Whether /readyz answers 200: the database answers and takes writes.",
		func() float64 {
			ctx, stop := context.WithTimeout(context.Background(), readyTimeout)
			defer stop()
			return number(pools.ready(ctx) == nil)
		})
	for name, db := range pools.byName() {
		r.MustRegister(pgxpoolprometheus.NewCollector(db.Pool, map[string]string{"pool": name}))
	}
	for _, of := range pools.Replicas {
		replica := readings{r, prometheus.Labels{"replica": strconv.Itoa(of.Number)}}
		replica.gauge("dg_replica_resting", "1 while reports leave out the replica after a failure.",
			func() float64 { return number(of.Resting()) })
		replica.counter("dg_replica_reads_total",
			"Reads of reports and exports that the replica has taken.",
			func() float64 { return float64(of.Reads()) })
	}
	for _, some := range limiters {
		for kind, l := range some {
			readings{r, prometheus.Labels{"kind": kind}}.work(l)
		}
	}
}

// readings are metrics with the same labels.
type readings struct {
	registerer prometheus.Registerer
	labels     prometheus.Labels
}

func (r readings) gauge(name, help string, read func() float64) {
	promauto.With(r.registerer).NewGaugeFunc(
		prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: r.labels}, read)
}

func (r readings) counter(name, help string, read func() float64) {
	promauto.With(r.registerer).NewCounterFunc(
		prometheus.CounterOpts{Name: name, Help: help, ConstLabels: r.labels}, read)
}

// work shows running, waiting and refused work of a limiter.
func (r readings) work(l *limit.Limiter) {
	r.gauge("dg_work_running", "Pieces of expensive work that run.",
		func() float64 { return float64(l.Stats().Running) })
	r.gauge("dg_work_waiting", "Requests that wait for their turn.",
		func() float64 { return float64(l.Stats().Waiting) })
	r.counter("dg_work_refused_total", "Requests that were refused because their organisation's or "+
		"the instance's share was taken.", func() float64 { return float64(l.Stats().Refused) })
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
