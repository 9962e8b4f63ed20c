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

// metrics.md, Traces: variables have OpenTelemetry's meaning, and what dg has not stops its start.
func TestVariablesOfTracesAreOpenTelemetrys(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"
	for _, c := range []struct {
		env    []string
		sends  bool
		refuse string
	}{
		{},
		{env: []string{endpoint}, sends: true},
		{env: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://collector/v1/traces"}, sends: true},
		{env: []string{"OTEL_TRACES_EXPORTER=otlp"}, sends: true}, // to the default endpoint
		{env: []string{endpoint, "OTEL_TRACES_EXPORTER=none"}},
		{env: []string{endpoint, "OTEL_SDK_DISABLED=TRUE"}},
		{env: []string{endpoint, "OTEL_SDK_DISABLED=1"}, sends: true},
		{env: []string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"}, sends: true},
		{env: []string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
			"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf"}, sends: true},
		{env: []string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
			refuse: `OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": set it to http/protobuf`},
		{env: []string{endpoint, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json"},
			refuse: `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "http/json"`},
		{env: []string{endpoint, "OTEL_TRACES_EXPORTER=zipkin"},
			refuse: `OTEL_TRACES_EXPORTER is "zipkin": set it to otlp or none`},
		{env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=hunter2@collector:4317"},
			refuse: "OTEL_EXPORTER_OTLP_ENDPOINT is not a URL: set it to one such as http"},
	} {
		t.Run(strings.Join(c.env, " "), func(t *testing.T) {
			for _, pair := range c.env {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, value)
			}
			traces, err := NewTraces(t.Context(), "1", slog.New(slog.DiscardHandler))
			if c.refuse != "" {
				require.ErrorContains(t, err, c.refuse)
				require.NotContains(t, err.Error(), "hunter2")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.sends, traces.Tracer() != nil)
			traces.Close()
		})
	}
}
