package config

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// Tracing is where traces go. The variables are OpenTelemetry's own, and so are the others that dg
// heeds: OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_TRACES_SAMPLER.
type Tracing struct {
	OTLPEndpoint string `env:"OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL" help:"${otlp}"`
	OTLPHeaders  string `env:"OTEL_EXPORTER_OTLP_HEADERS" placeholder:"NAME=VALUE" secret:"" help:"${headers}"`
}

// Collector returns the URL that takes traces, "" for none, and the headers to send.
func (t Tracing) Collector() (to string, headers http.Header, err error) {
	if t.OTLPEndpoint == "" {
		return "", nil, nil
	}
	u, err := url.Parse(t.OTLPEndpoint)
	if err == nil && u.User != nil {
		return "", nil,
			errors.New(
				"OTEL_EXPORTER_OTLP_ENDPOINT holds a user: send it by " +
					"OTEL_EXPORTER_OTLP_HEADERS, such as authorization=Basic%20dXNlcjpwYXNz",
			)
	}
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", nil,
			errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is not a URL such as http://127.0.0.1:4318")
	}
	headers = http.Header{}
	for pair := range strings.SplitSeq(t.OTLPHeaders, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		decoded, err := url.PathUnescape(value)
		if pair != "" && (!ok || err != nil) {
			return "", nil,
				errors.New(
					"OTEL_EXPORTER_OTLP_HEADERS is not a list such as authorization=Basic%20dXNlcjpwYXNz,x-team=dg",
				)
		}
		if ok {
			headers.Set(strings.TrimSpace(name), strings.TrimSpace(decoded))
		}
	}
	return u.JoinPath("v1/traces").String(), headers, nil
}
