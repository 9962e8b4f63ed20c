package assembly

import (
	"context"
	"math"
	"runtime"
	"strconv"

	"github.com/IBM/pgxpoolprometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"dg/platform/limit"
	"dg/platform/postgres/replica"
)

// Data is stored data that metrics show.
type Data struct {
	Unreadable int  // secrets of two-step verification, at the start
	InClear    bool // whether new ones are stored without a key
}

// registerReadings registers the metrics that are read at each scrape, and those that stay.
func registerReadings(
	r prometheus.Registerer, version string, data Data, pools Pools,
	limiters ...map[string]*limit.Limiter,
) {
	constant(r, "dg_build_info", "Version of the program and of Go. Always 1.", 1,
		prometheus.Labels{"version": version, "goversion": runtime.Version()})
	constant(r, "dg_unreadable_secrets", "Two-step secrets that no key decrypted at the start.",
		float64(data.Unreadable), nil)
	constant(r, "dg_secrets_in_clear",
		"1 where two-step secrets are stored without DG_SECRET_KEY.", number(data.InClear), nil)
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

// registerHealth asks the database at each scrape whether it serves, and for its clock.
func registerHealth(r prometheus.Registerer, pools Pools) {
	ask := func() (offset float64, err error) {
		ctx, stop := context.WithTimeout(context.Background(), readyTimeout)
		defer stop()
		ahead, err := pools.ready(ctx)
		return ahead.Seconds(), err
	}
	in := promauto.With(r)
	in.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dg_ready",
		Help: "Whether /readyz answers 200: the database answers and takes writes.",
	}, func() float64 {
		_, err := ask()
		return number(err == nil)
	})
	in.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dg_database_clock_offset_seconds",
		Help: "The database's clock less this machine's. NaN while the database does not answer.",
	}, func() float64 {
		offset, err := ask()
		if err != nil {
			return math.NaN()
		}
		return offset
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
