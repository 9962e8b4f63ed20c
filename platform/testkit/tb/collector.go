package tb

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
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
	Failing atomic.Bool // whether to respond 503

	mu       sync.Mutex
	received []Received
}

type Received struct {
	*http.Request
	Raw    string // the body
	Traces *tracepb.TracesData
}

func NewCollector(t testing.TB) *Collector {
	c := &Collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		traces := &tracepb.TracesData{}
		if err != nil || proto.Unmarshal(body, traces) != nil || c.Failing.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.received = append(c.received, Received{r, string(body), traces})
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *Collector) Received() []Received {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.received)
}

func (c *Collector) Spans() (spans []*tracepb.Span) {
	for _, request := range c.Received() {
		for _, r := range request.Traces.GetResourceSpans() {
			for _, s := range r.GetScopeSpans() {
				spans = append(spans, s.GetSpans()...)
			}
		}
	}
	return spans
}

// Attributes maps attribute names to values. A number becomes a protobuf text, such as int_value:200.
func Attributes(pairs []*commonpb.KeyValue) map[string]string {
	values := map[string]string{}
	for _, pair := range pairs {
		values[pair.GetKey()] = cmp.Or(pair.GetValue().GetStringValue(), pair.GetValue().String())
	}
	return values
}
