package assembly_test

import (
	"encoding/hex"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"dg/platform/telemetry"
	"dg/platform/testkit/tb"
)

const callersTrace = "0af7651916cd43dd8448eb211c80319c"
const callersSpan = "b7ad6b7169203331"

// traced are the spans of the caller's trace, once it has one of that name.
func traced(t *testing.T, c *tb.Collector, flush func(), name string) (spans []*tracepb.Span) {
	flush()
	for _, s := range c.Spans() {
		if hex.EncodeToString(s.GetTraceId()) == callersTrace {
			spans = append(spans, s)
		}
	}
	require.True(t,
		slices.ContainsFunc(spans, func(s *tracepb.Span) bool { return s.GetName() == name }),
		"no span %s in %v", name, c.Spans())
	return spans
}

// A request is a span of its caller's trace, and its statements are spans below it: those of an
// export too, which outlives its handler. No span has a key, an id, a value of the query or a
// parameter.
func TestRequestAndItsStatementsAreTraced(t *testing.T) {
	c := tb.NewCollector(t)
	traces, err := telemetry.NewTraces(t.Context(), "1.2.3", slog.Default(),
		otlptracehttp.WithEndpointURL(c.URL+"/v1/traces"),
		otlptracehttp.WithHeaders(map[string]string{"X-Team": "dg"}))
	require.NoError(t, err)
	w := start(t, traces.Tracer())
	x := w.tenant(3)
	for _, path := range []string{x.stats(), x.export()} {
		require.Equal(t, http.StatusOK, w.call(x, path, "traceparent",
			"00-"+callersTrace+"-"+callersSpan+"-01", "tracestate", "caller="+x.key.Secret,
			"X-Request-Id", "the-request"))
	}
	require.NoError(t, w.Stop()) // the export has ended
	spans := traced(t, c, traces.Close, "GET /api/v1/forks/:forkId/exports/csv")

	names := map[string]int{}
	var roots []string
	for _, s := range spans {
		names[s.GetName()]++
		if hex.EncodeToString(s.GetParentSpanId()) == callersSpan {
			roots = append(roots, string(s.GetSpanId()))
		}
	}
	require.Len(t, roots, 2)
	for _, statement := range []string{
		"apikeys.authenticate", "batch", "audit.append", "reports.export",
	} {
		require.Positive(t, names[statement], "%s in %v", statement, names)
	}
	for _, s := range spans {
		attributes := tb.Attributes(s.GetAttributes())
		known := []string{"db.client.connection.pool.name", "db.system.name"}
		if slices.Contains(roots, string(s.GetSpanId())) {
			known = []string{
				"dg.request_id", "http.request.method", "http.response.status_code", "http.route",
			}
			require.Equal(t, "the-request", attributes["dg.request_id"])
			require.Contains(t, attributes["http.response.status_code"], "200")
		} else {
			require.Contains(t, roots, string(s.GetParentSpanId()), s.GetName())
		}
		require.Equal(t, known, slices.Sorted(maps.Keys(attributes)), s.GetName())
	}
	for _, request := range c.Received() {
		for _, secret := range []string{
			x.key.Secret, x.key.ID, x.ID, x.fork.ID, "2026-01", "select",
		} {
			require.NotContains(t, strings.ToLower(request.Raw), strings.ToLower(secret))
		}
		require.Equal(t, "dg", request.Header.Get("X-Team"))
		sender := tb.Attributes(request.Data.GetResourceSpans()[0].GetResource().GetAttributes())
		require.Equal(t, "dg", sender["service.name"])
		require.Equal(t, "1.2.3", sender["service.version"])
	}
}

// A failed statement and request are marked, with codes and no texts.
func TestFailuresAreMarkedInTraces(t *testing.T) {
	c := tb.NewCollector(t)
	traces, err := telemetry.NewTraces(t.Context(), "", slog.Default(),
		otlptracehttp.WithEndpointURL(c.URL))
	require.NoError(t, err)
	w := start(t, traces.Tracer())
	x := w.tenant(0)
	w.Exec(`revoke select on forks from dg_app`)
	require.Equal(t, http.StatusInternalServerError, w.call(x, "/api/v1/forks/"+x.fork.ID,
		"traceparent", "00-"+callersTrace+"-"+callersSpan+"-01"))
	marks := map[string]string{}
	for _, s := range traced(t, c, traces.Close, "GET /api/v1/forks/:forkId") {
		if s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR {
			marks[s.GetName()] = s.GetStatus().GetMessage()
		}
	}
	require.Len(t, marks, 2, "the request and one statement")
	require.Equal(t, "ERR_INTERNAL", marks["GET /api/v1/forks/:forkId"])
	require.Contains(t, slices.Collect(maps.Values(marks)), "42501")
}
