package httpserver

import (
	"cmp"

	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// startSpan begins the span of the request, as a child of the one that its traceparent header
// names, in the context of its handlers.
func (r *request) startSpan(header *fasthttp.RequestHeader) {
	caller := propagation.TraceContext{}.Extract(r.ctx, headerCarrier{header})
	r.ctx, r.span = r.srv.opts.Tracer.Start(caller, r.method,
		trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(r.start))
}

// endSpan sets the attributes of the access log, except path and client, which are private.
func (r *request) endSpan(status int, err error) {
	method := metricMethod(r.method)
	r.span.SetName(method + " " + r.route)
	r.span.SetAttributes(attribute.String("http.request.method", method),
		attribute.String("http.route", r.route),
		attribute.Int("http.response.status_code", status),
		attribute.String("dg.request_id", r.id))
	if isServerFault(status) || err != nil {
		r.span.SetStatus(codes.Error, cmp.Or(r.code, "broken off"))
	}
	r.span.End()
}

// headerCarrier exposes a request's traceparent only. tracestate is free text, possibly a key, and
// would reach every child span.
type headerCarrier struct{ header *fasthttp.RequestHeader }

// Get implements propagation.TextMapCarrier.
func (c headerCarrier) Get(name string) string {
	if name != "traceparent" {
		return ""
	}
	return string(c.header.Peek(name))
}

// Set implements propagation.TextMapCarrier. Nothing is ever injected.
func (c headerCarrier) Set(string, string) {}

// Keys implements propagation.TextMapCarrier. The propagator asks by name.
func (c headerCarrier) Keys() []string { return nil }
