package telemetry

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"dg/platform/testkit/tb"
)

func TestLoggerWritesJSONOrText(t *testing.T) {
	var b bytes.Buffer
	log := NewLogger(&b, "warn", "json")
	log.Info("quiet")
	log.Warn("loud", "waited_ms", 1.5)
	require.Regexp(t, `^\{"time":"[^"]+","level":"WARN","msg":"loud","waited_ms":1.5\}\n$`, b.String())
	b.Reset()
	log = NewLogger(&b, "debug", "text")
	log.Debug("detail", "waited_ms", 60000)
	require.Contains(t, b.String(), "msg=detail waited_ms=60000")
}

// When the context ends, ServeOps does not wait for a profile.
func TestServeOpsDoesNotWaitForAProfile(t *testing.T) {
	ln := tb.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	serveCtx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- ServeOps(serveCtx, ln, OpsHandler(NewRegistry(), "127.0.0.1:0")) }()
	request := tb.Must(http.NewRequestWithContext(t.Context(), http.MethodGet,
		"http://"+ln.Addr().String()+"/debug/pprof/trace?seconds=30", nil))(t)
	response := tb.Must(http.DefaultClient.Do(request))(t) // the trace has begun
	defer response.Body.Close()
	cancel()
	require.NoError(t, <-served)
}

// The ops server has metrics and profiles. It refuses a foreign Host, which prevents DNS rebinding.
func TestOpsServerAnswersOnlyForItsOwnHost(t *testing.T) {
	for _, c := range []struct {
		addr, host string
		status     int
	}{
		{"127.0.0.1:0", "127.0.0.1:0", 200}, {"127.0.0.1:0", "localhost:8081", 200},
		{"127.0.0.1:0", "[::1]:8081", 200}, {":0", "10.0.0.1:9", 200},
		{"127.0.0.1:0", "evil.example:8081", 421}, {":0", "evil.example", 421},
		{"127.0.0.1:0", "localhost.evil.example", 421}, {"127.0.0.1:0", "evillocalhost", 421},
		{"127.0.0.1:0", "127.0.0.1.evil.example", 421}, {"127.0.0.1:0", "", 421},
		{"Metrics.internal:8081", "metrics.internal:8081", 200},
	} {
		for path, want := range map[string]string{"/metrics": "go_goroutines", "/debug/pprof/": "heap",
			"/debug/pprof/goroutine?debug=1": "goroutine profile"} {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
			request.Host = c.host
			recorder := httptest.NewRecorder()
			OpsHandler(NewRegistry(), c.addr).ServeHTTP(recorder, request)
			require.Equal(t, c.status, recorder.Code, "%+v", c)
			require.Equal(t, c.status == 200, strings.Contains(recorder.Body.String(), want), "%+v", c)
		}
	}
}

// A panic in background work is logged with its stack and counted, and the work restarts, unless its context has ended.
func TestSupervisorRestartsAfterAPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		supervisor := NewSupervisor(slog.New(slog.NewTextHandler(&log, nil)), NewRegistry())
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		runs := 0
		supervisor.Run(ctx, "sealer", func(context.Context) {
			if runs++; runs < 4 {
				panic("index out of range")
			}
		})
		require.Equal(t, 4, runs)
		require.Equal(t, 3*restartWait, time.Since(began))
		require.InDelta(t, 3, testutil.ToFloat64(supervisor.panics.WithLabelValues("sealer")), 0)
		require.Contains(t, log.String(), "index out of range")
		require.Contains(t, log.String(), "telemetry_test.go", "the stack names the line")
		supervisor.Run(ctx, "sealer", func(context.Context) { cancel(); panic("late") })
		require.Equal(t, 3*restartWait, time.Since(began))
	})
}

// The log has one line for a failing collector and one for its recovery. Spans in between are lost.
func TestFailingCollectorIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	collector := tb.NewCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.URL+"/hunter2/v1/traces")
	tracer, flush := tb.Must2(NewTracer(t.Context(), "", slog.New(slog.NewTextHandler(&log, nil))))(t)
	send := func() {
		for range 3 {
			_, span := tracer.Start(context.Background(), "work")
			span.End()
			require.NoError(t, span.TracerProvider().(*sdktrace.TracerProvider).ForceFlush(t.Context()))
		}
	}
	collector.Failing.Store(true)
	send()
	collector.Failing.Store(false)
	send()
	require.Equal(t, 1, strings.Count(log.String(), "traces cannot be sent"), log.String())
	require.Equal(t, 1, strings.Count(log.String(), "traces are sent again"))
	require.Len(t, collector.Spans(), 3)
	collector.Close()
	send()
	flush()
	require.Equal(t, 2, strings.Count(log.String(), "traces cannot be sent"))
	require.Contains(t, log.String(), "the collector")
	require.NotContains(t, log.String(), "hunter2", "a URL may be a password")
}

// A collector that never answers does not block work, and delays the shutdown by at most flushTimeout.
func TestSilentCollectorDoesNotBlock(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for flushTimeout")
	}
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer silent.Close()
	defer close(release)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", silent.URL)
	tracer, flush := tb.Must2(NewTracer(t.Context(), "", slog.New(slog.DiscardHandler)))(t)
	for range 10 * maxQueuedSpans {
		_, span := tracer.Start(context.Background(), "work")
		span.End() // spans beyond the queue are dropped
	}
	start := time.Now()
	flush()
	require.Less(t, time.Since(start), flushTimeout+time.Second)
}

// metrics.md, Traces: OTEL_ variables have their documented meaning. dg does not start with unsupported values.
func TestOpenTelemetryVariablesConfigureTraces(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"
	for _, c := range []struct {
		env     []string
		sends   bool
		wantErr string
	}{
		{},
		{env: []string{endpoint}, sends: true},
		{env: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://collector/v1/traces"}, sends: true},
		{env: []string{"OTEL_TRACES_EXPORTER=otlp"}, sends: true}, // sends to the default endpoint
		{env: []string{endpoint, "OTEL_TRACES_EXPORTER=none"}},
		{env: []string{endpoint, "OTEL_SDK_DISABLED=TRUE"}},
		{env: []string{endpoint, "OTEL_SDK_DISABLED=1"}, sends: true},
		{env: []string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"}, sends: true},
		{env: []string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc",
			"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf"}, sends: true},
		{env: []string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
			wantErr: `OTEL_EXPORTER_OTLP_PROTOCOL is "grpc": set it to http/protobuf`},
		{env: []string{endpoint, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json"},
			wantErr: `OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "http/json"`},
		{env: []string{endpoint, "OTEL_TRACES_EXPORTER=zipkin"},
			wantErr: `OTEL_TRACES_EXPORTER is "zipkin": set it to otlp or none`},
		{env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=hunter2@collector:4317"},
			wantErr: "OTEL_EXPORTER_OTLP_ENDPOINT is not a URL: set it to one such as http"},
		{env: []string{endpoint, "OTEL_RESOURCE_ATTRIBUTES=no value"}, wantErr: "OTEL_RESOURCE_ATTRIBUTES"},
	} {
		t.Run(strings.Join(c.env, " "), func(t *testing.T) {
			for _, pair := range c.env {
				name, value, _ := strings.Cut(pair, "=")
				t.Setenv(name, value)
			}
			tracer, flush, err := NewTracer(t.Context(), "1", slog.New(slog.DiscardHandler))
			if c.wantErr != "" {
				require.ErrorContains(t, err, c.wantErr)
				require.NotContains(t, err.Error(), "hunter2")
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.sends, tracer != nil)
			flush()
		})
	}
}
