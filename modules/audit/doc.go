// Package audit owns the audit log of each organisation. Tables: audit_entries, audit_bursts,
// audit_burst_events.
//
// Entries:
//   - The log is append-only: the serving role can neither update nor delete
//     (migrations/grants.sql). The operator prunes whole months as the owner of the tables, after
//     an export; an entry records it (Prune).
//   - AppendIn and AppendToAll take the caller's transaction: the change and its entry commit
//     together. Append records refusals; if it fails the caller answers 503.
//   - An entry copies the actor's name, so that it outlives the person or key. Text from clients
//     (path, user agent) is truncated and made valid UTF-8, so that every request can be recorded.
//   - The log is ordered by instant, so that a day is one index range. The database sets the
//     instant and a random id, which does not reveal the size of other logs. A slow transaction's
//     entry may appear slightly below newer ones.
//   - Six indexes make any combination of filters fast at any size, at the cost of slower writes.
//   - The two entries of an export share the detail exportId (Counterparts). Screens merge them
//     into one row; a file has both.
//
// Bursts are events too frequent for an entry each. Count counts them, and Run (in dg serve) turns
// each actor and reason into one entry within a minute. Entries and counts together are complete
// over all instances.
//   - An event is a row of 36 bytes in an unlogged table without indexes, committed before the
//     request is answered. The transaction that writes the entry deletes the rows, so each event is
//     counted once. A flood writes no WAL.
//   - A crash of PostgreSQL empties the table, which its missing sentinel row reveals. Each burst
//     of the last two minutes or so then gets an entry that says that its count was lost, even if
//     it was counted already. audit_bursts is logged.
package audit
