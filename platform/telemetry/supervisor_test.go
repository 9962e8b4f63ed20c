package telemetry

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

// A panic of background work is logged with its stack and counted, and the work restarts.
func TestSupervisorRestartsAfterAPanic(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := NewSupervisor(slog.New(slog.NewTextHandler(&log, nil)), NewRegistry())
	s.wait = time.Millisecond
	runs := 0
	s.Run(t.Context(), "sealer", func(context.Context) {
		if runs++; runs < 4 {
			panic("index out of range")
		}
	})
	require.Equal(t, 4, runs)
	require.InDelta(t, 3, testutil.ToFloat64(s.panics.WithLabelValues("sealer")), 0)
	require.Contains(t, log.String(), "index out of range")
	require.Contains(t, log.String(), "supervisor_test.go", "the stack names the line")
}

// After the end of the context a panic restarts nothing.
func TestSupervisorEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := NewSupervisor(slog.New(slog.DiscardHandler), NewRegistry())
	s.wait = time.Hour
	ctx, stop := context.WithCancel(t.Context())
	s.Run(ctx, "sealer", func(context.Context) {
		stop()
		panic("late")
	})
}
