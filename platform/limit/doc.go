// Package limit bounds concurrent work by tenant.
//
//   - limit.go: Limiter, a keyed semaphore; requests.go: the limit of all requests
//   - hints.go: what an instance remembers of keys that it has seen
//
// Invariants:
//   - Work takes its key's place first, then one of all. So a key queues at most PerKey pieces of
//     work in front of the others, and the queue of all is FIFO.
//   - Work waits at most Wait, and at most MaxWaiting pieces of one key wait.
//   - A place is released once, however often release is called. An idle key is forgotten.
package limit
