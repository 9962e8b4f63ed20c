package assembly

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strconv"
	"time"

	"github.com/IBM/pgxpoolprometheus"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/identity"
	"dg/modules/reports/sealer"
	"dg/platform/limit"
	"dg/platform/postgres"
)

var (
	refusalReasons = []string{string(apikeys.UnknownKey), string(audit.WrongSecret), string(audit.Revoked),
		string(audit.Expired), string(audit.BelowPlan),
		string(audit.InsufficientScope), string(audit.OtherOrganisation), string(audit.OutsideAPI)}
	sealerPassOutcomes = []string{"done", "locked", "failed"}
)

// metrics counts the events of modules, except exports, which count their own.
type metrics struct {
	keyRefusals, signInFailures, sealerPasses *prometheus.CounterVec
	auditFailures, damagedSegments            prometheus.Counter
	backlog                                   prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) *metrics {
	factory := promauto.With(r)
	counter := func(name, help string) prometheus.Counter {
		return factory.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	// Every series starts at 0, because rate() needs a value before the first event.
	counters := func(name, help, label string, values []string) *prometheus.CounterVec {
		vec := factory.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
		for _, value := range values {
			vec.WithLabelValues(value)
		}
		return vec
	}
	return &metrics{
		keyRefusals: counters("dg_key_refusals_total", "Refused uses of API keys.", "reason",
			refusalReasons),
		signInFailures: counters("dg_sign_in_failures_total", "Failed sign-ins.", "reason",
			identity.FailureReasons),
		auditFailures: counter("dg_audit_failures_total",
			"Events that could not be written to the audit log."),
		sealerPasses: counters("dg_sealer_passes_total",
			"Passes of the sealer. Locked: another process was sealing.", "outcome", sealerPassOutcomes),
		backlog: factory.NewGauge(prometheus.GaugeOpts{Name: "dg_sealer_backlog",
			Help: "Finished days and months of large forks that this instance's last pass had to " +
				"seal and left unsealed."}),
		damagedSegments: counter("dg_damaged_segments_total",
			"Reports that met a damaged segment, and read the plays instead. Run dg segments rebuild."),
	}
}

// countSealerPass counts a pass. A failed pass has not seen the whole backlog, so the gauge stays.
func (m *metrics) countSealerPass(pass sealer.Result, err error) {
	outcome := "done"
	switch {
	case errors.Is(err, postgres.ErrLocked):
		outcome = "locked"
	case err != nil:
		m.sealerPasses.WithLabelValues("failed").Inc()
		return
	}
	m.sealerPasses.WithLabelValues(outcome).Inc()
	m.backlog.Set(float64(pass.Backlog()))
}

// registerCollectors registers the metrics that are computed at each scrape.
func registerCollectors(
	registry prometheus.Registerer, settings Settings, pools Pools, ready *readiness, keys *apikeys.Service,
	limiters ...map[string]*limit.Limiter,
) {
	version := prometheus.Labels{"version": settings.Version, "goversion": runtime.Version()}
	registerGauge(prometheus.WrapRegistererWith(version, registry), "dg_build_info",
		"Version of the program and of Go. Always 1.", func() float64 { return 1 })
	registerGauge(registry, "dg_unreadable_secrets", "Two-step secrets that no key decrypted at the start.",
		func() float64 { return float64(settings.UnreadableSecrets) })
	registerGauge(registry, "dg_ready", "Whether /readyz answers 200: the database answers and takes writes.",
		func() float64 { return boolToFloat(ready.check(pools) == nil) })
	registerGauge(registry, "dg_keys_expiring_in_use", "Keys that end within 14 days, were used in the last 14, and "+
		"were not replaced. NaN: the database did not answer.", func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		n, err := keys.ExpiringInUse(ctx)
		if err != nil {
			return math.NaN()
		}
		return float64(n)
	})
	for name, db := range pools.byName() {
		registry.MustRegister(pgxpoolprometheus.NewCollector(db.Pool, map[string]string{"pool": name}))
	}
	for _, replica := range pools.Replicas {
		label := prometheus.Labels{"replica": strconv.Itoa(replica.Number)}
		labelled := prometheus.WrapRegistererWith(label, registry)
		registerGauge(labelled, "dg_replica_resting", "1 while reports leave out the replica.",
			func() float64 { return boolToFloat(replica.LeftOut()) })
		registerCounter(labelled, "dg_replica_reads_total",
			"Reads of reports and exports that the replica has taken.",
			func() float64 { return float64(replica.Reads()) })
	}
	for _, byKind := range limiters {
		for kind, l := range byKind {
			registerLimiter(prometheus.WrapRegistererWith(prometheus.Labels{"kind": kind}, registry), l)
		}
	}
}

func registerLimiter(r prometheus.Registerer, l *limit.Limiter) {
	registerGauge(r, "dg_work_running", "Pieces of expensive work that run.",
		func() float64 { return float64(l.Stats().Running) })
	registerGauge(r, "dg_work_waiting", "Requests that wait for their turn.",
		func() float64 { return float64(l.Stats().Waiting) })
	registerRefused := func(share string, read func(limit.Stats) uint64) {
		registerCounter(prometheus.WrapRegistererWith(prometheus.Labels{"share": share}, r),
			"dg_work_refused_total", "Requests that were refused because a share was taken: their own, "+
				"such as their organisation's, or that of the instance.",
			func() float64 { return float64(read(l.Stats())) })
	}
	registerRefused("own", func(s limit.Stats) uint64 { return s.KeyRefused })
	registerRefused("instance", func(s limit.Stats) uint64 { return s.Refused - s.KeyRefused })
}

func registerGauge(r prometheus.Registerer, name, help string, read func() float64) {
	promauto.With(r).NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
}

func registerCounter(r prometheus.Registerer, name, help string, read func() float64) {
	promauto.With(r).NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read)
}

func boolToFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
