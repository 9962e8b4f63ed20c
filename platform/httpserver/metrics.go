package httpserver

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the figures of requests. The labels are bounded: route templates, known methods, statuses.
type metrics struct {
	duration *prometheus.HistogramVec
	room     prometheus.Counter
	refused  *prometheus.CounterVec
}

// newMetrics registers the metrics; without a registry there are none.
func newMetrics(r prometheus.Registerer, conns *connections) *metrics {
	if r == nil {
		return nil
	}
	m := &metrics{duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "dg_http_request_duration_seconds",
		Help: "Time from a request's arrival to the end of its answer, by route template, method and status.",
		// Wide at the top: an export may take half an hour.
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120, 600, 1800},
	}, []string{"route", "method", "status"}),
		room: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "dg_http_connections_closed_for_room_total", Help: "Idle connections that were closed to make room for new ones.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dg_http_connections_refused_total", Help: "Connections that were refused: no idle one could make room among all (full), or among those of the address (share).",
		}, []string{"reason"}),
	}
	r.MustRegister(m.duration, m.room, m.refused,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "dg_http_connections_open", Help: "Open connections."},
			func() float64 { return float64(conns.count()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "dg_http_connections_max", Help: "Connections that may be open."},
			func() float64 { return float64(conns.limit) }))
	return m
}

func (m *metrics) observe(route, method string, status int, took time.Duration) {
	if m == nil {
		return
	}
	if !knownMethod(method) {
		method = "other"
	}
	m.duration.WithLabelValues(route, method, strconv.Itoa(status)).Observe(took.Seconds())
}

func (m *metrics) madeRoom() {
	if m != nil {
		m.room.Inc()
	}
}

func (m *metrics) refusedConnection(reason string) {
	if m != nil {
		m.refused.WithLabelValues(reason).Inc()
	}
}
