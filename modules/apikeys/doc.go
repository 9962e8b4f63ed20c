// Package apikeys owns the organisations' API keys: their format, creation, listing and revocation, and their
// authentication under the exact rate limit. Tables: api_keys, api_key_windows.
//
// The path of a key: service.go and create.go serve the settings screens; authenticate.go finds the key of a request, takes
// one of its requests in the last minute (authenticate.sql) and answers; reject.go records every rejected use.
//
// Invariants:
//   - Only the SHA-256 of a secret is stored. Create returns the secret once; it is in no log, error or audit entry.
//   - Authenticate is one statement on the primary: it finds the key, decides its state and counts the request. Nothing about
//     a key is cached, so that each request that starts after the commit of a revocation, an expiry, a change of plan or of
//     reporting mode sees it, on every instance.
//   - The creation and the revocation of a key commit together with their audit entry, and only while the actor has the role
//     (for creation also the second step) in that transaction.
//   - A rejected request is answered only after it was recorded or, over the limit of 120 in 60 seconds, counted in the log
//     (audit.Log.Count). Refuse is the only function that records one.
//   - Only a caller with the right secret learns more than that a key is invalid.
//
// Authentication is one of the program's three lookups that are not scoped to an organisation: the key tells which
// organisation it is.
//
// Trade-offs:
//   - The window of a key is a row in an unlogged table: shared by all instances and exact, but a crash of PostgreSQL empties
//     it (at most 120 more requests in that minute).
//   - A request that started before the commit of a revocation and waits for the key's row may still pass; lock_timeout
//     bounds the wait.
//   - An organisation has at most MaxUsable usable keys, keys paused by the plan included. Revoked and expired ones stay
//     listed, the newest of them: MaxListed bounds the list, and the audit log has the rest.
//   - Creation takes one lock for an organisation: MaxUsable is exact, and a form that is sent twice creates one key.
//   - The window of rejected requests is a second row, not a column: one request touches one of the two, and a row stays
//     small enough for PostgreSQL to update it in place.
package apikeys
