package httpserver

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the figures of requests. The labels are bounded: route templates, known methods, statuses.
type metrics struct {
	duration *prometheus.HistogramVec
}

// newMetrics registers the metrics; without a registry there are none.
func newMetrics(r prometheus.Registerer) *metrics {
	if r == nil {
		return nil
	}
	m := &metrics{duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "dg_http_request_duration_seconds",
		Help: "Time from a request's arrival to the end of its answer, by route template, method and status.",
		// Wide at the top: an export may take half an hour.
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 120, 600, 1800},
	}, []string{"route", "method", "status"})}
	r.MustRegister(m.duration)
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
