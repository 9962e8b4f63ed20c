package httpserver

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the figures of requests. Their labels are bounded: route templates, known methods,
// statuses.
type metrics struct {
	duration                *prometheus.HistogramVec
	acceptFailures, refused prometheus.Counter
}

// newMetrics registers the metrics, unless r is nil.
func newMetrics(r prometheus.Registerer, s *Server) *metrics {
	in := promauto.With(r)
	in.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dg_http_connections_open",
		Help: "Open connections.",
	}, func() float64 { return float64(s.listener.count()) })
	return &metrics{
		duration: in.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dg_http_request_duration_seconds",
			Help: "Time from a request's arrival to the end of its response, by route template, method and status.",
			// Up to an export of half an hour.
			Buckets: []float64{
				.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120, 600, 1800,
			},
		}, []string{"route", "method", "status"}),
		acceptFailures: in.NewCounter(prometheus.CounterOpts{
			Name: "dg_http_accept_failures_total",
			Help: "Connections that could not be accepted: too many files, no memory.",
		}),
		refused: in.NewCounter(prometheus.CounterOpts{
			Name: "dg_http_connections_refused_total",
			Help: "Connections above the limit in all, or above that of their address.",
		}),
	}
}
