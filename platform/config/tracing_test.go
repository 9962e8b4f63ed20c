package config_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/config"
)

// The variables have OpenTelemetry's meaning.
func TestCollectorIsOpenTelemetrys(t *testing.T) {
	for endpoint, want := range map[string]string{
		"":                                  "",
		"http://127.0.0.1:4318":             "http://127.0.0.1:4318/v1/traces",
		"https://otel.example.org/":         "https://otel.example.org/v1/traces",
		"https://otel.example.org/otlp":     "https://otel.example.org/otlp/v1/traces",
		"https://otel.example.org/otlp/?x=": "https://otel.example.org/otlp/v1/traces?x=",
	} {
		got, _, err := config.Tracing{OTLPEndpoint: endpoint}.Collector()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, headers, err := config.Tracing{
		OTLPEndpoint: "http://a",
		OTLPHeaders:  "authorization=Basic%20dTpw, x-team=dg,",
	}.Collector()
	require.NoError(t, err)
	require.Equal(t, http.Header{"Authorization": {"Basic dTpw"}, "X-Team": {"dg"}}, headers)
}

func TestCollectorThatCannotBeReadIsRefused(t *testing.T) {
	for _, endpoint := range []string{
		"127.0.0.1:4318", "grpc://127.0.0.1:4317", "http://", "http://a b",
		"http://user:secret@127.0.0.1:4318",
	} {
		_, _, err := config.Tracing{OTLPEndpoint: endpoint}.Collector()
		require.ErrorContains(t, err, "OTEL_EXPORTER_OTLP_ENDPOINT", "%q", endpoint)
		require.NotContains(t, err.Error(), "secret")
	}
	for _, headers := range []string{"secret", "a=%zz", "a=b,secret"} {
		_, _, err := config.Tracing{OTLPEndpoint: "http://a", OTLPHeaders: headers}.Collector()
		require.ErrorContains(t, err, "OTEL_EXPORTER_OTLP_HEADERS", "%q", headers)
		require.NotContains(t, err.Error(), "secret")
	}
}
