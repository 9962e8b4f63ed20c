// Package telemetry has logs, metrics, traces, profiles, and the supervision of background work.
//
//   - Loggers and registries are created here and passed on. No package keeps a global one.
//   - Metrics and profiles have a net/http server, on loopback by default, because a profile shows
//     memory. It refuses foreign host names against DNS rebinding.
//   - Traces go to an OpenTelemetry collector if one is set: a span for each request
//     (platform/httpserver) and statement (platform/postgres). A request's span has its request id;
//     no span has another id, a key, a parameter or an address. The queue is bounded, a failing
//     collector is logged once, and shutdown waits two seconds for it. Without a collector the
//     tracer is nil.
//   - The spans are dg's own: otelfiber and otelpgx put addresses, queries and the text of errors
//     into theirs.
//   - A panic of background work is logged and counted, and the work restarts (Supervisor).
package telemetry
