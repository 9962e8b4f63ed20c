// Package audit owns the audit log of each organisation. Tables: audit_entries, audit_refusals.
//
//   - The log is append-only: the serving role can neither update nor delete audit_entries
//     (migrations/grants/audit.sql). The operator prunes whole months as the owner of the tables,
//     after an export; an entry records it (Prune).
//   - AppendIn, AppendToAll and AppendChanges take the caller's transaction, so that a change and
//     its entry commit together. Append, for refusals and downloads, uses its own transaction. If
//     Append fails, the caller responds 503, or logs the error at the end of an export.
//   - CountRefusal counts the refusals above a key's limit, in a row for each key, reason and
//     minute. The log shows these rows as entries.
//   - An entry copies the actor's name, because the name may change later. Text from clients (such
//     as the user agent) is truncated and made valid UTF-8, so that every request can be recorded.
//   - The log is ordered by instant, so that a day is one index range. The database sets the
//     instant and the id, whose random bits hide the size of other logs. A slow transaction's entry
//     may appear below newer ones.
package audit
