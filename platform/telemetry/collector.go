package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector posts spans by OTLP over HTTP, to a URL that may have a query and credentials.
type collector struct {
	url     string
	headers http.Header
	client  *http.Client
	log     *slog.Logger
	failing bool // one goroutine posts at a time
}

func newCollector(o TraceOptions) *collector {
	return &collector{url: o.URL, headers: o.Headers, log: o.Logger, client: &http.Client{
		Timeout: sendTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
}

// Start implements otlptrace.Client.
func (c *collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. Spans that cannot be sent are lost: the first failure
// is logged, and its end.
func (c *collector) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	err := c.post(ctx, spans)
	switch {
	case err != nil && !c.failing:
		c.log.Warn("traces cannot be sent and are lost", "error", err)
	case err == nil && c.failing:
		c.log.Info("traces are sent again")
	}
	c.failing = err != nil
	return nil
}

// maxReply bounds how much of a response is read, which is not used.
const maxReply = 4 << 10

func (c *collector) post(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// TracesData and ExportTraceServiceRequest have the same wire format
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	maps.Copy(request.Header, c.headers)
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := c.client.Do(request)
	if err != nil {
		return errors.Unwrap(err) // a url.Error without the URL, whose query may be a password
	}
	defer response.Body.Close()
	// drained, so that the connection is reused
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, maxReply))
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", response.Status)
	}
	return nil
}
