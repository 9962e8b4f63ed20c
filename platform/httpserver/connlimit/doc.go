// Package connlimit bounds the open connections of a server against hostile clients.
//
//   - listener.go: a listener of admitted connections; metrics.go: its figures
//   - limit.go: the connections by state; admission.go: which one is evicted for a new one
//   - conn.go: a connection, and how it ends; tcpinfo_*.go: what the kernel knows of it
//
// Invariants:
//   - One client (an address or IPv6 /64, exempt networks excepted) has at most half of the
//     connections. At the limit the longest idle one is evicted, or one whose client is slow to
//     send its request or to read an unauthenticated response. Clients above their equal share are
//     evicted first. If there is none to evict, the new connection gets 503.
//   - A connection whose request is being served is never evicted.
//   - Admission and each change of state take constant time.
//   - A connection whose request was not read to its end lingers for half a second, so that the
//     kernel's reset does not overtake the 413 or 431.
//   - A passed read deadline does not hide bytes that have arrived.
//   - Transient errors of accept are retried with back-off from 5 ms to a second, because fasthttp
//     stops serving at any error.
package connlimit
