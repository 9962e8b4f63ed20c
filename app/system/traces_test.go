package system

import (
	"net/http"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"dg/app/apptest"
	"dg/platform/testkit/otlp"
)

// dg serve sends traces to the collector of its settings, the last of them when it stops.
func TestServeSendsTraces(t *testing.T) {
	t.Parallel()
	collector := otlp.New(t)
	p := &program{t: t, dir: apptest.NewFolder(t)}
	status, output := p.run("serve", "--otlp-endpoint", "grpc://127.0.0.1:4317")
	require.Equal(t, 1, status)
	require.Contains(t, output, "OTEL_EXPORTER_OTLP_ENDPOINT")

	greeting, stop := p.serve("serve", "--otlp-endpoint", collector.URL)
	response, err := http.Get(
		regexp.MustCompile(`Serving on (\S+)`).FindStringSubmatch(greeting)[1] + "/readyz",
	)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	stop()
	require.True(t,
		slices.ContainsFunc(collector.Spans(), func(s *tracepb.Span) bool {
			return s.GetName() == "GET /readyz"
		}), "%v", collector.Spans())
	require.Equal(t, "dev", collector.Resource()["service.version"])
	require.Equal(t, "/v1/traces", collector.Requests()[0].URL.Path)
}
