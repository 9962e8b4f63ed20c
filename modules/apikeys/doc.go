// Package apikeys owns the organisations' API keys: their format, creation, replacement, renaming, listing and revocation, their
// authentication under the exact rate limit, and their usage by day. Tables: api_keys, api_key_windows, api_key_usage.
//
// The path of a key: service.go, create.go, replace.go and rename.go serve the settings screens; authenticate.go finds the key of
// a request, takes one of its requests in the last minute (authenticate.sql) and answers; reject.go records every rejected use;
// usage.go counts them all.
//
// Invariants:
//   - Only the SHA-256 of a secret is stored. Create returns the secret once; it is in no log, error or audit entry.
//   - Authenticate is one statement on the primary: it finds the key, decides its state, counts the request, and returns the primary's
//     position, which reports from replicas have to see. Nothing about a key is cached that decides an answer, so that each
//     request that starts after the commit of a revocation, an expiry, a change of plan or of reporting mode sees it, on every
//     instance.
//   - The creation, replacement, renaming and revocation of a key commit together with their audit entry, and only while the
//     actor has the role (but for revocation also the second step) in that transaction.
//   - A key is replaced once. revoked_at may lie up to a week ahead: whatever decides compares it with the database's clock, what
//     only shows keys with the instance's. A trigger lets it come sooner, and never later.
//   - A rejected request is answered only after it was recorded or, over the limit of 120 in 60 seconds, counted in the log
//     (audit.Log.Count). recordRefusal is the only function that records one.
//   - Only a caller with the right secret learns more than that a key is invalid.
//
// Authentication is not scoped to an organisation: the key tells which it is (rules.md, Data).
//
// Usage: each instance counts requests in memory, and adds the counts to the key's row of the UTC day with one statement about once
// a minute, and when it stops. A crash loses at most that minute. A statement whose answer is lost may be counted twice. It is no
// part of the audit log, whose way of counting costs a statement for each event.
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
