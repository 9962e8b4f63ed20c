// Package telemetry is what the operators of dg see: logs, metrics and profiles.
//
// It owns the logger's form (logger.go), the metrics registry (metrics.go) and the ops server (ops.go).
//
// Background work of a serving program runs under a Supervisor: a panic there is logged and counted, and ends nothing else.
//
// Decisions:
//
//   - One structured logger, slog, made here and handed down; no package keeps one of its own.
//   - One registry, made here and handed down, instead of prometheus's global one, so that tests can have many.
//   - Metrics and profiles are served by a server of their own, on a loopback port unless told otherwise: a profile
//     shows memory, so it must not be reachable where the API is. It is net/http, because pprof is written for it. It
//     answers for its own host and loopback ones alone, or any page in an operator's browser could read it (DNS rebinding).
package telemetry
