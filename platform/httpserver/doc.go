// Package httpserver is the HTTP server of dg: connections, limits, errors, compression, streams
// and shutdown. Package body sends files and long JSON; package connlimit admits connections.
//
// Invariants:
//   - The guard sees every request, also those that never reach fiber, such as oversized headers.
//     It sets the request id and the client's address, and records log line and metrics. It refuses
//     chunked requests, which rules out smuggling.
//   - WriteError alone turns errors into responses. Causes go to the log with the request id.
//   - Strings are copied, because fasthttp reuses its buffers for the connection's next request.
//   - Expectations are refused before the body: 413 and 417 come without 100 Continue.
//   - A truncated stream never looks complete (package body). A stream counts as delivered once the
//     kernel has all of it. A client slower than about 25 KB/s is cut off, because it holds a
//     database connection. Send buffers are 128 KB, and 32 KB for unauthenticated responses.
//   - A large JSON body counts towards the memory limit (AttachLease) until the client has it.
//   - Failures of the server are always logged. Unauthenticated and rate-limited requests are
//     sampled: 50 a second, 20 of one client.
//   - Shutdown serves idle connections for Options.ShutdownDelay with Connection: close, because
//     proxies still use them. Idle connections hold no buffers.
//
// Not used of fiber: c.Fresh answers 304 to any If-Modified-Since and misses tags with commas. c.IP
// is the leftmost address, which can be forged. c.Context().Path() is decoded, while the router
// matches c.Path().
package httpserver
