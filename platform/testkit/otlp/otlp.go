// Package otlp is a collector of traces for tests.
package otlp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector takes traces by OTLP over HTTP.
type Collector struct {
	*httptest.Server
	Fail atomic.Bool // answer 503

	mu       sync.Mutex
	raw      []byte
	requests []*http.Request
	received []*tracepb.ResourceSpans
}

// New starts a collector.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var data tracepb.TracesData
		if err != nil || proto.Unmarshal(body, &data) != nil || c.Fail.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.raw = append(c.raw, body...)
		c.requests = append(c.requests, r)
		c.received = append(c.received, data.GetResourceSpans()...)
	}))
	t.Cleanup(c.Close)
	return c
}

// Requests returns the requests so far.
func (c *Collector) Requests() []*http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// Raw returns the bytes of all requests.
func (c *Collector) Raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.raw)
}

// Resource returns the attributes of the sender of the spans.
func (c *Collector) Resource() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.received) == 0 {
		return nil
	}
	return Attributes(c.received[0].GetResource().GetAttributes())
}

// Spans returns those received so far.
func (c *Collector) Spans() (spans []*tracepb.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.received {
		for _, s := range r.GetScopeSpans() {
			spans = append(spans, s.GetSpans()...)
		}
	}
	return spans
}

// Attributes returns values by name; numbers as text.
func Attributes(pairs []*commonpb.KeyValue) map[string]string {
	all := map[string]string{}
	for _, pair := range pairs {
		all[pair.GetKey()] = pair.GetValue().GetStringValue()
		if all[pair.GetKey()] == "" {
			all[pair.GetKey()] = pair.GetValue().String()
		}
	}
	return all
}
