package exports

import (
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"dg/modules/audit"
	"dg/modules/reports"
	"dg/platform/limit"
	"dg/platform/postgres"
)

// These limits bound the concurrent exports. The OpenAPI document and /docs state them.
const (
	MaxConcurrent               = 8
	MaxConcurrentOfOrganisation = 4
)

// Service runs the exports of one instance.
type Service struct {
	reports        *reports.Service
	auditLog       *audit.Log
	logger         *slog.Logger
	recheckDB      *postgres.DB // passed to each Recheck
	slots          *limit.Limiter
	rechecking     chan struct{}  // semaphore of size 1, for Gate.checkAccess
	turns          chan struct{}  // semaphore for making blocks, for Gate.Enter
	pendingRecords sync.WaitGroup // running writes of export.finished
	finishedTotal  *prometheus.CounterVec
}

// New returns the service. An instance must have one Service, whose limits API and screens share.
// If recheckDB has its own pool, rechecks do not wait for the connections of requests.
func New(
	r *reports.Service, auditLog *audit.Log, recheckDB *postgres.DB, metrics prometheus.Registerer, logger *slog.Logger,
) *Service {
	s := &Service{
		reports:   r,
		auditLog:  auditLog,
		logger:    logger,
		recheckDB: recheckDB,
		slots: limit.New(limit.Options{
			Max:            MaxConcurrent,
			PerKey:         MaxConcurrentOfOrganisation,
			BusyMessage:    "Too many exports on this instance: at most 8 run at once.",
			KeyBusyMessage: "Too many exports of this organisation: at most 4 run at once.",
		}),
		// half of the processors: dg serve sets GOMAXPROCS to twice their number by default
		turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/4)), rechecking: make(chan struct{}, 1),
		finishedTotal: promauto.With(metrics).NewCounterVec(prometheus.CounterOpts{
			Name: "dg_exports_finished_total",
			Help: "Finished exports.",
		}, []string{"outcome"}),
	}
	s.finishedTotal.WithLabelValues(failedOutcome) // export 0: a rate needs a value before the first event
	for _, o := range outcomes {
		s.finishedTotal.WithLabelValues(o.name)
	}
	return s
}

// Limiters returns the limiters, keyed by their names in metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"exports": s.slots}
}

// Drain waits for the writes of export.finished, at most two seconds, because the database may not
// respond. Call it after the last export has ended.
func (s *Service) Drain() {
	done := make(chan struct{})
	go func() {
		s.pendingRecords.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
	}
}
