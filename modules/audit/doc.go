// Package audit owns an organisation's log: table audit_entries.
//
// Entries are added and read, never changed or removed: the serving role has no right to (migrations/grants.sql), and
// this package has no function for it.
//
// What must not happen without its entry commits with it: AppendIn takes the caller's transaction. A refusal is recorded
// on its own by Append; the caller answers 503 when that fails (decisions, "Audit").
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
