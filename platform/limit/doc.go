// Package limit bounds concurrent work by key, such as a tenant.
//
// Work takes a slot of its key first, then one of its site, then one that all keys share. Thus at
// most PerKey pieces of a key's work queue for shared slots.
//
// Invariant: work that waits for a slot of one limiter holds no slot of Requests. Otherwise
// requests that queue for a report would take the slots of short requests.
package limit
