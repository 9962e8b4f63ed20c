// Package apikeys owns the organisations' API keys: format, management, authentication under an
// exact rate limit, and usage.
//
// Tables: api_keys, api_key_windows, api_key_usage.
//
// Invariants:
//   - Only the SHA-256 of a secret is stored. Create returns the secret once; no log, error or
//     audit entry contains it.
//   - One statement on the primary (authenticate.sql) finds the key and its state, counts the
//     request and returns the primary's LSN for reads from replicas. No decision depends on a
//     cache. Once a revocation or change of plan has committed, new requests see it on every
//     instance.
//   - The transaction that changes a key reads the actor's role again and adds the audit entry.
//     Revocation does not require two-step verification.
//   - A key is replaced at most once. revoked_at may be up to a week in the future; a trigger lets
//     it move earlier only. Authentication uses the database clock; the UI uses the local clock.
//   - The rejection of a known key is sent only after its audit entry commits. Above 120 rejections
//     in 60 seconds, only their number is stored (audit.Log.CountRefusal).
//   - Only a caller with the correct secret learns why a key is invalid. Authentication is not
//     scoped to an organisation, because it finds the organisation (rules.md, Data).
//
// Trade-offs:
//   - The rate window is a row in an unlogged table, exact over all instances. A crash of
//     PostgreSQL empties it, which admits at most 120 more requests of a key in that minute.
//     A second row of each key counts its rejected requests.
//   - A request that waits for the key's window while a revocation commits may still pass;
//     lock_timeout bounds the wait.
//   - Usage is counted in memory and stored 50 seconds after the last time, because a statement for
//     each request is too costly. A crash loses the counts not yet stored.
package apikeys
