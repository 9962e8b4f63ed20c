// Package httpserver is the HTTP edge of dg: it turns connections into fiber requests and whatever comes back into
// an honest answer. It knows nothing of forks, keys or screens.
//
// It owns the server and its limits (server.go), the connections (listener.go, admission.go, connections.go), the way it
// stops (shutdown.go), the guard in front of every route
// (guard.go, framing.go, linger.go), the one error body (errors.go, failure.go), the record of each request: its id,
// its client's address, its log line, its metrics (exchange.go, requestid.go, clientaddr.go, accesslog.go,
// sample.go, metrics.go), JSON answers with compression and ETag (json.go, encoding.go, etag.go, paced.go), and streamed files
// that cannot lie about being whole (stream.go, transfer.go, outcome.go, encoder.go, breaker.go, watch_linux.go).
//
// Decisions:
//
//   - Everything that is wrong with a request as HTTP is refused in front of the router, so no handler meets a
//     smuggled body, a folded header or a protocol that does not exist.
//   - Id, address, log line and metrics belong to the guard and not to fiber middleware, because requests that never
//     reach fiber (a header that is too big, a garbage request line) must have them as well.
//   - No body is taken in chunks: nothing but forms has one, browsers send those with their length, and what may stand
//     beside a chunk's length is where proxies and servers disagree.
//   - WriteError is the only place that turns an error into an answer. Its text comes from the error's own message
//     for the caller or from one table by status; causes go to the log with the request id.
//   - Values are copied (fiber's Immutable, and copies of all that is read from fasthttp), because fasthttp reuses
//     its buffers for the connection's next request. It costs 0.3 µs and a dozen small allocations a request, and
//     saves every handler from knowing this.
//   - Of requests whose sender is not known (MarkAuthenticated) at most 50 a second are logged, 20 of one address, and how many
//     were not; those that fail on our side always are. A flood wrote 82 MB in 40 s.
//   - A stream's first block is filled before the answer starts, so an early failure is an ordinary error answer. A
//     later one breaks the transfer. Trade: the first byte waits for 64 KB of rows.
//   - A file goes out in blocks of 64 KB, each with a write deadline of its own, through a send buffer held at
//     128 KB. Trade: a client has to read about 25 KB/s or it is let go; without it one that stops reading would
//     hold a database connection for as long as it likes.
//   - A JSON answer of more than 64 KB goes out in such blocks too. What it holds in memory until its reader has it is
//     bounded by the lease that its handler ties to it (AttachLease, platform/limiter).
//   - A stream that was handed to the kernel in full counts as delivered: no server can know more without the
//     client's word.
//   - A connection on which a request was refused before it was read to its end lingers half a second at its close,
//     or the kernel's reset could overtake the 413 or 431.
//   - Connections are bounded below the process's limit of files, less what database pools and others need
//     (Options.ReservedFiles), and by 10,000. At the bound the one that has been idle longest is closed, so a new client is
//     served; without an idle one, one whose request has been arriving for over a second; else the new one gets 503. None
//     whose request is being answered is closed. One address (IPv6: a /64) has half of the places, trusted proxies all of
//     them; loopback is an address like any other.
//   - An idle connection holds no buffers: 11 KB each, 110 MB for 10,000. It costs 3% of a small request.
//   - An error of accept that passes (too many files, no memory) is waited out, 5 ms doubling to a second.
//   - Stopping lets answers finish within a bound, then breaks what still runs, then closes what is still open.
package httpserver
