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
// names, in the context of its handlers. tracestate is free text, possibly a key, and is not read.
func (r *request) startSpan(header *fasthttp.RequestHeader) {
	caller := propagation.TraceContext{}.Extract(r.ctx,
		propagation.MapCarrier{"traceparent": string(header.Peek("traceparent"))})
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
