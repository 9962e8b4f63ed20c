package assembly

import (
	"context"
	"maps"
	"runtime"
	"strconv"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"dg/platform/limit"
	"dg/platform/postgres/replica"
)

// reading is a metric whose values are read at each scrape.
type reading struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(emit func(value float64, labels ...string))
}

func newReading(
	kind prometheus.ValueType, name, help string, labels []string,
	read func(emit func(float64, ...string)),
) reading {
	return reading{prometheus.NewDesc(name, help, labels, nil), kind, read}
}

// Describe implements prometheus.Collector.
func (r reading) Describe(to chan<- *prometheus.Desc) { to <- r.desc }

// Collect implements prometheus.Collector.
func (r reading) Collect(to chan<- prometheus.Metric) {
	r.read(func(value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(r.desc, r.kind, value, labels...)
	})
}

// registerReadings registers the metrics of build, health, data, pools, replicas and limiters.
func registerReadings(
	r prometheus.Registerer, version string, data Data, pools Pools,
	limiters ...map[string]*limit.Limiter,
) {
	promauto.With(r).NewGauge(prometheus.GaugeOpts{
		Name:        "dg_build_info",
		Help:        "Version of the program and of Go. Always 1.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	}).Set(1)
	r.MustRegister(newHealth(pools))
	registerData(r, data)
	registerPools(r, pools)
	registerReplicas(r, pools.Replicas)
	registerWork(r, limiters...)
}

// Data is stored data that metrics show.
type Data struct {
	Unreadable int  // secrets of two-step verification, at the start
	InClear    bool // whether new ones are stored without a key
}

func registerData(r prometheus.Registerer, data Data) {
	inClear := 0
	if data.InClear {
		inClear = 1
	}
	for _, g := range []struct {
		name, help string
		value      int
	}{
		{"dg_unreadable_secrets", "Two-step secrets that no key decrypted at the start.",
			data.Unreadable},
		{"dg_secrets_in_clear", "1 where two-step secrets are stored without DG_SECRET_KEY.",
			inClear},
	} {
		gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: g.name, Help: g.help})
		gauge.Set(float64(g.value))
		r.MustRegister(gauge)
	}
}

// registerWork shows running, waiting and refused work of the limiters.
func registerWork(r prometheus.Registerer, all ...map[string]*limit.Limiter) {
	limiters := map[string]*limit.Limiter{}
	for _, some := range all {
		maps.Copy(limiters, some)
	}
	each := func(of func(limit.Stats) float64) func(func(float64, ...string)) {
		return func(emit func(float64, ...string)) {
			for kind, l := range limiters {
				emit(of(l.Stats()), kind)
			}
		}
	}
	labels := []string{"kind"}
	r.MustRegister(
		newReading(prometheus.GaugeValue, "dg_work_running", "Pieces of expensive work that run.",
			labels,
			each(func(s limit.Stats) float64 { return float64(s.Running) })),
		newReading(prometheus.GaugeValue, "dg_work_waiting", "Requests that wait for their turn.",
			labels,
			each(func(s limit.Stats) float64 { return float64(s.Waiting) })),
		newReading(prometheus.CounterValue, "dg_work_refused_total",
			"Requests that were refused because their organisation's or the instance's share was taken.",
			labels,
			each(func(s limit.Stats) float64 { return float64(s.Refused) })))
}

// health asks the database at each scrape of /metrics whether it serves, and for its clock.
type health struct {
	ready, offset *prometheus.Desc
	pools         Pools
}

func newHealth(pools Pools) health {
	return health{
		ready: prometheus.NewDesc("dg_ready",
			"Whether /readyz answers 200: the database answers and takes writes.", nil, nil),
		offset: prometheus.NewDesc("dg_database_clock_offset_seconds",
			"The database's clock less this machine's. Absent while the database does not answer.",
			nil, nil),
		pools: pools,
	}
}

// Describe implements prometheus.Collector.
func (h health) Describe(to chan<- *prometheus.Desc) {
	to <- h.ready
	to <- h.offset
}

// Collect implements prometheus.Collector.
func (h health) Collect(to chan<- prometheus.Metric) {
	ctx, stop := context.WithTimeout(context.Background(), readyTimeout)
	defer stop()
	offset, err := h.pools.ready(ctx)
	ready := 0.0
	if err == nil {
		ready = 1
		to <- prometheus.MustNewConstMetric(h.offset, prometheus.GaugeValue, offset.Seconds())
	}
	to <- prometheus.MustNewConstMetric(h.ready, prometheus.GaugeValue, ready)
}

// registerReplicas shows whether reports read from the replicas. Without replicas these metrics are
// absent.
func registerReplicas(r prometheus.Registerer, replicas *replica.Replicas) {
	each := func(read func(r *replica.Replica, emit func(float64, ...string),
		number string)) func(func(float64, ...string)) {
		return func(emit func(float64, ...string)) {
			for _, r := range replicas.All() {
				read(r, emit, strconv.Itoa(r.Number))
			}
		}
	}
	label := []string{"replica"}
	r.MustRegister(
		newReading(prometheus.GaugeValue, "dg_replica_resting",
			"1 while reports leave out the replica after a failure.", label,
			each(func(r *replica.Replica, emit func(float64, ...string), number string) {
				resting := 0.0
				if r.Resting() {
					resting = 1
				}
				emit(resting, number)
			})),
		newReading(prometheus.CounterValue, "dg_replica_reads_total",
			"Reads of reports and exports that the replica has taken.", label,
			each(func(r *replica.Replica, emit func(float64, ...string), number string) {
				emit(float64(r.Reads()), number)
			})))
}

// registerPools shows the connections of each pool.
func registerPools(r prometheus.Registerer, pools Pools) {
	each := func(read func(s *pgxpool.Stat, emit func(float64, ...string),
		pool string)) func(func(float64, ...string)) {
		return func(emit func(float64, ...string)) {
			for name, db := range pools.withReplicas() {
				read(db.Pool.Stat(), emit, name)
			}
		}
	}
	pool := []string{"pool"}
	r.MustRegister(
		newReading(prometheus.GaugeValue, "dg_pool_connections", "Connections to the database.",
			[]string{"pool", "state"},
			each(func(s *pgxpool.Stat, emit func(float64, ...string), name string) {
				emit(float64(s.AcquiredConns()), name, "busy")
				emit(float64(s.IdleConns()), name, "idle")
				emit(float64(s.ConstructingConns()), name, "opening")
			})),
		newReading(prometheus.GaugeValue, "dg_pool_connections_max",
			"Connections that may be open.",
			pool,
			each(func(s *pgxpool.Stat, emit func(float64, ...string), name string) {
				emit(float64(s.MaxConns()), name)
			})),
		newReading(prometheus.CounterValue, "dg_pool_acquires_total",
			"Connections that were taken from the pool.", pool,
			each(func(s *pgxpool.Stat, emit func(float64, ...string), name string) {
				emit(float64(s.AcquireCount()), name)
			})),
		newReading(prometheus.CounterValue, "dg_pool_acquires_cancelled_total",
			"Waits for a connection that ended without one.", pool,
			each(func(s *pgxpool.Stat, emit func(float64, ...string), name string) {
				emit(float64(s.CanceledAcquireCount()), name)
			})),
		newReading(prometheus.CounterValue, "dg_pool_wait_seconds_total",
			"Time that was waited for a connection while none was idle.", pool,
			each(func(s *pgxpool.Stat, emit func(float64, ...string), name string) {
				emit(s.EmptyAcquireWaitTime().Seconds(), name)
			})))
}
