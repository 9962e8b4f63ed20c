package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The wait after a panic: it doubles from the first to the last, and begins anew once work has gone well for that long.
const (
	minRestartWait = time.Second
	maxRestartWait = time.Minute
)

// Supervisor runs what works in the background of a serving program. A panic there would end the process, and with it all
// requests; it is logged with its stack and counted instead, and the work begins again after a wait.
type Supervisor struct {
	log    *slog.Logger
	panics *prometheus.CounterVec
	wait   time.Duration // the first one
}

// NewSupervisor returns one that logs to log and counts in metrics.
func NewSupervisor(log *slog.Logger, metrics prometheus.Registerer) *Supervisor {
	s := &Supervisor{log: log, wait: minRestartWait, panics: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "dg_background_panics_total", Help: "Panics of background work. Each is in the log with its stack.",
	}, []string{"work"})}
	metrics.MustRegister(s.panics)
	return s
}

// Run runs work, again after each panic, until it returns or ctx ends. name is what log and metrics call it.
func (s *Supervisor) Run(ctx context.Context, name string, work func(context.Context)) {
	s.panics.WithLabelValues(name) // shown as 0 from the start
	for wait := s.wait; ; wait = min(2*wait, maxRestartWait) {
		begun := time.Now()
		if s.returns(ctx, name, work) {
			return
		}
		if time.Since(begun) > maxRestartWait {
			wait = s.wait
		}
		s.log.Info("background work starts again", "work", name, "after", wait.String())
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// returns runs work and says whether it came to its end.
func (s *Supervisor) returns(ctx context.Context, name string, work func(context.Context)) (ended bool) {
	defer func() {
		if p := recover(); p != nil {
			s.panics.WithLabelValues(name).Inc()
			s.log.Error("background work panicked", "work", name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	work(ctx)
	return true
}
