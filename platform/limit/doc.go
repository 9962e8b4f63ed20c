// Package limit bounds concurrent work by tenant.
//
// limit.go is Limiter, a keyed semaphore; requests.go is the limit of all requests.
//
// Invariants:
//   - Work takes a slot of its key first, then one that all keys share. Thus at most PerKey pieces
//     of a key's work queue for shared slots, which are granted in FIFO order.
//   - Work waits at most Wait, and is then refused.
//   - A slot is released once, however often release is called. An idle key is forgotten.
package limit
