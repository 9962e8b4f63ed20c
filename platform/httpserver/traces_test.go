package httpserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"
)

// Without a tracer the hooks do nothing: no allocation, and the context is the server's own.
func TestUntracedRequestCostsNothing(t *testing.T) {
	s := New(Options{})
	rec := &requestRecord{srv: s, method: "GET"}
	var header fasthttp.RequestHeader
	header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		rec.startSpan(&header)
		_ = rec.withSpan(rec.ctx)
		rec.endSpan(200, nil)
	}))
	require.Equal(t, s.base, rec.ctx)
	require.Nil(t, rec.span)
}
