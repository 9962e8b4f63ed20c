// Package httpserver is the HTTP server of dg: connections, limits, error responses, compression, streams, shutdown. It knows
// nothing of forks, keys or screens.
//
//   - server.go, options.go, routes.go, shutdown.go: the server, how it routes and how it stops
//   - listener.go, admission.go, connections.go, linger.go: connections, their limits and ends
//   - guard.go, framing.go: what is refused before the router
//   - errors.go, failure.go: errors and their responses
//   - record.go, client_address.go, access_log.go, log_sampler.go, metrics.go: the record of each request
//   - json.go, page.go, encoding.go, etag.go: bodies that are in memory
//   - json_pieces.go: bodies that are made while they are sent
//   - stream.go, stream_body.go, gzip_blocks.go, disconnect.go: files that are streamed
//   - block_writer.go, write_deadline.go: how long bodies of both kinds are sent
//
// Decisions:
//
//   - The guard refuses whatever is not valid HTTP before the router: no handler gets a smuggled body, a folded header or an
//     unknown protocol. Request id, address, log line and metrics are its work, not that of fiber's middleware, because
//     requests that never reach fiber (headers too large, a garbage request line) need them too.
//   - Chunked requests are refused: only forms have a body, browsers send it with its length, and proxies and servers disagree
//     about what may stand beside a chunk's length.
//   - WriteError is the only place that turns an error into a response. The message is the error's own or the one of the
//     table by status; causes go to the log with the request id.
//   - Values are copied (fiber's Immutable, and copies of all that is read from fasthttp): fasthttp reuses its buffers for
//     the connection's next request. This costs 0.3 µs and a dozen small allocations a request.
//   - At most 50 requests a second that are unauthenticated or over their key's rate are logged, 20 of one address, and the
//     number of the others. Failures of the server are always logged. Without sampling, a flood wrote 82 MB in 40 s.
//   - The first block of a stream is filled before the response starts: an early failure is an ordinary error response, a
//     later one resets the connection. The price: the first byte waits for 64 KB of rows.
//   - The connection of a long body resets on close (SO_LINGER 0) until its last chunk is sent, also when the process is killed.
//     GNU wget exits 0 after a plain end inside a chunk.
//   - An expectation is refused before the body is read: 413 and 417 come without 100 Continue.
//   - Long bodies are sent in blocks of 64 KB, each with its own write deadline, through a send buffer of 128 KB, and of 32 KB
//     for an answer that anybody gets: 4,500 clients that did not read held a gigabyte of the kernel. A client that
//     reads less than about 25 KB/s is cut off; otherwise one that stops reading would hold a database connection.
//   - A JSON body above 64 KB that is made in pieces is sent in chunks, and over HTTP/1.0, which has none, with its length: the
//     body is made twice.
//   - A large JSON body, or what it is made of, counts towards the memory limit (AttachLease, platform/limiter) until its reader has it.
//   - A stream counts as delivered when the kernel has all of it.
//   - The close of a connection whose request was not read to its end lingers for half a second: the kernel's reset could
//     overtake the 413 or 431.
//   - Connections are limited to the process's limit of files less Options.ReservedFiles, and to 10,000. At the limit the one
//     that has been idle longest is closed, or one whose client has been slow for over a second, to send its request or to read
//     an answer that needs no key and no session; else the new one gets 503. One address (IPv6: a /64) has half of the
//     connections, loopback included, trusted proxies excepted. At the limit an address with more than its share (all of them
//     by the number of addresses) makes room first, among its own and for others: eight addresses that opened 20,000
//     connections closed those of others between two requests.
//   - A shutdown keeps idle connections open for Options.ShutdownDelay and answers what comes on them, with Connection: close. Closing
//     them at once lost requests that proxies had just sent: 1 of 536 behind haproxy. A half-closed connection would be no way out:
//     its client takes it as the end. What crosses the last close is lost, which HTTP/1.1 cannot prevent; by then proxies have left.
//   - A read deadline that has passed does not hide bytes that have arrived: a request is read however late the process gets to it.
//   - Idle connections hold no buffers: 11 KB each, 110 MB for 10,000. It costs 3% of a small request.
//   - Transient errors of accept (too many files, no memory) are retried after 5 ms, doubling to a second.
package httpserver
