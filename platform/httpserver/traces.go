package httpserver

import (
	"cmp"
	"context"

	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// startSpan begins the span of the request, as a child of the one that its traceparent header
// names, and sets the context of its handlers.
func (rec *requestRecord) startSpan(header *fasthttp.RequestHeader) {
	rec.ctx = rec.srv.base
	if rec.srv.opts.Tracer == nil {
		return
	}
	caller := propagation.TraceContext{}.Extract(rec.ctx, headerCarrier{header})
	rec.ctx, rec.span = rec.srv.opts.Tracer.Start(caller, rec.method,
		trace.WithSpanKind(trace.SpanKindServer), trace.WithTimestamp(rec.start))
}

// withSpan returns ctx with the span of the request, so that the statements of a stream are its
// children.
func (rec *requestRecord) withSpan(ctx context.Context) context.Context {
	if rec.span == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, rec.span)
}

// endSpan sets the attributes of the access log, except path and client, which are private.
func (rec *requestRecord) endSpan(status int, err error) {
	if rec.span == nil {
		return
	}
	method := metricMethod(rec.method)
	rec.span.SetName(method + " " + rec.route)
	rec.span.SetAttributes(attribute.String("http.request.method", method),
		attribute.String("http.route", rec.route),
		attribute.Int("http.response.status_code", status),
		attribute.String("dg.request_id", rec.id))
	if isServerFault(status) || err != nil {
		rec.span.SetStatus(codes.Error, cmp.Or(rec.code, "broken off"))
	}
	rec.span.End()
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
