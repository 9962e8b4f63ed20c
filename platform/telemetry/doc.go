// Package telemetry is what operators see: logs, metrics, traces, profiles, and the supervision of background work.
//
//   - Loggers and registries are made here and passed on; no package keeps a global one.
//   - Metrics and profiles have a server of their own, on a loopback port by default, because a profile shows memory. It is
//     net/http, for which pprof is written. It answers only for its own host and loopback ones; otherwise any page in an
//     operator's browser could read it (DNS rebinding).
//   - configs/deploy/metrics.md lists the metrics that the program serves, and a test compares it.
//   - Traces go to an OpenTelemetry collector where one is set: a span for each request (platform/httpserver) and for each
//     statement (platform/postgres), with the request's id and no key, id, parameter or address. What waits to be sent is
//     bounded, a collector that fails is logged once, and the end of the program waits two seconds for it. Without a
//     collector the tracer is nil.
//   - A panic of background work is logged and counted, and the work starts again (Supervisor).
package telemetry
