package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// restartWait prevents a busy loop of work that panics as soon as it starts.
const restartWait = 10 * time.Second

// Supervisor runs background work. It logs and counts a panic, and restarts the work after a wait.
type Supervisor struct {
	log    *slog.Logger
	panics *prometheus.CounterVec
}

// NewSupervisor returns a supervisor that logs panics to log and counts them in metrics.
func NewSupervisor(log *slog.Logger, metrics prometheus.Registerer) *Supervisor {
	s := &Supervisor{
		log: log,
		panics: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dg_background_panics_total",
			Help: "Panics of background work. Each is in the log with its stack.",
		}, []string{"work"}),
	}
	metrics.MustRegister(s.panics)
	return s
}

// Run runs work until it returns, and restarts it after a panic unless ctx ends.
func (s *Supervisor) Run(ctx context.Context, name string, work func(context.Context)) {
	s.panics.WithLabelValues(name) // shows 0 before the first panic
	for !s.runOnce(ctx, name, work) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(restartWait):
		}
	}
}

func (s *Supervisor) runOnce(
	ctx context.Context, name string, work func(context.Context),
) (returned bool) {
	defer func() {
		if p := recover(); p != nil {
			s.panics.WithLabelValues(name).Inc()
			s.log.Error("background work panicked", "work", name, "panic", fmt.Sprint(p), "stack",
				string(debug.Stack()))
		}
	}()
	work(ctx)
	return true
}
