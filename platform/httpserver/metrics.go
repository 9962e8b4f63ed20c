package httpserver

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the figures of requests and connections. Their labels are bounded: route templates,
// known methods, statuses.
type metrics struct {
	duration            *prometheus.HistogramVec
	evictions, failures prometheus.Counter
	rejected            *prometheus.CounterVec
}

// newMetrics registers the metrics, unless r is nil.
func newMetrics(r prometheus.Registerer, conns *connections) *metrics {
	m := &metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dg_http_request_duration_seconds",
			Help: "Time from a request's arrival to the end of its response, by route template, method and status.",
			// Up to an export of half an hour.
			Buckets: []float64{
				.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120, 600, 1800,
			},
		}, []string{"route", "method", "status"}),
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
		r.MustRegister(m.duration, m.evictions, m.failures, m.rejected,
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "dg_http_connections_open",
				Help: "Open connections.",
			},
				func() float64 { return float64(conns.count()) }),
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{
				Name: "dg_http_connections_max",
				Help: "Connections that may be open.",
			},
				func() float64 { return float64(conns.limit) }))
	}
	return m
}

func (m *metrics) observe(route, method string, status int, took time.Duration) {
	m.duration.WithLabelValues(route, metricMethod(method), strconv.Itoa(status)).
		Observe(took.Seconds())
}

// metricMethod is the method in metrics and traces: one of a bounded set.
func metricMethod(method string) string {
	if knownMethod(method) {
		return method
	}
	return "other"
}
