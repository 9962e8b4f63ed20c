// Package apikeys owns the organisations' API keys: their format, creation, listing and revocation, and their
// authentication with the exact rate. Tables: api_keys, api_key_windows.
//
// Invariants:
//   - Of a secret only its SHA-256 is kept; the secret is returned once, by Create, and is in no log, error or entry.
//   - Authenticate is one statement on the primary: it finds the key, decides its state, takes a place in the last 60
//     seconds and moves the last use. Nothing about a key is cached, so a revocation, an expiry, a change of plan or of
//     reporting mode is seen by each request that starts after it was committed, on every instance.
//   - A key's creation and revocation commit together with their audit entry, and only while the actor has the role (and for
//     creation the second step) in that transaction.
//   - A refused use is answered only after it was recorded (Refuse is the one place that records one) or, beyond 120 in 60
//     seconds, counted in the log (package audit, "Count").
//
// Authentication is one of the program's three lookups that are not scoped to an organisation (decisions, "Data"): the
// key is what says which organisation it is.
//
// Trades:
//   - The window of a key is a row in an unlogged table: shared by all instances and exact, but a crash of PostgreSQL
//     empties it (at most 120 more requests in that minute).
//   - A request that started before a revocation's commit and waits for the key's row may still pass; lock_timeout bounds
//     the wait.
//   - An organisation has at most MaxUsable keys that are neither revoked nor expired: one for each tool, and a list that is
//     one page. Keys that are paused by the plan count. Those that have ended do not, and stay listed, the newest of them:
//     List is bounded by MaxListed, and the audit log knows the rest.
//   - Creating takes one lock for an organisation, so that MaxUsable is exact and a form that is sent twice makes one key.
//   - The refused uses' window is a second row, not a column: one request touches one of the two, and a row stays small
//     enough for PostgreSQL to update it in place.
package apikeys
