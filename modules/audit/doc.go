// Package audit owns the log of each organisation. Tables: audit_entries, audit_bursts, audit_burst_events.
//
// Entries:
//   - They are added and read, never changed or removed: the serving role has no right to (migrations/grants.sql). The operator
//     removes whole months of them as the owner of the tables, after they were written to a file; an entry says so (Prune).
//   - What must not happen without its entry commits with it: AppendIn and AppendToAll take the caller's transaction. A refusal
//     is recorded by Append; the caller answers 503 when that fails.
//   - An entry holds the actor's name as it was then, not a reference: the log can be read after the person or key is gone.
//     Text from clients (path, user agent) is cut to a bound and made valid UTF-8, so that every request can be recorded.
//   - The log is in the order of its instants, so that a day is one range of it. The database gives the instant and the random
//     id: ids do not show how long the logs of others are. An entry whose transaction takes longer than another's may appear a
//     little below it.
//   - Five indexes serve the filters, so that any combination of them is answered in a millisecond whatever the log's size. An
//     entry costs that much more to write.
//   - The two entries of an export share the detail exportId (Counterparts). Screens show them as one row; a file has both.
//
// Bursts: events that come too often for an entry each are counted (Count), and become one entry for each actor and reason
// within a minute (Run, in dg serve). Entries and counts together are all that happened, over all instances.
//   - An event is a small row in an unlogged table without an index, committed before its request is answered and removed by
//     the transaction that writes the entry with the number of events: each is in exactly one. A flood of n requests a second
//     writes n rows of 36 bytes a second, no write-ahead log, and three entries a minute.
//   - A crash of PostgreSQL empties that table, which the loss of its one permanent row shows. Each burst that was touched in
//     the two minutes or so before gets an entry that says that its count was lost. It may include events that were counted
//     already: the entry says more rather than less. audit_bursts is logged and has a row for each actor and reason.
package audit
