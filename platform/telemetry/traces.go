package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The bounds of what waits to be sent: spans beyond the queue are dropped.
const (
	maxQueuedSpans = 2048
	maxBatch       = 512
	sendTimeout    = 5 * time.Second
	flushTimeout   = 2 * time.Second
)

// TraceOptions say where traces go. Without a URL there are no traces.
type TraceOptions struct {
	URL     string
	Headers http.Header
	Version string // of the program
	Logger  *slog.Logger
}

// Traces sends spans to a collector.
type Traces struct{ provider *sdktrace.TracerProvider }

// NewTraces returns traces that are sent until Close.
func NewTraces(ctx context.Context, o TraceOptions) (*Traces, error) {
	if o.URL == "" {
		return &Traces{}, nil
	}
	about, err := newResource(ctx, o, resource.WithHost())
	if err != nil {
		return nil, err
	}
	exporter := otlptrace.NewUnstarted(newCollector(o))
	return &Traces{sdktrace.NewTracerProvider(sdktrace.WithResource(about),
		sdktrace.WithBatcher(exporter,
			sdktrace.WithMaxQueueSize(maxQueuedSpans), sdktrace.WithMaxExportBatchSize(maxBatch),
			sdktrace.WithExportTimeout(sendTimeout)))}, nil
}

// newResource describes the program to the collector. It fails only over a setting: what the
// machine does not say is left out.
func newResource(
	ctx context.Context, o TraceOptions, machine resource.Option,
) (*resource.Resource, error) {
	if _, err := resource.New(ctx, resource.WithFromEnv()); err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), machine,
		resource.WithAttributes(attribute.String("service.name", "dg"),
			attribute.String("service.version", o.Version)), resource.WithFromEnv())
	if err != nil {
		o.Logger.Warn("traces do not say all about this machine", "error", err)
	}
	return about, nil
}

// Tracer starts spans. It is nil without a collector; callers check that, so that disabled traces
// cost nothing.
func (t *Traces) Tracer() trace.Tracer {
	if t.provider == nil {
		return nil
	}
	return t.provider.Tracer("dg")
}

// Close sends the queued spans, for at most flushTimeout.
func (t *Traces) Close() {
	if t.provider == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), flushTimeout)
	defer stop()
	_ = t.provider.Shutdown(ctx) // the collector has logged why
}
