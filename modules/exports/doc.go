// Package exports sends the plays of a fork over a period as a CSV file, to API keys and to people.
//
// It limits concurrent exports, records them in the audit log, and aborts one when its actor loses
// access. Package reports writes the rows; the caller authorises the request. It owns no table.
//
// Invariants (modules/publicapi/rules.md, CSV):
//   - The audit entry export.started commits before the first row is read. If reading fails, the
//     response is that error.
//   - Each export.started gets an export.finished with the rows and the outcome. It is written in
//     the background: neither the end nor the abort of a file waits for it.
//   - Between two blocks an export asks whether its actor still has access, at most twice a second
//     (key_unusable, access_ended). It ends within 10 seconds after the database stops answering
//     (database_unavailable). The two outcomes are never confused.
//   - An export is a snapshot: later changes of the reporting mode and erasures do not affect it.
//   - An organisation runs at most half of the exports. An export releases its slot before its
//     end is recorded. Exports make their blocks on half of the processors.
//   - A truncated file never looks complete (httpserver.Stream).
package exports
