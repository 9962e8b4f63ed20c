// Package apikeys owns the organisations' API keys: format, management, authentication under an
// exact rate limit, and usage.
//
// Tables: api_keys, api_key_windows, api_key_usage.
//
// Invariants:
//   - Only the SHA-256 of a secret is stored. Create returns the secret once; no log, error or
//     audit entry contains it.
//   - Authenticate decides by one statement on the primary. It finds the key and its state, counts
//     the request and returns the primary's LSN for reads from replicas. No response depends on a
//     cache, so a request that starts after the commit of a revocation or change of plan sees it on
//     every instance.
//   - A change of a key commits with its audit entry, and only while the actor has the role in that
//     transaction. Revocation does not require two-step verification.
//   - A key is replaced once. revoked_at may lie up to a week ahead; a trigger lets it move earlier
//     only. Authentication uses the database clock; the UI uses the local clock.
//   - The rejection of a known key is sent only after its audit entry commits. Above 120 rejections
//     in 60 seconds, only their number is stored (audit.Log.CountRefusal).
//   - Only a caller with the correct secret learns more than that a key is invalid. Authentication
//     is not scoped to an organisation: the key identifies it (rules.md, Data).
//
// Trade-offs:
//   - The rate window is a row in an unlogged table, exact over all instances. A crash of
//     PostgreSQL empties it, which admits at most 120 more requests of a key in that minute.
//     Rejected requests have a row of their own, so that updates stay in place (HOT).
//   - A request that waits for the key's window while a revocation commits may still pass;
//     lock_timeout bounds the wait.
//   - Usage is counted in memory and stored once a minute: a statement for each request would cost
//     as much as its authentication. A crash loses a minute; a reply lost after the commit counts
//     the minute twice.
//   - Creation locks the organisation, so that MaxUsable is exact and a form sent twice creates one
//     key.
package apikeys
