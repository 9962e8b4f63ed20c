// Package limit bounds concurrent work by tenant.
//
// limit.go is Limiter, a keyed semaphore; requests.go is the limit of all requests.
//
// Invariants:
//   - Work takes its key's slot first, then one of all. So a key queues at most PerKey pieces of
//     work in front of the others, and the queue of all is FIFO.
//   - Work waits at most Wait.
//   - A slot is released once, however often release is called. An idle key is forgotten.
package limit
