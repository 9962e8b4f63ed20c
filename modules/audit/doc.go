// Package audit owns the audit log of each organisation. Tables: audit_entries, audit_refusals.
//
//   - The log is append-only: the serving role can neither update nor delete entries
//     (migrations/grants/audit.sql). The operator prunes whole months as the owner of the tables,
//     after an export; an entry records it (Prune).
//   - AppendIn and AppendToAll take the caller's transaction: the change and its entry commit
//     together. Append records refusals; if it fails the caller responds 503.
//   - CountRefusal counts the refusals above a key's limit, in a row for each key, reason and
//     minute. The log shows these rows as entries; entries and counts include those of all
//     instances.
//   - An entry copies the actor's name, so that it outlives the person or key. Text from clients
//     (path, user agent) is truncated and made valid UTF-8, so that every request can be recorded.
//   - The log is ordered by instant, so that a day is one index range. The database sets the
//     instant and a random id, which does not reveal the size of other logs. A slow transaction's
//     entry may appear slightly below newer ones.
package audit
