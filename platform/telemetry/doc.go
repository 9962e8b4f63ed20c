// Package telemetry has logs, metrics, traces, profiles, and the supervision of background work.
//
//   - A net/http server of its own serves metrics and profiles, by default on loopback, because
//     they show the program's internals.
//   - Traces go to an OpenTelemetry collector if one is set: spans of requests
//     (platform/httpserver) and statements (platform/postgres). A request's span has its request
//     id; no span has a key, a parameter or a client's address. The queue is bounded, and shutdown
//     waits at most two seconds for it.
//   - The spans are dg's own: otelfiber and otelpgx put addresses, queries and the text of errors
//     into theirs.
package telemetry
