// Package audit owns an organisation's log: tables audit_entries, audit_bursts, audit_burst_events.
//
// Entries are added and read, never changed or removed: the serving role has no right to (migrations/grants.sql), and
// this package has no function for it.
//
// What must not happen without its entry commits with it: AppendIn takes the caller's transaction. A refusal is recorded
// on its own by Append; the caller answers 503 when that fails (decisions, "Audit").
//
// What comes too often to be recorded one by one is counted (Count), and becomes one entry for each actor and reason within
// a minute (Run, in dg serve): entries and counts together are all that happened, over all instances.
//   - An event is one small row in an unlogged table without an index, committed before its request is answered, and removed
//     by the transaction that writes the entry with their number: each is in exactly one. A flood of n requests a second
//     writes n rows of 36 bytes a second, no write-ahead log, and three entries a minute.
//   - A crash of PostgreSQL empties that table. It is noticed by the row that is always in it, and each burst that was touched
//     in the two minutes or so before gets an entry which says that its count was lost. What was counted already may be among
//     them: the entry says more rather than less. audit_bursts, which is logged, holds them, a row for each actor and reason.
//
// Trades:
//   - An entry keeps the actor's name as it was then, not a reference, so that the log can be read after the person or key
//     is gone. Client-sent text (path, user agent) is cut to a bound and made valid UTF-8, so that no request is too odd to
//     be recorded.
//   - The log is in the order of its instants, so that a day is one stretch of it. The database gives them, and the numbers
//     of entries, which are random: nobody learns from the numbers of one log how long those of others are. An entry whose
//     transaction takes longer than another's may appear a little below it.
//   - Four indexes serve the filters (migrations, "audit_filters"), so that any combination of them is answered in a
//     millisecond whatever the log holds; an entry costs that much more to write.
package audit
