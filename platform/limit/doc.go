// Package limit bounds concurrent work by key, such as a tenant.
//
// Work takes a slot of its key first, then one that all keys share. Thus at most PerKey pieces of a
// key's work queue for shared slots, which are granted in FIFO order.
package limit
