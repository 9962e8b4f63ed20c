package telemetry

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"

	"dg/platform/testkit/tb"
)

// A failing collector is logged once, and its recovery once. Spans in between are lost.
func TestFailingCollectorIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := tb.NewCollector(t)
	traces, err := NewTraces(t.Context(), "", slog.New(slog.NewTextHandler(&log, nil)),
		otlptracehttp.WithEndpointURL(c.URL+"/hunter2/v1/traces"))
	require.NoError(t, err)
	send := func() {
		for range 3 {
			_, span := traces.Tracer().Start(context.Background(), "work")
			span.End()
			require.NoError(t, traces.provider.ForceFlush(t.Context()))
		}
	}
	c.Fail.Store(true)
	send()
	c.Fail.Store(false)
	send()
	require.Equal(t, 1, strings.Count(log.String(), "traces cannot be sent"), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "traces are sent again"))
	require.Len(t, c.Spans(), 3)
	c.Close()
	send()
	traces.Close()
	require.Equal(t, 2, strings.Count(log.String(), "traces cannot be sent"))
	require.Contains(t, log.String(), "the collector")
	require.NotContains(t, log.String(), "hunter2", "a URL may be a password")
}

func TestMalformedAttributeStopsTraces(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "no value")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	_, err := NewTraces(t.Context(), "1", slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "OTEL_RESOURCE_ATTRIBUTES")
}

// A collector that never answers delays neither the work nor the end of the program. The queue
// stays bounded.
func TestSilentCollectorHoldsUpNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for flushTimeout")
	}
	t.Parallel()
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		<-release
	}))
	defer silent.Close()
	defer close(release)
	traces, err := NewTraces(t.Context(), "", slog.New(slog.DiscardHandler),
		otlptracehttp.WithEndpointURL(silent.URL))
	require.NoError(t, err)
	for range 10 * maxQueuedSpans {
		_, span := traces.Tracer().Start(context.Background(), "work")
		span.End() // beyond the queue they are dropped
	}
	begun := time.Now()
	traces.Close()
	require.Less(t, time.Since(begun), flushTimeout+time.Second)
}
