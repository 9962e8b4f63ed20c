// Package telemetry has logs, metrics, traces, profiles, and the supervision of background work.
//
//   - Metrics and profiles have a net/http server, on loopback by default, because a profile shows
//     memory.
//   - Traces go to an OpenTelemetry collector if one is set: a span for each request
//     (platform/httpserver) and statement (platform/postgres). A request's span has its request id;
//     no span has another id, a key, a parameter or an address. The queue is bounded, and shutdown
//     waits two seconds for it.
//   - The spans are dg's own: otelfiber and otelpgx put addresses, queries and the text of errors
//     into theirs.
package telemetry
