package connlimit

import "github.com/prometheus/client_golang/prometheus"

// metrics are the figures of connections.
type metrics struct {
	evictions, failures prometheus.Counter
	rejected            *prometheus.CounterVec
}

// newMetrics registers the metrics, unless r is nil.
func newMetrics(r prometheus.Registerer, l *Limit) *metrics {
	m := &metrics{
		evictions: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "dg_http_connections_closed_for_room_total",
			Help: "Idle or slow connections that were closed to make room for new ones.",
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "dg_http_accept_failures_total",
			Help: "Connections that could not be accepted, each time it was tried: too many files, no memory.",
		}),
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dg_http_connections_refused_total",
			Help: "Connections that were refused because none could make room, in all (full) or " +
				"of the address (share).",
		}, []string{"reason"}),
	}
	for _, reason := range []string{"full", "share"} { // shown as 0 from the start
		m.rejected.WithLabelValues(reason)
	}
	if r != nil {
		r.MustRegister(m.evictions, m.failures, m.rejected,
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "dg_http_connections_open",
				Help: "Open connections.",
			},
				func() float64 { return float64(l.Open()) }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "dg_http_connections_max",
				Help: "Connections that may be open.",
			},
				func() float64 { return float64(l.opts.Max) }))
	}
	return m
}
