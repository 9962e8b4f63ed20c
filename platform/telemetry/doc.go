// Package telemetry is what operators see: logs, metrics, profiles, and the supervision of background work.
//
//   - Loggers and registries are made here and passed on; no package keeps a global one.
//   - Metrics and profiles have a server of their own, on a loopback port by default, because a profile shows memory. It is
//     net/http, for which pprof is written. It answers only for its own host and loopback ones; otherwise any page in an
//     operator's browser could read it (DNS rebinding).
//   - configs/deploy/metrics.md lists the metrics that the program serves, and a test compares it.
//   - A panic of background work is logged and counted, and the work starts again (Supervisor).
package telemetry
