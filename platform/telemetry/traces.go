package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

const (
	maxQueuedSpans = 2048 // the SDK drops further spans
	maxBatchSpans  = 512
	sendTimeout    = 5 * time.Second
	flushTimeout   = 2 * time.Second
)

// TracesFromEnv reports whether OpenTelemetry's variables ask for traces: by an endpoint, or by the
// exporter otlp. It returns an error if they have a value that dg does not support.
func TracesFromEnv() (bool, error) {
	variable := func(suffix string) (name, value string) {
		if value := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_" + suffix); value != "" {
			return "OTEL_EXPORTER_OTLP_TRACES_" + suffix, value
		}
		return "OTEL_EXPORTER_OTLP_" + suffix, os.Getenv("OTEL_EXPORTER_OTLP_" + suffix)
	}
	exporter := os.Getenv("OTEL_TRACES_EXPORTER")
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || exporter == "none" {
		return false, nil
	}
	if exporter != "" && exporter != "otlp" {
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: set it to otlp or none", exporter)
	}
	if name, protocol := variable("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("%s is %q: set it to http/protobuf, and the endpoint to the port for it, "+
			"usually 4318", name, protocol)
	}
	name, endpoint := variable("ENDPOINT")
	if endpoint == "" {
		return exporter != "", nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false, fmt.Errorf("%s is not a URL: set it to one such as http://127.0.0.1:4318", name)
	}
	return true, nil
}

// NewTracer returns a tracer that sends spans to the collector that the variables OTEL_… name. Without
// a collector the tracer is nil: callers then start no spans. The caller must call flush, which
// sends the queued spans within flushTimeout and drops the rest.
func NewTracer(
	ctx context.Context, version string, log *slog.Logger,
) (tracer trace.Tracer, flush func(), _ error) {
	if wanted, err := TracesFromEnv(); err != nil || !wanted {
		return nil, func() {}, err
	}
	otel.SetLogger(logr.Discard()) // the default logger quotes malformed headers, which may be secret
	host, _ := os.Hostname()
	attributes, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "dg"), attribute.String("service.version", version),
		attribute.String("host.name", host)), resource.WithFromEnv())
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	client := otlptracehttp.NewClient(otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	exporter := otlptrace.NewUnstarted(&loggingClient{Client: client, log: log})
	provider := sdktrace.NewTracerProvider(sdktrace.WithResource(attributes),
		sdktrace.WithBatcher(exporter,
			sdktrace.WithMaxQueueSize(maxQueuedSpans), sdktrace.WithMaxExportBatchSize(maxBatchSpans),
			sdktrace.WithExportTimeout(sendTimeout)))
	return provider.Tracer("dg"), func() {
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		_ = provider.Shutdown(ctx) // loggingClient logs failures
	}, nil
}

// loggingClient logs the first of consecutive failures, and the recovery. Unsent spans are lost.
type loggingClient struct {
	otlptrace.Client
	log     *slog.Logger
	failing bool // needs no lock: one goroutine sends at a time
}

// maxLoggedError bounds an error in the log, in bytes: it may quote the collector's response.
const maxLoggedError = 300

var urlPattern = regexp.MustCompile(`https?://[^\s"]+`)

// UploadTraces sends spans. It logs a failure without the URL, which may have a secret.
func (c *loggingClient) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	err := c.Client.UploadTraces(ctx, spans)
	switch {
	case err != nil && !c.failing:
		text := urlPattern.ReplaceAllString(err.Error(), "the collector")
		c.log.Warn("traces cannot be sent and are lost", "error", text[:min(len(text), maxLoggedError)])
	case err == nil && c.failing:
		c.log.Info("traces are sent again")
	}
	c.failing = err != nil
	return nil
}
